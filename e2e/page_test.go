//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/demo"
)

// hostile is a note that would run as a page if any of it became markup.
const hostile = `# <img src=x onerror="window.pwned='title'"> Zweckbau

zweckbau <script>window.pwned = "script"</script> <img src=x onerror="window.pwned='image'">
<a href="javascript:window.pwned='link'">press</a> <svg onload="window.pwned='svg'"></svg> <iframe srcdoc="<script>parent.pwned='frame'</script>"></iframe>
person: "><script>window.pwned='entity'</script> someone@example.com #zweckbau
`

// pageMemory is a workspace with the demo's memory, a long note with a tree over it, and a hostile one.
func pageMemory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(filepath.Join(files, "journal"), 0o700); err != nil {
		t.Fatal(err)
	}
	paths, err := demo.Write(demo.Memory(), files)
	if err != nil {
		t.Fatal(err)
	}
	var long strings.Builder
	long.WriteString("# The harbour journal\n")
	for i := range 260 {
		fmt.Fprintf(&long, "\n## Day %d\n\nThe lighthouse keeper Ann Lee told me about storm number %d, and how the harbour wall held. We counted %d boats before the fog came in, wrote their names down and had tea at the pier.\n", i+1, i*7%23, 3+i*5%17)
	}
	for name, text := range map[string]string{"journal/harbour.md": long.String(), "journal/hostile.md": hostile} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	workspace := filepath.Join(dir, "memory")
	ingest := command(t.Context(), append([]string{"ingest", filepath.Join(files, "journal")}, paths...)...)
	ingest.Env = append(ingest.Env, "OPENHUMAN_WORKSPACE="+workspace)
	if out, err := ingest.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return workspace
}

// signIn types the token, as a person does.
func (b *browser) signIn(address, token string) {
	b.t.Helper()
	b.open(address)
	b.await("document.activeElement.id === 'token'")
	b.write(token)
	b.press("Enter")
	b.await("document.querySelector('.sources')")
}

func TestPage(t *testing.T) {
	address, token := serve(t, "OPENHUMAN_WORKSPACE="+pageMemory(t))
	b := openBrowser(t)
	b.look(1280, 860, "light")

	// A wrong token is said to be one; the right one never stands in the address.
	b.open(address)
	b.await("document.activeElement.id === 'token'")
	b.shoot("sign-in")
	b.write("wrong")
	b.press("Enter")
	b.await("document.querySelector('.failure').innerText.includes('not the token')")
	b.signIn(address, token)
	var kept []string
	b.eval("[location.href, document.cookie, JSON.stringify({...localStorage}), JSON.stringify(history.state)]", &kept)
	if slices.ContainsFunc(kept, func(s string) bool { return strings.Contains(s, token) }) {
		t.Errorf("the token is in %q", kept)
	}
	b.eval("navigator.languages", &kept)
	t.Logf("languages %q", kept)

	// A view, the key that leads there, and what is true when it stands.
	views := []struct{ name, key, stands string }{
		{"overview", "1", "document.querySelector('main .chart .fill') && document.querySelectorAll('.sources tbody tr').length >= 3"},
		{"search", "2", "document.activeElement.id === 'q'"},
		{"entities", "3", "document.querySelector('main .entities tbody tr')"},
		{"trees", "4", "document.querySelector('main .tree .node')"},
		{"tools", "5", "document.querySelector('main .registry tbody tr')"},
		{"audit", "6", "document.querySelector('main .calls tbody tr')"},
	}
	for _, v := range views {
		b.eval("document.activeElement.blur()", nil)
		b.press(v.key)
		b.await(v.stands)
		switch v.name {
		case "search":
			b.write("when was the boiler repaired?")
			b.press("Enter")
			b.await("document.querySelectorAll('.side').length === 2 && [...document.querySelectorAll('.side')].every(s => s.querySelector('.row mark'))")
			b.await("[...document.querySelectorAll('.side .why')].some(w => w.innerText.includes('no. 1 by words'))")
		case "trees":
			b.press("j")
			b.eval("document.querySelector('.twist').click()", nil)
			b.await("document.querySelector('.tree ul .node')")
		}
		b.inspect(v.name)
	}

	// Reading: a row is opened by keys, the document read on by keys, and the way back leads to the results.
	b.eval("location.hash = '#/search'", nil)
	b.await("document.querySelectorAll('.side .row').length > 1")
	b.press("j")
	b.press("Enter")
	b.await("location.hash.startsWith('#/read/') && document.querySelector('.part.here').innerText.length > 10")
	b.press("Escape")
	b.await("document.querySelectorAll('.side .row').length > 1")
	b.eval("location.hash = '#/browse/source/' + encodeURIComponent('notes:journal')", nil)
	b.await("document.querySelectorAll('.row').length === 25")
	b.inspect("browse")
	b.eval("document.querySelector('.row-title').click()", nil)
	b.await("document.querySelector('.part.here')")
	var before, after string
	b.eval("location.hash", &before)
	b.press("[")
	b.await("document.querySelectorAll('.part').length > 1 && location.hash !== " + fmt.Sprintf("%q", before) + " && location.hash.endsWith(document.querySelector('aside code').innerText)")
	b.press("]")
	b.await("location.hash === " + fmt.Sprintf("%q", before))
	b.eval("[...document.querySelectorAll('.chips a')].length + ' ' + document.querySelector('.part.here .text').textContent.length", &after)
	t.Logf("entities and characters: %s", after)
	b.inspect("read")
	b.eval("document.activeElement.blur()", nil)
	b.press("?")
	b.await("document.querySelector('dialog[open]')")
	b.shoot("keys")
	b.press("Escape")
	b.await("!document.querySelector('dialog')")

	t.Run("hostile", func(t *testing.T) { checkHostile(t, b) })

	// The browser's language decides until its user does.
	b.call("Emulation.setUserAgentOverride", map[string]any{"userAgent": "e2e", "acceptLanguage": "zh-CN,en"}, nil)
	b.eval("location.hash = '#/'", nil)
	b.call("Page.reload", nil, nil)
	b.await("document.documentElement.lang === 'zh-CN' && document.querySelector('h1')?.innerText === '概览'")
	b.inspect("zh-overview")
	for name, hash := range map[string]string{"zh-search": "search", "zh-tools": "tools", "zh-audit": "audit"} {
		b.eval("location.hash = '#/"+hash+"'", nil)
		b.await("document.querySelector('nav [aria-current]').dataset.view === '" + hash + "' && document.querySelector('h1')")
		if hash == "search" {
			b.await("document.activeElement.id === 'q'")
			b.write("龙井茶")
			b.press("Enter")
			b.await("document.querySelector('.row mark')")
		}
		b.shoot(name)
	}
	b.eval("{ const s = document.querySelector('header select'); s.value = 'en'; s.dispatchEvent(new Event('change')) }", nil)
	b.await("document.documentElement.lang === 'en'")

	// Signing out forgets the token and what was found.
	b.eval("[...document.querySelectorAll('header button')].at(-1).click()", nil)
	b.await("document.querySelector('#token')")
	var left string
	b.eval("JSON.stringify({...sessionStorage}) + document.body.innerText", &left)
	if strings.Contains(left, token) || strings.Contains(left, "boiler") {
		t.Errorf("left behind: %s", left)
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	// What this test did on purpose is reported, sooner or later: a wrong token, markup, another host.
	b.blocked = slices.DeleteFunc(b.blocked, func(s string) bool {
		return strings.Contains(s, "401 (Unauthorized)") || strings.Contains(s, "TrustedHTML") || strings.Contains(s, elsewhere)
	})
	delete(b.hosts, elsewhere)
	if len(b.hosts) != 1 || !b.hosts[strings.TrimPrefix(address, "http://")] {
		t.Errorf("asked %v", b.hosts)
	}
	if slices.ContainsFunc(b.paths, func(p string) bool { return strings.Contains(p, token) || strings.Contains(p, "boiler") }) {
		t.Errorf("addresses hold what they should not: %q", b.paths)
	}
	if len(b.blocked) > 0 {
		t.Errorf("errors in the page:\n%s", strings.Join(b.blocked, "\n"))
	}
}

// elsewhere is a host that nothing may be asked of.
const elsewhere = "127.0.0.2:9"

// checkHostile shows the hostile note everywhere, and finds its markup as text and nothing run.
func checkHostile(t *testing.T, b *browser) {
	b.eval("location.hash = '#/search'", nil)
	b.await("document.activeElement.id === 'q' || document.querySelector('#q')")
	b.eval("document.querySelector('#q').select()", nil)
	b.write("zweckbau")
	b.press("Enter")
	b.await("document.querySelector('.side mark')?.innerText.toLowerCase() === 'zweckbau'")
	b.shoot("hostile")
	var text string
	b.eval("document.querySelector('.sides').textContent", &text)
	if !strings.Contains(text, "<script>") || !strings.Contains(text, "<img src=x") {
		t.Errorf("the markup is not shown as text: %s", text)
	}
	b.eval("document.querySelector('.side .row-title').click()", nil)
	b.await("document.querySelector('.part.here')?.textContent.includes('<script>window.pwned = \"script\"</script>')")
	var found []string
	b.eval(`[...document.querySelectorAll("main script, main img, main iframe, main svg, main a[href^=javascript]")].map(e => e.outerHTML)`, &found)
	if len(found) > 0 {
		t.Errorf("markup of the note in the page: %q", found)
	}
	for _, view := range []string{"entities", "trees/" + "notes%3Ajournal", "browse/source/notes%3Ajournal", ""} {
		b.eval("location.hash = '#/"+view+"'", nil)
		b.await("document.querySelector('h1')")
	}
	var pwned string
	b.eval("new Promise(done => setTimeout(() => done(String(window.pwned)), 300))", &pwned)
	if pwned != "undefined" {
		t.Errorf("the note ran: %s", pwned)
	}
	// The policy holds even where the page should fail: no string becomes a script or markup.
	var said string
	b.eval(`(() => { try { document.createElement("div").innerHTML = "<b>x</b>"; return "made markup" } catch (err) { return err.name } })()`, &said)
	if said != "TypeError" {
		t.Errorf("text was made into markup: %s", said)
	}
	b.eval(`new Promise(done => {
		addEventListener("securitypolicyviolation", e => done(e.effectiveDirective), {once: true});
		fetch("http://`+elsewhere+`/").catch(() => {});
		setTimeout(() => done("nothing"), 2000);
	})`, &said)
	if said != "connect-src" {
		t.Errorf("the page may ask others: %s", said)
	}
}

// inspect looks at a view as different people do, and takes a picture of each.
func (b *browser) inspect(name string) {
	b.t.Helper()
	for _, scheme := range []string{"dark", "light"} {
		b.look(1280, 860, scheme)
		var faint []string
		b.eval(contrast, &faint)
		if len(faint) > 0 {
			b.t.Errorf("%s, %s: too faint: %q", name, scheme, faint)
		}
		b.shoot(name + "-" + scheme)
	}
	b.look(360, 740, "light")
	var wide []string
	b.eval(`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, nav")).map(e => e.tagName + "." + e.className)`, &wide)
	if len(wide) > 0 {
		b.t.Errorf("%s does not fit a narrow window: %q", name, wide)
	}
	b.shoot(name + "-narrow")
	b.look(1280, 860, "light")
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
		}
	}
	b.call("Accessibility.getFullAXTree", nil, &tree)
	for _, n := range tree.Nodes {
		switch n.Role.Value {
		case "button", "link", "textbox", "searchbox", "combobox", "image", "region", "navigation":
			if n.Name.Value == "" && !n.Ignored {
				b.t.Errorf("%s: a %v without a name", name, n.Role.Value)
			}
		}
	}
}

// contrast lists texts whose colour is too near to that behind it: WCAG AA asks for 4.5, and 3 for
// large ones.
const contrast = `(() => {
	const parse = c => { const m = c.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/); return m && [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4]] };
	const light = ([r, g, b]) => { const f = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b) };
	const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c && c[3] === 1) return c } return [255, 255, 255, 1] };
	const out = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; n = walk.nextNode();) {
		const e = n.parentElement;
		if (!n.data.trim() || !e.checkVisibility() || e.closest(".unseen, .skip")) continue;
		const style = getComputedStyle(e), ink = parse(e instanceof SVGElement ? style.fill : style.color);
		if (!ink) { out.add("unknown colour " + style.color); continue }
		const [a, b] = [light(ink), light(behind(e))].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
		if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) out.add(e.tagName + "." + e.getAttribute("class") + " " + ratio.toFixed(2) + " " + n.data.slice(0, 30));
	}
	return [...out];
})()`

// TestPageIsFast: the first view stands within 300 ms and 150 KB; where the machine is too busy for that,
// within eight times of what the smallest page takes. E2E_MEMORY names a workspace with a
// large memory to measure; without it that of the other tests is taken.
func TestPageIsFast(t *testing.T) {
	memory := workspace
	if given := os.Getenv("E2E_MEMORY"); given != "" {
		memory = given
	}
	address, token := serve(t, "OPENHUMAN_WORKSPACE="+memory)
	b := openBrowser(t)
	b.signIn(address, token)
	best, bytes := 1e9, 0.0
	for range 7 {
		b.call("Network.clearBrowserCache", nil, nil)
		b.eval("window.former = true", nil)
		b.call("Page.reload", map[string]any{"ignoreCache": true}, nil)
		b.await("!window.former && performance.getEntriesByName('shown').length && document.querySelector('.sources')")
		var m []float64
		b.eval(`[performance.getEntriesByName("shown")[0].startTime, ...["navigation", "resource"].flatMap(k => performance.getEntriesByType(k).map(e => e.transferSize))]`, &m)
		best, bytes = min(best, m[0]), 0
		for _, n := range m[1:] {
			bytes += n
		}
	}
	// What the same browser takes on this machine, as busy as it is now, for a page with nothing in it.
	empty := 1e9
	for range 7 {
		b.open(address + "/icon.svg")
		var m float64
		b.await("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
		b.eval("performance.getEntriesByType('navigation')[0].loadEventEnd", &m)
		empty = min(empty, m)
	}
	b.open(address)
	b.await("performance.getEntriesByName('shown').length && document.querySelector('.sources')")
	var about string
	var steps []string
	b.eval(`["navigation", "resource"].flatMap(k => performance.getEntriesByType(k)).map(e => e.name.split("/").at(-1) + " " + Math.round(e.startTime) + "-" + Math.round(e.responseEnd))`, &steps)
	t.Logf("the last one, in ms: %s", strings.Join(steps, ", "))
	b.eval("document.querySelector('.lead').innerText", &about)
	t.Logf("%s: first view after %.0f ms, a picture of 350 bytes after %.0f ms (best of 7 each), %.0f bytes", about, best, empty, bytes)
	if bytes > 150_000 || bytes < 20_000 {
		t.Errorf("%.0f bytes", bytes)
	}
	if best > max(300, 8*empty) {
		t.Errorf("%.0f ms", best)
	}
}

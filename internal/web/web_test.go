package web_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/web"
)

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	web.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	return w
}

func TestPage(t *testing.T) {
	files := map[string]string{"/": "text/html; charset=utf-8"}
	size := 0
	for path, kind := range walk(t) {
		if path != "/index.html" {
			files[path] = kind
		}
	}
	for path, kind := range files {
		w := get(t, path)
		size += w.Body.Len()
		h := w.Header()
		if w.Code != 200 || h.Get("Content-Type") != kind {
			t.Errorf("%s: %d %s, want %s", path, w.Code, h.Get("Content-Type"), kind)
		}
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), want) {
				t.Errorf("%s: no %s", path, want)
			}
		}
		if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: %s", path, h.Get("Content-Security-Policy"))
		}
		if h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, h)
		}
		if again := get(t, path, "If-None-Match", h.Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.Code)
		}
	}
	if t.Logf("the page has %d bytes in %d files", size, len(files)); size > 150_000 {
		t.Errorf("the page has %d bytes", size)
	}
	for _, path := range []string{"/index.html", "/nothing", "/page/app.js", "/../web.go"} {
		if w := get(t, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func walk(t *testing.T) map[string]string {
	t.Helper()
	kinds := map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	files := map[string]string{}
	err := filepath.WalkDir("page", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[strings.TrimPrefix(filepath.ToSlash(path), "page")] = kinds[filepath.Ext(path)]
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func source(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("page", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What makes markup or code of a text, and what fetches from elsewhere, stands nowhere in the page.
func TestTextStaysText(t *testing.T) {
	never := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTML|\beval\b|new Function|\.srcdoc|javascript:|@import|url\(`)
	address := regexp.MustCompile(`(https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s"]*`)
	for path := range walk(t) {
		text := source(t, path)
		if m := never.FindString(text); m != "" {
			t.Errorf("%s has %s", path, m)
		}
		for _, m := range address.FindAllString(text, -1) {
			if m != "http://www.w3.org/2000/svg" { // a name, which nobody fetches
				t.Errorf("%s has %s", path, m)
			}
		}
	}
	html := source(t, "index.html")
	if regexp.MustCompile(`<script(>| [^>]*>)[^<]| on[a-z]+=| style=|<style`).MatchString(html) {
		t.Error("the page has inline scripts or styles, which its policy refuses")
	}
}

// Both languages have every phrase, with the same gaps, and every phrase is used.
func TestWords(t *testing.T) {
	text := source(t, "words.js")
	phrase := regexp.MustCompile(`(\w+): "((?:[^"\\]|\\.)*)"`)
	gap := regexp.MustCompile(`\{\w+\}`)
	read := func(name string) map[string]string {
		_, rest, ok := strings.Cut(text, "const "+name+" = {")
		block, _, end := strings.Cut(rest, "\n};")
		if !ok || !end {
			t.Fatalf("no words in %s", name)
		}
		words := map[string]string{}
		for _, m := range phrase.FindAllStringSubmatch(block, -1) {
			if _, twice := words[m[1]]; twice {
				t.Errorf("%s has %s twice", name, m[1])
			}
			words[m[1]] = m[2]
		}
		return words
	}
	en, zh := read("EN"), read("ZH")
	var code strings.Builder
	for path := range walk(t) {
		if strings.HasSuffix(path, ".js") && path != "/words.js" {
			code.WriteString(source(t, path))
		}
	}
	for key, text := range en {
		other, ok := zh[key]
		if !ok {
			t.Errorf("no Chinese for %s", key)
			continue
		}
		for _, g := range gap.FindAllString(text, -1) {
			if !strings.Contains(other, g) {
				t.Errorf("the Chinese %s lacks %s", key, g)
			}
		}
		if len(gap.FindAllString(text, -1)) != len(gap.FindAllString(other, -1)) {
			t.Errorf("%s has other gaps in Chinese", key)
		}
		if !strings.Contains(code.String(), `"`+key+`"`) && key != "name" && !dynamic[key] {
			t.Errorf("%s is used nowhere", key)
		}
	}
	for key := range zh {
		if _, ok := en[key]; !ok {
			t.Errorf("no English for %s", key)
		}
	}
	for _, m := range regexp.MustCompile(`\bt\("(\w+)"`).FindAllStringSubmatch(code.String(), -1) {
		if _, ok := en[m[1]]; !ok {
			t.Errorf("there are no words for %s", m[1])
		}
	}
}

// dynamic are the phrases named by what the server answers: kinds of sources, what matched, health.
var dynamic = map[string]bool{
	"chat": true, "email": true, "document": true, "keyword": true, "semantic": true, "summary": true,
	"available": true, "unavailable": true, "unknown": true,
}

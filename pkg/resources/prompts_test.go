package resources_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/resources"
)

// sections are the headings of every agent's prompt, in order.
var sections = []string{
	"## Purpose", "## When you are called", "## What you get", "## How you work",
	"## What you return", "## Limits", "## When something is missing",
}

// memoryTools are the tools that a prompt may name; memory.store exists only while writing is on.
var memoryTools = []string{
	"memory.search", "memory.recall", "memory.store",
	"tree.read_chunk", "tree.browse", "tree.top_entities", "tree.list_sources",
	"searxng_search",
}

// prompts returns every file under prompts/ by its path there.
func prompts(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS("prompts")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, p)
		files[p] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func agentPath(id string) string { return "agents/" + id + "/prompt.md" }

// agentPrompts returns the prompts of the built-in agents by id.
func agentPrompts(t *testing.T) map[string]string {
	t.Helper()
	files, agents := prompts(t), map[string]string{}
	for _, b := range resources.Builtins {
		text, ok := files[agentPath(b.ID)]
		if !ok {
			t.Fatalf("no prompt for agent %s", b.ID)
		}
		agents[b.ID] = text
	}
	return agents
}

func TestPromptFilesAreExactlyTheExpected(t *testing.T) {
	want := []string{"IDENTITY.md", "SOUL.md", "USER.md"}
	for _, b := range resources.Builtins {
		want = append(want, agentPath(b.ID))
	}
	var got []string
	for p := range prompts(t) {
		got = append(got, p)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files under prompts/ (-want +got):\n%s", diff)
	}
	if len(got) != 21 {
		t.Errorf("%d prompts, want 21", len(got))
	}
}

func TestPromptsAreCleanText(t *testing.T) {
	leftover := regexp.MustCompile(`(?i)\b(todo|tbd|fixme|xxx|lorem|ipsum|placeholder)\b`)
	for p, text := range prompts(t) {
		switch {
		case !utf8.ValidString(text):
			t.Errorf("%s: not UTF-8", p)
		case strings.ContainsAny(text, "\r\t\ufeff"):
			t.Errorf("%s: holds a carriage return, a tab or a byte order mark", p)
		case !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n"):
			t.Errorf("%s: does not end with exactly one newline", p)
		case !strings.HasPrefix(text, "# "):
			t.Errorf("%s: does not begin with a heading", p)
		}
		if m := leftover.FindString(text); m != "" {
			t.Errorf("%s: holds %q", p, m)
		}
		for i, line := range strings.Split(text, "\n") {
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s:%d: trailing blank", p, i+1)
			}
		}
		for _, r := range text {
			if unicode.Is(unicode.So, r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%s: holds the symbol %U", p, r)
			}
		}
	}
}

func TestAgentPromptsShareOneOutline(t *testing.T) {
	for id, text := range agentPrompts(t) {
		if n := len(strings.Fields(text)); n < 400 || n > 1500 {
			t.Errorf("%s: %d words, want 400 to 1500", id, n)
		}
		title, lead := opening(text)
		if want := strings.ReplaceAll(id, "_", " "); !strings.EqualFold(title, want) {
			t.Errorf("%s: titled %q, want %q", id, title, want)
		}
		if !strings.HasPrefix(lead, "You are ") || !strings.Contains(lead, title) {
			t.Errorf("%s: the first sentence does not say who it is: %q", id, lead)
		}
		var got []string
		for line := range strings.Lines(withoutFences(t, id, text)) {
			if strings.HasPrefix(line, "## ") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if diff := cmp.Diff(sections, got); diff != "" {
			t.Errorf("%s: headings (-want +got):\n%s", id, diff)
		}
		for i, h := range sections {
			if n := len(strings.Fields(section(text, i))); n < 15 {
				t.Errorf("%s: %q holds %d words", id, h, n)
			}
		}
		if !regexp.MustCompile(`(?m)^1\. .*(?s:.*)^4\. `).MatchString(section(text, 3)) {
			t.Errorf("%s: the work is not laid out in numbered steps", id)
		}
		if !strings.Contains(section(text, 4), "```") {
			t.Errorf("%s: no example of what it returns", id)
		}
	}
}

func TestNoTwoPromptsAreNearCopies(t *testing.T) {
	const most = 0.15
	texts := prompts(t)
	var paths []string
	shingles := map[string]map[string]bool{}
	for p, text := range texts {
		paths = append(paths, p)
		shingles[p] = shinglesOf(text, 5)
	}
	slices.Sort(paths)
	worst, pair := 0.0, ""
	for i, a := range paths {
		for _, b := range paths[i+1:] {
			share := overlap(shingles[a], shingles[b])
			if share > worst {
				worst, pair = share, a+" and "+b
			}
			if share > most {
				t.Errorf("%s and %s share %.0f %% of their five-word runs, want at most 15 %%", a, b, 100*share)
			}
		}
	}
	t.Logf("largest overlap %.2f %% (%s)", 100*worst, pair)
}

// The measure above has to see a copy in which only the nouns were changed.
func TestOverlapSeesACopyWithOtherNouns(t *testing.T) {
	text := agentPrompts(t)["planner"]
	other := strings.NewReplacer("plan", "scheme", "step", "stage", "goal", "aim").Replace(text)
	if share := overlap(shinglesOf(text, 5), shinglesOf(other, 5)); share <= 0.15 {
		t.Errorf("a reworded copy overlaps by %.2f only", share)
	}
}

func TestPromptsNameOnlyToolsThatExist(t *testing.T) {
	name := regexp.MustCompile(`\b(?:memory|tree)\.[a-z_]+|\bsearxng_[a-z]+`)
	notTools := []string{"memory.db"} // a file
	used := map[string]bool{}
	for p, text := range prompts(t) {
		for _, m := range name.FindAllString(text, -1) {
			if !slices.Contains(memoryTools, m) && !slices.Contains(notTools, m) {
				t.Errorf("%s: names %s, which does not exist", p, m)
			}
			used[m] = true
		}
	}
	for _, tool := range memoryTools {
		if !used[tool] {
			t.Errorf("no prompt says when to use %s", tool)
		}
	}
	agents := agentPrompts(t)
	for _, id := range []string{"trigger_triage", "summarizer"} {
		if m := name.FindString(agents[id]); m != "" {
			t.Errorf("%s has no tools, yet its prompt names %s", id, m)
		}
	}
}

func TestExamplesInJSONParse(t *testing.T) {
	block := regexp.MustCompile("(?ms)^ *```json\n(.*?)^ *```$")
	for p, text := range prompts(t) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			var v map[string]any
			if err := json.Unmarshal([]byte(m[1]), &v); err != nil {
				t.Errorf("%s: example is not a JSON object: %v\n%s", p, err, m[1])
			}
		}
	}
	for _, id := range []string{"planner", "crypto_agent", "tool_maker", "critic", "archivist", "trigger_triage", "trigger_reactor"} {
		if !block.MatchString(agentPrompts(t)[id]) {
			t.Errorf("%s answers in JSON, and its prompt shows none", id)
		}
	}
}

func TestOrchestratorRoutesToAgentsThatExist(t *testing.T) {
	row := regexp.MustCompile("(?m)^ *\\| `([a-z_]+)` \\|")
	var routed []string
	for _, m := range row.FindAllStringSubmatch(agentPrompts(t)["orchestrator"], -1) {
		routed = append(routed, m[1])
	}
	// Those that the host starts by itself, and the orchestrator, are not routed to.
	unrouted := []string{"orchestrator", "trigger_triage", "trigger_reactor", "morning_briefing"}
	var want []string
	for _, b := range resources.Builtins {
		if !slices.Contains(unrouted, b.ID) {
			want = append(want, b.ID)
		}
	}
	slices.Sort(want)
	slices.Sort(routed)
	if diff := cmp.Diff(want, routed); diff != "" {
		t.Errorf("routing table (-want +got):\n%s", diff)
	}
}

// What must never get lost when a prompt is reworded.
func TestPromptsKeepTheirPromises(t *testing.T) {
	agents := agentPrompts(t)
	for _, c := range []struct{ id, section, pattern string }{
		{"orchestrator", "## Limits", `(?i)write no code`},
		{"planner", "## Limits", `(?i)no calls that write, send or run`},
		{"code_executor", "## Limits", `(?i)no credentials`},
		{"integrations_agent", "## Limits", `(?i)one toolkit`},
		{"crypto_agent", "## Limits", `(?i)no seed phrases`},
		{"crypto_agent", "## How you work", `(?s)\*\*Read\*\*.*\*\*Quote\*\*.*\*\*Confirm\*\*.*\*\*Execute\*\*`},
		{"markets_agent", "## Limits", `(?i)without approval`},
		{"tools_agent", "## Purpose", `(?i)managed OAuth`},
		{"tool_maker", "## Limits", `(?i)one file`},
		{"researcher", "## Limits", `(?i)no source, no claim`},
		{"critic", "## Limits", `(?i)change nothing`},
		{"archivist", "## What you return", `"evidence"`},
		{"trigger_triage", "## Limits", `(?i)you have no tools`},
		{"trigger_triage", "## What you return", "`drop`, `acknowledge`, `react` or `escalate`"},
		{"trigger_reactor", "## Limits", `(?i)never more than the listed reactions`},
		{"morning_briefing", "## Limits", `(?i)read-only`},
		{"summarizer", "## Limits", `(?i)never longer than the input`},
		{"help", "## How you work", `(?i)look it up`},
		{"mcp_setup", "## Limits", `(?i)never request, accept or echo keys, tokens, passwords`},
	} {
		body := section(agents[c.id], slices.Index(sections, c.section))
		if !regexp.MustCompile(c.pattern).MatchString(body) {
			t.Errorf("%s: %s no longer says %q", c.id, c.section, c.pattern)
		}
	}
}

// opening returns the title and the paragraph below it.
func opening(text string) (title, lead string) {
	parts := strings.SplitN(text, "\n\n", 3)
	if len(parts) < 3 {
		return "", ""
	}
	return strings.TrimPrefix(parts[0], "# "), parts[1]
}

// section returns what stands below sections[i].
func section(text string, i int) string {
	_, rest, ok := strings.Cut(text, "\n"+sections[i]+"\n")
	if !ok {
		return ""
	}
	if i+1 < len(sections) {
		rest, _, _ = strings.Cut(rest, "\n"+sections[i+1]+"\n")
	}
	return rest
}

// withoutFences drops fenced examples; a fence closes with as many backticks as opened it.
func withoutFences(t *testing.T, id, text string) string {
	t.Helper()
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		ticks := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && trimmed == fence:
			fence = ""
		case fence == "":
			out.WriteString(line)
		}
	}
	if fence != "" {
		t.Errorf("%s: a fenced example is not closed", id)
	}
	return out.String()
}

// shinglesOf returns the runs of n words in text, headings left out.
func shinglesOf(text string, n int) map[string]bool {
	var words []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			words = append(words, strings.FieldsFunc(strings.ToLower(line), func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r)
			})...)
		}
	}
	runs := map[string]bool{}
	for i := 0; i+n <= len(words); i++ {
		runs[strings.Join(words[i:i+n], " ")] = true
	}
	return runs
}

// overlap is the share of the smaller set that stands in the other one too.
func overlap(a, b map[string]bool) float64 {
	if len(b) < len(a) {
		a, b = b, a
	}
	both := 0
	for s := range a {
		if b[s] {
			both++
		}
	}
	return float64(both) / float64(max(len(a), 1))
}

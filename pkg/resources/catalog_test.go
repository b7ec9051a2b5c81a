package resources_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/resources"
)

const agents = "openhuman://prompts/agents/"

// TestCatalogMirrorsBuiltins ties the catalog to the list of built-in agents: it fails when an agent
// is added, removed or moved on one side only.
func TestCatalogMirrorsBuiltins(t *testing.T) {
	var inCatalog, built []string
	for _, r := range resources.Catalog {
		if id, ok := strings.CutPrefix(r.URI, agents); ok {
			inCatalog = append(inCatalog, id)
		}
	}
	for _, b := range resources.Builtins {
		built = append(built, b.ID)
		if b.About == "" {
			t.Errorf("built-in agent %s does not say what it is for", b.ID)
		}
	}
	if diff := cmp.Diff(built, inCatalog); diff != "" {
		t.Errorf("agents in the catalog differ from the built-in ones (-built-in +catalog):\n%s", diff)
	}
}

// TestCatalogIsTheContract restates what clients may rely on.
func TestCatalogIsTheContract(t *testing.T) {
	want := [][2]string{
		{"openhuman://prompts/identity", "IDENTITY.md"},
		{"openhuman://prompts/soul", "SOUL.md"},
		{"openhuman://prompts/user", "USER.md"},
	}
	for _, id := range strings.Fields(`orchestrator planner code_executor integrations_agent crypto_agent markets_agent
		tools_agent tool_maker skill_creator researcher critic archivist trigger_triage trigger_reactor morning_briefing
		summarizer help mcp_setup`) {
		want = append(want, [2]string{agents + id, id + "/prompt.md"})
	}
	var got [][2]string
	for _, r := range resources.Catalog {
		got = append(got, [2]string{r.URI, r.Name})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("catalog (-want +got):\n%s", diff)
	}
	if resources.MIMEType != "text/markdown" {
		t.Errorf("MIME type is %q", resources.MIMEType)
	}
}

func TestEveryResourceHasItsOwnTextAndWords(t *testing.T) {
	seen := map[string]string{}
	for _, r := range resources.Catalog {
		if r.Title == "" || r.Description == "" {
			t.Errorf("%s has no title or description", r.URI)
		}
		text, err := r.Text()
		if err != nil {
			t.Errorf("%s: %v", r.URI, err)
			continue
		}
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s is empty", r.URI)
		}
		for _, unique := range []string{text, r.Title, r.Description} {
			if other, ok := seen[unique]; ok {
				t.Errorf("%s and %s share a title, a description or a text", r.URI, other)
			}
			seen[unique] = r.URI
		}
	}
}

// TestNoPromptIsLeftOut fails on a file under prompts/ that no resource serves.
func TestNoPromptIsLeftOut(t *testing.T) {
	served := map[string]bool{}
	for _, r := range resources.Catalog {
		if strings.HasPrefix(r.URI, agents) {
			served["agents/"+r.Name] = true
		} else {
			served[r.Name] = true
		}
	}
	err := fs.WalkDir(os.DirFS("prompts"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !served[path] {
			t.Errorf("prompts/%s is served by no resource", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFindIsExact(t *testing.T) {
	if r, ok := resources.Find("openhuman://prompts/agents/help"); !ok || r.Name != "help/prompt.md" {
		t.Errorf("got %+v, %v", r, ok)
	}
	for _, uri := range []string{"", " ", "openhuman://prompts", "openhuman://prompts/identity/", "OPENHUMAN://prompts/identity", "openhuman://prompts/agents/../identity", "openhuman://prompts/agents/nobody"} {
		if _, ok := resources.Find(uri); ok {
			t.Errorf("%q names a resource", uri)
		}
	}
}

package minilm_test

import (
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
)

func TestParts(t *testing.T) {
	m := load(t, minilm.Options{})
	body := strings.Repeat("The harbour froze over in the night. ", 80)
	for _, context := range []string{"", "Anna Berg: Winter 1963 > Harbour", strings.Repeat("a very long title of a mail ", 30)} {
		parts := m.Parts(context, body)
		if len(parts) < 3 {
			t.Fatalf("%d parts", len(parts))
		}
		found := 0
		for _, p := range parts {
			if n := m.Count(p); n > minilm.MaxTokens {
				t.Errorf("context %.10q: a part has %d tokens", context, n)
			}
			if start := context[:min(len(context), 20)]; !strings.HasPrefix(p, start) {
				t.Errorf("part begins with %.30q, not with %q", p, start)
			}
			found += strings.Count(p, "harbour")
		}
		if found != 80 {
			t.Errorf("context %.10q: %d of 80 sentences", context, found)
		}
	}
}

func TestPartsLeaveOutForeignText(t *testing.T) {
	m := load(t, minilm.Options{})
	const foreign = "ꙮꙮꙮ ꙮꙮ ꙮꙮꙮꙮ"
	if got := m.Parts("Title", foreign); len(got) != 0 || m.Knows(foreign) {
		t.Errorf("parts %q, known %v", got, m.Knows(foreign))
	}
	if got := m.Parts("Title", "a known text"); len(got) != 1 || got[0] != "Title\na known text" {
		t.Errorf("parts %q", got)
	}
}

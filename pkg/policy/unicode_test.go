package policy_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/openhuman/openhuman-core/pkg/policy"
)

// Three of a character in a row are written out when they leave no mark, whatever they are, and what is
// served does not depend on whether the text was worth a closer look.
func TestEveryCharacter(t *testing.T) {
	p := gate(t, policy.Options{RedactSecrets: true})
	// Format characters that are drawn.
	visible := []*unicode.RangeTable{unicode.Prepended_Concatenation_Mark, {R16: []unicode.Range16{{Lo: 0x070f, Hi: 0x070f, Stride: 1}}}}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		text := "a" + string([]rune{r, r, r}) + "b"
		shown := policy.Reveal(text)
		if got := p.Served(t.Context(), text); got != shown {
			t.Fatalf("U+%04X is served as %q", r, got)
		}
		unseen := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !unicode.In(r, visible...) && !strings.ContainsRune("\t\n\v\f\r", r)
		if unseen && shown == text {
			t.Errorf("U+%04X is not made visible", r)
		}
		if unicode.In(r, unicode.L, unicode.N, unicode.P) && shown != text && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			t.Errorf("U+%04X is served as %q", r, shown)
		}
	}
}

// A card number is one in the digits of every script.
func TestEveryDigit(t *testing.T) {
	p := gate(t, policy.Options{RedactSecrets: true})
	scripts := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Nd, r-1) && (r-digitZero(r))%10 != 0 {
			continue
		}
		scripts++
		var number strings.Builder
		for _, d := range "4111111111111111" {
			number.WriteRune(r + d - '0')
		}
		if got := p.Served(t.Context(), number.String()); got != "[redacted:card-number]" {
			t.Errorf("U+%04X: %q", r, got)
		}
	}
	if scripts < 60 {
		t.Errorf("only %d scripts", scripts)
	}
}

// digitZero is the first of the digits that r stands among.
func digitZero(r rune) rune {
	for unicode.Is(unicode.Nd, r-1) {
		r--
	}
	return r
}

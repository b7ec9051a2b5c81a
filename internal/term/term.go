// Package term fits text to a terminal: it measures and cuts by columns (wide characters take two),
// lays out tables, and makes control characters visible, because text from somebody's mail must not
// be able to move the cursor. It does not know what it prints.
package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
	"github.com/rivo/uniseg"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// Columns returns how many columns the terminal w has, or 0 when w is none, which means unlimited.
func Columns(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	if n := columns(w.(*os.File)); n > 0 {
		return n
	}
	return 80
}

// Clean makes characters visible that would act on a terminal or hide text: control characters other
// than line feed and tab, bidirectional overrides, zero-width characters, tag characters.
func Clean(s string) string {
	var b strings.Builder
	start := 0
	for i, r := range s {
		if !hidden(r) && (r != utf8.RuneError || strings.HasPrefix(s[i:], "\ufffd")) {
			continue
		}
		b.WriteString(s[start:i])
		size := utf8.RuneLen(r)
		switch {
		case r == utf8.RuneError:
			size = 1
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		start = i + size
	}
	if start == 0 {
		return s
	}
	b.WriteString(s[start:])
	return b.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidirectional
		return true
	case r == 0x200b, r == 0x2060, r == 0xfeff, r == 0x00ad, r == 0x180e, r == 0x061c, r == 0x200e, r == 0x200f:
		return true
	case r == 0x2028, r == 0x2029, r >= 0xfff9 && r <= 0xfffb:
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return false // joiners stay: many scripts and emoji need them
}

// Line returns s as one clean line: every run of white space is one blank.
func Line(s string) string { return Clean(strings.Join(strings.Fields(s), " ")) }

// Width returns how many columns s takes.
func Width(s string) int { return uniseg.StringWidth(s) }

// Cut returns s in at most width columns, with … at the end when something is missing. A width of 0
// or less does not cut.
func Cut(s string, width int) string {
	if width <= 0 || Width(s) <= width {
		return s
	}
	var b strings.Builder
	used := 0
	for rest, state := s, -1; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		used += w
		b.WriteString(cluster)
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// Wrap breaks one line into at most lines lines of at most width columns, at blanks where it can.
// A width of 0 or less does not break.
func Wrap(s string, width, lines int) []string {
	if width <= 0 || Width(s) <= width {
		return []string{s}
	}
	var out []string
	for s != "" && len(out) < lines-1 && Width(s) > width {
		end, blank, used := 0, 0, 0
		for rest, state := s, -1; rest != ""; {
			var cluster string
			var w int
			cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
			if used+w > width {
				break
			}
			used += w
			if cluster == " " {
				blank = end
			}
			end += len(cluster)
			if w == 2 { // scripts without blanks break anywhere
				blank = end
			}
		}
		if s[end:] != "" && s[end] == ' ' {
			blank = end
		}
		switch {
		case blank > 0:
			out, s = append(out, s[:blank]), strings.TrimLeft(s[blank:], " ")
		case end > 0:
			out, s = append(out, s[:end]), s[end:]
		default: // not even one character fits
			return append(out, Cut(s, width))
		}
	}
	if s != "" {
		out = append(out, Cut(s, width))
	}
	return out
}

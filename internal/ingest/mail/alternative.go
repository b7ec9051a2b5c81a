package mail

import (
	"strings"
)

// alternative keeps one of several forms of the same text: the plain one, or HTML where the plain one
// is empty or only says that there is HTML.
func (x *extractor) alternative(heads []*header, walk func(int)) {
	order := make([]int, 0, len(heads))
	for pass := range 3 {
		for i, h := range heads {
			p := describe(h, false)
			class := 2
			switch {
			case p.kind == "text" && p.sub == "plain":
				class = 0
			case p.kind == "text" && (p.sub == "html" || p.sub == "xhtml"), p.kind == "multipart":
				class = 1
			}
			if class == pass {
				order = append(order, i)
			}
		}
	}
	before := x.noOwn
	chosen, stub := x.noOwn, -1
	plain := -1 // the plain text that was chosen
	for _, i := range order {
		start := len(x.segments)
		if plain >= 0 && isPlain(heads[i]) {
			// Two plain texts are no forms of one, unless they say the same.
			x.noOwn = before
			walk(i)
			if text := ownOf(x.segments[start:]); strings.Contains(ownOf(x.segments[plain:start]), text) {
				x.segments = x.segments[:start]
			} else {
				chosen = true
			}
			continue
		}
		x.noOwn = chosen
		walk(i)
		if chosen {
			continue
		}
		text := ownOf(x.segments[start:])
		switch {
		case text == "":
		case stub < 0 && !htmlOf(x.segments[start:]) && couldBeStub(text):
			stub = start
			if isPlain(heads[i]) {
				plain = start
			}
		case stub >= 0 && betterThanStub(ownOf(x.segments[stub:stub+1]), text):
			x.segments = append(x.segments[:stub], x.segments[stub+1:]...)
			chosen = true
		case stub >= 0:
			// The short plain text was the text after all.
			kept := x.segments[:start]
			for _, s := range x.segments[start:] {
				if s.kind == own && s.file != "" {
					s.kind, s.text = attached, attachmentLine([]string{s.file})+"\n"+strings.TrimSpace(s.text)
				}
				if s.kind != own {
					kept = append(kept, s)
				}
			}
			x.segments, chosen = kept, true
		default:
			chosen = true
			if isPlain(heads[i]) {
				plain = start
			}
		}
	}
	x.noOwn = before
}

// isPlain reports whether a part says that it is plain text.
func isPlain(h *header) bool {
	p := describe(h, false)
	return p.kind == "text" && p.sub == "plain" && !p.attached && h.has("content-type")
}

func ownOf(segs []segment) string {
	var out []string
	for _, s := range segs {
		if s.kind == own {
			out = append(out, strings.TrimSpace(s.text))
		}
	}
	return strings.Join(out, "\n\n")
}

func htmlOf(segs []segment) bool {
	for _, s := range segs {
		if s.kind == own && s.html {
			return true
		}
	}
	return false
}

// couldBeStub reports whether a plain text may only point to the HTML beside it.
func couldBeStub(text string) bool {
	return len(text) < 600
}

// betterThanStub reports whether the HTML's text is to be taken for the short plain one.
func betterThanStub(plain, fromHTML string) bool {
	if len(fromHTML) <= len(plain)+len(plain)/2 {
		return false
	}
	lower := strings.ToLower(plain)
	for _, w := range []string{"html", "browser", "email client", "e-mail client", "mail client", "mail program", "mailprogramm",
		"navigateur", "navegador", "not support", "unable to display", "cannot display", "plain text version",
		"text version", "view online", "браузер", "不支持", "无法显示", "浏览器", "表示できない"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	if f := strings.Fields(lower); len(f) == 1 && strings.HasPrefix(f[0], "http") {
		return true
	}
	return len(plain) < 100 && len(fromHTML) > 10*len(plain)
}

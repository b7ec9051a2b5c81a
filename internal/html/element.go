package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// attrs are the attributes that matter here.
type attrs struct {
	style, class, id, href, alt, src, width, height, role, border, start string
	hidden                                                               bool
}

func (w *walker) attributes() attrs {
	var a attrs
	for {
		k, v, more := w.z.TagAttr()
		switch string(k) {
		case "style":
			a.style = squeeze(v)
		case "class":
			a.class = string(v)
		case "id":
			a.id = string(v)
		case "href":
			a.href = string(v)
		case "alt":
			a.alt = string(v)
		case "src":
			a.src = string(v)
		case "width":
			a.width = string(v)
		case "height":
			a.height = string(v)
		case "role":
			a.role = string(v)
		case "border":
			a.border = string(v)
		case "start":
			a.start = string(v)
		case "hidden":
			a.hidden = string(v) != "until-found"
		case "aria-hidden":
			a.hidden = a.hidden || string(v) == "true"
		}
		if !more {
			return a
		}
	}
}

// blockLines returns how many line ends set the element off from what is around it.
func blockLines(tag atom.Atom) int {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre, atom.Listing,
		atom.Xmp, atom.Table, atom.Dl, atom.Article, atom.Section, atom.Figure, atom.Hr:
		return 2
	case atom.Div, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Center, atom.Address, atom.Header, atom.Footer,
		atom.Main, atom.Nav, atom.Aside, atom.Form, atom.Fieldset, atom.Figcaption, atom.Caption, atom.Details,
		atom.Summary, atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Body, atom.Thead, atom.Tbody, atom.Tfoot,
		atom.Legend:
		return 1
	}
	return 0
}

// invisible reports whether nothing inside the element is text to read.
func invisible(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Title, atom.Svg, atom.Template, atom.Noscript, atom.Iframe, atom.Object,
		atom.Audio, atom.Video, atom.Canvas, atom.Map, atom.Select, atom.Textarea, atom.Button, atom.Datalist,
		atom.Noembed, atom.Noframes, atom.Applet:
		return true
	}
	return false
}

func tablePart(tag atom.Atom) bool {
	switch tag {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Body, atom.Html:
		return true
	}
	return false
}

// squeeze returns a style attribute in lower case without blanks.
func squeeze(v []byte) string {
	out := make([]byte, 0, len(v))
	for _, c := range v {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c >= 'A' && c <= 'Z':
			out = append(out, c+'a'-'A')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// property returns the value of a CSS property in a squeezed style.
func property(style, name string) (string, bool) {
	for rest := style; rest != ""; {
		i := strings.Index(rest, name)
		if i < 0 {
			return "", false
		}
		after := rest[i+len(name):]
		if (i == 0 || rest[i-1] == ';') && strings.HasPrefix(after, ":") {
			v, _, _ := strings.Cut(after[1:], ";")
			return strings.TrimSuffix(v, "!important"), true
		}
		rest = after
	}
	return "", false
}

// hides reports whether a style makes an element and all in it invisible. A font size of zero does
// not: newsletters set it on frames whose cells set another.
func hides(style string) bool {
	if len(style) < 8 {
		return false
	}
	if v, ok := property(style, "display"); ok && v == "none" {
		return true
	}
	if v, ok := property(style, "visibility"); ok && (v == "hidden" || v == "collapse") {
		return true
	}
	if v, ok := property(style, "mso-hide"); ok && v == "all" {
		return true
	}
	if v, ok := property(style, "opacity"); ok && zero(v) {
		return true
	}
	if v, ok := property(style, "max-height"); ok && zero(v) {
		if o, ok := property(style, "overflow"); ok && o == "hidden" {
			return true
		}
	}
	if v, ok := property(style, "position"); ok && (v == "absolute" || v == "fixed") {
		if l, ok := property(style, "left"); ok && farLeft(l) {
			return true
		}
	}
	if v, ok := property(style, "text-indent"); ok && farLeft(v) {
		return true
	}
	return false
}

// farLeft reports whether a length is so far to the left that no screen shows it.
func farLeft(v string) bool {
	size, err := strconv.ParseFloat(strings.TrimRight(v, "abcdefghijklmnopqrstuvwxyz%"), 64)
	return err == nil && size <= -999
}

// sameColor reports whether a style gives text the color of what is behind it. ok is false when it says
// nothing of either.
func sameColor(style string) (same, ok bool) {
	if !strings.Contains(style, "color:") && !strings.Contains(style, "background:") {
		return false, false
	}
	text, hasText := property(style, "color")
	behind, hasBehind := property(style, "background-color")
	if !hasBehind {
		behind, hasBehind = property(style, "background")
	}
	return hasText && hasBehind && color(text) != "" && color(text) == color(behind), hasText || hasBehind
}

// color returns a color as six digits, "" when it is none that is known or can be seen through.
func color(v string) string {
	switch v {
	case "white":
		return "ffffff"
	case "black":
		return "000000"
	}
	if list, ok := strings.CutPrefix(v, "rgb("); ok {
		out := ""
		for n := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ",") {
			c, err := strconv.ParseUint(n, 10, 8)
			if err != nil {
				return ""
			}
			out += strconv.FormatUint(c>>4, 16) + strconv.FormatUint(c&15, 16)
		}
		return out
	}
	hex, ok := strings.CutPrefix(v, "#")
	switch {
	case !ok || strings.Trim(hex, "0123456789abcdef") != "":
		return ""
	case len(hex) == 3:
		return hex[:1] + hex[:1] + hex[1:2] + hex[1:2] + hex[2:] + hex[2:]
	case len(hex) == 6:
		return hex
	}
	return ""
}

// fontSize returns the leading number of the font size that a style sets.
func fontSize(style string) (float64, bool) {
	v, ok := property(style, "font-size")
	if !ok {
		return 0, false
	}
	n := 0
	for n < len(v) && (v[n] >= '0' && v[n] <= '9' || v[n] == '.') {
		n++
	}
	if n == 0 {
		// Words such as "small". "inherit" keeps what is around.
		return 1, v != "inherit" && v != ""
	}
	size, err := strconv.ParseFloat(v[:n], 64)
	return size, err == nil
}

func zero(v string) bool {
	v = strings.TrimRight(v, "abcdefghijklmnopqrstuvwxyz%")
	size, err := strconv.ParseFloat(v, 64)
	return err == nil && size == 0
}

// tiny reports whether a width or height attribute is that of a tracking image.
func tiny(v string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(v), "px"))
	return err == nil && n <= 2
}

func number(v string) int {
	if n, err := strconv.Atoi(v); err == nil && n >= 0 && n < 1_000_000 {
		return n
	}
	return 1
}

// fileName reports whether the alternative text of a picture is only the name of its file.
func fileName(alt string) bool {
	l := strings.ToLower(alt)
	for _, ext := range []string{".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".tif", ".tiff", ".heic"} {
		if strings.HasSuffix(l, ext) && !strings.Contains(l, ". ") {
			return true
		}
	}
	return strings.HasPrefix(l, "http://") || strings.HasPrefix(l, "https://")
}

// signature reports whether a mail program marked the element as the writer's signature.
func signature(a attrs) bool {
	switch a.id {
	case "Signature", "signature", "divSignature", "ms-outlook-mobile-signature", "AppleMailSignature":
		return true
	}
	if a.class == "" {
		return false
	}
	for _, c := range strings.Fields(a.class) {
		switch c {
		case "gmail_signature", "gmail_signature_prefix", "moz-signature", "protonmail_signature_block",
			"tutanota_signature", "yahoo-signature", "zmail_extra_signature":
			return true
		}
	}
	return false
}

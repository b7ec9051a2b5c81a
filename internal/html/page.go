package html

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// page decides what the visible element e is to the page around it.
func (w *walker) page(e *element, a attrs) {
	if holdsContent(e.tag) || a.role == "main" {
		if holdsContent(e.tag) {
			w.content++
		}
		if e.tag == atom.Main || a.role == "main" {
			w.keep(true)
		}
		return
	}
	if e.tag == atom.H1 {
		w.keep(false)
	}
	if readAloud(a.class) {
		e.hidden = true
		return
	}
	doubt, sure := w.surrounds(e.tag, a)
	if !doubt && !sure || len(w.frames) >= maxFrames {
		return
	}
	w.top().block(blockLines(e.tag))
	e.aside = true
	w.push(frame{kind: aside, sure: sure})
}

// keep says of what is open that the content of the page is in it.
func (w *walker) keep(all bool) {
	for i := range w.frames {
		if f := &w.frames[i]; f.kind == aside && (all || !f.sure) {
			f.keep = true
		}
	}
}

// closeAside leaves the top frame out, unless it looks like content after all: classes are named by
// whoever made the page, and "with-sidebar" may hold everything.
func (w *walker) closeAside() {
	f := w.frames[len(w.frames)-1]
	w.frames = w.frames[:len(w.frames)-1]
	const long = 600
	if f.keep || !f.sure && len(f.buf) > long && f.linked*2 < len(f.buf) {
		f.kind = plain
		f.closeInto(w.top(), w.opt)
	}
}

// holdsContent reports whether an element is the content of a page, so that footers and asides in it
// are of the text.
func holdsContent(tag atom.Atom) bool { return tag == atom.Main || tag == atom.Article }

// surrounds reports whether an element is what surrounds the content: surely by what it is, or by what
// its maker calls it.
func (w *walker) surrounds(tag atom.Atom, a attrs) (doubt, sure bool) {
	switch tag {
	case atom.Html, atom.Body, atom.A, atom.P, atom.Span, atom.B, atom.I, atom.Em, atom.Strong, atom.Td, atom.Th, atom.Tr, atom.Li,
		atom.Tbody, atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Br, atom.Code, atom.Pre, atom.Blockquote:
		return false, false
	case atom.Nav, atom.Dialog:
		return false, true
	case atom.Footer, atom.Aside:
		return false, w.content == 0
	}
	switch a.role {
	case "navigation", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tablist":
		return false, true
	case "contentinfo", "complementary":
		return false, w.content == 0
	case "banner":
		return true, false
	}
	return surroundings(a.class) || surroundings(a.id), false
}

// surroundings reports whether one of the words of a class or id names what surrounds content.
func surroundings(names string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(names), func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '\t' || r == '\n' || r == ':' }) {
		switch word {
		case "nav", "navbar", "navigation", "navbox", "menu", "breadcrumb", "breadcrumbs", "cookie", "cookies", "cookiebar", "consent",
			"gdpr", "sidebar", "footer", "masthead", "share", "sharing", "sharebar", "social", "related", "recommended", "newsletter",
			"subscribe", "popup", "advert", "advertisement", "ads", "sponsored", "pagination", "pager", "noprint", "catlinks",
			"editsection", "skiplink", "paywall", "signup":
			return true
		}
	}
	return false
}

// readAloud reports whether a class is that of text which only screen readers present.
func readAloud(class string) bool {
	for word := range strings.FieldsSeq(class) {
		switch word {
		case "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only", "assistive-text", "u-hidden-visually":
			return true
		}
	}
	return false
}

// ownLink reports whether a link leads to the site of the page.
func (w *walker) ownLink(href string) bool {
	if w.opt.Host == "" {
		return false
	}
	host := strings.TrimPrefix(strings.TrimPrefix(href, "https://"), "http://")
	if i := strings.IndexAny(host, "/?#:"); i >= 0 {
		host = host[:i]
	}
	bare := func(s string) string { return strings.TrimPrefix(strings.ToLower(s), "www.") }
	return bare(host) == bare(w.opt.Host)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// glossFile is where a person explains words of other languages.
func glossFile(cfg config.Config) string { return filepath.Join(cfg.Workspace, "glosses.tsv") }

// A glossary is that file. It is read when one of its
// words may first be needed.
type glossary struct {
	path string
	read func() glosses
}

// glosses are what a glossary holds.
type glosses struct {
	own    []xling.Own
	lines  string // what is wrong with those that do not count
	unread error  // why there are none, or not all
}

func newGlossary(cfg config.Config) *glossary {
	g := &glossary{}
	if cfg.Workspace != "" {
		g.path = glossFile(cfg)
	}
	g.read = sync.OnceValue(g.load)
	return g
}

// load reads the person's own words. Without the file there are none.
func (g *glossary) load() glosses {
	if ok, err := g.there(); !ok {
		return glosses{unread: err}
	}
	f, err := os.Open(g.path)
	if err != nil {
		return glosses{unread: g.unread(reason(err).Error())}
	}
	defer f.Close()
	set, err := xling.Load()
	if err != nil {
		return glosses{unread: err}
	}
	own, bad, err := set.ReadGlosses(f)
	out := glosses{own: own, lines: strings.Join(bad, "; ")}
	if err != nil {
		out.unread = g.unread(reason(err).Error())
	}
	return out
}

// bad names what is wrong with the file by a fault that is worth a warning, or is nil.
func (g *glossary) bad(lines string, unread error) error {
	switch {
	case unread != nil:
		return unread
	case lines != "":
		return fault.New(fault.Invalid, "In %s, %s.", g.path, lines).
			WithHint("A line is a word in Chinese characters or kana, a tab and what it means in English. The other lines count.")
	}
	return nil
}

// short is bad for those who are told of it at every question.
func (g *glossary) short(x glosses) error {
	switch {
	case x.unread != nil:
		return fault.New(fault.Invalid, "The words in %s cannot be read.", g.path).WithHint("Why, says: openhuman-core doctor")
	case x.lines != "":
		return fault.New(fault.Invalid, "Some lines of %s do not count.", g.path).WithHint("Which, says: openhuman-core doctor")
	}
	return nil
}

// examine says what doctor finds out about the file.
func (g *glossary) examine() []finding {
	x := g.read()
	bad := g.bad(x.lines, x.unread)
	switch {
	case bad != nil:
		f := finding{"words", warning, fault.Message(bad), fault.HintOf(bad)}
		f.Message = strings.TrimSuffix(f.Message, " "+f.Mend)
		return []finding{f}
	case len(x.own) > 0:
		what := "1 word is"
		if n := len(x.own); n > 1 {
			what = number(n) + " words are"
		}
		return []finding{{"words", well, what + " explained in " + g.path + ".", ""}}
	}
	return nil
}

// there reports whether there is a file to be read, before it is opened: opening a pipe waits for who
// writes into it.
func (g *glossary) there() (bool, error) {
	if g.path == "" {
		return false, nil
	}
	info, err := os.Stat(g.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, g.unread(reason(err).Error())
	case !info.Mode().IsRegular():
		return false, g.unread("it is no file")
	}
	return true, nil
}

func (g *glossary) unread(why string) error {
	return fault.New(fault.Invalid, "The words that you explained in %s cannot be read: %s.", g.path, why).
		WithHint("It is a text file with a word, a tab and its meaning in English on each line.")
}

// fresh is how long a file must have been left alone for its time to tell that it has not changed.
const fresh = 2 * time.Second

// stamp tells the file as it is from what it was before without reading it; "" when it cannot.
func (g *glossary) stamp(now time.Time) string {
	if g.path == "" {
		return ""
	}
	info, err := os.Stat(g.path)
	if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < fresh {
		return ""
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// maxNames is how many names of people are kept from being translated.
const maxNames = 20_000

// knownNames are the people whom the memory knows, whose names are not to be translated. Where a rule
// hides some sources from somebody there are none, since no answer may depend on what is hidden.
func knownNames(ctx context.Context, cfg config.Config, s *store.Store) ([]xling.Own, error) {
	hides := len(cfg.Policy.DenySources) > 0
	for _, c := range cfg.Policy.Clients {
		hides = hides || len(c.DenySources)+len(c.AllowSources) > 0
	}
	if hides {
		return nil, nil
	}
	names, err := s.ForeignNames(ctx, maxNames)
	own := make([]xling.Own, len(names))
	for i, n := range names {
		own[i].Word = n
	}
	return own, err
}

// know gives the built-in models the names in the memory, so that what is taken in next is read with
// them.
func (w *writers) know(ctx context.Context, cfg config.Config, s *store.Store) error {
	instant, ok := w.instant.(*xling.Instant)
	if !ok {
		return nil
	}
	names, err := knownNames(ctx, cfg, s)
	if err != nil || slices.Equal(names, w.names) {
		return err
	}
	w.names = names
	instant = instant.With(instant.Set().WithLater(w.glosses.and(names)))
	w.instant = instant
	if b, ok := w.builtin.(*xling.Encoder); ok {
		knows := b.With(instant)
		if w.encoder == w.builtin {
			w.encoder = knows
		}
		w.builtin = knows
	}
	return nil
}

// and returns the words of the file and some names. What is wrong with the file is said by who learns it.
func (g *glossary) and(names []xling.Own) func() []xling.Own {
	return func() []xling.Own {
		return slices.Concat(g.read().own, names)
	}
}

// What the memory knows of the person's words as of when texts were last read with them. The words
// themselves are not there, so that none stays when what it stood in is forgotten.
const (
	metaGlossFile = "languages.file"    // a learntFile
	metaGlosses   = "languages.glosses" // of glosses.tsv, an xling.Learnt
	metaNames     = "languages.names"   // of people, an xling.Learnt
	metaOwn       = "languages.own"     // what earlier versions had in place of these
)

// A learntFile is glosses.tsv as it was when it was last read.
type learntFile struct {
	Stamp string `json:"stamp"`
	Bad   string `json:"bad,omitempty"` // the lines that do not count
}

// learn does what know does, and has all texts read anew that hold a word or a name which has become
// known, or another, since they were read; it returns how many chunks these are, and what is wrong with
// the person's own words.
func (w *writers) learn(ctx context.Context, cfg config.Config, s *store.Store, now time.Time) (renewed int, bad, err error) {
	if err := w.know(ctx, cfg, s); err != nil {
		return 0, nil, err
	}
	instant, ok := w.instant.(*xling.Instant)
	if !ok {
		return 0, nil, nil
	}
	set, was := instant.Set(), map[string]string{}
	recall := func(keys ...string) error {
		return s.Update(ctx, func(tx *store.Tx) (err error) {
			for _, k := range keys {
				if was[k], err = tx.Meta(k); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := recall(metaGlossFile, metaNames, metaOwn); err != nil {
		return 0, nil, err
	}
	is := map[string]string{metaNames: set.Learn(w.names).String(), metaOwn: ""}
	var file learntFile
	_ = json.Unmarshal([]byte(was[metaGlossFile]), &file) // what cannot be read is read anew
	stamp := w.glosses.stamp(now)
	if stamp != "" && stamp == file.Stamp {
		bad = w.glosses.bad(file.Bad, nil)
	} else {
		if err := recall(metaGlosses); err != nil {
			return 0, nil, err
		}
		words := w.glosses.read()
		bad = w.glosses.bad(words.lines, words.unread)
		is[metaGlosses], is[metaGlossFile] = set.Learn(words.own).String(), ""
		if stamp != "" && words.unread == nil {
			b, err := json.Marshal(learntFile{stamp, words.lines})
			if err != nil {
				return 0, bad, err
			}
			is[metaGlossFile] = string(b)
		}
	}
	var differ []func(...string) bool
	for _, k := range []string{metaGlosses, metaNames} {
		if is[k] == was[k] {
			continue
		}
		if d := set.Differ(xling.ParseLearnt(was[k]), xling.ParseLearnt(is[k])); d != nil {
			differ = append(differ, d)
		}
	}
	if len(differ) > 0 {
		renewed, err = s.RenewForeign(ctx, func(context, content string) bool {
			return slices.ContainsFunc(differ, func(d func(...string) bool) bool { return d(context, content) })
		}, func(context, content string) string { return instant.Gloss(context, content) })
		if err != nil {
			return renewed, bad, err
		}
	}
	maps.DeleteFunc(is, func(k, v string) bool { return v == was[k] })
	if len(is) == 0 {
		return renewed, bad, nil
	}
	return renewed, bad, s.Update(ctx, func(tx *store.Tx) error {
		for _, k := range slices.Sorted(maps.Keys(is)) {
			if err := tx.SetMeta(k, is[k]); err != nil {
				return err
			}
		}
		return nil
	})
}

// A translator is the instant model of a question, which knows other languages.
type translator struct{ *asker }

func (t translator) open() (*xling.Instant, bool) {
	m, err := t.asker.open()
	x, ok := m.(*xling.Instant)
	return x, ok && err == nil
}

// Foreign implements controller.Translator.
func (t translator) Foreign(texts ...string) bool {
	m, ok := t.open()
	return ok && m.Foreign(texts...)
}

// Translate implements controller.Translator.
func (t translator) Translate(text string) string {
	m, ok := t.open()
	if !ok {
		return text
	}
	return m.Translate(text)
}

// translatorOf returns the translator that an instant model is, or nil.
func translatorOf(instant controller.Embedder) controller.Translator {
	if a, ok := instant.(*asker); ok {
		return translator{a}
	}
	return nil
}

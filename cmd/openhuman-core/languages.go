package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// glossFile is where a person explains words of other languages.
func glossFile(cfg config.Config) string { return filepath.Join(cfg.Workspace, "glosses.tsv") }

// maxBadLines is how many bad lines are named.
const maxBadLines = 5

// readGlosses reads the person's own words. The lines that are none are named by a fault that is worth
// a warning; the others count. Without the file there are none.
func readGlosses(cfg config.Config) (own []xling.Own, bad error) {
	path := glossFile(cfg)
	unread := func(why string) error {
		return fault.New(fault.Invalid, "The words that you explained in %s cannot be read: %s.", path, why).
			WithHint("It is a text file with a word, a tab and its meaning in English on each line.")
	}
	// Before it is opened: opening a pipe waits for who writes into it.
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || cfg.Workspace == "":
		return nil, nil
	case err != nil:
		return nil, unread(reason(err).Error())
	case !info.Mode().IsRegular():
		return nil, unread("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unread(reason(err).Error())
	}
	defer f.Close()
	own, lines, err := xling.ReadGlosses(f)
	if err != nil {
		return own, unread(reason(err).Error())
	}
	if len(lines) == 0 {
		return own, nil
	}
	named := strings.Join(lines[:min(len(lines), maxBadLines)], "; ")
	if n := len(lines) - maxBadLines; n > 0 {
		named += fmt.Sprintf("; and %d more", n)
	}
	return own, fault.New(fault.Invalid, "In %s, %s.", path, named).
		WithHint("A line is a word in Chinese characters or kana, a tab and what it means in English. The other lines count.")
}

// maxNames is how many names of people are kept from being translated.
const maxNames = 20_000

// withNames adds the people whom the memory knows, whose names are not to be translated. Where a rule
// hides some sources from somebody it adds none, since no answer may depend on what is hidden.
func withNames(ctx context.Context, cfg config.Config, own []xling.Own, s *store.Store) ([]xling.Own, error) {
	hides := len(cfg.Policy.DenySources) > 0
	for _, c := range cfg.Policy.Clients {
		hides = hides || len(c.DenySources)+len(c.AllowSources) > 0
	}
	if hides {
		return own, nil
	}
	names, err := s.ForeignNames(ctx, maxNames)
	for _, n := range names {
		own = append(own, xling.Own{Word: n})
	}
	return own, err
}

// learn gives the built-in models the person's own words and the names in the memory, and has what
// they change made again.
func (w *writers) learn(ctx context.Context, cfg config.Config, s *store.Store) error {
	instant, ok := w.instant.(*xling.Instant)
	if !ok {
		return nil
	}
	own, err := withNames(ctx, cfg, slices.Clone(w.own), s)
	if err != nil {
		return err
	}
	w.instant = instant.With(own)
	if b, ok := w.builtin.(*xling.Encoder); ok {
		knows := b.With(own)
		if w.encoder == w.builtin {
			w.encoder = knows
		}
		w.builtin = knows
	}
	return s.Update(ctx, func(tx *store.Tx) error { return renew(tx, own) })
}

// metaOwn names the person's words as of when vectors were last made.
const metaOwn = "languages.own"

// learnt is what metaOwn holds. Names are there as hashes only, so that none stays when what it stood
// in is forgotten.
type learnt struct {
	Glosses []xling.Own `json:"glosses"`
	Names   []string    `json:"names"`
}

// renew removes the vectors of chunks that hold a word which the vectors do not know as it is now.
func renew(tx *store.Tx, own []xling.Own) error {
	was, err := tx.Meta(metaOwn)
	if err != nil {
		return err
	}
	var old, now learnt
	if was != "" {
		_ = json.Unmarshal([]byte(was), &old) // what cannot be read is learnt anew
	}
	known := map[string]bool{}
	for _, h := range old.Names {
		known[h] = true
	}
	before, after := slices.Clone(old.Glosses), []xling.Own(nil)
	for _, o := range own {
		if o.Gloss != "" {
			now.Glosses, after = append(now.Glosses, o), append(after, o)
			continue
		}
		h := hashOf(o.Word)
		now.Names = append(now.Names, h)
		if !known[h] {
			after = append(after, o)
		}
	}
	if changed := xling.Differ(before, after); changed != nil {
		if _, err := tx.RenewForeign(func(context, content string) bool { return changed(context, content) }); err != nil {
			return err
		}
	}
	if len(own) == 0 {
		return tx.SetMeta(metaOwn, "")
	}
	b, err := json.Marshal(now)
	if err != nil || string(b) == was {
		return err
	}
	return tx.SetMeta(metaOwn, string(b))
}

func hashOf(s string) string {
	h := fnv.New64a()
	h.Write([]byte(s)) //nolint:errcheck // never fails
	return strconv.FormatUint(h.Sum64(), 36)
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

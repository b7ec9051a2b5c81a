package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// formats has, beside the real ones, three that stand for mail and chats: a file that begins with
// "MBOX", "MAIL" or "CHAT" is one; each further line is an item, "key text".
func formats() []ingest.Format {
	fs := ingest.Formats(ingest.DefaultLimits())
	return append(fs,
		ingest.Format{Reader: fake{"MBOX", doc.KindEmail}, Kind: doc.KindEmail, Source: ingest.File},
		ingest.Format{Reader: fake{"MAIL", doc.KindEmail}, Kind: doc.KindEmail, Source: ingest.Mailbox},
		ingest.Format{Reader: fake{"CHAT", doc.KindChat}, Kind: doc.KindChat, Source: ingest.File},
	)
}

func sources(t *testing.T, s *store.Store) map[string]int {
	t.Helper()
	list, err := s.Sources(t.Context(), nil)
	must(t, err)
	out := map[string]int{}
	for _, x := range list {
		if x.ChunkCount > 0 {
			out[x.SourceID] = x.ChunkCount
		}
	}
	return out
}

func TestNamesOfSources(t *testing.T) {
	base := folder(t, "x", map[string]string{
		"words/a.md": "Alpha.", "words/mails/one.eml": "MAIL\n1 first", "words/box/Inbox.mbox": "MBOX\n2 second", "words/old/Inbox.mbox": "MBOX\n3 third",
		"words/family.txt": "CHAT\n4 fourth", "old/words/b.md": "Beta.", "single/c.md": "Gamma.", "single/d.md": "Delta.",
		"Mail/cur/1:2,S": "MAIL\n5 fifth", "Mail/new/2": "MAIL\n6 sixth", "Mail/.Sent/cur/7": "MAIL\n7 seventh", "Mail/.Sent/new/": "", "Mail/tmp/8": "MAIL\n8 eighth", "Mail/dovecot-uidlist": "3 V1",
	})
	s := open(t)
	o := ingest.Options{Store: s, Formats: formats()}
	run(t, o, filepath.Join(base, "words"))
	run(t, o, filepath.Join(base, "old", "words"))
	run(t, o, filepath.Join(base, "single", "c.md"))
	run(t, o, filepath.Join(base, "Mail"))
	want := map[string]int{
		"notes:words": 1, "mail:words": 1, "mail:Inbox": 1, "mail:Inbox-2": 1, "chat:family": 1, "notes:words-2": 1, "notes:single": 1,
		"mail:Mail": 2, "mail:Sent": 1,
	}
	if diff := cmp.Diff(want, sources(t, s)); diff != "" {
		t.Fatal(diff)
	}
	t.Run("stay the same", func(t *testing.T) {
		before := dump(t, s)
		run(t, o, filepath.Join(base, "old", "words"), filepath.Join(base, "words"), filepath.Join(base, "Mail"))
		if diff := cmp.Diff(before, dump(t, s)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a folder takes in a file that was ingested alone", func(t *testing.T) {
		run(t, o, filepath.Join(base, "single"))
		if got := sources(t, s)["notes:single"]; got != 2 {
			t.Errorf("%d chunks in notes:single", got)
		}
	})
	t.Run("a larger folder leaves the smaller ones what they are", func(t *testing.T) {
		write(t, base, map[string]string{"e.md": "Epsilon.", "new/f.md": "Zeta."})
		before := sources(t, s)
		sum := run(t, o, base)
		before["notes:single"], before["notes:x"] = 2, 2
		if diff := cmp.Diff(before, sources(t, s)); diff != "" {
			t.Error(diff)
		}
		if sum.Added != 2 || sum.Replaced+sum.Same+sum.Removed != 0 {
			t.Errorf("summary = %+v", sum)
		}
		var told []string
		for _, n := range sum.Notes {
			told = append(told, strings.ReplaceAll(n, filepath.ToSlash(base)+"/", ""))
		}
		if diff := cmp.Diff([]string{
			"Mail was taken in by itself before and stays in mail:Mail, mail:Sent.", "old/words was taken in by itself before and stays in notes:words-2.",
			"single was taken in by itself before and stays in notes:single.", "So do 1 more folders.",
		}, told); diff != "" {
			t.Error(diff)
		}
	})
}

// The dots in the name of a Maildir++ folder part folders, and no ending.
func TestNamesOfMaildirFolders(t *testing.T) {
	base := folder(t, "Mail", map[string]string{
		"cur/1": "MAIL\n1 first", "new/": "", "tmp/": "",
		".Archive.2023/cur/2": "MAIL\n2 second", ".Archive.2023/new/": "", ".Archive.2024/cur/3": "MAIL\n3 third", ".Archive.2024/new/": "",
		"Old.mbox": "MBOX\n4 fourth",
	})
	s := open(t)
	run(t, ingest.Options{Store: s, Formats: formats()}, base)
	want := map[string]int{"mail:Mail": 1, "mail:Archive.2023": 1, "mail:Archive.2024": 1, "mail:Old": 1}
	if diff := cmp.Diff(want, sources(t, s)); diff != "" {
		t.Error(diff)
	}
}

// A folder below the folder of a single file has a source of its own, whatever came first.
func TestLoneFileDoesNotSwallowFolders(t *testing.T) {
	files := map[string]string{"mail.mbox": "MBOX\n1 first", "lone.md": "Lone.", "vault/a.md": "Alpha.", "vault/sub/b.md": "Beta."}
	all := []string{"mail:mail : first", "notes:home lone.md: Lone.", "notes:vault a.md: Alpha.", "notes:vault sub/b.md: Beta."}
	for name, runs := range map[string][][]string{
		"files first":       {{"mail.mbox"}, {"lone.md"}, {"vault"}},
		"folder first":      {{"vault"}, {"lone.md"}, {"mail.mbox"}},
		"between":           {{"lone.md"}, {"vault"}, {"mail.mbox"}},
		"in one":            {{"mail.mbox", "vault", "lone.md"}},
		"a note of it":      {{"lone.md"}, {"vault/sub/b.md"}, {"vault/a.md"}, {"vault"}, {"mail.mbox"}},
		"over and over":     {{"lone.md"}, {"vault"}, {"lone.md"}, {"mail.mbox", "vault"}, {"vault/a.md"}, {"vault/sub"}},
		"the note after it": {{"vault"}, {"vault/a.md"}, {"mail.mbox", "lone.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			base, s := folder(t, "home", files), open(t)
			o := ingest.Options{Store: s, Formats: formats()}
			want := all
			if name == "a note of it" { // the folder of a note that came by itself stays a source
				want = []string{"mail:mail : first", "notes:home lone.md: Lone.", "notes:sub b.md: Beta.", "notes:vault a.md: Alpha."}
			}
			for _, paths := range runs {
				var full []string
				for _, p := range paths {
					full = append(full, filepath.Join(base, filepath.FromSlash(p)))
				}
				run(t, o, full...)
			}
			if diff := cmp.Diff(want, refs(t, s)); diff != "" {
				t.Fatal(diff)
			}
			before := dump(t, s)
			if sum := run(t, o, filepath.Join(base, "vault"), filepath.Join(base, "mail.mbox"), filepath.Join(base, "lone.md")); sum.Unchanged != 4 {
				t.Errorf("summary = %+v", sum)
			}
			if diff := cmp.Diff(before, dump(t, s)); diff != "" {
				t.Error(diff)
			}
			run(t, o, base)
			if diff := cmp.Diff(want, refs(t, s)); diff != "" {
				t.Errorf("the whole folder: %s", diff)
			}
		})
	}
}

func TestSourceGiven(t *testing.T) {
	files := map[string]string{"a.md": "Alpha.", "box.mbox": "MBOX\n1 first", "talk.txt": "CHAT\n2 second", "export.jsonl": line}
	for name, want := range map[string]map[string]int{
		"diary":       {"notes:diary": 1, "mail:diary": 1, "chat:diary": 1, "slack:#eng": 1},
		"notes:diary": {"notes:diary": 1, "mail:diary": 1, "chat:diary": 1, "slack:#eng": 1},
		"acme:diary":  {"acme:diary": 1, "mail:diary": 1, "chat:diary": 1, "slack:#eng": 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir, s := folder(t, "home", files), open(t)
			o := ingest.Options{Store: s, Formats: formats(), SourceName: name}
			run(t, o, dir)
			if diff := cmp.Diff(want, sources(t, s)); diff != "" {
				t.Error(diff)
			}
			before := dump(t, s)
			// The name is remembered.
			o.SourceName = ""
			if sum := run(t, o, dir); sum.Unchanged != 4 {
				t.Errorf("summary = %+v", sum)
			}
			run(t, o, filepath.Join(dir, "a.md"))
			if diff := cmp.Diff(before, dump(t, s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOtherNameIsRefused: what is in the store under one name does not move to another, since rules
// are about names. Nothing is changed by the attempt.
func TestOtherNameIsRefused(t *testing.T) {
	files := map[string]string{"a.md": "Alpha.", "sub/b.md": "Beta.", "box.mbox": "MBOX\n1 first", "talk.txt": "CHAT\n2 second", "export.jsonl": line}
	refused := func(t *testing.T, s *store.Store, name, path string, forget ...string) {
		t.Helper()
		before := dump(t, s)
		for _, dry := range []bool{true, false} {
			_, err := ingest.Run(t.Context(), ingest.Options{Store: s, Formats: formats(), SourceName: name, DryRun: dry}, []string{path})
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("err = %v", err)
			}
			var hints []string
			for _, f := range forget {
				hints = append(hints, fmt.Sprintf("openhuman-core forget %q", f))
			}
			if hint := fault.HintOf(err); !strings.HasSuffix(hint, ": "+strings.Join(hints, "; ")) {
				t.Errorf("hint = %q", hint)
			}
		}
		if diff := cmp.Diff(before, dump(t, s)); diff != "" {
			t.Error(diff)
		}
	}
	forget := func(t *testing.T, s *store.Store, ids ...string) {
		t.Helper()
		for _, id := range ids {
			must(t, s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource(id); return err }))
		}
		must(t, s.Finish(t.Context()))
	}
	t.Run("the folder", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		refused(t, s, "diary", dir, "chat:talk", "mail:box", "notes:home")
		// The remedy that is named works, and what names its own source stays.
		forget(t, s, "chat:talk", "mail:box", "notes:home")
		run(t, ingest.Options{Store: s, Formats: formats(), SourceName: "diary"}, dir)
		if diff := cmp.Diff(map[string]int{"notes:diary": 2, "mail:diary": 1, "chat:diary": 1, "slack:#eng": 1}, sources(t, s)); diff != "" {
			t.Error(diff)
		}
		refused(t, s, "notes:home", dir, "chat:diary", "mail:diary", "notes:diary")
	})
	t.Run("the name that it has", func(t *testing.T) {
		dir, s := folder(t, "home", map[string]string{"a.md": "Alpha.", "x.eml": "MAIL\n1 first"}), open(t)
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		before := sources(t, s)
		for _, name := range []string{"home", "notes:home"} {
			run(t, ingest.Options{Store: s, Formats: formats(), SourceName: name}, dir)
			if diff := cmp.Diff(before, sources(t, s)); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("inside a folder that was taken in", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		refused(t, s, "notes:secret plan", filepath.Join(dir, "a.md"), "notes:home")
		refused(t, s, "notes:secret plan", filepath.Join(dir, "sub"), "notes:home")
		refused(t, s, "notes:other", filepath.Join(dir, "box.mbox"), "mail:box")
		// What names its own source may be given any.
		run(t, ingest.Options{Store: s, Formats: formats(), SourceName: "notes:other"}, filepath.Join(dir, "export.jsonl"))
		// A file that was not taken in yet may have its own, and the folder leaves it that.
		write(t, dir, map[string]string{"new.md": "Gamma."})
		run(t, ingest.Options{Store: s, Formats: formats(), SourceName: "notes:secret plan"}, filepath.Join(dir, "new.md"))
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		if diff := cmp.Diff(map[string]int{"notes:home": 2, "notes:secret plan": 1, "mail:box": 1, "chat:talk": 1, "slack:#eng": 1}, sources(t, s)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a folder of single files", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, Formats: formats()}, filepath.Join(dir, "a.md"))
		refused(t, s, "diary", dir, "notes:home")
		refused(t, s, "diary", filepath.Join(dir, "a.md"), "notes:home")
	})
	t.Run("below a larger folder", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, Formats: formats()}, filepath.Join(dir, "sub"))
		// The larger one is new, so it may be called anything; what is known inside stays.
		run(t, ingest.Options{Store: s, Formats: formats(), SourceName: "diary"}, dir)
		if diff := cmp.Diff(map[string]int{"notes:diary": 1, "notes:sub": 1, "mail:diary": 1, "chat:diary": 1, "slack:#eng": 1}, sources(t, s)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a source joined to another after it was forgotten", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, Formats: formats()}, filepath.Join(dir, "sub", "b.md"))
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		forget(t, s, "notes:sub")
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		if got := sources(t, s); got["notes:sub"] != 1 {
			t.Errorf("a forgotten source came back as another: %v", got)
		}
		forget(t, s, "notes:sub")
		run(t, ingest.Options{Store: s, Formats: formats(), SourceName: "notes:home"}, filepath.Join(dir, "sub"))
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		if got := sources(t, s); got["notes:home"] != 2 || got["notes:sub"] != 0 {
			t.Errorf("%v", got)
		}
	})
}

// TestFoldersInFolders: to which source a file belongs does not depend on the path that a run is
// given, and a second run is idle whichever it is.
func TestFoldersInFolders(t *testing.T) {
	files := map[string]string{"top.md": "Top.", "a/one.md": "One.", "a/two.md": "Two.", "a/b/three.md": "Three.", "a/b/c/four.md": "Four.", "d/five.md": "Five."}
	rapid.Check(t, func(rt *rapid.T) {
		base, s := folder(t, "home", files), open(t)
		paths := []string{"", "a", "a/b", "a/b/c", "a/one.md", "a/b/three.md", "d", "d/five.md"}
		where := map[string]string{} // text to source and reference
		for range rapid.IntRange(1, 6).Draw(rt, "runs") {
			run(t, ingest.Options{Store: s}, filepath.Join(base, filepath.FromSlash(rapid.SampledFrom(paths).Draw(rt, "path"))))
			page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 100})
			must(rt, err)
			for _, c := range page {
				at := c.SourceID + " " + c.SourceRef
				if was, ok := where[c.Content]; ok && was != at {
					rt.Fatalf("%q moved from %s to %s", c.Content, was, at)
				}
				where[c.Content] = at
			}
		}
		run(t, ingest.Options{Store: s}, base)
		before := dump(t, s)
		if len(before) == 0 {
			rt.Fatal("nothing was taken in")
		}
		for _, p := range paths {
			if sum := run(t, ingest.Options{Store: s}, filepath.Join(base, filepath.FromSlash(p))); sum.Unchanged != sum.Files {
				rt.Fatalf("%s: %+v", p, sum)
			}
		}
		if diff := cmp.Diff(before, dump(t, s)); diff != "" {
			rt.Fatal(diff)
		}
		must(rt, s.Close())
	})
}

func TestOneSourceTwoKinds(t *testing.T) {
	doc2 := `{"source_kind":"document","source_id":"slack:#eng","payload":{"title":"Canvas","body":"A canvas.","modified_at":1714554000000}}` + "\n"
	dir, s := folder(t, "home", map[string]string{"x.jsonl": line + doc2}), open(t)
	run(t, ingest.Options{Store: s}, dir)
	want := map[string]int{"slack:#eng": 1, "slack:#eng-document": 1}
	if diff := cmp.Diff(want, sources(t, s)); diff != "" {
		t.Fatal(diff)
	}
	// The next run must decide the same way, whatever it meets first.
	write(t, dir, map[string]string{"x.jsonl": doc2 + line + " "})
	run(t, ingest.Options{Store: s}, dir)
	if diff := cmp.Diff(want, sources(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestOneMailInTwoFiles(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"all.mbox": "MBOX\n*id1 hello there\n*id2 only here", "inbox.mbox": "MBOX\n*id1 hello there"}), open(t)
	o := ingest.Options{Store: s, Formats: formats()}
	sum := run(t, o, dir)
	if diff := cmp.Diff(map[string]int{"mail:all": 2}, sources(t, s)); diff != "" {
		t.Fatal(diff)
	}
	if sum.Added != 2 || sum.Same != 1 {
		t.Errorf("summary = %+v", sum)
	}
	before := dump(t, s)
	// Reading one of them again moves nothing.
	must(t, os.Chtimes(filepath.Join(dir, "inbox.mbox"), when.Add(1), when.Add(1)))
	run(t, o, dir)
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Error(diff)
	}
	// The mail stays as long as one of the files has it.
	must(t, os.Remove(filepath.Join(dir, "all.mbox")))
	run(t, o, dir)
	if got := refs(t, s); len(got) != 1 {
		t.Errorf("left: %q", got)
	}
	write(t, dir, map[string]string{"inbox.mbox": "MBOX\n*id3 something else"})
	run(t, o, dir)
	if got := refs(t, s); len(got) != 1 || got[0] != "mail:inbox : something else" {
		t.Errorf("left: %q", got)
	}
}

func TestReaderThatBreaks(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.md": "Alpha.", "b.txt": "MAIL\n1 first\n!panic", "c.md": "Gamma.", "d.txt": "MAIL\n!detect"}), open(t)
	sum := run(t, ingest.Options{Store: s, Formats: formats()}, dir)
	if sum.Outcomes[doc.Failed] != 1 || sum.Outcomes[doc.OK] != 3 {
		t.Errorf("summary = %+v", sum)
	}
	// What it had brought until then is there, and is tried again.
	if got := refs(t, s); len(got) != 4 {
		t.Errorf("%q", got)
	}
	write(t, dir, map[string]string{"b.txt": "MAIL\n1 first\n2 second"})
	if sum := run(t, ingest.Options{Store: s, Formats: formats()}, dir); sum.Added != 1 || sum.Same != 1 {
		t.Errorf("summary = %+v", sum)
	}
}

// TestForgottenAndTakenInAgain: a mailbox that was forgotten and is taken in again holds its mails, so
// that they stay when the other one that held them is forgotten.
func TestForgottenAndTakenInAgain(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.mbox": "MBOX\n*id1 said in a", "b.mbox": "MBOX\n*id1 said in b"}), open(t)
	a, b := filepath.Join(dir, "a.mbox"), filepath.Join(dir, "b.mbox")
	take := func(want string, paths ...string) {
		t.Helper()
		run(t, ingest.Options{Store: s, Formats: formats()}, paths...)
		if diff := cmp.Diff([]string{want}, refs(t, s)); diff != "" {
			t.Error(diff)
		}
		if again := run(t, ingest.Options{Store: s, Formats: formats()}, paths...); again.Unchanged != len(paths) {
			t.Errorf("a second run: %+v", again)
		}
	}
	forget := func(id string) {
		t.Helper()
		must(t, s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource(id); return err }))
		must(t, s.Finish(t.Context()))
	}
	take("mail:a : said in a", a, b)
	forget("mail:a")
	take("mail:b : said in b", b)
	take("mail:a : said in a", a)
	forget("mail:b")
	take("mail:a : said in a", a)
	take("mail:a : said in a", b)
	forget("mail:a")
	run(t, ingest.Options{Store: s, Formats: formats()}, a) // although the other was not read
	forget("mail:b")
	take("mail:a : said in a", a)
	take("mail:a : said in a", b)
	// The first file goes, and the other is read in the same run although it is as it was.
	must(t, os.Remove(a))
	write(t, dir, map[string]string{"stays.md": ""})
	sum := run(t, ingest.Options{Store: s, Formats: formats()}, dir)
	if diff := cmp.Diff([]string{"mail:b : said in b"}, refs(t, s)); diff != "" {
		t.Error(diff)
	}
	if sum.Gone != 1 || sum.Replaced != 1 || sum.Files != 2 {
		t.Errorf("summary = %+v", sum)
	}
}

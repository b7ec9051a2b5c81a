package ingest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
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
		"work/a.md": "Alpha.", "work/mails/one.eml": "MAIL\n1 first", "work/box/Inbox.mbox": "MBOX\n2 second", "work/old/Inbox.mbox": "MBOX\n3 third",
		"work/family.txt": "CHAT\n4 fourth", "old/work/b.md": "Beta.", "single/c.md": "Gamma.", "single/d.md": "Delta.",
		"Mail/cur/1:2,S": "MAIL\n5 fifth", "Mail/new/2": "MAIL\n6 sixth", "Mail/.Sent/cur/7": "MAIL\n7 seventh", "Mail/.Sent/new/": "", "Mail/tmp/8": "MAIL\n8 eighth", "Mail/dovecot-uidlist": "3 V1",
	})
	s := open(t)
	o := ingest.Options{Store: s, Formats: formats()}
	run(t, o, filepath.Join(base, "work"))
	run(t, o, filepath.Join(base, "old", "work"))
	run(t, o, filepath.Join(base, "single", "c.md"))
	run(t, o, filepath.Join(base, "Mail"))
	want := map[string]int{
		"notes:work": 1, "mail:work": 1, "mail:Inbox": 1, "mail:Inbox-2": 1, "chat:family": 1, "notes:work-2": 1, "notes:single": 1,
		"mail:Mail": 2, "mail:Sent": 1,
	}
	if diff := cmp.Diff(want, sources(t, s)); diff != "" {
		t.Fatal(diff)
	}
	t.Run("stay the same", func(t *testing.T) {
		before := dump(t, s)
		run(t, o, filepath.Join(base, "old", "work"), filepath.Join(base, "work"), filepath.Join(base, "Mail"))
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
	t.Run("a larger folder takes over the smaller ones", func(t *testing.T) {
		run(t, o, base)
		want := map[string]int{"notes:x": 4, "mail:x": 1, "mail:Inbox": 1, "mail:Inbox-2": 1, "chat:family": 1, "mail:Mail": 2, "mail:Sent": 1}
		if diff := cmp.Diff(want, sources(t, s)); diff != "" {
			t.Error(diff)
		}
		fresh := open(t)
		run(t, ingest.Options{Store: fresh, Formats: formats()}, base)
		// The mailboxes keep the names that they got when they were met first.
		if got := sources(t, fresh); len(got) != len(want) || got["notes:x"] != 4 {
			t.Errorf("fresh: %v", got)
		}
	})
}

// A folder below the folder of a single file has a source of its own, whatever came first.
func TestLoneFileDoesNotSwallowFolders(t *testing.T) {
	files := map[string]string{"mail.mbox": "MBOX\n1 first", "lone.md": "Lone.", "vault/a.md": "Alpha.", "vault/sub/b.md": "Beta."}
	want := []string{"mail:mail : first", "notes:home lone.md: Lone.", "notes:vault a.md: Alpha.", "notes:vault sub/b.md: Beta."}
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
			if got := sources(t, s); got["notes:home"] != 3 || len(got) != 2 {
				t.Errorf("the whole folder: %v", got)
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
	t.Run("later than the files", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, Formats: formats()}, dir)
		sum := run(t, ingest.Options{Store: s, Formats: formats(), SourceName: "diary"}, dir)
		if diff := cmp.Diff(map[string]int{"notes:diary": 1, "mail:diary": 1, "chat:diary": 1, "slack:#eng": 1}, sources(t, s)); diff != "" {
			t.Error(diff)
		}
		if sum.Added != 0 || sum.Removed != 0 || sum.Replaced != 3 {
			t.Errorf("summary = %+v", sum)
		}
	})
	t.Run("a file inside a folder that was taken in", func(t *testing.T) {
		dir, s := folder(t, "home", map[string]string{"a.md": "Alpha.", "b.md": "Beta."}), open(t)
		run(t, ingest.Options{Store: s}, dir)
		run(t, ingest.Options{Store: s, SourceName: "notes:secret plan"}, filepath.Join(dir, "b.md"))
		want := []string{"notes:home a.md: Alpha.", "notes:secret plan b.md: Beta."}
		if diff := cmp.Diff(want, refs(t, s)); diff != "" {
			t.Error(diff)
		}
		run(t, ingest.Options{Store: s}, dir)
		if diff := cmp.Diff(want, refs(t, s)); diff != "" {
			t.Errorf("the folder took the file back: %s", diff)
		}
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

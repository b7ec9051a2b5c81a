package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

func syncs(t *testing.T, s *store.Store, sources ...ingest.Source) ingest.Summary {
	t.Helper()
	for i := range sources {
		for j, p := range sources[i].Paths {
			sources[i].Paths[j] = filepath.FromSlash(p)
		}
	}
	sum, err := ingest.Sync(t.Context(), ingest.Options{Store: s, Formats: formats()}, sources)
	must(t, err)
	addsUp(t, sum)
	return sum
}

// idle checks that a second run finds nothing to do.
func idle(t *testing.T, s *store.Store, sources ...ingest.Source) {
	t.Helper()
	if sum := syncs(t, s, sources...); sum.Unchanged != sum.Files || sum.Added+sum.Replaced+sum.Removed+sum.Gone != 0 {
		t.Errorf("a second run is not idle: %+v", sum)
	}
}

func TestSyncLeavesOut(t *testing.T) {
	dir := folder(t, "notes", map[string]string{
		".gitignore": "*.log\nbuild/\n!.env.example\n", ".openhumanignore": "private/\n!keep.log\n!.obsidian/\n!.env\n",
		"a.md": "A.", "x.log": "X.", "keep.log": "Keep.", "build/out.md": "Out.", "private/p.md": "P.", ".obsidian/daily.md": "Daily.",
		".env": "KEY=1", ".env.example": "KEY=", "keys/id_rsa": "-----BEGIN RSA PRIVATE KEY-----\n", "keys/db.kdbx": "K", "keys/note.md": "About keys.",
		"sub/.gitignore": "/local.md\n", "sub/local.md": "Local.", "sub/deep/local.md": "Deep.", "drafts/d.md": "D.", "drafts/final.md": "F.",
		"firefox/prefs.js": "user_pref();", "firefox/key4.db": "x", "firefox/bookmarks.html": "<html>",
	})
	s := open(t)
	row := ingest.Source{Label: "row", Paths: []string{dir}, Ignore: []string{"drafts/*", "!drafts/final.md", "!.env.example"}}
	syncs(t, s, row)
	own, git := "skipped: left out by .openhumanignore line ", "skipped: left out by .gitignore line "
	want := map[string]string{
		".gitignore": "skipped: hidden file", ".openhumanignore": "skipped: hidden file", "sub/.gitignore": "skipped: hidden file",
		"a.md": "ok", "x.log": git + "1: *.log", "keep.log": "ok", "build": git + "2: build/", "private": own + "1: private/", ".obsidian/daily.md": "ok",
		".env": "skipped: looks like a file of secrets", ".env.example": "ok",
		"keys/id_rsa": "skipped: looks like a file of secrets", "keys/db.kdbx": "skipped: looks like a file of secrets", "keys/note.md": "ok",
		"sub/local.md": git + "1: /local.md", "sub/deep/local.md": "ok", "drafts/d.md": "skipped: left out by the settings: drafts/*", "drafts/final.md": "ok",
		"firefox": "skipped: profile of a browser, with its passwords and cookies",
	}
	if diff := cmp.Diff(want, outcomes(t, s, dir)); diff != "" {
		t.Error(diff)
	}
	idle(t, s, row)

	// Another command over a part of it does the same.
	before := dump(t, s)
	run(t, ingest.Options{Store: s, Formats: formats()}, filepath.Join(dir, "drafts"), filepath.Join(dir, "sub", "deep"))
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Error(diff)
	}

	// The owner may have secrets taken in, and git's rules put away.
	row.Ignore = []string{"!keys/*", "!node_modules/"}
	row.NoGitignore = true
	write(t, dir, map[string]string{"node_modules/x/readme.md": "Read."})
	syncs(t, s, row)
	got := outcomes(t, s, dir)
	for name, outcome := range map[string]string{"keys/id_rsa": "ok", "x.log": "ok", "build/out.md": "ok", "drafts/d.md": "ok", "node_modules/x/readme.md": "ok", "private": own + "1: private/"} {
		if got[name] != outcome {
			t.Errorf("%s: %s", name, got[name])
		}
	}
	// What is left out from now on goes, with what was in the folder.
	row.Ignore = []string{"keys"}
	syncs(t, s, row)
	if got := outcomes(t, s, dir); got["keys"] != "skipped: left out by the settings: keys" || got["keys/note.md"] != "" {
		t.Errorf("%v", got)
	}
	if found := strings.Join(refs(t, s), "\n"); strings.Contains(found, "About keys") {
		t.Error(found)
	}
}

// A file of patterns that cannot be read hides what it would have said: nothing is taken in, and nothing
// goes.
func TestUnreadablePatterns(t *testing.T) {
	dir := folder(t, "notes", map[string]string{"a.md": "A.", "sub/b.md": "B."})
	s := open(t)
	row := ingest.Source{Label: "row", Paths: []string{dir}}
	syncs(t, s, row)
	write(t, dir, map[string]string{"sub/.openhumanignore": "b.md", "sub/c.md": "C."})
	sum, err := ingest.Sync(t.Context(), ingest.Options{Store: s, Formats: formats(), FS: fsys{open: map[string]error{".openhumanignore": os.ErrPermission}}}, []ingest.Source{row})
	must(t, err)
	if sum.Outcomes[doc.Failed] != 1 || len(sum.Problems) != 1 || !strings.Contains(sum.Problems[0].Reason, ".openhumanignore cannot be read (permission denied)") || sum.Removed != 0 {
		t.Errorf("%+v", sum)
	}
	if got := strings.Join(refs(t, s), "\n"); !strings.Contains(got, "B.") || strings.Contains(got, "C.") {
		t.Error(got)
	}
}

func TestSyncSays(t *testing.T) {
	dir := folder(t, "home", map[string]string{"chat.txt": "CHAT\n1 hello", "note.md": "A note.", "m.txt": "MBOX\n1 mail"})
	s := open(t)
	row := ingest.Source{Label: "row", Paths: []string{dir}, Name: "work", Owner: "ann", Tags: []string{"job"}, Kind: doc.KindChat}
	syncs(t, s, row)
	got := outcomes(t, s, dir)
	if got["chat.txt"] != "ok" || got["note.md"] != "skipped: it is no chat, which the settings want here" || got["m.txt"] == "ok" {
		t.Errorf("%v", got)
	}
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10})
	must(t, err)
	if len(page) != 1 || page[0].SourceID != "chat:work" || !cmp.Equal(page[0].Tags, []string{"job"}) {
		t.Errorf("%+v", page)
	}
	idle(t, s, row)
	row.Kind, row.Tags = "", []string{"other"}
	syncs(t, s, row)
	page, _, err = s.ListChunks(t.Context(), store.ListQuery{Limit: 10})
	must(t, err)
	for _, c := range page {
		if !cmp.Equal(c.Tags, []string{"other"}) {
			t.Errorf("%+v", c)
		}
	}
	if len(page) != 3 {
		t.Errorf("%d chunks", len(page))
	}
	idle(t, s, row)
}

func TestSyncGlobs(t *testing.T) {
	dir := folder(t, "home", map[string]string{
		"one.mbox": "MBOX\n1 one", "two.mbox": "MBOX\n2 two", "other.md": "Other.", "proj/a/notes/n.md": "Notes of a.", "proj/b/notes/n.md": "Notes of b.", "proj/b/code.md": "Code.", "proj/.git/notes/n.md": "Git.",
	})
	s := open(t)
	rows := []ingest.Source{
		{Label: "mail", Paths: []string{dir + "/*.mbox"}},
		{Label: "projects", Paths: []string{dir + "/proj/*/notes"}, Name: "projects"},
		{Label: "none", Paths: []string{dir + "/proj/*.odt"}},
	}
	got := func() map[string]string {
		t.Helper()
		return outcomes(t, s, dir)
	}
	sum := syncs(t, s, rows...)
	want := map[string]string{"one.mbox": "ok", "two.mbox": "ok", "proj/a/notes/n.md": "ok", "proj/b/notes/n.md": "ok"}
	if diff := cmp.Diff(want, got()); diff != "" {
		t.Error(diff)
	}
	if len(sum.Refused) != 1 || sum.Refused[0].Label != "none" || !strings.Contains(sum.Refused[0].Err.Error(), "is in projects already") {
		t.Errorf("%+v", sum.Refused)
	}
	idle(t, s, rows...)
	// What the glob meant and is gone goes; what it does not mean is nobody's business.
	must(t, os.Remove(filepath.Join(dir, "two.mbox")))
	must(t, os.RemoveAll(filepath.Join(dir, "proj", "a")))
	run(t, ingest.Options{Store: s, Formats: formats()}, filepath.Join(dir, "other.md"))
	must(t, os.Remove(filepath.Join(dir, "other.md")))
	sum = syncs(t, s, rows...)
	if diff := cmp.Diff(map[string]string{"one.mbox": "ok", "other.md": "ok", "proj/b/notes/n.md": "ok"}, got()); diff != "" || sum.Gone != 2 {
		t.Errorf("%s %+v", diff, sum)
	}
	idle(t, s, rows...)
	ids := map[string]bool{}
	for _, r := range refs(t, s) {
		id, _, _ := strings.Cut(r, " ")
		ids[id] = true
	}
	if diff := cmp.Diff(map[string]bool{"mail:one": true, "notes:home": true, "notes:projects": true}, ids); diff != "" {
		t.Error(diff)
	}
}

// TestSyncRows: rows in one another, rows that are refused, paths that are not there.
func TestSyncRows(t *testing.T) {
	dir := folder(t, "home", map[string]string{"notes/a.md": "A.", "notes/job/w.md": "W.", "notes/secret/s.md": "S.", "old/o.md": "O."})
	s := open(t)
	run(t, ingest.Options{Store: s, Formats: formats()}, filepath.Join(dir, "old"))
	rows := []ingest.Source{
		{Label: "notes", Paths: []string{dir + "/notes"}, Ignore: []string{"secret/"}},
		{Label: "work", Paths: []string{dir + "/notes/job"}, Name: "work"},
		{Label: "secret", Paths: []string{dir + "/notes/secret"}, Name: "vault"},
		{Label: "renamed", Paths: []string{dir + "/old"}, Name: "new"},
		{Label: "bracket", Paths: []string{dir + "/[a"}},
		{Label: "away", Paths: []string{dir + "/usb"}},
		{Label: "twice", Paths: []string{dir + "/notes"}, Name: "again"},
	}
	sum := syncs(t, s, rows...)
	var refused []string
	for _, r := range sum.Refused {
		refused = append(refused, r.Label)
	}
	if diff := cmp.Diff([]string{"renamed", "bracket", "twice"}, refused); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"notes:notes a.md: A.", "notes:old o.md: O.", "notes:vault s.md: S.", "notes:work w.md: W."}, refs(t, s)); diff != "" {
		t.Error(diff)
	}
	if sum.Outcomes[doc.Failed] != 1 || sum.Problems[len(sum.Problems)-1].Reason != "there is no such file or folder" && sum.Problems[0].Reason != "there is no such file or folder" {
		t.Errorf("%+v", sum)
	}
	again := syncs(t, s, rows...)
	if again.Added+again.Replaced+again.Removed+again.Gone != 0 {
		t.Errorf("%+v", again)
	}
	// A folder that is not there any more may be on a disk that is away: nothing goes, and it is said.
	must(t, os.Rename(filepath.Join(dir, "notes"), filepath.Join(dir, "elsewhere")))
	sum = syncs(t, s, rows[:1]...)
	if sum.Removed != 0 || len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "is not there now") || len(refs(t, s)) != 4 {
		t.Errorf("%+v", sum)
	}
}

package ingest_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// packs make archives of files: a name that ends in / is a folder.
var packs = map[string]func(t tb, files map[string]string) string{
	"zip": func(t tb, files map[string]string) string { return zipOf(t, files) },
	"tar": func(t tb, files map[string]string) string { return tarOf(t, files) },
	"tgz": func(t tb, files map[string]string) string { return gz(t, tarOf(t, files)) },
}

func zipOf(t tb, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: when}
		if strings.HasSuffix(name, "/") {
			h.Method = zip.Store
		}
		f, err := w.CreateHeader(h)
		must(t, err)
		_, err = f.Write([]byte(files[name]))
		must(t, err)
	}
	must(t, w.Close())
	return b.String()
}

func tarOf(t tb, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	names := slices.Sorted(maps.Keys(files))
	slices.Reverse(names) // an order that no folder is listed in
	for _, name := range names {
		h := &tar.Header{Name: "./" + name, Size: int64(len(files[name])), Mode: 0o600, ModTime: when}
		if strings.HasSuffix(name, "/") {
			h.Typeflag = tar.TypeDir
		}
		must(t, w.WriteHeader(h))
		_, err := w.Write([]byte(files[name]))
		must(t, err)
	}
	must(t, w.Close())
	return b.String()
}

func gz(t tb, body string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(body))
	must(t, err)
	must(t, w.Close())
	return b.String()
}

// everything is a file of most kinds.
func everything(t tb) map[string]string {
	read := func(path string) string {
		b, err := os.ReadFile(filepath.FromSlash(path))
		must(t, err)
		return string(b)
	}
	mail := func(id, subject, body string) string {
		return "From: Ada <ada@example.org>\r\nTo: bob@example.org\r\nSubject: " + subject + "\r\nDate: Wed, 1 May 2024 10:00:00 +0000\r\nMessage-ID: <" + id + "@example.org>\r\n\r\n" + body + "\r\n"
	}
	return map[string]string{
		"vault/.obsidian/app.json":      "{}",
		"vault/Trip.md":                 "---\ntags: [travel]\naliases: [Lisbon]\ndate: 2023-04-05\n---\n# Plan\n\nSee [[Packing]] for the lighthouse.\n",
		"vault/deep/er/Packing.md":      "# Packing\n\n- [ ] umbrella\n",
		"notes.txt":                     "Remember the milk and the marmalade.\n",
		"latin.txt":                     "Gr\xfc\xdfe aus K\xf6ln, sch\xf6ne Stra\xdfen gibt es hier.\n",
		"page.html":                     "<!DOCTYPE html><html><head><title>Harbour</title></head><body><p>The harbour was calm in the morning.</p></body></html>",
		"Mail/cur/1:2,S":                mail("one", "Dovecote", "The dovecote is empty."),
		"Mail/new/":                     "",
		"Mail/tmp/2":                    mail("two", "Draft", "still being delivered"),
		"Takeout/Mail/All mail.mbox":    "From ada@example.org Wed May  1 10:00:00 2024\n" + strings.ReplaceAll(mail("three", "Quarry", "The quarry is closed."), "\r\n", "\n") + "\nFrom ada@example.org Wed May  1 10:00:00 2024\n" + strings.ReplaceAll(mail("four", "Orchard", "The orchard is open."), "\r\n", "\n"),
		"money.csv":                     "date,what,amount\n2024-05-01,rent,900\n2024-05-02,bread,3\n",
		"people.vcf":                    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Grace Hopper\r\nEMAIL:grace@example.org\r\nEND:VCARD\r\n",
		"days.ics":                      read("calendar/testdata/one.ics"),
		"links.html":                    read("bookmarks/testdata/firefox.html"),
		"trip.epub":                     read("epub/testdata/trip.epub"),
		"chats/WhatsApp Chat - Ada.txt": "[01.05.24, 15:00:00] Ada: hello whatsapp\n[01.05.24, 15:01:00] Bob: hi\n",
		"slack/users.json":              `[{"id":"U1","name":"ada","real_name":"Ada","profile":{"email":"ada@example.org"}}]`,
		"slack/channels.json":           `[{"id":"C1","name":"eng","members":["U1"]}]`,
		"slack/eng/2024-05-01.json":     `[{"type":"message","user":"U1","text":"hello slack","ts":"1714557600.000100"}]`,
		"picture.jpg":                   "\xff\xd8\xff\x00\x01",
		"empty.md":                      "",
		".DS_Store":                     "\x00\x01",
		"sub/.git/config":               "[core]\n",
		"sub/node_modules/x/index.js":   "x()\n",
		"sub/.env":                      "A=1\n",
		"sub/kept/.gitignore":           "*.log\n!keep.log\n",
		"sub/kept/a.log":                "never mind\n",
		"sub/kept/keep.log":             "mind the keep\n",
		"sub/maildir/cur/":              "",
		"sub/prints/sent.txt.gz":        gz(t, "A letter that was packed alone.\n"),
		"sub/more/nested.zip":           zipOf(t, map[string]string{"in/side.md": "# Inside\n\nNested pomegranates.\n"}),
		"sub/more/nested.tgz":           gz(t, tarOf(t, map[string]string{"in/side.md": "# Inside too\n\nNested tangerines.\n"})),
	}
}

// same lists what people see of every chunk but where it stands, and what became of every file in top.
func same(t *testing.T, s *store.Store, top string) (chunks, files []string) {
	t.Helper()
	page, total, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1000})
	must(t, err)
	if len(page) != total {
		t.Fatalf("%d of %d chunks", len(page), total)
	}
	for _, c := range page {
		kind, _, _ := strings.Cut(c.SourceID, ":")
		ref := strings.TrimPrefix(c.SourceRef, filepath.Base(top)+"!/")
		chunks = append(chunks, fmt.Sprintf("%s %s %q %q %q %d %q", kind, ref, c.Title, c.Author, c.Context, c.TimestampMS, c.Content))
	}
	all, err := s.Files(t.Context(), "")
	must(t, err)
	for _, f := range all {
		for _, sep := range []string{"!/", "/"} {
			if name, ok := strings.CutPrefix(f.Path, filepath.ToSlash(top)+sep); ok {
				files = append(files, fmt.Sprintf("%s: %s %q %v", name, f.Outcome, f.Reason, f.Documents))
			}
		}
	}
	slices.Sort(chunks)
	slices.Sort(files)
	return chunks, files
}

// TestArchiveIsAFolder takes the same files in as a folder and in archives. Everything but the place of a
// text is the same, and so is what became of each file.
func TestArchiveIsAFolder(t *testing.T) {
	files := everything(t)
	dir := folder(t, "home", files)
	s := open(t)
	run(t, ingest.Options{Store: s}, dir)
	wantChunks, wantFiles := same(t, s, dir)
	if len(wantChunks) < 15 || len(wantFiles) < 25 {
		t.Fatalf("%d chunks of %d files", len(wantChunks), len(wantFiles))
	}
	for name, pack := range packs {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, "home", nil)
			path := filepath.Join(dir, "home."+name)
			write(t, dir, map[string]string{"home." + name: pack(t, files)})
			s := open(t)
			temp := t.TempDir()
			o := ingest.Options{Store: s, Temp: temp}
			sum := run(t, o, dir)
			chunks, got := same(t, s, path)
			if d := cmp.Diff(wantChunks, chunks); d != "" {
				t.Errorf("chunks: %s", d)
			}
			if d := cmp.Diff(wantFiles, got); d != "" {
				t.Errorf("files: %s", d)
			}
			before := dump(t, s)
			again := run(t, o, dir)
			if again.Unchanged != sum.Files || again.Files != sum.Files || again.Bytes != 0 {
				t.Errorf("again: %+v after %+v", again, sum)
			}
			if d := cmp.Diff(before, dump(t, s)); d != "" {
				t.Errorf("another run changed something: %s", d)
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestArchiveChanges: only what changed in an archive is touched, and what left it goes.
func TestArchiveChanges(t *testing.T) {
	for name, pack := range packs {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"a.md": "Alpha.", "b.md": "Beta.", "c/d.md": "Delta.",
				"in.zip": zipOf(t, map[string]string{"x.md": "Xi.", "y.md": "Ypsilon."}),
			}
			dir, s := folder(t, "home", map[string]string{"stays.md": "Mortar.", "old." + name: pack(t, files)}), open(t)
			path := filepath.Join(dir, "old."+name)
			o := ingest.Options{Store: s}
			if sum := run(t, o, dir); sum.Added != 6 || sum.Files != 8 {
				t.Fatalf("first: %+v", sum)
			}
			repack := func(at int) {
				t.Helper()
				write(t, dir, map[string]string{"old." + name: pack(t, files)})
				must(t, os.Chtimes(path, when.Add(time.Duration(at)*time.Minute), when.Add(time.Duration(at)*time.Minute)))
			}
			repack(1) // written anew, as it was
			if sum := run(t, o, dir); sum.Added+sum.Replaced+sum.Removed+sum.Same != 0 || sum.Unchanged != 7 {
				t.Errorf("as it was: %+v", sum)
			}
			files["a.md"] = "Aleph."
			delete(files, "b.md")
			files["in.zip"] = zipOf(t, map[string]string{"x.md": "Xi.", "z.md": "Zeta."})
			repack(2)
			sum := run(t, o, dir)
			if sum.Added != 1 || sum.Replaced != 1 || sum.Removed != 2 || sum.Same != 0 || sum.Gone != 2 {
				t.Errorf("changed: %+v", sum)
			}
			fresh := open(t)
			run(t, ingest.Options{Store: fresh}, dir)
			if d := cmp.Diff(dump(t, fresh), dump(t, s)); d != "" {
				t.Errorf("not what one run gives: %s", d)
			}
			must(t, os.WriteFile(path, []byte("Plain words now."), 0o600))
			if sum := run(t, o, dir); sum.Removed != 4 || sum.Added != 1 {
				t.Errorf("no archive any more: %+v", sum)
			}
			repack(3)
			run(t, o, dir)
			must(t, os.Remove(path))
			if sum := run(t, o, dir); sum.Removed != 4 || sum.Gone != 6 {
				t.Errorf("gone: %+v", sum)
			}
			if got := refs(t, s); len(got) != 1 {
				t.Errorf("left: %v", got)
			}
		})
	}
}

// TestArchiveCut: of an archive whose end is missing everything before it is there, and nothing that was
// there goes.
func TestArchiveCut(t *testing.T) {
	var noise []byte
	for i := 0; len(noise) < 200_000; i++ {
		noise = fmt.Appendf(noise, "%x ", uint32(i)*2654435761)
	}
	files := map[string]string{"1.md": "First.", "2.md": "Second. " + string(noise), "3.md": "Third."}
	for _, name := range []string{"tar", "tgz", "zip"} {
		t.Run(name, func(t *testing.T) {
			whole := packs[name](t, files)
			dir, s := folder(t, "home", map[string]string{"a." + name: whole[:len(whole)/2]}), open(t)
			sum := run(t, ingest.Options{Store: s}, dir)
			got := outcomes(t, s, dir)
			if name == "zip" { // nothing can be found without its directory
				if got["a.zip"] != "failed: it is damaged, or its end is missing" || sum.Files != 1 {
					t.Errorf("%v", got)
				}
			} else {
				want := map[string]string{"a." + name: "partial: read in part: its end is missing", "a." + name + "!/3.md": "ok"}
				if d := cmp.Diff(want, got); d != "" {
					t.Error(d)
				}
			}
			path := filepath.Join(dir, "a."+name)
			must(t, os.WriteFile(path, []byte(whole), 0o600))
			run(t, ingest.Options{Store: s}, dir)
			before := refs(t, s)
			must(t, os.WriteFile(path, []byte(whole[:len(whole)/2]), 0o600))
			if sum := run(t, ingest.Options{Store: s}, dir); sum.Removed+sum.Gone != 0 {
				t.Errorf("cut: %+v", sum)
			}
			if d := cmp.Diff(before, refs(t, s)); d != "" {
				t.Errorf("cut: %s", d)
			}
		})
	}
	t.Run("gz of one file", func(t *testing.T) {
		whole := gz(t, files["2.md"])
		dir, s := folder(t, "home", map[string]string{"2.txt.gz": whole}), open(t)
		run(t, ingest.Options{Store: s}, dir)
		before := len(refs(t, s))
		must(t, os.WriteFile(filepath.Join(dir, "2.txt.gz"), []byte(whole[:len(whole)-len(whole)/4]), 0o600))
		run(t, ingest.Options{Store: s}, dir)
		got := outcomes(t, s, dir)
		if !strings.HasPrefix(got["2.txt.gz"], "partial: ") || !strings.HasPrefix(got["2.txt.gz!/2.txt"], "partial: ") {
			t.Errorf("%v", got)
		}
		if n := len(refs(t, s)); n < before/2 {
			t.Errorf("%d chunks of %d", n, before)
		}
	})
}

// TestArchiveRules: ignore files count inside an archive as in the folder, those around it too, and a change
// of them is seen although the archive is as it was.
func TestArchiveRules(t *testing.T) {
	for name, pack := range packs {
		t.Run(name, func(t *testing.T) {
			inner := pack(t, map[string]string{"x/draft.md": "Draft.", "x/y.md": "Ypsilon.", "x/.gitignore": "y.md\n"})
			dir, s := folder(t, "home", map[string]string{
				".openhumanignore": "draft.md\n", "a." + name: pack(t, map[string]string{"draft.md": "Draft.", "b.md": "Beta.", "in." + name: inner}),
			}), open(t)
			o := ingest.Options{Store: s}
			run(t, o, dir)
			if got := refs(t, s); len(got) != 1 {
				t.Errorf("%v", got)
			}
			write(t, dir, map[string]string{".openhumanignore": "b.md\n"})
			run(t, o, dir)
			want := []string{"notes:home a." + name + "!/draft.md: Draft.", "notes:home a." + name + "!/in." + name + "!/x/draft.md: Draft."}
			if d := cmp.Diff(want, refs(t, s)); d != "" {
				t.Error(d)
			}
			if sum := run(t, o, dir); sum.Unchanged != sum.Files {
				t.Errorf("again: %+v", sum)
			}
		})
	}
}

// TestArchiveRefused: what leads out of an archive, and what is no file, is named and left out.
func TestArchiveRefused(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h *tar.Header, body string) {
		h.Size, h.Mode, h.ModTime = int64(len(body)), 0o600, when
		must(t, w.WriteHeader(h))
		_, err := w.Write([]byte(body))
		must(t, err)
	}
	add(&tar.Header{Name: "a.md"}, "Alpha.")
	add(&tar.Header{Name: "../out.md"}, "out")
	add(&tar.Header{Name: "/etc/motd"}, "abs")
	add(&tar.Header{Name: "b/../../up.md"}, "up")
	add(&tar.Header{Name: "C:/x.md"}, "drive")
	add(&tar.Header{Name: "link.md", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, "")
	add(&tar.Header{Name: "near.md", Typeflag: tar.TypeSymlink, Linkname: "a.md"}, "")
	add(&tar.Header{Name: "hard.md", Typeflag: tar.TypeLink, Linkname: "a.md"}, "")
	add(&tar.Header{Name: "pipe", Typeflag: tar.TypeFifo}, "")
	add(&tar.Header{Name: "null", Typeflag: tar.TypeChar}, "")
	add(&tar.Header{Name: "twice.md"}, "The former.")
	add(&tar.Header{Name: "twice.md"}, "The latter.")
	must(t, w.Close())

	var z bytes.Buffer
	zw := zip.NewWriter(&z)
	for _, h := range []*zip.FileHeader{{Name: "open.md"}, {Name: "locked.md", Flags: 1}, {Name: `win\dows.md`}, {Name: "../out.md"}, {Name: "bad.md", Method: 99}} {
		f, err := zw.CreateRaw(&zip.FileHeader{Name: h.Name, Flags: h.Flags, Method: h.Method, CRC32: 0x3a9d5b3c, CompressedSize64: 5, UncompressedSize64: 5})
		must(t, err)
		_, err = f.Write([]byte("hello"))
		must(t, err)
	}
	must(t, zw.Close())
	dir, s := folder(t, "home", map[string]string{"a.tar": b.String(), "b.zip": z.String(), "c.zip": zipOf(t, map[string]string{"META-INF/MANIFEST.MF": "x", "a.txt": "x"}), "d.zip": zipOf(t, nil)}), open(t)
	run(t, ingest.Options{Store: s}, dir)
	const out, abs = "its path leads out of the archive", "its path is absolute, and leads out of the archive"
	want := map[string]string{
		"a.tar": "ok", "a.tar!/a.md": "ok", "a.tar!/../out.md": "skipped: " + out, "a.tar!//etc/motd": "skipped: " + abs, "a.tar!/b/../../up.md": "skipped: " + out,
		"a.tar!/C:/x.md": "skipped: " + abs, "a.tar!/link.md": "skipped: symbolic link to a path outside the folder",
		"a.tar!/near.md": "skipped: symbolic link; what it leads to is taken in where it stands",
		"a.tar!/hard.md": "skipped: a second name of a.md, which is taken in where it stands",
		"a.tar!/pipe":    "skipped: a device or a pipe, which no archive of files needs", "a.tar!/null": "skipped: a device or a pipe, which no archive of files needs",
		"a.tar!/twice.md": "ok",
		"b.zip":           "ok", "b.zip!/open.md": "failed: the archive is damaged there, or ends in the middle of it", // its checksum is wrong
		"b.zip!/locked.md": "no_text: it is locked with a password", "b.zip!/win/dows.md": "failed: the archive is damaged there, or ends in the middle of it",
		"b.zip!/../out.md": "skipped: " + out, "b.zip!/bad.md": "failed: it is packed in a way (number 99) that is not supported",
		"c.zip": "skipped: it belongs to a program and is no archive of files", "d.zip": "no_text: there is nothing in it",
	}
	if d := cmp.Diff(want, outcomes(t, s, dir)); d != "" {
		t.Error(d)
	}
	if got := strings.Join(refs(t, s), "\n"); !strings.Contains(got, "The latter.") || strings.Contains(got, "The former.") {
		t.Errorf("%s", got)
	}
}

// TestArchiveBounds: at a bound everything is read, one past it the archive is refused from there on.
func TestArchiveBounds(t *testing.T) {
	run1 := func(t *testing.T, name, body string, change func(*ingest.Limits)) (string, int) {
		dir, s := folder(t, "home", map[string]string{name: body}), open(t)
		o := ingest.Options{Store: s, Limits: ingest.DefaultLimits()}
		change(&o.Limits)
		run(t, o, dir)
		return outcomes(t, s, dir)[name], len(refs(t, s))
	}
	three := map[string]string{"1.md": "First.", "2.md": "Second.", "3.md": "Third."}
	for name, pack := range packs {
		t.Run("entries of "+name, func(t *testing.T) {
			if got, n := run1(t, "a."+name, pack(t, three), func(l *ingest.Limits) { l.Archive.Entries = 3 }); got != "ok" || n != 3 {
				t.Errorf("at it: %s, %d", got, n)
			}
			if got, n := run1(t, "a."+name, pack(t, three), func(l *ingest.Limits) { l.Archive.Entries = 2 }); !strings.HasSuffix(got, "it has more than 2 entries") || name != "zip" && n != 2 {
				t.Errorf("past it: %s, %d", got, n)
			}
		})
		t.Run("bytes of "+name, func(t *testing.T) {
			body := strings.Repeat("word ", 20_000)
			files := map[string]string{"1.md": body}
			size := int64(len(body))
			if name != "zip" {
				size = int64(len(tarOf(t, files)))
			}
			if got, n := run1(t, "a."+name, pack(t, files), func(l *ingest.Limits) { l.Archive.Total = size }); got != "ok" || n == 0 {
				t.Errorf("at it: %s, %d", got, n)
			}
			if got, _ := run1(t, "a."+name, pack(t, files), func(l *ingest.Limits) { l.Archive.Total = size - 1 }); !strings.Contains(got, "it unpacks to more than 0 MB") {
				t.Errorf("past it: %s", got)
			}
		})
	}
	t.Run("ratio", func(t *testing.T) {
		body := strings.Repeat("word ", 20_000)
		packed := gz(t, body)
		size := int64(len(body))
		ratio := size / int64(len(packed))
		if got, n := run1(t, "a.txt.gz", packed, func(l *ingest.Limits) { l.Archive.Ratio, l.Archive.Floor = ratio+1, 0 }); got != "ok" || n == 0 {
			t.Errorf("at it: %s, %d", got, n)
		}
		want := fmt.Sprintf("it unpacks to more than %d times its size, as archives do that are made to do harm", ratio)
		if got, _ := run1(t, "a.txt.gz", packed, func(l *ingest.Limits) { l.Archive.Ratio, l.Archive.Floor = ratio, 0 }); size%int64(len(packed)) != 0 && !strings.HasSuffix(got, want) {
			t.Errorf("past it: %s", got)
		}
		if got, _ := run1(t, "a.txt.gz", packed, func(l *ingest.Limits) { l.Archive.Ratio, l.Archive.Floor = ratio, size }); got != "ok" {
			t.Errorf("small: %s", got)
		}
	})
	t.Run("depth", func(t *testing.T) {
		body := zipOf(t, map[string]string{"a.md": "Alpha."})
		for range 3 {
			body = zipOf(t, map[string]string{"in.zip": body})
		}
		dir, s := folder(t, "home", map[string]string{"four.zip": body, "five.zip": zipOf(t, map[string]string{"in.zip": body})}), open(t)
		run(t, ingest.Options{Store: s}, dir)
		want := []string{"notes:home four.zip!/in.zip!/in.zip!/in.zip!/a.md: Alpha."}
		if d := cmp.Diff(want, refs(t, s)); d != "" {
			t.Error(d)
		}
		if got := outcomes(t, s, dir)["five.zip!/in.zip!/in.zip!/in.zip!/in.zip"]; got != "skipped: an archive that stands in 4 others, which is deeper than any is looked into" {
			t.Errorf("%s", got)
		}
	})
	t.Run("a bomb in an archive", func(t *testing.T) {
		bomb := zipOf(t, map[string]string{"zeros.txt": strings.Repeat("a", 1<<20)})
		files := map[string]string{"1.md": "First.", "bomb.zip": bomb, "noise": strings.Repeat("x", 100)}
		got, _ := run1(t, "a.zip", zipOf(t, files), func(l *ingest.Limits) { l.Archive.Ratio, l.Archive.Floor = 100, 1000 })
		if !strings.Contains(got, "it unpacks to more than 100 times its size") {
			t.Errorf("%s", got)
		}
	})
}

// TestArchiveSpool: what readers have to seek in goes to disk within bounds, and nothing of it stays.
func TestArchiveSpool(t *testing.T) {
	epub := largeBook(t)
	files := map[string]string{"trip.epub": epub, "a.md": strings.Repeat("Long enough. ", 200), "z.zip": zipOf(t, map[string]string{"x.md": strings.Repeat("Nested. ", 100)})}
	for name, pack := range packs {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, "home", map[string]string{"a." + name: pack(t, files)})
			for _, spool := range []int64{int64(len(epub)), int64(len(epub)) - 1} {
				s, temp := open(t), t.TempDir()
				o := ingest.Options{Store: s, Limits: ingest.DefaultLimits(), Temp: temp}
				o.Limits.Archive.Memory, o.Limits.Archive.Spool = 100, spool
				run(t, o, dir)
				got := outcomes(t, s, dir)
				if ok := got["a."+name+"!/trip.epub"] == "ok"; ok != (spool == int64(len(epub))) {
					t.Errorf("%d: %v", spool, got)
				}
				if got["a."+name+"!/a.md"] != "ok" {
					t.Errorf("%d: %v", spool, got)
				}
				if left, _ := os.ReadDir(temp); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			}
			s := open(t)
			o := ingest.Options{Store: s, Limits: ingest.DefaultLimits(), Temp: filepath.Join(dir, "none")}
			o.Limits.Archive.Memory = 100
			run(t, o, dir) // nowhere to put anything
			o.Temp = t.TempDir()
			run(t, o, dir) // the machine is mended, the archive as it was
			if got := outcomes(t, s, dir)["a."+name+"!/trip.epub"]; got != "ok" {
				t.Errorf("after trouble: %s", got)
			}
		})
	}
}

// TestArchiveHoldsTheSameMail: a mail in a folder and in an archive is one, whichever of them goes.
func TestArchiveHoldsTheSameMail(t *testing.T) {
	mails := map[string]string{"m1.eml": "MAIL\n*1 one", "m2.eml": "MAIL\n*2 two"}
	for name, pack := range packs {
		t.Run(name, func(t *testing.T) {
			for _, first := range []string{"a." + name, "b"} {
				dir, s := folder(t, "home", map[string]string{"a." + name: pack(t, mails), "b/m1.eml": mails["m1.eml"], "stays.md": "Mortar."}), open(t)
				o := ingest.Options{Store: s, Formats: formats()}
				run(t, o, filepath.Join(dir, first))
				run(t, o, dir)
				if got := refs(t, s); len(got) != 3 {
					t.Fatalf("%v", got)
				}
				must(t, os.RemoveAll(filepath.Join(dir, first)))
				run(t, o, dir)
				want := 3
				if first != "b" {
					want = 2
				}
				got := refs(t, s)
				if len(got) != want || !strings.Contains(strings.Join(got, "\n"), ": one") {
					t.Errorf("%s is gone: %v", first, got)
				}
				for _, f := range dump(t, s) {
					if strings.HasPrefix(f, "file ") && strings.Contains(f, "complete=false") {
						t.Errorf("not settled: %s", f)
					}
				}
				if sum := run(t, o, dir); sum.Unchanged != sum.Files {
					t.Errorf("again: %+v", sum)
				}
			}
		})
	}
}

// TestArchiveOfChatsAndMore: an export of chats stays one, also with what was sent in it, and an archive of
// chats and other things loses nothing.
func TestArchiveOfChatsAndMore(t *testing.T) {
	const chat = "[01.05.24, 15:00:00] Ada: hello whatsapp\n[01.05.24, 15:01:00] Bob: hi\n"
	for name, c := range map[string]struct {
		files map[string]string
		mixed bool
	}{
		"an export":           {map[string]string{"_chat.txt": chat, "Plan.csv": "a,b\n1,2\n", "README.txt": "What this is.\n"}, false},
		"an export in a tree": {map[string]string{"x/_chat.txt": chat, "x/media/Plan.csv": "a,b\n1,2\n"}, false},
		"notes beside it":     {map[string]string{"x/_chat.txt": chat, "notes/a.md": "A note."}, true},
		"papers beside it":    {map[string]string{"x/_chat.txt": chat, "papers/a.txt": "A paper."}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, s := folder(t, "home", map[string]string{"WhatsApp Chat - Ada.zip": zipOf(t, c.files)}), open(t)
			run(t, ingest.Options{Store: s}, dir)
			got := strings.Join(refs(t, s), "\n")
			if !strings.Contains(got, "whatsapp:Ada") {
				t.Errorf("no chat: %s", got)
			}
			if strings.Contains(got, "notes:home") != c.mixed {
				t.Errorf("%s", got)
			}
		})
	}
}

// TestArchiveStreams: what is too large to be put anywhere is unpacked as it is read.
func TestArchiveStreams(t *testing.T) {
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "Line %d of many.\n", i)
	}
	files := map[string]string{"a.txt": "Alpha.", "long.txt": long.String(), "z.txt": "Omega."}
	dir, s := folder(t, "home", files), open(t)
	run(t, ingest.Options{Store: s}, dir)
	want, _ := same(t, s, dir)
	for name, pack := range packs {
		dir, s := folder(t, "home", map[string]string{"home." + name: pack(t, files)}), open(t)
		o := ingest.Options{Store: s, Limits: ingest.DefaultLimits(), Temp: filepath.Join(dir, "none")}
		o.Limits.Archive.Memory, o.Limits.Archive.Spool = 100, 1000
		run(t, o, dir)
		got, _ := same(t, s, filepath.Join(dir, "home."+name))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %.500s", name, d)
		}
	}
}

// largeBook is a book that is no file to be read at once.
func largeBook(t tb) string {
	t.Helper()
	z, err := zip.OpenReader("epub/testdata/trip.epub")
	must(t, err)
	defer z.Close()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range z.File {
		must(t, w.Copy(f))
	}
	f, err := w.CreateHeader(&zip.FileHeader{Name: "cover.jpg", Method: zip.Store})
	must(t, err)
	_, err = f.Write(bytes.Repeat([]byte("picture "), 20_000))
	must(t, err)
	must(t, w.Close())
	return b.String()
}

func TestArchiveCancelled(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("%03d.md", i)] = fmt.Sprintf("Note %d. ", i) + strings.Repeat("More. ", 100)
	}
	for name, pack := range packs {
		dir := folder(t, "home", map[string]string{"a." + name: pack(t, files)})
		for _, after := range []int{0, 1, 50} {
			s, temp := open(t), t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			o := ingest.Options{Store: s, Temp: temp, Limits: ingest.DefaultLimits(), Now: func() time.Time {
				if n++; n > after {
					cancel()
				}
				return time.Now()
			}}
			o.Limits.Archive.Memory = 10
			if _, err := ingest.Run(ctx, o, []string{dir}); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s after %d: %v", name, after, err)
			}
			cancel()
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			run(t, ingest.Options{Store: s}, dir)
			if got := len(refs(t, s)); got != len(files) {
				t.Errorf("%s after %d: %d notes", name, after, got)
			}
		}
	}
}

// TestArchiveKeepsItsSource: a word on the command line moves nothing in an archive past a rule about a name.
func TestArchiveKeepsItsSource(t *testing.T) {
	for _, first := range []string{"", "mine"} {
		dir, s := folder(t, "home", map[string]string{"a.zip": zipOf(t, map[string]string{"a.md": "Alpha.", "b.mbox": "MBOX\n1 one"})}), open(t)
		path := filepath.Join(dir, "a.zip")
		o := ingest.Options{Store: s, Formats: formats(), SourceName: first}
		run(t, o, path)
		before := refs(t, s)
		o.SourceName = "other"
		if _, err := ingest.Run(t.Context(), o, []string{path}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("after %q: %v", first, err)
		}
		if d := cmp.Diff(before, refs(t, s)); d != "" {
			t.Error(d)
		}
	}
}

func TestArchiveDryRun(t *testing.T) {
	dir := folder(t, "home", map[string]string{"a.zip": zipOf(t, map[string]string{"a.md": "Alpha.", "b.bin": "\x00\x01"})})
	sum := run(t, ingest.Options{DryRun: true}, dir)
	if want := map[doc.Outcome]int{doc.OK: 2, doc.Skipped: 1}; !maps.Equal(sum.Outcomes, want) || sum.Added != 1 {
		t.Errorf("%+v", sum)
	}
}

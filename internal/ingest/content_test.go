package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
)

func TestKindsThatComeLater(t *testing.T) {
	const yet = " is not taken in yet"
	long := strings.Repeat(`{"name":"value"},`, 8000)
	files := map[string]struct{ body, want string }{
		"page.html":       {"<!DOCTYPE html>\n<html><body>Hello</body></html>", "ok"},
		"fragment.htm":    {"Hello<br/>there", "ok"},
		"page.txt":        {"\n<html lang=en>\n<p>Hello", "ok"},
		"page.md":         {"<!doctype html>\n<p>Hello", "ok"},
		"words.html":      {"Just words.", "ok"},
		"readme.md":       {"<p align=center>Logo</p>\n\n# Tool\n\nText.", "ok"},
		"svg.txt":         {"<svg xmlns='x'></svg>", "skipped: an XML file" + yet},
		"feed.xml":        {"<rss><channel/></rss>", "skipped: an XML file" + yet},
		"wide.xml":        {"\xff\xfe<\x00?\x00x\x00m\x00l\x00 \x00?\x00>\x00", "skipped: an XML file" + yet},
		"letter.rtf":      {`{\rtf1\ansi Hello}`, "ok"},
		"ada.vcf":         {"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n", "ok"},
		"all.ics":         {"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "no_text: there are no events in it"},
		"links.html":      {"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF=\"https://example.org/\">Example</A></DL>", "ok"},
		"mail.pst":        {"!BDN\x00\x00\x00\x00SM\x17\x00", "skipped: Outlook's store of mail (which can be exported as mbox or .eml) is not a kind of file that is taken in"},
		"hello.msg":       {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "skipped: a mail saved by Outlook (which can be saved as .eml) is not a kind of file that is taken in"},
		"backup.jsonlz4":  {"mozLz40\x00\x10\x00\x00\x00\xf0\x01", "skipped: a packed backup of Firefox (bookmarks can be exported as HTML or JSON) is not a kind of file that is taken in"},
		"paper":           {"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", "failed: it is damaged, or no PDF file"},
		"paper.md":        {"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", "failed: it is damaged, or no PDF file"},
		"paper.pdf":       {"%PDF-1.4\n\x00\x01\x02\xff", "failed: it is damaged, or no PDF file"},
		"data.json":       {`{"a": [1, 2]}`, "skipped: a JSON file" + yet},
		"list.json":       {"[]", "skipped: a JSON file" + yet},
		"data.txt":        {"[" + long + "{}]", "skipped: a JSON file" + yet},
		"todo.txt":        {"[ ] buy milk\n[x] call Bob\n", "ok"},
		"numbers.txt":     {"[1, 2, 3]", "ok"},
		"braces.txt":      {`{"quoted" words, not JSON}`, "ok"},
		"main.go":         {"package main\n\nfunc main() {}\n", "ok"},
		"style.css":       {"{ color: red }\n", "ok"},
		"table.csv":       {"a,b\n1,2\n", "ok"},
		"env.sh":          {"export A=1\n", "ok"},
		"env.md":          {"# The environment\n", "ok"},
		"environment.txt": {"Forests.\n", "ok"},
		"prod.env":        {"A=1", "skipped: looks like a file of secrets"},
		".env.local":      {"A=1", "skipped: looks like a file of secrets"},
		".ENV":            {"A=1", "skipped: looks like a file of secrets"},
		"notes-gbk.txt":   {"\xba\xcd\xd2\xbd\xc9\xfa\xb5\xc4\xd4\xa4\xd4\xbc\xb8\xc4\xb5\xbd\xd0\xc7\xc6\xda\xce\xe5\xc9\xcf\xce\xe7\xa1\xa3", "ok"},
		"noise.txt":       {"\x01\x02\x03\x04\xfe\xff\x80abc", "skipped: named like text, but its content is binary"},
	}
	bodies, want := map[string]string{}, map[string]string{}
	for name, f := range files {
		bodies[name], want[name] = f.body, f.want
	}
	dir, s := folder(t, "home", bodies), open(t)
	run(t, ingest.Options{Store: s}, dir)
	if diff := cmp.Diff(want, outcomes(t, s, dir)); diff != "" {
		t.Error(diff)
	}
	if sum := run(t, ingest.Options{Store: s}, dir); sum.Unchanged != len(files)-sum.Outcomes[doc.Failed] { // what failed is tried again
		t.Errorf("second run: %+v", sum)
	}
}

// What no reader takes is looked at again once a reader has changed.
func TestSkippedFilesAreLookedAtAgain(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.bin": "\x00\x01", "b.md": "Beta."}), open(t)
	run(t, ingest.Options{Store: s, Formats: formats()}, dir)
	newer := formats()
	newer[len(newer)-1].Reader = versioned{newer[len(newer)-1].Reader}
	sum := run(t, ingest.Options{Store: s, Formats: newer}, dir)
	if sum.Unchanged != 1 || sum.Files != 2 {
		t.Errorf("summary = %+v", sum)
	}
}

type versioned struct{ doc.Reader }

func (versioned) Version() int { return 99 }

func TestFoldersThatProgramsFill(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{
		"node_modules/left-pad/README.md": "# Left pad", "app/node_modules/x/a.md": "X.", "src/__pycache__/a.txt": "x",
		"env/pyvenv.cfg": "home = /usr", "env/lib/LICENSE.txt": "x", "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55", "target/x.md": "x",
		"vendor/modules.txt": "# a", "vendor/a/README.md": "x", "house/vendor/paint shop.md": "Paint.", "house/build/plan.md": "Plan.", ".git/config": "x",
	}), open(t)
	run(t, ingest.Options{Store: s}, dir)
	want := map[string]string{
		"node_modules": "skipped: folder of installed packages", "app/node_modules": "skipped: folder of installed packages",
		"src/__pycache__": "skipped: folder of installed packages", "env": "skipped: folder of installed packages",
		"target": "skipped: folder that says of itself that it is a cache", "vendor": "skipped: folder of installed packages",
		"house/vendor/paint shop.md": "ok", "house/build/plan.md": "ok", ".git": "skipped: hidden folder",
	}
	if diff := cmp.Diff(want, outcomes(t, s, dir)); diff != "" {
		t.Error(diff)
	}
	// Asked for by itself it is taken in.
	if sum := run(t, ingest.Options{Store: s}, filepath.Join(dir, "node_modules")); sum.Added != 1 {
		t.Errorf("summary = %+v", sum)
	}
}

// What stood on another disk is not gone while that disk is not mounted.
func TestDiskThatIsAway(t *testing.T) {
	files := map[string]string{"a.md": "Alpha.", "usb/b.md": "Beta.", "usb/deep/c.md": "Gamma.", "here/d.md": "Delta."}
	all := []string{"notes:home a.md: Alpha.", "notes:home here/d.md: Delta.", "notes:home usb/b.md: Beta.", "notes:home usb/deep/c.md: Gamma."}
	mounted := fsys{device: map[string]uint64{"usb": 7, "deep": 7}}
	for name, unmount := range map[string]func(dir string){
		"the folder stays":   func(dir string) { write(t, dir, map[string]string{"usb/": ""}) },
		"the folder goes":    func(string) {},
		"something is there": func(dir string) { write(t, dir, map[string]string{"usb/README.txt": "Mount here."}) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, s := folder(t, "home", files), open(t)
			run(t, ingest.Options{Store: s, FS: mounted}, dir)
			must(t, os.RemoveAll(filepath.Join(dir, "usb")))
			unmount(dir)
			want := all
			if name == "something is there" {
				want = append([]string{}, all[:2]...)
				want = append(want, "notes:home usb/README.txt: Mount here.", all[2], all[3])
			}
			sum := run(t, ingest.Options{Store: s, FS: fsys{}}, dir)
			if diff := cmp.Diff(want, refs(t, s)); diff != "" {
				t.Error(diff)
			}
			if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "2 files under") || !strings.Contains(sum.Notes[0], "not mounted now") {
				t.Errorf("notes = %q", sum.Notes)
			}
			// Mounted again, what was deleted on it is gone.
			must(t, os.RemoveAll(filepath.Join(dir, "usb")))
			write(t, dir, map[string]string{"usb/b.md": "Beta."})
			run(t, ingest.Options{Store: s, FS: mounted}, dir)
			if diff := cmp.Diff(all[:3], refs(t, s)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("the root itself", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, FS: fsys{device: map[string]uint64{"home": 7, "usb": 7, "deep": 7, "here": 7}}}, dir)
		must(t, os.RemoveAll(filepath.Join(dir, "usb")))
		sum := run(t, ingest.Options{Store: s, FS: fsys{}}, dir)
		if diff := cmp.Diff(all, refs(t, s)); diff != "" {
			t.Error(diff)
		}
		if len(sum.Notes) != 1 {
			t.Errorf("notes = %q", sum.Notes)
		}
	})
	t.Run("a folder that was emptied by hand", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, FS: fsys{}}, dir)
		must(t, os.Remove(filepath.Join(dir, "here", "d.md")))
		if sum := run(t, ingest.Options{Store: s, FS: fsys{}}, dir); sum.Removed != 1 || len(sum.Notes) != 0 {
			t.Errorf("summary = %+v", sum)
		}
	})
	t.Run("an unreadable root is not called empty", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s, FS: fsys{}}, dir)
		sum := run(t, ingest.Options{Store: s, FS: fsys{readDir: map[string]error{"home": os.ErrPermission}}}, dir)
		if len(sum.Notes) != 1 || strings.Contains(sum.Notes[0], "is empty now") || sum.Removed != 0 {
			t.Errorf("summary = %+v", sum)
		}
	})
}

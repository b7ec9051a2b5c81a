//go:build !race

// What is measured here is memory, of which the race detector takes its own.

package ingest_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/text"
)

// marked is a file in which one mark stands again and again, as it does in files that were made to be
// costly and in those that a fault has filled.
type marked struct{ name, before, mark, after string }

func (m marked) of(size int) []byte {
	return []byte(m.before + strings.Repeat(m.mark, size/len(m.mark)) + m.after)
}

func repeatedMarks() []marked {
	var all []marked
	// Marks of Markdown, HTML, JSON and mail as well, since any reader may be handed any of them.
	for _, mark := range []string{
		"[", "{", "[[", "![", "](", "[a](", "*", "**a", "_", "_a ", "`", "``a", "~~~\n", "> ", ">", "- ", "- a\n", "  - ", "# ", "#", "|", "|-", "a|b\n", "\\", "&", "&amp;", "&#",
		"<", "<a", "<!--", "<![CDATA[", "<div>", "<p>", "<b>", "<table>", "<td>", "<ul><li>", "</div>", "<a href=\"", "<blockquote>", "<svg>",
		`{"a":`, `[{"a":`, `{"a":[],`, `"`, `"a",`, `[],`, "=", "=3D", "=?utf-8?q?", "(", ")", ",", ";", "a@", "@", "a@b.de,", "#a", "http://", "$", ":", "::", "a: ", "- a:\n", "\n", "\r", "\t", " \n",
		"a", "a ", "a. ", "a\n", "A: b\n", "\u4e00", "\u200b", "\u0301", "x\u0301", "\U0001f469\u200d", "0", "1.", "1. a\n", "1.2.", "-", "---\n", "+++\n", "===\n", "%%", "%", "[^1]", "[^1]: a\n", "From ", "\nFrom a\n", "On a wrote:\n",
		"12/31/24, 9:00 - a: b\n", "[12/31/24, 9:00:00 AM] a: b\n", "<a> b\n", "[09:00] <a> b\n",
	} {
		for _, name := range []string{"a.md", "a.txt", "a.html", "a.json", "a.csv"} {
			all = append(all, marked{name, "", mark, ""}, marked{name, "Words before. ", mark, " and words after."})
		}
		all = append(all,
			marked{"a.html", "<!doctype html><html><body><p>Words.", mark, " and words after."},
			marked{"a.eml", "From: a@b.de\nDate: Mon, 6 May 2024 09:00:00 +0000\nMessage-ID: <1@b.de>\nSubject: ", mark, "\n\nText\n"},
			marked{"a.eml", "From: a@b.de\nTo: ", mark, "\nDate: Mon, 6 May 2024 09:00:00 +0000\nMessage-ID: <1@b.de>\nSubject: a\n\nText\n"},
			marked{"a.eml", "From: a@b.de\nDate: Mon, 6 May 2024 09:00:00 +0000\nMessage-ID: <1@b.de>\nSubject: a\nContent-Type: text/html\n\n<p>", mark, "\n"},
			marked{"a.eml", "From: a@b.de\nDate: Mon, 6 May 2024 09:00:00 +0000\nMessage-ID: <1@b.de>\nSubject: a\n\nText\n", mark, "\n"},
			marked{"a.eml", "From: a@b.de\nDate: Mon, 6 May 2024 09:00:00 +0000\nMessage-ID: <1@b.de>\nSubject: a\nContent-Type: ", mark, "\n\nText\n"},
			marked{"a.ics", "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\nDTSTART:20240506T090000Z\nSUMMARY:", mark, "\nEND:VEVENT\nEND:VCALENDAR\n"},
			marked{"a.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:A\nNOTE:", mark, "\nEND:VCARD\n"},
		)
	}
	head := "From: a@b.de\nDate: Mon, 6 May 2024 09:00:00 +0000\nMessage-ID: <1@b.de>\nSubject: a\n"
	mixed := head + "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
	return append(all,
		marked{"a.eml", head, "X-A: b\n", "\nText\n"},
		marked{"a.eml", head, "Received: from a by b; Mon, 6 May 2024 09:00:00 +0000\n", "\nText\n"},
		marked{"a.eml", head + "X-A: b", "\n b", "\n\nText\n"},
		marked{"a.eml", mixed, "--b\n", ""},
		marked{"a.eml", mixed, "--b\n\na\n", "--b--\n"},
		marked{"a.eml", mixed, "--b\nContent-Type: multipart/mixed; boundary=b\n\n", "--b--\n"},
		marked{"a.eml", mixed, "--b\nContent-Type: message/rfc822\n\n", "--b--\n"},
		marked{"a.eml", mixed, "--b\nContent-Type: text/html\n\n<p>a\n", "--b--\n"},
		marked{"a.eml", mixed, "\n-", ""},
		marked{"a.mbox", "", "From a Mon May  6 09:00:00 2024\n", ""},
		marked{"a.mbox", "", "From a Mon May  6 09:00:00 2024\nFrom: a@b.de\nSubject: a\n\nText\n\n", ""},
		marked{"a.ics", "BEGIN:VCALENDAR\nVERSION:2.0\n", "BEGIN:VEVENT\n", "END:VCALENDAR\n"},
		marked{"a.ics", "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\nDTSTART:20240506T090000Z\nSUMMARY:a", "\n b", "\nEND:VEVENT\nEND:VCALENDAR\n"},
		marked{"a.vcf", "", "BEGIN:VCARD\n", "END:VCARD\n"},
		marked{"a.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:A\n", "TEL:1\n", "END:VCARD\n"},
		marked{"a.jsonl", "", `{"source_kind":"document","source_id":"x:y","payload":{` + "\n", ""},
		marked{"a.jsonl", `{"source_kind":"document","source_id":"x:y","payload":`, `{"payload":`, "\n"},
		marked{"a.md", "---\na: ", "[", "\n---\nText\n"},
		marked{"a.md", "---\n", "a: b\n", "---\nText\n"},
		marked{"a.md", "---\na:\n", "- - ", "\n---\nText\n"},
		marked{"a.md", "---\na: &a b\nc: [", "*a,", "]\n---\nText\n"},
	)
}

// allocated returns how many bytes were allocated while detecting, reading and cutting a file, with each
// reader that may know it.
func allocated(t *testing.T, formats []ingest.Format, in *doc.Input) map[string]uint64 {
	t.Helper()
	used := map[string]uint64{}
	var before, after runtime.MemStats
	for _, f := range formats {
		runtime.ReadMemStats(&before)
		known := f.Detect(in) > 0
		runtime.ReadMemStats(&after)
		used["detect "+f.Name()] = after.TotalAlloc - before.TotalAlloc
		if !known {
			continue
		}
		var docs []*doc.Document
		runtime.ReadMemStats(&before)
		if _, err := f.Read(t.Context(), in, func(d *doc.Document) error { docs = append(docs, d); return nil }); err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		runtime.ReadMemStats(&after)
		used["read "+f.Name()] = after.TotalAlloc - before.TotalAlloc
		for _, d := range docs {
			for _, c := range chunk.Split("d", d) {
				text.AppendIndex(text.AppendExtra(nil, c.Text), c.Context+c.Text)
				entity.Extract(entity.Input{Content: c.Text, Markdown: d.Markdown, Authors: c.Authors, Tags: d.Tags, People: d.To})
			}
		}
		runtime.ReadMemStats(&before)
		used["cut "+f.Name()] = before.TotalAlloc - after.TotalAlloc
	}
	return used
}

// TestMemoryGrowsWithTheFile: four times the marks take about four times the memory, in every reader and
// in what comes after it. Bytes are counted and not seconds, so that a busy machine changes nothing.
func TestMemoryGrowsWithTheFile(t *testing.T) {
	const (
		small, large = 10_000, 40_000
		ratio        = 6
		least        = 1 << 20 // less is no matter, whatever it is a multiple of
	)
	formats := ingest.Formats(ingest.DefaultLimits())
	for _, m := range repeatedMarks() {
		var few map[string]uint64
		for step, n := range allocated(t, formats, doctest.Input(m.name, m.of(large))) {
			if n < least {
				continue
			}
			if few == nil {
				few = allocated(t, formats, doctest.Input(m.name, m.of(small)))
			}
			if n > ratio*few[step] {
				t.Errorf("%s %q %q: %s: %d bytes for 10 KB, %d for 40 KB", m.name, m.before, m.mark, step, few[step], n)
			}
		}
	}
}

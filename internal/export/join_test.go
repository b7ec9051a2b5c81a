package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder writes notes into a folder, all at one time.
func folder(t *testing.T, dir string, notes map[string]string) string {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	for name, text := range notes {
		file := filepath.Join(dir, name)
		must(t, os.WriteFile(file, []byte(text), 0o600))
		must(t, os.Chtimes(file, when, when))
	}
	return dir
}

// An export and the folder that it was made of are the same documents, whichever comes first; what
// has the name alone in common is another source.
func TestExportThenItsFolder(t *testing.T) {
	notes := map[string]string{"a.md": "# One\n\nThe lock.\n", "b.md": "# Two\n\nThe boat.\n", "c.txt": "The harbour.\n"}
	dir := t.TempDir()
	home := folder(t, filepath.Join(dir, "nn"), notes)
	from := open(t, dir)
	take(t, t, from, nil, home)
	want := lines(t, t, from, "")
	file := filepath.Join(dir, "nn.jsonl")
	must(t, os.WriteFile(file, []byte(want), 0o600))

	for name, order := range map[string][]string{"export first": {file, home}, "folder first": {home, file}} {
		s := open(t, "")
		for range 2 {
			for _, path := range order {
				take(t, t, s, nil, path)
			}
		}
		if diff := cmp.Diff(want, lines(t, t, s, "")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}

	s := open(t, "")
	take(t, t, s, nil, file)
	take(t, t, s, nil, home)
	must(t, os.WriteFile(filepath.Join(home, "a.md"), []byte("# One\n\nThe new lock.\n"), 0o600))
	must(t, os.Remove(filepath.Join(home, "b.md")))
	take(t, t, s, nil, home)
	got := lines(t, t, s, "notes:nn")
	if strings.Count(got, "\n") != 3 || !strings.Contains(got, "The new lock.") || strings.Contains(got, "The lock.") || !strings.Contains(got, "The boat.") {
		t.Errorf("after a change on the disk, which the export goes on to hold: %s", got)
	}

	other := folder(t, filepath.Join(dir, "elsewhere", "nn"), map[string]string{"a.md": "Another lock.", "d.md": "Trees.", "e.md": "Hills."})
	s = open(t, "")
	take(t, t, s, nil, file)
	take(t, t, s, nil, other)
	if diff := cmp.Diff(want, lines(t, t, s, "notes:nn")); diff != "" {
		t.Errorf("a folder of the same name (-want +got)\n%s", diff)
	}
	if got := lines(t, t, s, "notes:nn-2"); strings.Count(got, "\n") != 3 {
		t.Errorf("a folder of the same name: %s", got)
	}
}

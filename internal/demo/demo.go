// Package demo holds a small invented memory: the mails, the chats and the notes of a person who
// moves to Lisbon, in English and Chinese. It lays them out as files that ingest reads; showing
// them is not its business.
package demo

import (
	"archive/zip"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed memory
var embedded embed.FS

// Memory returns the built-in memory: inbox.mbox, notes/ and slack/.
func Memory() fs.FS {
	sub, err := fs.Sub(embedded, "memory")
	if err != nil {
		panic("demo: the embedded memory is missing") // cannot happen in a program that was built
	}
	return sub
}

// slackFolder is packed into an archive, since that is the form in which Slack exports.
const slackFolder = "slack"

// Write lays memory out below dir as a person would have it on disk and returns the paths for
// ingest, in a fixed order.
func Write(memory fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(memory, ".")
	if err != nil {
		return nil, fmt.Errorf("read the demo's memory: %w", err)
	}
	var paths []string
	for _, e := range entries {
		to := filepath.Join(dir, e.Name())
		switch {
		case e.Name() == slackFolder:
			to = filepath.Join(dir, "slack-export.zip")
			err = pack(memory, slackFolder, to)
		case e.IsDir():
			var sub fs.FS
			if sub, err = fs.Sub(memory, e.Name()); err == nil {
				err = os.CopyFS(to, sub)
			}
		default:
			err = copyFile(memory, e.Name(), to)
		}
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", e.Name(), err)
		}
		paths = append(paths, to)
	}
	return paths, nil
}

func copyFile(memory fs.FS, name, to string) error {
	data, err := fs.ReadFile(memory, name)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

func pack(memory fs.FS, folder, to string) (err error) {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := zip.NewWriter(f)
	err = fs.WalkDir(memory, folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(memory, path)
		if err != nil {
			return err
		}
		w, err := z.Create(strings.TrimPrefix(path, folder+"/"))
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	return z.Close()
}

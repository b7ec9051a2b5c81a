// Package wholefile makes files that appear under their names only when they are whole. It knows nothing
// of what is in them.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// Write has fill write a file that only its owner can read, and gives it its name when all of it is on
// the disk. After an error, of fill too, nothing of it is left. Without force it takes no other's place.
func Write(file string, force bool, fill func(io.Writer) error) (err error) {
	if err := Free(file, force); err != nil {
		return err
	}
	part, err := Temporary(filepath.Dir(file), "."+filepath.Base(file)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(part) //nolint:errcheck // mostly it is gone
	f, err := os.OpenFile(part, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write a file: %w", err)
	}
	if err := fill(f); err != nil {
		f.Close() //nolint:errcheck // err is what matters
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written.", file).WithHint("Look at the free space there.")
	}
	return Place(part, file, force)
}

// Free refuses a name that a new file must not be given.
func Free(file string, force bool) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir, err := os.Stat(filepath.Dir(file)); err != nil || !dir.IsDir() {
			return fault.New(fault.NotFound, "There is no folder %s.", filepath.Dir(file)).WithHint("Make it first, or choose another place.")
		}
		return nil
	case err != nil:
		return fault.Wrap(fault.Unavailable, err, "%s cannot be looked at.", file).WithHint("Choose a folder that this user may write to.")
	case !info.Mode().IsRegular():
		return fault.New(fault.Invalid, "%s is no regular file.", file).WithHint("Choose another name, such as one in that folder.")
	case !force:
		return taken(file, nil)
	}
	return nil
}

func taken(file string, err error) error {
	return fault.Wrap(fault.Conflict, err, "%s is there already.", file).WithHint("Choose another name, or replace it with --force.")
}

// Temporary makes an empty file that only its owner can read.
func Temporary(dir, pattern string) (string, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "No file can be made in %s.", dir).
			WithHint("Choose a folder that this user may write to, on a disk with room.")
	}
	return f.Name(), f.Close()
}

// Place gives a finished file its name. Without force it never takes the place of another, even of one
// that has come meanwhile.
func Place(part, file string, force bool) error {
	if !force {
		err := os.Link(part, file)
		if err == nil {
			return errors.Join(os.Remove(part), Synced(file))
		}
		if _, there := os.Lstat(file); there == nil {
			return taken(file, err)
		}
		// Not every file system has links.
	}
	if err := os.Rename(part, file); err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written.", file).WithHint("Choose another place.")
	}
	return Synced(file)
}

// Synced makes sure that the name of a file is on the disk.
func Synced(file string) error {
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("write a folder out: %w", err)
	}
	dir.Sync() //nolint:errcheck // not every system can
	return dir.Close()
}

// Package backup copies a memory into one file while it is in use, and puts such a file back. It holds
// the order of the steps and the files around the memory; what SQLite does is in pkg/store.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/openhuman/openhuman-core/internal/wholefile"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Notes that a backup carries beside the memory.
const (
	noteMade    = "made"
	noteGlosses = "glosses"
)

// maxGlosses is the size up to which a person's own words are taken along.
const maxGlosses = 16 << 20

// A Stage is what a backup or a restore is at.
type Stage string

// The stages.
const (
	Checking Stage = "checking"
	Copying  Stage = "copying"
	Placing  Stage = "placing"
)

// A Step is how far it is; Bytes is how much there is to copy, about, and 0 where nobody knows.
type Step struct {
	Stage       Stage
	Done, Bytes int64
}

// Options say what to copy where.
type Options struct {
	Memory  string // the file of the memory
	Glosses string // the file of the person's own words, which may be missing; "" for none
	File    string // the backup
	// Force lets Make put the backup in the place of a file that is there.
	Force    bool
	Progress func(Step)       // may be nil; one call at a time
	Now      func() time.Time // nil: time.Now
	Poll     time.Duration    // between two looks at how far a copy is; 0: 200 ms
}

func (o *Options) fill() {
	if o.Progress == nil {
		o.Progress = func(Step) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Poll <= 0 {
		o.Poll = 200 * time.Millisecond
	}
}

// A Made is a backup that was made.
type Made struct {
	store.CopyInfo
	File    string
	Glosses bool // the person's own words are in it
}

// Make copies the memory into one file, as it is at one instant, whoever writes to it meanwhile. The
// file appears under its name only when it is whole, has been checked and is on the disk.
func Make(ctx context.Context, o Options) (made Made, err error) {
	o.fill()
	if made.File, err = filepath.Abs(o.File); err != nil {
		return made, fmt.Errorf("back up: %w", err)
	}
	was, err := store.Inspect(ctx, o.Memory)
	if err != nil {
		return made, err
	}
	if err := free(made.File, o.Memory, o.Force); err != nil {
		return made, err
	}
	notes := map[string]string{noteMade: o.Now().UTC().Format(time.RFC3339)}
	words, err := readGlosses(o.Glosses)
	if err != nil {
		return made, err
	}
	if made.Glosses = words != ""; made.Glosses {
		notes[noteGlosses] = words
	}
	part, err := wholefile.Temporary(filepath.Dir(made.File), "."+filepath.Base(made.File)+".*.part")
	if err != nil {
		return made, err
	}
	defer remove(part)
	stop := watch(o, part, was.Bytes)
	err = store.Copy(ctx, o.Memory, part, notes)
	stop()
	if err != nil {
		return made, renamed(err, part, made.File)
	}
	o.Progress(Step{Stage: Checking})
	if err := sound(ctx, part); err != nil {
		return made, fault.Wrap(fault.Unavailable, err, "The memory at %s is damaged, and so would be the backup: %v.", o.Memory, err).
			WithHint("See what is damaged with: openhuman-core doctor")
	}
	if made.CopyInfo, err = store.Inspect(ctx, part); err != nil {
		return made, err
	}
	o.Progress(Step{Stage: Placing})
	return made, wholefile.Place(part, made.File, o.Force)
}

// free refuses a name that a backup must not be given.
func free(file, memory string, force bool) error {
	for _, own := range []string{memory, memory + "-wal", memory + "-shm"} {
		info, err := os.Lstat(file)
		if err != nil {
			break
		}
		if m, err := os.Stat(own); err == nil && os.SameFile(m, info) || file == own {
			return fault.New(fault.Invalid, "%s is the memory itself.", file).WithHint("Give the backup another name, best on another disk.")
		}
	}
	return wholefile.Free(file, force)
}

// remove takes away a temporary file, if it is there, with what SQLite may have put beside it.
func remove(path string) {
	for _, end := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(path + end) //nolint:errcheck // mostly it is gone
	}
}

// watch tells how far a copy is by the size of the file, until the function that it returns is called.
func watch(o Options, part string, total int64) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(o.Poll)
		defer tick.Stop()
		for {
			if info, err := os.Stat(part); err == nil {
				o.Progress(Step{Copying, min(info.Size(), total), total})
			}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// sound has the whole of a file checked.
func sound(ctx context.Context, path string) error {
	problems, err := store.Check(ctx, path)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return errors.New(problems[0])
	}
	return nil
}

// readGlosses returns the person's own words as they stand in their file.
func readGlosses(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxGlosses):
		err = errors.New("it is no file of words")
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "%s, which belongs to the memory, cannot be read: %v.", path, reason(err)).
			WithHint("Correct or move the file, then try again.")
	}
	return string(b), nil
}

// reason is an error without the path that it names.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

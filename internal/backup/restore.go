package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/wholefile"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A Restored is a backup that was put back.
type Restored struct {
	store.CopyInfo        // of the memory as it is now
	From           string // the backup
	Made           string // when it was made, RFC 3339; "" when it does not say
	// Former is where the memory is that was there before, "" when there was none.
	Former string
	// Damaged says that what was there before could only be moved as it was.
	Damaged bool
	// Glosses is where the person's own words of the backup are, "" when it has none or they are in place
	// already.
	Glosses string
}

// staging is what the name of a backup that is being put back begins with, in the folder of the memory.
const staging = ".restoring-"

// Restore makes the memory what the backup holds. The backup is checked, copied beside the memory and
// brought to this program's schema before anything is touched; then it takes the memory's place at
// once, so that an interruption leaves the one or the other. The former memory is kept.
func Restore(ctx context.Context, o Options) (done Restored, err error) {
	o.fill()
	if done.From, err = filepath.Abs(o.File); err != nil {
		return done, fmt.Errorf("restore: %w", err)
	}
	was, err := examine(ctx, o, done.From)
	if err != nil {
		return done, err
	}
	done.Made = was.Notes[noteMade]
	dir := filepath.Dir(o.Memory)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return done, fault.Wrap(fault.Unavailable, err, "The folder %s cannot be made: %v.", dir, reason(err)).WithHint("Choose another workspace.")
	}
	staged, err := stage(ctx, o, done.From, was)
	if err != nil {
		return done, err
	}
	defer remove(staged)
	if done.CopyInfo, err = store.Inspect(ctx, staged); err != nil {
		return done, err
	}
	o.Progress(Step{Stage: Placing})
	if err := done.swap(ctx, o, staged); err != nil {
		return done, err
	}
	clean(dir)
	done.Glosses, err = writeGlosses(o, was.Notes[noteGlosses])
	return done, err
}

// examine looks at a backup before anything is done with it.
func examine(ctx context.Context, o Options, file string) (store.CopyInfo, error) {
	o.Progress(Step{Stage: Checking})
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return store.CopyInfo{}, fault.Wrap(fault.NotFound, err, "There is no file %s.", file).WithHint("Check the path.")
	case err != nil:
		return store.CopyInfo{}, fault.Wrap(fault.Unavailable, err, "%s cannot be read: %v.", file, reason(err)).WithHint("Correct its permissions.")
	}
	if m, err := os.Stat(o.Memory); err == nil && os.SameFile(m, info) {
		return store.CopyInfo{}, fault.New(fault.Invalid, "%s is the memory itself.", file).WithHint("Name a file that openhuman-core backup has made.")
	}
	was, err := store.Inspect(ctx, file)
	if err == nil {
		err = sound(ctx, file)
	}
	if err == nil || ctx.Err() != nil {
		return was, errors.Join(err, ctx.Err())
	}
	const untouched = "The memory is as it was. "
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Code == fault.Conflict && was.SchemaVersion > store.SchemaVersion:
		return was, fault.Wrap(fault.Conflict, err, "%s was made by a newer version of openhuman-core.", file).
			WithHint(untouched + "Update openhuman-core, then restore it.")
	case errors.As(err, &f):
		return was, fault.Wrap(f.Code, err, "%s is no backup that can be restored: %s", file, f.Msg).
			WithHint(untouched + "Name a file that openhuman-core backup has made.")
	}
	return was, fault.Wrap(fault.Unavailable, err, "%s is damaged: %v.", file, err).
		WithHint(untouched + "Take another backup, or an earlier copy of this one.")
}

// stage makes a copy of the backup beside the memory, with this program's schema.
func stage(ctx context.Context, o Options, file string, was store.CopyInfo) (staged string, err error) {
	copied := func(from string) (string, error) {
		to, err := wholefile.Temporary(filepath.Dir(o.Memory), staging+"*")
		if err != nil {
			return "", err
		}
		stop := watch(o, to, was.Bytes)
		err = store.Copy(ctx, from, to, nil)
		stop()
		if err != nil {
			remove(to)
			return "", renamed(err, to, filepath.Dir(to))
		}
		return to, nil
	}
	if staged, err = copied(file); err != nil || was.SchemaVersion == store.SchemaVersion {
		return staged, err
	}
	defer remove(staged)
	s, err := store.Open(ctx, store.Options{Path: staged})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return "", fmt.Errorf("bring the backup up to date: %w", err)
	}
	return copied(staged) // opened for writing it has a log, which this copy has not
}

// swap gives the staged file the memory's place.
func (done *Restored) swap(ctx context.Context, o Options, staged string) error {
	former, err := formerName(o.Memory, o.Now())
	if err != nil {
		return err
	}
	info, err := os.Stat(o.Memory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(o.Memory); err == nil {
			return fault.New(fault.Unavailable, "%s is a link to %s, which is not there.", o.Memory, to).
				WithHint("Connect the disk that it leads to, or remove the link, and try again.")
		}
		if err := moveLog(o.Memory, former); err != nil {
			return err
		}
		return first(staged, o.Memory)
	case err != nil:
		return fault.Wrap(fault.Unavailable, err, "%s cannot be looked at: %v.", o.Memory, reason(err)).WithHint("Correct its permissions.")
	case !info.Mode().IsRegular():
		return fault.New(fault.Unavailable, "%s is not a file.", o.Memory).WithHint("Move it away and try again.")
	}
	if _, err := store.Inspect(ctx, o.Memory); store.Foreign(err) {
		return fault.Wrap(fault.Conflict, err, "%s is a database of another program.", o.Memory).WithHint("Choose another workspace, or move the file away.")
	}
	part, err := wholefile.Temporary(filepath.Dir(o.Memory), staging+"*")
	if err != nil {
		return err
	}
	defer remove(part)
	// The former memory gets its name before the new one takes its place.
	keep := func() error {
		if info.Size() == 0 {
			return nil
		}
		done.Former = former
		return first(part, former)
	}
	err = store.Replace(ctx, o.Memory, staged, part, keep)
	switch {
	case errors.Is(err, store.ErrDamaged):
		done.Former, done.Damaged = former, true
		return moveOver(staged, o.Memory, former)
	case err != nil && done.Former != "":
		remove(former) // it is the memory itself still
	}
	return renamed(err, part, former)
}

// first gives a file a name that nothing has.
func first(part, name string) error {
	if err := wholefile.Place(part, name, false); err != nil {
		if fault.CodeOf(err) == fault.Conflict {
			return fault.Wrap(fault.Conflict, err, "%s has come meanwhile.", name).WithHint("Run the same command again.")
		}
		return err
	}
	return nil
}

// formerName is where the memory that is there is kept.
func formerName(memory string, now time.Time) (string, error) {
	ext := filepath.Ext(memory)
	base := strings.TrimSuffix(memory, ext) + "-before-restore-" + now.UTC().Format("20060102-150405")
	for n := 1; n < 1000; n++ {
		name := base + ext
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", base, n, ext)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
	}
	return "", fault.New(fault.Conflict, "There are too many former memories beside %s.", memory).WithHint("Remove those that you do not need.")
}

// moveLog takes away the log of a memory that is gone or damaged, which would be taken for that of the
// next.
func moveLog(memory, former string) error {
	if err := os.Rename(memory+"-wal", former+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be moved: %v.", memory+"-wal", reason(err)).WithHint("End what has it open and try again.")
	}
	if err := os.Remove(memory + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be removed: %v.", memory+"-shm", reason(err)).WithHint("End what has it open and try again.")
	}
	return nil
}

// moveOver puts a file in the place of one that is no memory any more, which is kept as it is.
func moveOver(staged, memory, former string) error {
	err := os.Link(memory, former)
	if err == nil {
		err = moveLog(memory, former)
	} else if err = moveLog(memory, former); err == nil {
		err = os.Rename(memory, former) // not every file system has links
	}
	if err == nil {
		err = os.Rename(staged, memory)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be moved to %s: %v.", memory, former, reason(err)).WithHint("Move it away by hand and try again.")
	}
	return wholefile.Synced(memory)
}

// clean removes what restores left that were ended before their end.
func clean(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, staging+"*"))
	if err != nil {
		return
	}
	for _, name := range left {
		os.Remove(name) //nolint:errcheck // the next restore tries again
	}
}

// writeGlosses puts the person's own words back, beside others that are there, and tells where.
func writeGlosses(o Options, words string) (string, error) {
	if words == "" || o.Glosses == "" {
		return "", nil
	}
	have, err := os.ReadFile(o.Glosses)
	if err == nil && string(have) == words {
		return "", nil
	}
	to := o.Glosses
	if !errors.Is(err, fs.ErrNotExist) {
		to += ".restored"
	}
	part, err := wholefile.Temporary(filepath.Dir(to), staging+"*")
	if err != nil {
		return "", err
	}
	defer remove(part)
	if err := os.WriteFile(part, []byte(words), 0o600); err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "The memory is restored, but %s cannot be written: %v.", to, reason(err)).
			WithHint("Free some space and restore again.")
	}
	return to, wholefile.Place(part, to, true)
}

// renamed makes an error speak of the file that a person knows, not of a temporary one.
func renamed(err error, part, file string) error {
	var f *fault.Error
	if err == nil || !errors.As(err, &f) {
		return err
	}
	out := *f
	out.Msg = strings.ReplaceAll(f.Msg, part, file)
	return &out
}

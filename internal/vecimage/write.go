package vecimage

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/vecset"
)

// Models names the models of the sets that Write is given, in their order.
type Models []string

// Write makes an image of the sets, which have codes for every row, and returns its name. Nobody
// uses it before the store names it.
func Write(dir string, last, dead int64, models Models, sets []*vecset.Set) (name string, err error) {
	name = strings.ToLower(rand.Text())
	h := Header{Name: name, Last: last, Dead: dead}
	for i, s := range sets {
		h.Sections = append(h.Sections, Section{Fingerprint: models[i], Dims: s.Dims, Rows: s.Len()})
	}
	h.Size = h.size()
	path := Path(dir, name)
	temp := path + ".part"
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("write image: %w", err)
	}
	// It is not synced: what a power failure leaves of it has another checksum.
	err = errors.Join(writeTo(f, &h, sets), f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("write image: %w", err), removeQuietly(temp))
	}
	return name, nil
}

func removeQuietly(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func writeTo(f *os.File, h *Header, sets []*vecset.Set) error {
	if _, err := f.Seek(headSize, io.SeekStart); err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	sum := crc32.New(castagnoli)
	out := io.MultiWriter(w, sum)
	var zeros [align]byte
	for i, s := range sets {
		sizes := h.Sections[i].sizes()
		mean := make([]byte, 0, sizes[0])
		for _, x := range s.Mean {
			mean = binary.LittleEndian.AppendUint32(mean, math.Float32bits(x))
		}
		mean = append(mean, make([]byte, int(sizes[0])-len(mean))...) // there is none without rows
		for k, c := range [][]byte{mean, s.IDs, s.Chunks, s.Parts, s.Scales, s.Codes, unsigned(s.Cells)} {
			if int64(len(c)) != sizes[k] {
				return fmt.Errorf("column %d has %d bytes, not %d", k, len(c), sizes[k])
			}
			if _, err := out.Write(c); err != nil {
				return err
			}
			if _, err := out.Write(zeros[:aligned(sizes[k])-sizes[k]]); err != nil {
				return err
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	h.Sum = sum.Sum32()
	head, err := h.encode()
	if err != nil {
		return err
	}
	_, err = f.WriteAt(head, 0)
	return err
}

func (h *Header) encode() ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if len(text) > headSize-headPrefix {
		return nil, fmt.Errorf("a header of %d bytes", len(text))
	}
	head := append(make([]byte, 0, headSize), magic...)
	head = binary.LittleEndian.AppendUint32(head, version)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(text, castagnoli))
	head = append(head, text...)
	return append(head, make([]byte, headSize-len(head))...), nil
}

// Remove removes the image of a name, which may be empty.
func Remove(dir, name string) error {
	if name == "" {
		return nil
	}
	return removeQuietly(Path(dir, name))
}

// abandoned is how old a file must be before Clean takes it for one that no process is about to
// finish or to have the store name.
const abandoned = 10 * time.Minute

// Clean removes the images in dir but the one of the name that the store has. Young ones may be about
// to be named, unless the store has just given their name up; these are what retired lists. A file
// that cannot be removed, because some process has it mapped, is left to the next call.
func Clean(dir, keep string, now time.Time, retired ...string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, ours := strings.CutPrefix(e.Name(), prefix)
		name, part := strings.CutSuffix(name, ".part")
		name, image := strings.CutSuffix(name, suffix)
		if !ours || !image || !validName(name) || !e.Type().IsRegular() || name == keep && !part {
			continue
		}
		if !slices.Contains(retired, name) {
			fi, err := e.Info()
			if err != nil || now.Sub(fi.ModTime()) < abandoned {
				continue
			}
		}
		os.Remove(filepath.Join(dir, e.Name())) //nolint:errcheck // the next call tries again
	}
}

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"github.com/openhuman/openhuman-core/datagen/algebra"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
)

// vectorBytes is how long a vector is in a cache.
const vectorBytes = 4 * minilm.Dims

// A cache keeps the encoder's vectors of texts: CACHE.txt holds one text a line, CACHE.f32 the vector
// of each.
type cache struct {
	path    string
	texts   []string
	at      map[string]int
	vectors []float32
}

func openCache(path string) (*cache, error) {
	c := &cache{path: path, at: map[string]int{}}
	texts, err := os.ReadFile(path + ".txt")
	if os.IsNotExist(err) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path + ".f32")
	if err != nil {
		return nil, err
	}
	c.texts = strings.Split(strings.TrimSuffix(string(texts), "\n"), "\n")
	n := min(len(c.texts), len(raw)/vectorBytes) // an interrupted run may have written one of them only
	c.texts = c.texts[:n]
	c.vectors = algebra.DecodeFloats(raw[:n*vectorBytes])
	for i, t := range c.texts {
		c.at[t] = i
	}
	return c, nil
}

// vector returns the vector of a text that is there.
func (c *cache) vector(text string) []float32 {
	i, ok := c.at[flat(text)]
	if !ok {
		return nil
	}
	return c.vectors[i*minilm.Dims:][:minilm.Dims]
}

// teach adds the vectors of the English sides of pairs to a cache. It goes on where an earlier run
// stopped.
func teach(args []string) error {
	pairs, err := readPairs(args[0])
	if err != nil {
		return err
	}
	c, err := openCache(args[1])
	if err != nil {
		return err
	}
	var missing []string
	queued := map[string]bool{}
	for _, p := range pairs {
		t := flat(p.english)
		if _, ok := c.at[t]; !ok && !queued[t] {
			queued[t] = true
			missing = append(missing, t)
		}
	}
	texts, err := appendTo(c.path+".txt", int64(lengthOf(c.texts)))
	if err != nil {
		return err
	}
	defer texts.Close()
	vectors, err := appendTo(c.path+".f32", int64(len(c.texts)*vectorBytes))
	if err != nil {
		return err
	}
	defer vectors.Close()
	m, err := minilm.New(minilm.Options{Workers: 1})
	if err != nil {
		return err
	}
	const batch = 256
	for done := 0; done < len(missing); done += batch {
		some := missing[done:min(done+batch, len(missing))]
		made, err := m.Embed(context.Background(), some)
		if err != nil {
			return err
		}
		w, v := bufio.NewWriter(texts), bufio.NewWriter(vectors)
		for i, t := range some {
			w.WriteString(t + "\n")
			if err := binary.Write(v, binary.LittleEndian, made[i]); err != nil {
				return err
			}
		}
		if err := v.Flush(); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "\r%d of %d", done+len(some), len(missing))
	}
	fmt.Fprintln(os.Stderr)
	return nil
}

func lengthOf(lines []string) (n int) {
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

// appendTo opens a file for appending after its first size bytes.
func appendTo(path string, size int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(size); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := f.Seek(size, 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

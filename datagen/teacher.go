package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
)

// teacher writes the encoder's vector of each line of a corpus, float32. It goes on where an earlier
// run stopped.
func teacher(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	texts := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	out, err := os.OpenFile(args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	const size = 4 * minilm.Dims
	info, err := out.Stat()
	if err != nil {
		return err
	}
	done := int(info.Size() / size)
	if err := out.Truncate(int64(done * size)); err != nil {
		return err
	}
	m, err := minilm.New(minilm.Options{Workers: 1})
	if err != nil {
		return err
	}
	const batch = 512
	for ; done < len(texts); done += batch {
		vectors, err := m.Embed(context.Background(), texts[done:min(done+batch, len(texts))])
		if err != nil {
			return err
		}
		w := bufio.NewWriter(out)
		for _, v := range vectors {
			if err := binary.Write(w, binary.LittleEndian, v); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "\r%d of %d", min(done+batch, len(texts)), len(texts))
	}
	fmt.Fprintln(os.Stderr)
	return out.Close()
}

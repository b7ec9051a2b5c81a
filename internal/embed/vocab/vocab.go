// Package vocab is the vocabulary that all built-in embedding models share, as part of the program.
package vocab

import (
	_ "embed"
	"fmt"

	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
)

//go:embed vocab.bin
var packed []byte

// Open returns the vocabulary. It copies nothing and costs next to nothing.
func Open() (*wordpiece.Vocab, error) {
	v, err := wordpiece.Open(packed)
	if err != nil {
		return nil, fmt.Errorf("open vocabulary: %w", err)
	}
	return v, nil
}

package minilm

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/embed/format"
)

func TestDataIsWhole(t *testing.T) {
	if err := format.Verify(weights); err != nil {
		t.Error(err)
	}
}

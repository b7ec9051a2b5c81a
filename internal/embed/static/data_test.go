package static

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/embed/format"
)

func TestDataIsWhole(t *testing.T) {
	if err := format.Verify(table); err != nil {
		t.Error(err)
	}
}

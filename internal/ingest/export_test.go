package ingest

import (
	"fmt"
	"time"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// RecordVersion is what is raised when records change.
func RecordVersion() string { return fmt.Sprintf("%d.%d", buildVersion, chunk.Version) }

// Record is what is stored of a document.
func Record(d *doc.Document) store.DocumentRecord {
	return build(d, store.SourceMeta{SourceID: "notes:sample", Kind: string(d.Kind)}, "sample", time.Time{})
}

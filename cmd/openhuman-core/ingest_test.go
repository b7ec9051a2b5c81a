package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/ingest"
)

// TestInterruptedIngest: what is said to be kept is what was written.
func TestInterruptedIngest(t *testing.T) {
	for _, dry := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, workspace: t.TempDir()}
		cfg, err := a.settings()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = a.takeIn(ctx, cfg, ingest.Options{DryRun: dry}, intake{run: func(ctx context.Context, _ ingest.Options) (ingest.Summary, error) {
			cancel()
			return ingest.Summary{}, ctx.Err()
		}})
		cancel()
		said := stderr.String()
		if kept, nothing := strings.Contains(said, "is kept"), strings.Contains(said, "Nothing was written"); !errors.Is(err, context.Canceled) || kept == dry || nothing != dry {
			t.Errorf("dry %v: %v, %q", dry, err, said)
		}
	}
}

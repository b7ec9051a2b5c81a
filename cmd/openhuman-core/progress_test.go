package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest"
)

// Where no bar can be drawn there is a line every ten seconds, and none for programs.
func TestPlainProgress(t *testing.T) {
	for _, json := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		p := newProgress(&app{stdout: &stdout, stderr: &stderr, json: json})
		now := p.last
		p.now = func() time.Time { return now }
		for second := range 35 {
			now = now.Add(time.Second)
			p.event(ingest.Event{Stage: ingest.Reading, Files: 40, FilesDone: second, Bytes: 100, BytesDone: int64(second)})
		}
		if n := strings.Count(stderr.String(), "of 40 files"); json && n != 0 || !json && n != 3 {
			t.Errorf("json %t: %d lines:\n%s", json, n, stderr.String())
		}
	}
}

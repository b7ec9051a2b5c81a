package slack_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/slack"
)

func BenchmarkRead(b *testing.B) {
	const days, messages = 30, 200
	var parts []string
	for d := range days {
		var ms []string
		for m := range messages {
			ms = append(ms, fmt.Sprintf(`{"client_msg_id":"0b2c","type":"message","user":"U%d","text":"The deadline moved again, <@U1>: see <https://example.com/atlas/%d|the ticket> &amp; tell #eng","ts":"%d.%06d","team":"T1","blocks":[{"type":"rich_text","block_id":"x","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"The deadline moved again"}]}]}]}`,
				1+m%3, m, 1714521600+d*86400+m*60, m))
		}
		parts = append(parts, fmt.Sprintf("2024-05-%02d", d+1), "["+strings.Join(ms, ",")+"]")
	}
	in := input(general(b, parts...))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := slack.New().Read(b.Context(), in, func(d *doc.Document) error { n += len(d.Messages); return nil }); err != nil {
			b.Fatal(err)
		}
	}
	if n%(days*messages) != 0 || n == 0 {
		b.Fatalf("%d messages", n)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "messages/s")
}

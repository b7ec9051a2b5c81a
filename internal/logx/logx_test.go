package logx_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/logx"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/rs/zerolog"
)

func fields(t *testing.T, b *bytes.Buffer) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	b.Reset()
	return m
}

func TestLabelOnEveryLine(t *testing.T) {
	var b bytes.Buffer
	s := &logx.Session{}
	log := logx.New(&b, logx.Options{Level: "debug", Session: s})

	log.Warn().Msg("before anybody is known")
	if got := fields(t, &b)["client"]; got != "mcp" {
		t.Errorf("client = %v", got)
	}
	s.Name("mcp:cursor")
	s.Name("mcp:other")
	log.Debug().Msg("the first name counts")
	if got := fields(t, &b)["client"]; got != "mcp:cursor" {
		t.Errorf("client = %v", got)
	}
	ctx := clientinfo.With(t.Context(), clientinfo.MCP("Claude Desktop"))
	log.Info().Ctx(ctx).Msg("a call that says whose it is")
	if got := fields(t, &b)["client"]; got != "mcp:claude-desktop" {
		t.Errorf("client = %v", got)
	}
	slog.New(zerolog.NewSlogHandler(log)).InfoContext(ctx, "through slog")
	if got := fields(t, &b)["client"]; got != "mcp:claude-desktop" {
		t.Errorf("client = %v", got)
	}
}

func TestLevels(t *testing.T) {
	for name, want := range map[string]string{"debug": "diwe", "info": "iwe", "warn": "we", "": "we", "error": "e", "off": ""} {
		var b bytes.Buffer
		log := logx.New(&b, logx.Options{Level: name})
		log.Debug().Msg("d")
		log.Info().Msg("i")
		log.Warn().Msg("w")
		log.Error().Msg("e")
		var got strings.Builder
		for line := range strings.Lines(b.String()) {
			var m struct{ Message string }
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			got.WriteString(m.Message)
		}
		if got.String() != want {
			t.Errorf("level %q logs %q, want %q", name, got.String(), want)
		}
	}
}

func TestTerminalForm(t *testing.T) {
	var b bytes.Buffer
	log := logx.New(&b, logx.Options{Terminal: true, NoColor: true, Session: &logx.Session{}})
	log.Warn().Int("rows", 3).Msg("slow call")
	if s := b.String(); !strings.Contains(s, "WRN slow call") || !strings.Contains(s, "client=mcp") || strings.Contains(s, "\x1b") {
		t.Errorf("%q", s)
	}
}

// Package logx makes the program's logger: zerolog to stderr, readable on a terminal and JSON lines
// otherwise. It decides form and level, and puts the client's label on every line; what is logged is
// the callers' business, and is never a query or memory text.
package logx

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/rs/zerolog"
)

// Options say how to log.
type Options struct {
	Level    string // debug, info, warn, error or off; anything else is warn
	Terminal bool   // for people instead of programs
	NoColor  bool
	Session  *Session // whose label the lines carry; nil: no label
}

// New returns a logger that writes to w.
func New(w io.Writer, o Options) zerolog.Logger {
	if o.Terminal {
		w = zerolog.ConsoleWriter{Out: w, NoColor: o.NoColor, TimeFormat: time.TimeOnly}
	}
	log := zerolog.New(w).Level(level(o.Level)).With().Timestamp().Logger()
	if o.Session != nil {
		log = log.Hook(o.Session)
	}
	return log
}

func level(name string) zerolog.Level {
	switch name {
	case "debug":
		return zerolog.DebugLevel
	case "info":
		return zerolog.InfoLevel
	case "error":
		return zerolog.ErrorLevel
	case "off":
		return zerolog.Disabled
	}
	return zerolog.WarnLevel
}

// A Session knows which client a stdio session belongs to, once that is known. It is a zerolog.Hook
// that adds the label as the field "client". It is safe for concurrent use.
type Session struct{ label atomic.Pointer[string] }

// Name fixes the label; only the first call has an effect.
func (s *Session) Name(label string) { s.label.CompareAndSwap(nil, &label) }

// Run adds the label of the call that is being logged, else that of the session.
func (s *Session) Run(e *zerolog.Event, _ zerolog.Level, _ string) {
	label := clientinfo.From(e.GetCtx()).Label
	if fixed := s.label.Load(); fixed != nil && label == clientinfo.Bare {
		label = *fixed
	}
	e.Str("client", label)
}

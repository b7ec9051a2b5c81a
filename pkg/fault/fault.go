// Package fault is the product's vocabulary of errors: one code for each thing a caller can act on.
// It holds the codes, the error type and their wire numbers; it does not hold any particular failure.
package fault

import (
	"errors"
	"fmt"
)

// Code is a stable, machine-readable reason.
type Code string

// The codes. Anything that is not an [Error] is Internal.
const (
	Invalid     Code = "invalid"     // the caller sent something wrong
	NotFound    Code = "not_found"   // the named thing does not exist (or is hidden from this caller)
	Denied      Code = "denied"      // policy said no
	Conflict    Code = "conflict"    // locked, changed meanwhile, or written by a newer version
	Unavailable Code = "unavailable" // a dependency is missing, off or too slow
	Internal    Code = "internal"    // a bug or a broken disk; details belong in the log only
)

// Codes lists every code in the order of the documentation.
var Codes = []Code{Invalid, NotFound, Denied, Conflict, Unavailable, Internal}

// Error is an error that a caller may see. Msg says what happened; Hint says what to do next.
// Both are full sentences without memory text, queries or secrets in them, except for what the
// caller itself sent. Err is the cause, for the log.
type Error struct {
	Code Code
	Msg  string
	Hint string
	Err  error
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Err != nil {
		s = fmt.Sprintf("%s: %v", s, e.Err)
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// New returns an Error with a message for the caller.
func New(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Msg: fmt.Sprintf(format, args...)}
}

// Wrap returns an Error with a message for the caller and a cause for the log.
func Wrap(c Code, err error, format string, args ...any) *Error {
	return &Error{Code: c, Msg: fmt.Sprintf(format, args...), Err: err}
}

// WithHint returns a copy of e that says what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// CodeOf returns err's code: "" for nil, Internal for anything that is not an [Error].
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	default:
		return Internal
	}
}

// Message returns what a caller may read about err: the message and the hint of an [Error],
// and one generic sentence for everything else.
func Message(err error) string {
	var e *Error
	if !errors.As(err, &e) || e.Code == Internal {
		return "Internal error. The server's log (stderr) has the details."
	}
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + " " + e.Hint
}

// HintOf returns the hint of err, or "".
func HintOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// A Wire is how one code is told on each surface.
type Wire struct {
	Code Code
	RPC  int64 // JSON-RPC error code of the HTTP surface
	HTTP int   // HTTP status of an answer that carries only this error
	Exit int   // exit status of the command line
}

// Table maps every code to its numbers. It is the only place where they are written.
var Table = []Wire{
	{Invalid, -32602, 200, 2},
	{NotFound, -32004, 200, 4},
	{Denied, -32003, 200, 5},
	{Conflict, -32009, 200, 6},
	{Unavailable, -32001, 200, 7},
	{Internal, -32603, 200, 1},
}

// WireOf returns the numbers of err's code.
func WireOf(err error) Wire {
	c := CodeOf(err)
	for _, w := range Table {
		if w.Code == c {
			return w
		}
	}
	return Table[len(Table)-1]
}

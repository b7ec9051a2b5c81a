package tools

import "encoding/json"

// Decode runs the decoder that a row with the parameters T would have.
func Decode[T any](raw string, options ...option) (T, error) {
	o := Op{RPC: RPC{Method: "test"}, In: inputSchema[T]("test")}
	for _, apply := range options {
		apply(&o)
	}
	var v T
	err := newArguments[T]("test.tool", o.In).decode(json.RawMessage(raw), &v)
	return v, err
}

// Parts of the table's language, for tests of the decoder.
var (
	Arg     = arg
	AtLeast = atLeast
	OneOf   = oneOf
)

// Underscores reports how a client is shown names.
func Underscores(s NameStyle, client string) bool { return s.underscores(client) }

// Describe returns the operation as tools/list shows it.
func Describe(o Op) json.RawMessage { return o.describe(func(s string) string { return s }) }

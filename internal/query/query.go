// Package query is the query language of memory.search: it parses what a person or a model types,
// compiles it for the full-text index and checks candidates on their written text. It does not run
// anything.
package query

// A Query is a parsed query. The zero Query matches nothing.
type Query struct{}

// Parse parses the language of memory.search. Every string is a valid query.
func Parse(s string) *Query { panic("query.Parse") }

// Natural parses a question in plain words for memory.recall: no operators but quotes, stop-words
// dropped unless nothing else is there.
func Natural(s string) *Query { panic("query.Natural") }

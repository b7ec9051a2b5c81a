// Package query is the query language of memory.search: it parses what a person or a model types,
// compiles it for the full-text index and checks candidates on their written text. It runs nothing
// and knows no storage.
//
// The language: words in any order, "a phrase", word* (a prefix), -word and -"a phrase" (excluded),
// and the operators from: source: kind: tag: after: before:. Identifiers such as POL-358,
// snake_case, v1.0.21, a@b.org or a path are found as they are written, then by their parts; any
// other sign between words, such as a comma, is a blank. There are no syntax errors: what does not
// fit an operator is a word, and what holds no letter, digit or emoji is passed over.
//
// In a phrase, words that -, / or _ joins are as words that stand apart, but not next to a digit.
// after: and before: include the day, month or year that they name. A phrase is looked for inside a
// chunk: where a long document was cut, one that runs over the cut is not found.
package query

import (
	"time"
)

// A Query is a parsed query. The zero Query matches nothing.
type Query struct {
	// Terms are what a row may match, in the order they were typed.
	Terms []Term
	// Narrow holds the operators; Exclude those with a minus sign.
	Narrow, Exclude Filters

	// Given are the operators with names that may or may not exist: from, source and tag.
	Given []Operator
	// Misread are operators whose value makes no sense, so that they were taken as words.
	Misread []Operator

	not []needle
}

// An Operator is one name:value of a query, as typed.
type Operator struct{ Name, Value string }

// A Term is one word, prefix, identifier, phrase or run of a script without spaces.
type Term struct {
	// Expr is the term as an FTS5 expression, safe to be put into a larger one.
	Expr string
	// Tokens are index tokens that all stand in every row that Expr matches. None for a prefix.
	Tokens []string
	// Required says that a row without the term is no answer: it was given as a phrase.
	Required bool
	// Stop says that the term carries no meaning of its own.
	Stop bool

	parts   []Term   // the words of an identifier
	other   *Term    // the same word as it is written elsewhere
	seq     []string // the index tokens as they follow each other
	open    bool     // the last of seq may go on ...
	alts    []string // ... or be one of these
	run     bool     // a script without spaces
	written needle   // what the written text has to hold; empty: the index decides
}

// Filters are the operators of a query. Lists are ORed inside and ANDed with each other.
type Filters struct {
	From   []string   // parts of an author's name or address
	Source []string   // globs over source ids
	Kind   []string   // kinds of sources
	Tag    []string   // tags
	Since  *time.Time // from this instant on
	Until  *time.Time // before this instant: the end of what before: names
}

// IsZero reports whether the filters let everything pass.
func (f Filters) IsZero() bool {
	return len(f.From)+len(f.Source)+len(f.Kind)+len(f.Tag) == 0 && f.Since == nil && f.Until == nil
}

// IsZero reports whether the query asks for nothing at all.
func (q *Query) IsZero() bool {
	return len(q.Terms) == 0 && len(q.not) == 0 && q.Narrow.IsZero() && q.Exclude.IsZero()
}

// HasExclusions reports whether rows may be refused for words that they hold.
func (q *Query) HasExclusions() bool { return len(q.not) > 0 }

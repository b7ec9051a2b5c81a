// Package text turns written text into what the index and the ranking need: folded forms, tokens,
// stems, token estimates. It knows no query language and no storage.
package text

// Fold returns the form in which written text is compared: NFKC, lower case, accents removed.
func Fold(s string) string { panic("text.Fold") }

// AppendIndex appends the index tokens of s to dst, joined by single blanks (with one before the
// first when dst is not empty): words folded and stemmed, runs of scripts without spaces as
// overlapping bigrams plus their last character.
func AppendIndex(dst []byte, s string) []byte { panic("text.AppendIndex") }

// AppendExtra appends tokens for the parts that AppendIndex does not give, such as those of camelCase.
func AppendExtra(dst []byte, s string) []byte { panic("text.AppendExtra") }

// EstimateTokens estimates how many tokens a language model would count in s.
func EstimateTokens(s string) int { panic("text.EstimateTokens") }

// IsStopWord reports whether the folded word w carries no meaning of its own.
func IsStopWord(w string) bool { panic("text.IsStopWord") }

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// number writes n with commas between thousands.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// span writes a duration for people.
func span(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// inWords lists outcomes with how many files had each, in the order of the documentation.
func inWords[Outcome ~string](outcomes map[Outcome]int) string {
	var parts []string
	for _, o := range []doc.Outcome{doc.OK, doc.Partial, doc.NoText, doc.Skipped, doc.Failed} {
		if n := outcomes[Outcome(o)]; n > 0 {
			parts = append(parts, number(n)+" "+string(o))
		}
	}
	return strings.Join(slices.Clip(parts), ", ")
}

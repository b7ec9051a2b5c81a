package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

// noneEmpty refuses arguments with nothing in them: a script that forgets to set a variable means
// some path, and not the current folder.
func noneEmpty(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for i, arg := range args {
			if arg == "" {
				return fmt.Errorf("%s number %d is empty", name, i+1)
			}
		}
		return nil
	}
}

// noEmptyFlags refuses --name "" for the flags that name a place.
func noEmptyFlags(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := c.Flag(name); f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	return nil
}

// maxSourceName bounds the name of a source in bytes: it stands in every row that is served.
const maxSourceName = 200

// sourceName refuses a name for a source that could not be shown or typed again.
func sourceName(name string) error {
	bad := fault.New(fault.Invalid, "--source is not a usable name.")
	switch {
	case strings.TrimSpace(name) == "":
		return bad.WithHint("It is empty: give a name, such as notes:diary, or leave the flag out.")
	case !utf8.ValidString(name):
		return bad.WithHint("It is not UTF-8.")
	case len(name) > maxSourceName:
		return bad.WithHint("It has %d bytes, and %d is the most.", len(name), maxSourceName)
	case strings.ContainsFunc(name, unseen):
		return bad.WithHint("It holds characters that cannot be seen.")
	}
	return nil
}

// unseen reports whether r leaves no mark or turns what stands around it. The two joiners belong to
// how Persian, Hindi and emoji are written.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\u200c' && r != '\u200d'
}

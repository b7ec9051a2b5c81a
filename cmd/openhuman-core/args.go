package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

// some asks for at least one argument of the kind that the usage of the command calls name.
func some(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing", name)
		}
		return nil
	}
}

// one asks for exactly one argument.
func one(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one %s, and here are %d", c.CommandPath(), name, len(args))
		}
		return some(name)(c, args)
	}
}

// A whole is the value of a flag that is a whole number within bounds.
type whole struct {
	to          *int
	least, most int
}

// wholeFlag gives c a flag that takes a whole number from least to most.
func wholeFlag(c *cobra.Command, to *int, name, short string, byDefault, least, most int, usage string) {
	*to = byDefault
	c.Flags().VarP(&whole{to, least, most}, name, short, usage)
}

func (w *whole) String() string { return strconv.Itoa(*w.to) }

func (w *whole) Type() string { return "int" }

func (w *whole) Set(s string) error {
	n, err := strconv.Atoi(s)
	switch {
	case (err != nil || n < w.least) && w.most == math.MaxInt:
		return fmt.Errorf("it is a whole number, at least %d", w.least)
	case err != nil || n < w.least || n > w.most:
		return fmt.Errorf("it is a whole number from %d to %d", w.least, w.most)
	}
	*w.to = n
	return nil
}

// rowsFlag gives c the flag -k.
func rowsFlag(c *cobra.Command, k *int) {
	wholeFlag(c, k, "k", "k", controller.DefaultK, 1, controller.MaxK, fmt.Sprintf("how many, at most %d", controller.MaxK))
}

// wordFlag tells those who meant a word of a query, and not a flag, how such a word is given.
func wordFlag(c *cobra.Command, err error) error {
	var f interface{ GetSpecifiedShortnames() string }
	if !errors.As(err, &f) || f.GetSpecifiedShortnames() == "" {
		return err
	}
	return fault.Wrap(fault.Invalid, err, "%s", err).
		WithHint("Words that begin with a minus stand after two of them: %s -- budget -draft", c.CommandPath())
}

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

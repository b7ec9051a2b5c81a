package main

import (
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"

	openhuman "github.com/openhuman/openhuman-core"
	"github.com/spf13/cobra"
)

// version is the version of this program: the newest heading of CHANGELOG.md.
const version = "0.1.0"

// build is what the program knows about how it was built.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"commit_time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(a *app) *cobra.Command {
	var licenses bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version and how it was built",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if licenses {
				return a.printLicenses()
			}
			b := readBuild()
			if a.json {
				return a.printJSON(b)
			}
			fmt.Fprintf(a.stdout, "openhuman-core %s\n", b.Version)
			if b.Commit != "" {
				note := ""
				if b.Modified {
					note = ", with local changes"
				}
				fmt.Fprintf(a.stdout, "commit %s (%s%s)\n", b.Commit, b.Time, note)
			}
			_, err := fmt.Fprintf(a.stdout, "%s %s\n", b.Go, b.Platform)
			return err
		},
	}
	c.Flags().BoolVar(&licenses, "licenses", false, "print the licence, what the program contains of others, and their licences")
	a.jsonFlag(c)
	return c
}

// printLicenses prints all legal texts.
func (a *app) printLicenses() error {
	names, err := fs.Glob(openhuman.Legal, "LICENSES/*.txt")
	if err != nil {
		return err
	}
	for _, name := range append([]string{"LICENSE", "NOTICE"}, names...) {
		text, err := openhuman.Legal.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.stdout, "==== %s ====\n\n%s\n", name, text); err != nil {
			return err
		}
	}
	return nil
}

func readBuild() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

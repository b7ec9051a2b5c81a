package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ignore"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/lock"
	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

// syncOptions are the flags of sync.
type syncOptions struct {
	watch, dry, noEmbed bool
	every               time.Duration
}

func newSyncCommand(a *app) *cobra.Command {
	var o syncOptions
	c := &cobra.Command{
		Use:   "sync [NAME...]",
		Short: "Keep the sources of the settings current",
		Long: `Takes in what [[sources]] in config.toml name, as ingest does with paths: what has changed is replaced, what is
certainly gone is removed, a file that was moved stays what it was, and the rest costs next to nothing.

  [[sources]]
  path = ["~/notes", "~/Mail/*.mbox"]
  ignore = ["drafts/", "!.obsidian/"]
  tags = ["home"]

NAME is the name of a row, or its number from 1; without one, all are taken in. A row that has a mistake, or a folder
that is not there, is said and stops no other. Nothing is removed because a folder is not there or is empty: its disk may
be away.

Left out are what the settings ignore, what .openhumanignore and .gitignore files in the folders ignore (as git does),
hidden files, and files of secrets: keys, passwords, .env files, profiles of browsers. A pattern that begins with "!" takes
them in: in the settings any, in a .openhumanignore file hidden ones only. "openhuman-core status --files" lists what became of
each file, and which pattern left it out. What a row no longer names stays until "openhuman-core forget" removes it.

--watch goes on until it is stopped: it looks when the system tells of a change and it has been quiet for a moment, and
every now and then without that, so that nothing depends on being told. Changed settings count from the next look on.

--dry-run writes nothing and counts what a run would do, as that of "openhuman-core ingest" does.

Exit status 3 means that some files or rows could not be taken in.`,
		Args: noneEmpty("NAME"),
		RunE: func(c *cobra.Command, names []string) error {
			if o.every < time.Second {
				return fault.New(fault.Invalid, "--every must be a second or more.").WithHint("The default is 1m, a minute.")
			}
			if o.watch && o.dry {
				return fault.New(fault.Invalid, "--watch and --dry-run exclude each other.").WithHint("Leave one out.")
			}
			if o.watch {
				return a.watch(c.Context(), o, names)
			}
			return a.sync(c.Context(), o, names)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.watch, "watch", false, "go on, and take in what changes")
	f.DurationVar(&o.every, "every", time.Minute, "with --watch, look at least this often")
	f.BoolVar(&o.dry, "dry-run", false, "write nothing, and say what a run would do")
	f.BoolVar(&o.noEmbed, "no-embed", false, "leave the embedding to \"openhuman-core embed\"")
	a.jsonFlag(c)
	return c
}

// reviewSource says what is wrong with a row of [[sources]] beside what its keys are.
func reviewSource(s config.Source) error {
	if s.Name != "" {
		if err := sourceName(s.Name); err != nil {
			return fmt.Errorf("name cannot be used: %s", fault.HintOf(err))
		}
	}
	for _, p := range s.Ignore {
		if err := ignore.Check(p); err != nil {
			return fmt.Errorf("ignore: %w", err)
		}
	}
	return nil
}

// rowName is what a row is called.
func rowName(e config.SourceEntry) string {
	switch {
	case e.Name != "":
		return e.Name
	case len(e.Path) > 0:
		return e.Path[0]
	}
	return "without a path"
}

// rows are the sources that names ask for, and whether there are others that have a mistake.
func rows(l *config.Loaded, names []string) (sources []ingest.Source, broken bool, err error) {
	if len(l.SourceEntries) == 0 {
		return nil, false, fault.New(fault.Invalid, "%s names no sources to sync.", l.Path).
			WithHint("Add some, then run it again:\n\n[[sources]]\npath = \"~/notes\"\n")
	}
	asked := map[int]bool{}
	for _, name := range names {
		found := false
		var all []string
		for i, e := range l.SourceEntries {
			if name == rowName(e) || name == strconv.Itoa(e.Number) {
				asked[i], found = true, true
			}
			all = append(all, rowName(e))
		}
		if !found {
			unknown := fault.New(fault.NotFound, "No row of [[sources]] is called %q.", name).WithHint("There are: %s.", strings.Join(all, ", "))
			if n := near.Word(name, all); n != "" {
				unknown = unknown.WithHint("Did you mean %s? There are: %s.", n, strings.Join(all, ", "))
			}
			return nil, false, unknown
		}
	}
	for i, e := range l.SourceEntries {
		switch {
		case len(names) > 0 && !asked[i]:
		case len(e.Problems) > 0:
			broken = true
		default:
			sources = append(sources, ingest.Source{
				Label: fmt.Sprintf("[[sources]] number %d (%s)", e.Number, rowName(e)), Paths: e.Paths,
				Name: e.Name, Kind: doc.Kind(e.Kind), Owner: e.Owner, Tags: e.Tags, Ignore: e.Ignore, NoGitignore: !e.Gitignore,
			})
		}
	}
	return sources, broken, nil
}

func (a *app) sync(ctx context.Context, o syncOptions, names []string) error {
	l := a.loadConfig()
	if err := l.Err(); err != nil {
		return err
	}
	a.warn(l)
	sources, broken, err := rows(l, names)
	if err != nil {
		return err
	}
	complete := !broken
	if len(sources) > 0 {
		sum, err := a.takeIn(ctx, l.Config, ingest.Options{DryRun: o.dry}, intake{encode: !o.noEmbed, run: func(ctx context.Context, o ingest.Options) (ingest.Summary, error) {
			return ingest.Sync(ctx, o, sources)
		}})
		if err != nil {
			return err
		}
		complete = complete && sum.Complete()
	}
	if !complete {
		return errSomeFailed
	}
	return nil
}

// lockWatch has one process at a time watch.
func lockWatch(cfg config.Config) (*lock.Lock, error) {
	l, err := lock.Try(filepath.Join(cfg.Workspace, "watch.lock"))
	var held *lock.Held
	if errors.As(err, &held) {
		return nil, fault.New(fault.Conflict, "openhuman-core sync --watch is running already: %s.", held).
			WithHint("Stop that one first. One looks after all sources.")
	}
	return l, err
}

// awaited are the names to have hints of beside the folders that were visited: of files that are sources by
// themselves, and of folders that are not there yet.
func awaited(sources []ingest.Source, exists func(string) bool) map[string][]string {
	out := map[string][]string{}
	for _, s := range sources {
		for _, p := range s.Paths {
			if g, ok := ignore.ParseGlob(filepath.ToSlash(p)); ok && !exists(p) {
				p = filepath.FromSlash(g.Base)
			}
			dir, name := filepath.Dir(p), filepath.Base(p)
			for !exists(dir) && filepath.Dir(dir) != dir {
				dir, name = filepath.Dir(dir), filepath.Base(dir)
			}
			if !slices.Contains(out[dir], name) {
				out[dir] = append(out[dir], name)
			}
		}
	}
	return out
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/lock"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

func newIngestCommand(a *app) *cobra.Command {
	var o ingest.Options
	var noEmbed bool
	c := &cobra.Command{
		Use:   "ingest PATH...",
		Short: "Take in files and folders",
		Long: `Takes in files and folders: Markdown and text notes, mail (mbox, Maildir, .eml), chats (Slack, Discord,
Telegram, WhatsApp, Signal, iMessage, IRC), talks with assistants (ChatGPT, Claude, Claude Code, Codex), and
interchange lines (JSON). What a file is, is found out from what is in it.

Running it again takes in what has changed, removes what is certainly gone, and costs next to nothing for the
rest. It may be interrupted at any time; the next run finishes the work. A folder that cannot be read, or a disk that
is not mounted, removes nothing; a file is gone when its folder can be read and it is not there.

Hidden files and folders, files that look like keys or passwords, and folders that programs fill (node_modules,
site-packages, __pycache__, virtual environments, vendored code, caches marked as such) are left out.

What was taken in keeps its source. A larger folder that is taken in later leaves a smaller one in it what it is, and
says so; --source is refused for what is in the memory under another name. Rules such as policy.deny_sources are about
names: to give something another one, remove it with "openhuman-core forget" first, then ingest it with --source.

Everything is searchable when the files are read. What recall needs to find things by meaning follows, which takes
longer; --no-embed leaves it to "openhuman-core embed".

--dry-run reads what a run would read and writes nothing. What it counts - documents that are new, changed, unchanged
and removed, files that have moved, what becomes of each file - is what the run then does, if nothing changes meanwhile.

Exit status 3 means that some files could not be taken in whole; "openhuman-core status --files" lists them all.
Encrypted mail, which only its recipient's key opens, is ok with a note.`,
		Args: cobra.MatchAll(some("PATH"), noneEmpty("PATH")),
		PreRunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("source") {
				return sourceName(o.SourceName)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.ingest(c.Context(), o, args, !noEmbed) },
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "write nothing, and say what a run would do")
	f.BoolVar(&noEmbed, "no-embed", false, "leave the embedding to \"openhuman-core embed\"")
	f.StringVar(&o.SourceName, "source", "", "`NAME` of the source, instead of the folder's")
	a.jsonFlag(c)
	return c
}

func (a *app) ingest(ctx context.Context, o ingest.Options, paths []string, encode bool) error {
	cfg, err := a.settings()
	if err != nil {
		return err
	}
	sum, err := a.takeIn(ctx, cfg, o, intake{encode: encode, run: func(ctx context.Context, o ingest.Options) (ingest.Summary, error) { return ingest.Run(ctx, o, paths) }})
	if err != nil {
		return err
	}
	if !sum.Complete() {
		return errSomeFailed
	}
	if sum.Files == 0 && !slices.ContainsFunc(paths, exists) {
		return fault.New(fault.NotFound, "There is nothing at the given paths.").WithHint("Check the paths.")
	}
	return nil
}

// An intake is a run with what comes after it.
type intake struct {
	run    func(context.Context, ingest.Options) (ingest.Summary, error)
	encode bool
	// quiet, when set, changes what is told of the run.
	quiet func(*ingest.Event)
	// news, when set, says whether the run found anything to tell of and to go on with.
	news func(ingest.Summary) bool
}

// takeIn makes a run over files, and then what is made from the text.
func (a *app) takeIn(ctx context.Context, cfg config.Config, o ingest.Options, in intake) (sum ingest.Summary, err error) {
	w, err := loadWriters(cfg)
	if err != nil {
		return sum, err
	}
	o.Store, err = a.openForIngest(ctx, cfg, o.DryRun)
	if err != nil {
		return sum, err
	}
	if o.Store != nil {
		defer func() { err = errors.Join(err, o.Store.Close()) }()
		if err := w.know(ctx, cfg, o.Store); err != nil {
			return sum, err
		}
	}
	o.Instant = w.instant
	p := newProgress(a)
	o.Progress = func(e ingest.Event) {
		if in.quiet != nil {
			in.quiet(&e)
		}
		p.event(e)
	}
	run := func() error {
		if !o.DryRun {
			one, err := a.lockRuns(ctx, cfg, p.say)
			if err != nil {
				return err
			}
			defer one.Close()
		}
		sum, err = in.run(ctx, o)
		return err
	}
	err = run()
	p.done()
	if err != nil && ctx.Err() != nil {
		said := "Interrupted. What was taken in so far is kept; the same command goes on from there."
		if o.DryRun {
			said = "Interrupted. Nothing was written."
		}
		p.say(said)
		return sum, context.Canceled
	}
	if err != nil {
		return sum, err
	}
	renewed := 0
	if sum.Files > 0 && !o.DryRun {
		if renewed, err = a.learn(ctx, cfg, o.Store, &w); err != nil {
			return sum, err
		}
	}
	if in.news != nil && !in.news(sum) && renewed == 0 {
		return sum, nil
	}
	if err := a.printSummary(sum, o.DryRun, renewed, in.encode); err != nil {
		return sum, err
	}
	if sum.Files == 0 || o.DryRun {
		return sum, nil
	}
	if in.encode {
		return sum, a.derive(ctx, cfg, o.Store, w, derivation{})
	}
	return sum, a.leaveToEmbed(ctx, o.Store, &w)
}

// lockRuns has one process at a time read files: two would do the same work twice.
func (a *app) lockRuns(ctx context.Context, cfg config.Config, say func(string)) (*lock.Lock, error) {
	return lock.Wait(ctx, filepath.Join(cfg.Workspace, "ingest.lock"), func(h *lock.Held) {
		say("Waiting for another ingest or sync to end: " + h.Error() + ".")
	})
}

// exists reports whether there is anything at path. An empty folder is something: that it holds no
// file is no mistake of its owner.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runSummary is a run for programs.
type runSummary struct {
	Event     string              `json:"event"`
	DryRun    bool                `json:"dry_run,omitempty"`
	Files     int                 `json:"files"`
	Outcomes  map[doc.Outcome]int `json:"outcomes"`
	Unchanged int                 `json:"unchanged"`
	Moved     int                 `json:"moved"`
	Gone      int                 `json:"gone"`
	Bytes     int64               `json:"bytes"`
	Added     int                 `json:"documents_added"`
	Replaced  int                 `json:"documents_replaced"`
	Same      int                 `json:"documents_unchanged"`
	Removed   int                 `json:"documents_removed"`
	Chunks    int                 `json:"chunks_written"`
	Renewed   int                 `json:"chunks_renewed"`
	Sources   []string            `json:"sources"`
	Refused   []refusedSource     `json:"refused,omitempty"`
	Notes     []string            `json:"notes"`
	ElapsedMS int64               `json:"elapsed_ms"`
}

// refusedSource is a row of [[sources]] of which nothing was taken in.
type refusedSource struct {
	Source  string `json:"source"`
	Problem string `json:"problem"`
}

// printSummary tells of a run. encode says that embedding follows.
func (a *app) printSummary(s ingest.Summary, dry bool, renewed int, encode bool) error {
	var refused []refusedSource
	for _, r := range s.Refused {
		problem := r.Err.Error()
		if fault.CodeOf(r.Err) != fault.Internal {
			problem = fault.Message(r.Err)
		}
		refused = append(refused, refusedSource{r.Label, problem})
	}
	if a.json {
		return a.printLine(runSummary{
			Event: "summary", DryRun: dry, Files: s.Files, Outcomes: s.Outcomes, Unchanged: s.Unchanged, Moved: s.Moved, Gone: s.Gone,
			Bytes: s.Bytes, Added: s.Added, Replaced: s.Replaced, Same: s.Same, Removed: s.Removed, Chunks: s.Chunks, Renewed: renewed,
			Refused: refused,
			Sources: append([]string{}, s.Sources...), Notes: append([]string{}, s.Notes...), ElapsedMS: s.Elapsed.Milliseconds(),
		})
	}
	table := term.Table{Head: []string{"OUTCOME", "FILES"}, Right: []int{1}}
	for _, o := range []doc.Outcome{doc.OK, doc.Partial, doc.NoText, doc.Skipped, doc.Failed} {
		if n := s.Outcomes[o]; n > 0 || o == doc.OK {
			table.Row(string(o), number(n))
		}
	}
	if err := table.Write(a.stdout, term.Columns(a.stdout)); err != nil {
		return err
	}
	changed := s.Added+s.Replaced+s.Removed > 0
	what := fmt.Sprintf("%s new documents, %s changed, %s removed (%s chunks)", number(s.Added), number(s.Replaced), number(s.Removed), number(s.Chunks))
	switch {
	case dry:
		what = "Nothing was written. A real run would give " + what
	case changed:
		what = "Taken in: " + what
	case renewed > 0:
		what = "No file has changed"
	default:
		what = "Nothing has changed"
	}
	if s.Moved > 0 {
		what += fmt.Sprintf("; %s files were moved", number(s.Moved))
	}
	if s.Unchanged > 0 {
		what += fmt.Sprintf("; %s files are as they were", number(s.Unchanged))
	}
	fmt.Fprintf(a.stdout, "\n%s, in %s.\n", what, span(s.Elapsed))
	if renewed > s.Chunks { // some at least that were there before
		doing := "Reading"
		if !encode {
			doing = "Read"
		}
		fmt.Fprintf(a.stdout, "%s %s.\n", doing, anew(renewed))
	}
	for _, r := range refused {
		fmt.Fprintln(a.stdout, term.Clean(fmt.Sprintf("Nothing was taken in of %s: %s", r.Source, r.Problem)))
	}
	for _, note := range s.Notes {
		fmt.Fprintln(a.stdout, term.Clean(note))
	}
	if !dry && s.Added+s.Replaced > 0 {
		fmt.Fprintln(a.stdout, `Everything is searchable now: openhuman-core search WORDS`)
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/endpoint"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/vecindex"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/spf13/cobra"
)

func newEmbedCommand(a *app) *cobra.Command {
	var rebuild bool
	c := &cobra.Command{
		Use:   "embed",
		Short: "Finish what makes recall find by meaning",
		Long: `Works out, for everything in the memory that lacks it, what recall needs to find things by meaning. "ingest" does
so by itself, unless it was interrupted or told --no-embed; this goes on from there. It may be interrupted at any
time, and recall and search work while it runs.

It also brings the summaries up to date. --rebuild makes all of them anew.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.embed(c.Context(), rebuild) },
	}
	c.Flags().BoolVar(&rebuild, "rebuild", false, "make all summaries anew")
	a.jsonFlag(c)
	return c
}

func (a *app) embed(ctx context.Context, rebuild bool) (err error) {
	cfg, err := a.settings()
	if err != nil {
		return err
	}
	w, err := loadWriters(cfg)
	if err != nil {
		return err
	}
	if w.encoder == nil && cfg.Summary.Provider == providerNone {
		return fault.New(fault.Invalid, "There is nothing to do: embedding.provider and summary.provider are none.").
			WithHint("Set one of them to builtin.")
	}
	// Looking first: opening for changes would make a memory where there is none.
	if err := a.haveMemory(ctx, cfg); err != nil {
		return err
	}
	s, err := a.openWriter(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	renewed, err := a.learn(ctx, cfg, s, &w)
	if err != nil {
		return err
	}
	if renewed > 0 && !a.json {
		fmt.Fprintf(a.stdout, "Reading %s.\n", anew(renewed))
	}
	return a.derive(ctx, cfg, s, w, derivation{asked: true, rebuild: rebuild})
}

// learn has the models know the person's own words and the names in the memory, and says what is wrong with
// the former. It returns how many chunks have to be read anew for it.
func (a *app) learn(ctx context.Context, cfg config.Config, s *store.Store, w *writers) (renewed int, err error) {
	renewed, bad, err := w.learn(ctx, cfg, s, time.Now())
	if bad != nil {
		newProgress(a).say("warning: " + fault.Message(bad))
	}
	return renewed, err
}

// anew says why chunks are read anew.
func anew(chunks int) string {
	return chunkCount(chunks) + " anew, for words that glosses.tsv explains in another way now, or that are known as names now or no more"
}

// chunkCount is a number of chunks in words.
func chunkCount(n int) string {
	if n == 1 {
		return "1 chunk"
	}
	return number(n) + " chunks"
}

// A derivation says what to make from the chunks, and why.
type derivation struct {
	asked   bool // the person has asked for just that, and wants to hear of it
	rebuild bool // make all summaries anew
}

// derive makes what is made from the chunks: the summaries first, which takes little time, then the
// vectors of chunks and of summaries.
func (a *app) derive(ctx context.Context, cfg config.Config, s *store.Store, w writers, d derivation) error {
	x, err := a.newSealer(cfg, s, w)
	if err != nil {
		return err
	}
	trees, err := a.seal(ctx, x, d.rebuild)
	if err != nil {
		return err
	}
	if err := w.ready(ctx, newProgress(a).say); err != nil {
		return err
	}
	if err := a.embedPending(ctx, s, &w, d.asked && w.encoder != nil && trees.Sealed == 0); err != nil {
		return err
	}
	vectors, err := a.sealVectors(ctx, x, w)
	if err != nil {
		return err
	}
	return a.printSealed(trees, vectors, d.asked)
}

// haveMemory returns the fault of a memory that is not there or cannot be read.
func (a *app) haveMemory(ctx context.Context, cfg config.Config) error {
	m, err := openMemory(cfg, nil)
	if err != nil {
		return err
	}
	_, err = m.store.VectorState(ctx)
	return errors.Join(err, m.Close())
}

// quick is how long something takes that needs no bar.
const quick = time.Second

// worthSaying is from how many chunks on embedding takes long enough to be spoken of.
const worthSaying = 100

// embedPending embeds whatever lacks its vectors. asked says that the person has asked for just
// that, and so wants to hear of it even if there was little to do.
func (a *app) embedPending(ctx context.Context, s *store.Store, w *writers, asked bool) error {
	p := newProgress(a)
	said := false
	o := ingest.EmbedOptions{
		Store: s, Instant: w.instant, Encoder: w.encoder, Good: w.good,
		Share: func(ctx context.Context) error { return vecindex.Refresh(ctx, s, time.Now()) },
		Progress: func(e ingest.EmbedEvent) {
			if !p.live && !said && !a.json && e.Chunks >= worthSaying && e.Left > 0 {
				p.say(fmt.Sprintf("Working out what %s chunks mean, for recall: about %s. Interrupt it when you like; openhuman-core embed goes on.",
					number(e.Chunks), span(e.Left)))
				said = true
			}
			p.embedding(e)
		},
	}
	sum, err := ingest.Embed(ctx, o)
	if err != nil && ctx.Err() == nil && w.remote != nil && w.encoder == w.remote && endpoint.IsUnavailable(err) {
		w.standIn(err, p.say)
		o.Encoder, o.Good = w.encoder, w.good
		before := sum.Embedded
		sum, err = ingest.Embed(ctx, o)
		sum.Embedded += before
	}
	p.done()
	switch {
	case err != nil && ctx.Err() != nil:
		p.say("Interrupted. Everything is searchable, and what was embedded so far is kept; openhuman-core embed goes on from there.")
		return context.Canceled
	case err != nil:
		return err
	case a.json:
		return a.printLine(embedded{"embedded", sum.Embedded, sum.Instant, 0, sum.Elapsed.Milliseconds()})
	case sum.Embedded >= worthSaying || asked && sum.Embedded > 0:
		fmt.Fprintf(a.stdout, "Recall finds %s more chunks by meaning now (in %s).\n", number(sum.Embedded), span(sum.Elapsed))
	case asked:
		fmt.Fprintln(a.stdout, "There is nothing to embed: recall finds everything by meaning already.")
	}
	return nil
}

// embedded is what embedding came to, for programs.
type embedded struct {
	Event     string `json:"event"`
	Embedded  int    `json:"embedded"`
	Instant   int    `json:"instant"`
	Pending   int    `json:"pending,omitempty"` // left to a later run
	ElapsedMS int64  `json:"elapsed_ms"`
}

// leaveToEmbed gives chunks what takes no time, and says how many wait for the rest.
func (a *app) leaveToEmbed(ctx context.Context, s *store.Store, w *writers) error {
	var better []string // the vectors that are there already
	if w.encoder != nil {
		better = slices.Concat(ingest.Fingerprints(w.encoder), ingest.Fingerprints(w.builtin))
	}
	sum, err := ingest.Embed(ctx, ingest.EmbedOptions{
		Store: s, Instant: w.instant, Good: better, Share: func(ctx context.Context) error { return vecindex.Refresh(ctx, s, time.Now()) },
	})
	if err != nil {
		if ctx.Err() != nil {
			return context.Canceled
		}
		return err
	}
	pending, err := w.pending(ctx, s)
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printLine(embedded{"embedded", sum.Embedded, sum.Instant, pending, sum.Elapsed.Milliseconds()})
	case pending > 0:
		fmt.Fprintf(a.stdout, "Recall finds %s by the words in them, and by meaning only roughly, until you run: openhuman-core embed\n", chunkCount(pending))
	}
	return nil
}

// pending is how many chunks lack the vectors that embed gives them.
func (w *writers) pending(ctx context.Context, s *store.Store) (int, error) {
	if w.encoder == nil {
		return 0, nil
	}
	n, _, _, err := s.CountPending(ctx, append(ingest.Fingerprints(w.encoder), w.good...))
	return n, err
}

// embedding tells how far embedding is.
func (p *progress) embedding(e ingest.EmbedEvent) {
	if p.a.json {
		// A failed write shows in the line at the end, which is checked.
		_ = p.a.printLine(struct {
			Event     string `json:"event"`
			Stage     string `json:"stage"`
			Chunks    int    `json:"chunks"`
			Done      int    `json:"chunks_done"`
			ElapsedMS int64  `json:"elapsed_ms"`
			LeftMS    int64  `json:"left_ms,omitempty"`
		}{"progress", "embedding", e.Chunks, e.Done, e.Elapsed.Milliseconds(), max(e.Left.Milliseconds(), 0)})
		return
	}
	if e.Elapsed >= quick {
		p.drawLine(embedBar(e))
	}
}

func embedBar(e ingest.EmbedEvent) string {
	share := 1.0
	if e.Chunks > 0 {
		share = float64(e.Done) / float64(e.Chunks)
	}
	filled := int(share * barWidth)
	line := fmt.Sprintf("[%s%s] %3.0f%%  %s of %s chunks by meaning", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled),
		share*100, number(e.Done), number(e.Chunks))
	if e.Left > 0 {
		line += ", " + span(e.Left) + " left"
	}
	return line
}

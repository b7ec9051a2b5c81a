package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/endpoint"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/summary"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A sealer brings the summary trees up to date, as the settings ask.
type sealer struct {
	o   ingest.SealOptions
	off bool // summary.provider is none
}

// newSealer returns what makes summaries for cfg; the models are those that embed.
func (a *app) newSealer(cfg config.Config, s *store.Store, w writers) (*sealer, error) {
	x := &sealer{o: ingest.SealOptions{Store: s}, off: cfg.Summary.Provider == providerNone}
	if w.instant != nil {
		x.o.Encoder, x.o.EncoderName = w.instant, w.instant.Fingerprint()
	}
	if p := cfg.Summary.Provider; p != providerNone && p != providerBuiltin {
		c, err := endpoint.New(summaryOptions(cfg))
		if err != nil {
			return nil, err
		}
		x.o.Chat = c
	}
	return x, nil
}

// seal makes the summaries that are missing; those of a memory that is to have none go.
func (a *app) seal(ctx context.Context, x *sealer, rebuild bool) (ingest.SealSummary, error) {
	if x.off {
		stats, err := x.o.Store.TreeStats(ctx)
		if err != nil || stats.Summaries == 0 {
			return ingest.SealSummary{}, err
		}
		return ingest.SealSummary{Removed: stats.Summaries}, x.o.Store.Update(ctx, func(tx *store.Tx) error { return tx.DropTrees() })
	}
	p := newProgress(a)
	o := x.o
	o.Rebuild = rebuild
	o.Progress = p.sealing
	o.Fallback = func(err error) {
		why := "what the model answers is no summary of the text that it was given"
		if !errors.Is(err, summary.ErrRefused) {
			why = fault.Message(err)
		}
		p.say("Some summaries are made by the built-in summariser for now: " + why)
	}
	sum, err := ingest.Seal(ctx, o)
	p.done()
	return sum, a.interrupted(ctx, p, err)
}

// sealVectors gives summaries their vectors, after the chunks have theirs.
func (a *app) sealVectors(ctx context.Context, x *sealer, w writers) (ingest.SealSummary, error) {
	// A stand-in for an endpoint embeds no summaries: those that have vectors would lose them.
	if x.off || w.encoder == nil || len(w.good) > 0 {
		return ingest.SealSummary{}, nil
	}
	p := newProgress(a)
	o := x.o
	o.Vectors = packer{w.encoder}
	o.Progress = p.sealing
	o.TreesMade = true
	sum, err := ingest.Seal(ctx, o)
	p.done()
	if err != nil && ctx.Err() == nil && w.remote != nil && endpoint.IsUnavailable(err) {
		p.say("The summaries get their vectors later. " + fault.Message(err))
		return sum, nil
	}
	return sum, a.interrupted(ctx, p, err)
}

func (a *app) interrupted(ctx context.Context, p *progress, err error) error {
	if err != nil && ctx.Err() != nil {
		p.say("Interrupted. Everything is searchable, and the summaries made so far are kept; openhuman-core embed goes on from there.")
		return context.Canceled
	}
	return err
}

// printSealed says what was sealed.
func (a *app) printSealed(trees, vectors ingest.SealSummary, asked bool) error {
	switch {
	case a.json:
		return a.printLine(struct {
			Event     string `json:"event"`
			Summaries int    `json:"summaries_written"`
			Removed   int    `json:"summaries_removed"`
			Fallback  int    `json:"summaries_by_fallback"`
			Embedded  int    `json:"summaries_embedded"`
			ElapsedMS int64  `json:"elapsed_ms"`
		}{"sealed", trees.Sealed, trees.Removed, trees.Fallen, vectors.Embedded, (trees.Elapsed + vectors.Elapsed).Milliseconds()})
	case trees.Sealed >= worthSaying || asked && trees.Sealed > 0:
		fmt.Fprintf(a.stdout, "%s summaries were made (in %s).\n", number(trees.Sealed), span(trees.Elapsed))
	}
	return nil
}

// packer makes vectors of whole texts as the store keeps them.
type packer struct{ ingest.Encoder }

// Fingerprints and FingerprintOf are those of the encoder.
func (p packer) Fingerprints() []string { return ingest.Fingerprints(p.Encoder) }

// FingerprintOf is described at Fingerprints.
func (p packer) FingerprintOf(texts ...string) string {
	return ingest.FingerprintOf(p.Encoder, texts...)
}

// Pack implements ingest.SummaryVectors.
func (p packer) Pack(ctx context.Context, texts []string) ([][]byte, error) {
	vectors, err := p.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(vectors))
	for i, v := range vectors {
		out[i] = []byte{} // the model can make nothing of it
		if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			out[i] = vecset.Pack(v)
		}
	}
	return out, nil
}

// sealing tells how far sealing is.
func (p *progress) sealing(e ingest.SealEvent) {
	stage := "sealing"
	if e.Embedding {
		stage = "embedding summaries"
	}
	if p.a.json {
		// A failed write shows in the line at the end, which is checked.
		_ = p.a.printLine(struct {
			Event     string `json:"event"`
			Stage     string `json:"stage"`
			Sources   int    `json:"sources"`
			Done      int    `json:"sources_done"`
			Summaries int    `json:"summaries"`
			Made      int    `json:"summaries_done"`
			ElapsedMS int64  `json:"elapsed_ms"`
		}{"progress", stage, e.Sources, e.SourcesDone, e.Summaries, e.Done, e.Elapsed.Milliseconds()})
		return
	}
	if e.Elapsed < quick {
		return
	}
	share := 1.0
	if e.Sources > 0 {
		part := 0.0
		if e.Summaries > 0 {
			part = float64(e.Done) / float64(e.Summaries)
		}
		share = min((float64(e.SourcesDone)+part)/float64(e.Sources), 1)
	}
	filled := int(share * barWidth)
	p.drawLine(fmt.Sprintf("[%s%s] %3.0f%%  %s, %s summaries", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled),
		share*100, stage, number(e.Done)))
}

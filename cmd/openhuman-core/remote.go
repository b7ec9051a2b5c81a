package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/endpoint"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

var _ controller.Embedder = (*remoteAsker)(nil)

func embeddingOptions(cfg config.Config) endpoint.Options {
	e := cfg.Embedding
	return endpoint.Options{
		API: endpoint.API(e.Provider), BaseURL: e.BaseURL, Model: e.Model, Key: e.APIKey, Timeout: time.Duration(e.TimeoutSeconds) * time.Second,
	}
}

func summaryOptions(cfg config.Config) endpoint.Options {
	s := cfg.Summary
	return endpoint.Options{
		API: endpoint.API(s.Provider), BaseURL: s.BaseURL, Model: s.Model, Key: s.APIKey, Timeout: time.Duration(s.TimeoutSeconds) * time.Second,
	}
}

// ready makes sure that there is an answer before a long run depends on it. While there is none the
// built-in encoder stands in, where there are no vectors yet.
func (w *writers) ready(ctx context.Context, say func(string)) error {
	if w.remote == nil || w.encoder != w.remote {
		return nil
	}
	err := w.remote.Probe(ctx)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	w.standIn(err, say)
	return nil
}

// standIn puts the built-in encoder in the place of the endpoint's.
func (w *writers) standIn(err error, say func(string)) {
	say(fmt.Sprintf("The built-in model embeds for now. %s", fault.Message(err)))
	w.encoder, w.good = w.builtin, []string{w.remote.Fingerprint()}
}

const (
	// askTimeout is how long a question waits for an endpoint, and askPause how long it is left alone
	// when it has failed: recall must answer, with what there is.
	askTimeout = 8 * time.Second
	askPause   = 30 * time.Second
)

// A remoteAsker puts questions to an endpoint. While that does not answer, a question has no vector,
// and the other rankings of recall have to do.
type remoteAsker struct {
	e    *endpoint.Embedder
	warn func(error) // told when the endpoint begins to fail

	mu    sync.Mutex
	until time.Time // not asked before
}

func newRemoteAsker(cfg config.Config, warn func(error)) *remoteAsker {
	o := embeddingOptions(cfg)
	o.Timeout, o.Attempts = min(o.Timeout, askTimeout), 1
	c, err := endpoint.New(o)
	if err != nil {
		warn(err)
		return nil
	}
	return &remoteAsker{e: endpoint.NewEmbedder(c), warn: warn}
}

// Fingerprint names the model.
func (r *remoteAsker) Fingerprint() string { return r.e.Fingerprint() }

// Dims is the length of a vector; 0 before the first.
func (r *remoteAsker) Dims() int { return r.e.Dims() }

// Embed implements controller.Embedder.
func (r *remoteAsker) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	none := make([][]float32, len(texts))
	r.mu.Lock()
	resting := time.Now().Before(r.until)
	r.mu.Unlock()
	if resting {
		return none, nil
	}
	vectors, err := r.e.Embed(ctx, texts)
	if err == nil || ctx.Err() != nil {
		return vectors, err
	}
	r.mu.Lock()
	first := r.until.IsZero() || time.Since(r.until) > askPause
	r.until = time.Now().Add(askPause)
	r.mu.Unlock()
	if first {
		r.warn(err)
	}
	return none, nil
}

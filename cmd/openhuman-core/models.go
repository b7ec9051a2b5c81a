package main

import (
	"context"
	"slices"
	"sync"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
	"github.com/openhuman/openhuman-core/internal/endpoint"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// The settings of a provider that are no endpoint.
const (
	providerNone    = "none"
	providerBuiltin = "builtin"
)

var (
	_ ingest.Encoder      = (*xling.Encoder)(nil)
	_ ingest.Multilingual = (*xling.Instant)(nil)
	_ controller.Embedder = (*asker)(nil)
)

// writers are the models that make the vectors of chunks; nil ones make none.
type writers struct {
	instant ingest.Model
	encoder ingest.Encoder
	// remote is encoder when an endpoint embeds; builtin then stands in for it while it is away, for
	// chunks that good, its fingerprint, has not made vectors for.
	remote  *endpoint.Embedder
	builtin ingest.Encoder
	good    []string
	// glosses are the words that the person has explained, names those that are to stay names.
	glosses *glossary
	names   []xling.Own
}

// loadWriters returns the models that the settings ask for.
func loadWriters(cfg config.Config) (writers, error) {
	if cfg.Embedding.Provider == providerNone {
		return writers{}, nil
	}
	glosses := newGlossary(cfg)
	instant, err := loadInstant(glosses.and(nil))
	if err != nil {
		return writers{}, err
	}
	encoder, err := loadEncoder(instant, minilm.Options{})
	if err != nil {
		return writers{}, err
	}
	w := writers{instant: instant, encoder: encoder, builtin: encoder, glosses: glosses}
	if cfg.Embedding.Provider != providerBuiltin {
		c, err := endpoint.New(embeddingOptions(cfg))
		if err != nil {
			return writers{}, err
		}
		w.remote = endpoint.NewEmbedder(c)
		w.encoder = w.remote
	}
	return w, nil
}

// askers returns what puts questions to the same models. They are loaded by the first question; warn
// is told when an endpoint does not answer. instant is the one of them that takes no time. The names
// in s are not translated.
func askers(cfg config.Config, s *store.Store, warn func(error)) (list []controller.Embedder, instant controller.Embedder) {
	switch cfg.Embedding.Provider {
	case providerNone:
		return nil, nil
	case providerBuiltin:
	default:
		if r := newRemoteAsker(cfg, warn); r != nil {
			list = append(list, r)
		}
	}
	shared := sync.OnceValues(func() (*xling.Instant, error) {
		return loadInstant(func() []xling.Own {
			g := newGlossary(cfg)
			words := g.read()
			if bad := g.short(words); bad != nil {
				warn(bad)
			}
			names, _ := knownNames(context.Background(), cfg, s) // what is wrong with the memory is said by what reads it
			return slices.Concat(words.own, names)
		})
	})
	instant = &asker{load: func() (ingest.Model, error) { return shared() }}
	return append(list,
		&asker{load: func() (ingest.Model, error) {
			i, err := shared()
			if err != nil {
				return nil, err
			}
			m, err := loadEncoder(i, minilm.Options{Workers: 1}) // a question is one batch
			if err != nil {
				return nil, err
			}
			return knowing{m}, nil
		}},
		instant,
	), instant
}

// loadInstant returns the instant model for all languages, with the person's own words, which own returns
// when they are first needed.
func loadInstant(own func() []xling.Own) (*xling.Instant, error) {
	m, err := static.Load()
	if err != nil {
		return nil, err
	}
	set, err := xling.Load()
	if err != nil {
		return nil, err
	}
	return xling.NewInstant(m, set.WithLater(own)), nil
}

// loadEncoder returns the encoder that is part of the program, for the languages of instant.
func loadEncoder(instant *xling.Instant, o minilm.Options) (*xling.Encoder, error) {
	m, err := minilm.New(o)
	if err != nil {
		return nil, err
	}
	return xling.NewEncoder(m, instant), nil
}

// An asker is a model that is loaded when it is first used.
type asker struct {
	load func() (ingest.Model, error)
	once sync.Once
	m    ingest.Model
	err  error
}

func (a *asker) open() (ingest.Model, error) {
	a.once.Do(func() { a.m, a.err = a.load() })
	return a.m, a.err
}

// Fingerprint names the model; one that cannot be loaded has made nothing.
func (a *asker) Fingerprint() string {
	m, err := a.open()
	if err != nil {
		return ""
	}
	return m.Fingerprint()
}

// Dims is the length of a vector.
func (a *asker) Dims() int {
	m, err := a.open()
	if err != nil {
		return 0
	}
	return m.Dims()
}

// Embed implements controller.Embedder.
func (a *asker) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m, err := a.open()
	if err != nil {
		return nil, err
	}
	return m.Embed(ctx, texts)
}

// knowing is the encoder that owns up to what it does not understand.
type knowing struct{ *xling.Encoder }

// Embed returns zeros for a text that the vocabulary hardly knows a word of.
func (k knowing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := k.Encoder.Embed(ctx, texts)
	for i := range vectors {
		if !k.Knows(texts[i]) {
			clear(vectors[i])
		}
	}
	return vectors, err
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/internal/capability"
	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/inbox"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/logx"
	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/internal/searxng"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/internal/vecindex"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
	"github.com/rs/zerolog"
)

// This file is the only one that knows which concrete types stand behind the interfaces.

var _ controller.Store = (*store.Store)(nil)

// storePath is where the memory of a workspace lies.
func storePath(cfg config.Config) string { return filepath.Join(cfg.Workspace, "memory.db") }

// memory is the read side: a store that opens at the first read, and the controllers over it.
type memory struct {
	tools.Deps
	store   *store.Store
	index   *vecindex.Index
	trouble *trouble
}

// trouble passes on what goes wrong behind answers that are given all the same. What goes wrong
// before anybody listens waits.
type trouble struct {
	mu      sync.Mutex
	tell    func(error)
	waiting []error
}

func (t *trouble) warn(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tell == nil {
		t.waiting = append(t.waiting, err)
		return
	}
	t.tell(err)
}

func (t *trouble) to(tell func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell = tell
	for _, err := range t.waiting {
		tell(err)
	}
	t.waiting = nil
}

// toLog has it logged.
func (t *trouble) toLog(log zerolog.Logger) {
	t.to(func(err error) {
		log.Warn().Str("problem", fault.Message(err)).Msg("something behind an answer does not work")
	})
}

func (m *memory) Close() error { return errors.Join(m.index.Close(), m.store.Close(), m.Audit.Close()) }

// openMemory wires the read side. withheld, when it is not nil, is what every read answers instead.
func openMemory(cfg config.Config, withheld error) (*memory, error) {
	return openMemoryWith(cfg, withheld, capability.List{})
}

// openMemoryWith is openMemory for a surface that serves the tool registry, which tells of the
// capability providers.
func openMemoryWith(cfg config.Config, withheld error, providers capability.List, edits ...func(*policy.Options)) (*memory, error) {
	o := policyOptions(cfg)
	o.Withhold = withheld
	for _, edit := range edits {
		edit(&o)
	}
	p, err := policy.New(o)
	if err != nil {
		return nil, err
	}
	web, err := webSearch(cfg)
	if err != nil {
		return nil, err
	}
	s := store.Lazy(store.Options{Path: storePath(cfg), ReadOnly: true})
	x := vecindex.New(s, cfg.Workspace)
	m := &memory{store: s, index: x, trouble: &trouble{}}
	models, instant := askers(cfg, s, m.trouble.warn)
	c := controller.New(controller.Options{
		Store: s, Policy: p, Embedders: models, Instant: instant, Translator: translatorOf(instant), Vectors: x, MaxResultBytes: cfg.MCP.MaxResultBytes,
		Registry: registry(cfg, providers), Web: web, Writer: inboxOf(cfg), Calls: callRecord(cfg),
	})
	m.Deps = tools.Deps{Controller: c, Policy: p, Audit: auditLog(cfg, m.trouble.warn)}
	return m, nil
}

// policyOptions is [policy] as the gate takes it.
func policyOptions(cfg config.Config) policy.Options {
	o := policy.Options{
		Level:             policy.Level(cfg.Policy.Level),
		DenyTools:         cfg.Policy.DenyTools,
		DenySources:       cfg.Policy.DenySources,
		MaxReadsPerMinute: cfg.Policy.MaxReadsPerMinute,
		RedactSecrets:     cfg.Policy.RedactSecrets,
		Clients:           map[string]policy.Client{},
	}
	for name, c := range cfg.Policy.Clients {
		o.Clients[name] = policy.Client(c)
	}
	return o
}

// webSearch is the SearXNG instance of the settings, or nil when there is none.
func webSearch(cfg config.Config) (controller.WebSearcher, error) {
	if !cfg.SearXNG.Enabled {
		return nil, nil
	}
	return searxng.New(searxng.Options{
		BaseURL: cfg.SearXNG.BaseURL, MaxResults: cfg.SearXNG.MaxResults, Language: cfg.SearXNG.DefaultLanguage,
		Timeout: time.Duration(cfg.SearXNG.TimeoutSeconds) * time.Second,
	})
}

// inboxOf takes in what callers write, or is nil while the settings do not allow it.
func inboxOf(cfg config.Config) controller.Writer {
	if !cfg.MCP.WriteTools {
		return nil
	}
	o := inbox.Options{Path: storePath(cfg)}
	if cfg.Embedding.Provider != providerNone {
		// What is wrong with the person's own words is said by what asks for meaning.
		o.Instant = func() (ingest.Model, error) { return loadInstant(newGlossary(cfg).and(nil)) }
	}
	return inbox.New(o)
}

// auditPath is where the record of calls of a workspace lies.
func auditPath(cfg config.Config) string { return filepath.Join(cfg.Workspace, "audit") }

// auditLog is the record of calls, or nil when the settings want none.
func auditLog(cfg config.Config, warn func(error)) *audit.Log {
	if !cfg.Audit.Enabled {
		return nil
	}
	return audit.New(audit.Options{
		Dir: auditPath(cfg), MaxBytes: int64(cfg.Audit.MaxFileMB) << 20, MaxFiles: cfg.Audit.MaxFiles,
		Trouble: func(err error) {
			warn(fault.Wrap(fault.Unavailable, err, "Calls are not recorded: %v.", err).WithHint("Look at the folder %s.", auditPath(cfg)))
		},
	})
}

// registry is what the tool registry is told of the settings: counts, and nothing that is in them.
func registry(cfg config.Config, providers capability.List) controller.Registry {
	r := controller.Registry{Tools: tools.Registry, Surfaces: policySurfaces(cfg)}
	r.Providers = controller.ProviderStatus{
		Total:          providers.Total,
		Enabled:        providers.Count(func(p capability.Provider) bool { return p.Enabled }),
		Trusted:        providers.Count(func(p capability.Provider) bool { return p.Trusted }),
		TrustedEnabled: providers.Count(capability.Provider.Usable),
		Errors:         providers.Errors,
	}
	return r
}

// reviewed judges the capability providers as the settings list them.
func reviewed(entries []config.ProviderEntry) capability.List {
	list := make([]capability.Provider, len(entries))
	for i, e := range entries {
		list[i] = capability.Provider{ID: e.ID, Trusted: e.TrustState == "trusted", Enabled: e.Enabled, Broken: e.Broken}
	}
	return capability.Review(list)
}

// openWriter opens the memory for changes and makes it when it is not there.
func (a *app) openWriter(ctx context.Context, cfg config.Config) (*store.Store, error) {
	path := storePath(cfg)
	for _, w := range store.Warnings(path) {
		a.warning(w)
	}
	return store.Open(ctx, store.Options{Path: path})
}

// openForIngest opens the memory for an ingest. A dry run writes nothing, so that it only reads what is
// there; without a memory it has none.
func (a *app) openForIngest(ctx context.Context, cfg config.Config, dry bool) (*store.Store, error) {
	if !dry {
		return a.openWriter(ctx, cfg)
	}
	s, err := store.Open(ctx, store.Options{Path: storePath(cfg), ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return s, err
}

// findSource returns how many chunks the source holds, whatever the policy hides: its owner asks.
func findSource(ctx context.Context, s *store.Store, id string) (chunks int, err error) {
	sources, err := s.Sources(ctx, nil)
	if err != nil {
		return 0, err
	}
	var ids []string
	for _, src := range sources {
		if src.SourceID == id {
			return src.ChunkCount, nil
		}
		ids = append(ids, src.SourceID)
	}
	unknown := fault.New(fault.NotFound, "There is no source %q.", id).WithHint("`openhuman-core sources` lists them.")
	if n := near.Word(id, ids); n != "" {
		unknown = unknown.WithHint("Did you mean %s? `openhuman-core sources` lists them.", n)
	}
	return 0, unknown
}

// forgetSource removes a source and brings the counts up to date.
func forgetSource(ctx context.Context, s *store.Store, id string) (documents, chunks int, err error) {
	was, err := s.VectorState(ctx)
	if err != nil {
		return 0, 0, err
	}
	err = s.Update(ctx, func(tx *store.Tx) error {
		documents, chunks, err = tx.ForgetSource(id)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	return documents, chunks, errors.Join(s.Finish(ctx), vecindex.Forget(ctx, s, was, time.Now()))
}

// logger returns the logger of a command; session may be nil.
func (a *app) logger(cfg config.Config, session *logx.Session) zerolog.Logger {
	level := cfg.Log
	if a.verbose {
		level = "debug"
	}
	return logx.New(a.stderr, logx.Options{
		Level: level, Terminal: term.IsTerminal(a.stderr), NoColor: a.env("NO_COLOR") != "", Session: session,
	})
}

// owner returns the context of a call that the command line makes.
func (a *app) owner(ctx context.Context) context.Context {
	if a.raw {
		ctx = policy.Raw(ctx)
	}
	return clientinfo.With(ctx, clientinfo.Caller{Label: clientinfo.CLI, Client: clientinfo.CLI})
}

// ask runs a tool's operation as the command line does: the same row of the catalog, the same gate.
func ask[Result any](ctx context.Context, a *app, tool string, params any) (Result, error) {
	var none Result
	cfg, err := a.settings()
	if err != nil {
		return none, err
	}
	m, err := openMemory(cfg, nil)
	if err != nil {
		return none, err
	}
	defer m.Close()
	m.trouble.to(func(err error) { a.warning(fault.Message(err)) })
	op, ok := tools.ByTool(tool)
	if !ok {
		return none, fmt.Errorf("the catalog has no %s", tool)
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return none, fmt.Errorf("encode arguments: %w", err)
	}
	out, err := op.Call(a.owner(ctx), m.Deps, raw)
	if err != nil {
		return none, err
	}
	result, ok := out.(Result)
	if !ok {
		return none, fmt.Errorf("%s answered with %T", tool, out)
	}
	return result, nil
}

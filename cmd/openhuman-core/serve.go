package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/rpc"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/internal/web"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/tools"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

func newServeCommand(a *app) *cobra.Command {
	var host, port string
	c := &cobra.Command{
		Use:     "serve",
		Aliases: []string{"run"},
		Short:   "Serve the memory over HTTP: a page, JSON-RPC and MCP",
		Long: `Serves the memory over HTTP until it is stopped: a page to look at it with at /, JSON-RPC 2.0 at POST /rpc, MCP
(Streamable HTTP) at /mcp, every method with its schemas at GET /schema, and GET /health. Callers send the token of
the server, which is OPENHUMAN_CORE_TOKEN or server.token, else one that is made once and kept in core.token in the workspace:

  curl -H "Authorization: Bearer $(cat ~/.openhuman/core.token)" http://127.0.0.1:7788/rpc \
    -d '{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":"budget"}}'

It listens on this machine only. Another address needs a token of your own, and a proxy in front that encrypts.
Settings are read again when config.toml changes, but for the address, the port and the level of the log.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			a.flags = map[string]string{}
			for key, value := range map[string]string{"server.host": host, "server.port": port} {
				if value != "" {
					a.flags[key] = value
				}
			}
			return a.serveHTTP(c.Context())
		},
	}
	c.Flags().StringVar(&host, "host", "", "listen on `ADDRESS` (default 127.0.0.1)")
	c.Flags().StringVar(&port, "port", "", "listen on `PORT` (default 7788; 0 takes any that is free)")
	return c
}

// lookEvery is how often serve looks whether its settings have changed.
const lookEvery = 250 * time.Millisecond

func (a *app) serveHTTP(ctx context.Context) error {
	l := a.loadConfig()
	if err := l.Err(); err != nil {
		return err
	}
	a.warn(l)
	log := a.logger(l.Config, nil)
	token, err := a.token(l.Config)
	if err != nil {
		return err
	}
	counts := policy.NewCounts()
	backend, err := a.backend(l, served{token: token, counts: counts}, log)
	if err != nil {
		return err
	}
	host := l.Config.Server.Host
	listener, err := rpc.Listen(ctx, host, l.Config.Server.Port)
	if err != nil {
		backend.Close()
		return err
	}
	server := rpc.New(rpc.Options{Backend: backend, Version: version, Log: log, Static: web.Handler(rpc.Missing)})
	a.announce(l, rpc.URL(host, listener))
	go a.follow(ctx, &follower{server: server, settings: l, token: token, counts: counts, log: log})
	return server.Serve(ctx, listener)
}

// announce tells whoever started the server where it is.
func (a *app) announce(l *config.Loaded, url string) {
	token := "the token is in " + filepath.Join(l.Config.Workspace, rpc.TokenFile)
	if l.Config.Server.Token != "" {
		token = "the token is the one in the settings"
	}
	fmt.Fprintln(a.stderr, term.Clean(fmt.Sprintf("openhuman-core: serving on %s, %s", url, token)))
}

// served is what a backend is made of beside the settings.
type served struct {
	token    string
	counts   *policy.Counts // of the calls since the start
	withheld error          // what every call answers; nil: what was asked for
}

// backend makes what is served of one reading of the settings.
func (a *app) backend(l *config.Loaded, w served, log zerolog.Logger) (rpc.Backend, error) {
	m, err := openMemoryWith(l.Config, w.withheld, reviewed(l.ProviderEntries), func(o *policy.Options) { o.Counts = w.counts })
	if err != nil {
		return rpc.Backend{}, err
	}
	m.trouble.toLog(log)
	return rpc.Backend{
		Deps: m.Deps,
		MCP: tools.Server(tools.Options{
			Controller: m.Controller, Policy: m.Policy, Version: version, Log: log,
			ToolNames: tools.NameStyle(l.Config.MCP.ToolNames), Audit: m.Audit,
		}),
		Token: w.token, Host: l.Config.Server.Host, Hosts: l.Config.Server.AllowedHosts, Origins: l.Config.Server.AllowedOrigins,
		Close: func() {
			if err := m.Close(); err != nil {
				log.Warn().Str("problem", fault.Message(err)).Msg("closing the memory failed")
			}
		},
	}, nil
}

// token returns the token that callers must show. Where others than this machine can call, its owner
// must have chosen it.
func (a *app) token(cfg config.Config) (string, error) {
	t := strings.TrimSpace(cfg.Server.Token)
	if err := rpc.CheckToken(cfg.Server.Host, t); err != nil || t != "" {
		return t, err
	}
	token, exposed, err := rpc.Token(cfg.Workspace)
	if exposed {
		a.warning(fmt.Sprintf("other users of this machine could read %s until now; remove it to have a new token made.", filepath.Join(cfg.Workspace, rpc.TokenFile)))
	}
	return token, err
}

// A follower keeps a server to its settings.
type follower struct {
	server   *rpc.Server
	settings *config.Loaded // in effect
	token    string         // in effect
	counts   *policy.Counts
	log      zerolog.Logger
}

// follow reads the settings again whenever one of their files changes.
func (a *app) follow(ctx context.Context, f *follower) {
	seen := lookAt(f.settings)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := lookAt(f.settings)
		if now == seen {
			continue
		}
		seen = now
		a.reload(f)
	}
}

// reload puts changed settings into effect. With a mistake in them, or without what they need, the
// former ones stay, but for the policy: what its owner hides now must not wait for that to be mended. A
// policy that cannot be read serves nothing.
func (a *app) reload(f *follower) {
	l, former := a.loadConfig(), f.settings
	for _, p := range l.Problems {
		f.log.Warn().Str("place", p.Place).Str("problem", p.Msg).Msg("the configuration is not valid")
	}
	onlyPolicy := *former
	onlyPolicy.Config.Policy = l.Config.Policy
	w := served{counts: f.counts, withheld: l.PolicyUnknown()}
	bad := w.withheld == nil && l.Err() != nil
	switch {
	case w.withheld != nil:
		f.log.Error().Msg("nothing is served until the policy in the configuration can be read")
	case bad:
		f.log.Error().Msg("of the changed settings only the policy is in effect")
		l = &onlyPolicy
	}
	if l.Config.Server.Host != former.Config.Server.Host || l.Config.Server.Port != former.Config.Server.Port || l.Config.Log != former.Config.Log {
		f.log.Warn().Msg("a new address, port or level of the log needs a restart")
		l.Config.Server.Host, l.Config.Server.Port, l.Config.Log = former.Config.Server.Host, former.Config.Server.Port, former.Config.Log
	}
	var backend rpc.Backend
	token, err := a.token(l.Config)
	if w.token = token; err == nil {
		backend, err = a.backend(l, w, f.log)
	}
	if err != nil && !bad {
		f.log.Error().Str("problem", fault.Message(err)).Msg("of the changed settings only the policy is in effect")
	}
	if err != nil {
		l, w.token = &onlyPolicy, f.token
		backend, err = a.backend(l, w, f.log)
	}
	if err != nil {
		f.log.Error().Str("problem", fault.Message(err)).Msg("nothing is served until the policy can be put into effect")
		l = former
		w.withheld = fault.New(fault.Unavailable, "The policy in the configuration cannot be put into effect, so nothing is served.").
			WithHint("The owner of this memory has to mend it; the log of the server says what is wrong.")
		backend, err = a.backend(l, w, f.log)
	}
	if err != nil { // it was served before; but nothing is better than what may be hidden by now
		f.log.Error().Str("problem", fault.Message(err)).Msg("the server has to be started anew")
		f.server.Close()
		return
	}
	f.settings, f.token = l, w.token
	f.server.Use(backend)
	f.log.Info().Msg("the settings have changed and are in effect")
}

// A look is what tells one state of the settings' files from another.
type look struct{ file, token fileLook }

type fileLook struct {
	there bool
	size  int64
	// sum is of what the file holds: its size and its time say nothing about an edit of the same length
	// within the same tick of the file system's clock.
	sum [sha256.Size]byte
	err string
}

// mostLooked bounds how much of a file is looked at; settings are far shorter.
const mostLooked = 4 << 20

func lookAt(l *config.Loaded) look {
	return look{lookAtFile(l.Path), lookAtFile(filepath.Join(l.Config.Workspace, rpc.TokenFile))}
}

func lookAtFile(path string) fileLook {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileLook{}
	case err != nil:
		return fileLook{there: true, err: err.Error()}
	case !info.Mode().IsRegular(): // to read it could take for ever
		return fileLook{there: true, err: info.Mode().String()}
	}
	f, err := os.Open(path)
	if err != nil {
		return fileLook{there: true, err: err.Error()}
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, mostLooked)); err != nil {
		return fileLook{there: true, err: err.Error()}
	}
	return fileLook{there: true, size: info.Size(), sum: [sha256.Size]byte(h.Sum(nil))}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/rpc"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/internal/web"
	"github.com/openhuman/openhuman-core/pkg/fault"
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
	backend, err := a.backend(l, nil, log)
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
	go a.follow(ctx, server, l, log)
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

// backend makes what is served of one reading of the settings. withheld, when it is not nil, is what
// every call answers.
func (a *app) backend(l *config.Loaded, withheld error, log zerolog.Logger) (rpc.Backend, error) {
	token, err := a.token(l.Config)
	if err != nil {
		return rpc.Backend{}, err
	}
	m, err := openMemoryWith(l.Config, withheld, reviewed(l.ProviderEntries))
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
		Token: token, Host: l.Config.Server.Host, Hosts: l.Config.Server.AllowedHosts, Origins: l.Config.Server.AllowedOrigins,
		Close: func() {
			if err := m.Close(); err != nil {
				log.Warn().Str("problem", fault.Message(err)).Msg("closing the memory failed")
			}
		},
	}, nil
}

// token returns the token that callers must show. Where others than this machine can call, its owner
// must have chosen it: a server that is open by mistake should not start.
func (a *app) token(cfg config.Config) (string, error) {
	if t := strings.TrimSpace(cfg.Server.Token); t != "" {
		return t, nil
	}
	if !rpc.Loopback(cfg.Server.Host) {
		return "", fault.New(fault.Invalid, "Other machines can reach %s, and no token is set.", strconv.Quote(cfg.Server.Host)).
			WithHint("Set OPENHUMAN_CORE_TOKEN or [server] token to a long random text, or listen on 127.0.0.1.")
	}
	token, exposed, err := rpc.Token(cfg.Workspace)
	if exposed {
		a.warning(fmt.Sprintf("other users of this machine could read %s until now; remove it to have a new token made.", filepath.Join(cfg.Workspace, rpc.TokenFile)))
	}
	return token, err
}

// follow reads the settings again whenever one of their files changes.
func (a *app) follow(ctx context.Context, server *rpc.Server, l *config.Loaded, log zerolog.Logger) {
	seen := lookAt(l)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := lookAt(l)
		if now == seen {
			continue
		}
		seen = now
		l = a.reload(server, l, log)
	}
}

// reload puts changed settings into effect and returns those that are. With a mistake in them the
// former ones stay, but for the policy: what its owner hides now must not wait for that to be mended.
// A policy that cannot be read serves nothing.
func (a *app) reload(server *rpc.Server, former *config.Loaded, log zerolog.Logger) *config.Loaded {
	l := a.loadConfig()
	for _, p := range l.Problems {
		log.Warn().Str("place", p.Place).Str("problem", p.Msg).Msg("the configuration is not valid")
	}
	withheld := l.PolicyUnknown()
	switch {
	case withheld != nil:
		log.Error().Msg("nothing is served until the policy in the configuration can be read")
	case l.Err() != nil:
		log.Error().Msg("of the changed settings only the policy is in effect")
		policy := l.Config.Policy
		kept := *former
		l = &kept
		l.Config.Policy = policy
	}
	if l.Config.Server.Host != former.Config.Server.Host || l.Config.Server.Port != former.Config.Server.Port || l.Config.Log != former.Config.Log {
		log.Warn().Msg("a new address, port or level of the log needs a restart")
		l.Config.Server.Host, l.Config.Server.Port, l.Config.Log = former.Config.Server.Host, former.Config.Server.Port, former.Config.Log
	}
	backend, err := a.backend(l, withheld, log)
	if err != nil {
		log.Error().Str("problem", fault.Message(err)).Msg("the settings before the change stay in effect")
		return former
	}
	server.Use(backend)
	log.Info().Msg("the settings have changed and are in effect")
	return l
}

// A look is what tells one state of the settings' files from another.
type look struct {
	file, token fileLook
}

type fileLook struct {
	there   bool
	size    int64
	changed time.Time
	err     string
}

func lookAt(l *config.Loaded) look {
	return look{lookAtFile(l.Path), lookAtFile(filepath.Join(l.Config.Workspace, rpc.TokenFile))}
}

func lookAtFile(path string) fileLook {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileLook{}
	case err != nil:
		return fileLook{err: err.Error()}
	}
	return fileLook{there: true, size: info.Size(), changed: info.ModTime()}
}

package main

import (
	"context"
	"time"

	"github.com/openhuman/openhuman-core/internal/capability"
	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/logx"
	"github.com/openhuman/openhuman-core/internal/stdio"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
	"github.com/spf13/cobra"
)

func newMCPCommand(a *app) *cobra.Command {
	var client string
	c := &cobra.Command{
		Use:     "mcp",
		Aliases: []string{"mcp-server"},
		Short:   "Serve the memory to an MCP client on stdin and stdout",
		Long: `Serves the memory to an MCP client, which starts this command itself and speaks with it on stdin and stdout,
one JSON-RPC 2.0 message a line. Nothing can be changed through it, unless mcp.write_tools lets clients add to the
memory, and no port is opened. Logs go to stderr.

Settings are read once, at the start. What is wrong with them is said on stderr and the server starts all the
same; what is wrong with the memory is told to the client when it calls a tool.

A client says itself what it is called. --client gives it the name that the policy knows it by, whatever it says:
the section [policy.clients.NAME] of config.toml then holds for it.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("client") {
				name := clientinfo.Normalize(client)
				if name == "" || name == clientinfo.CLI || name == clientinfo.HTTP {
					return fault.New(fault.Invalid, "--client %q is no name for a client.", client).
						WithHint("Give one with letters or digits, such as claude-desktop; cli and http are taken.")
				}
				client = name
			}
			return a.serveMCP(c.Context(), client)
		},
	}
	c.Flags().StringVar(&client, "client", "", "`NAME` of the client in the policy, whatever it calls itself")
	return c
}

// reportGrace is how long the end of a session waits for what is still to be said on stderr.
const reportGrace = 200 * time.Millisecond

func (a *app) serveMCP(ctx context.Context, client string) error {
	session := &logx.Session{}
	settings := a.loadConfig()
	m, err := openMemoryWith(settings.Config, settings.PolicyUnknown(), capability.List{}, func(o *policy.Options) { o.OneClient = true })
	if err != nil {
		return err
	}
	defer m.Close()
	log := a.logger(settings.Config, session)

	// Saying what is wrong may have to wait for a slow disk or a client that does not read stderr;
	// serving does not.
	said := make(chan struct{})
	go func() {
		defer close(said)
		a.sayProblems(settings, session)
		m.trouble.toLog(log)
	}()
	server := tools.Server(tools.Options{
		Controller: m.Controller, Policy: m.Policy, Version: version,
		Log:        a.logger(settings.Config, nil), // its lines name the caller of each call themselves
		ToolNames:  tools.NameStyle(settings.Config.MCP.ToolNames),
		Introduced: session.Name, Audit: m.Audit, Pinned: client,
		Running: newProcessors().call,
	})
	err = stdio.Serve(ctx, server, stdio.Transport{
		In: a.stdin, Out: a.stdout, Log: log,
	})
	select {
	case <-said:
	case <-time.After(reportGrace):
	}
	return err
}

// sayProblems tells what is wrong with the settings and with the place of the memory, whatever the
// level of logging is.
func (a *app) sayProblems(l *config.Loaded, session *logx.Session) {
	cfg := l.Config
	cfg.Log = "warn"
	log := a.logger(cfg, session)
	for _, p := range l.Problems {
		log.Warn().Str("place", p.Place).Str("problem", p.Msg).Msg("the configuration is not valid")
	}
	if l.PolicyUnknown() != nil {
		log.Error().Msg("nothing is served until the policy in the configuration can be read")
	}
	for _, w := range store.Warnings(storePath(cfg)) {
		log.Warn().Str("problem", w).Msg("the memory lies in a place that may damage it")
	}
}

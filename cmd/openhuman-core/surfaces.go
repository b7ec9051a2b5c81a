package main

import (
	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// policySurfaces are how the policy stands before each way to call, in counts. Whoever speaks MCP is
// any client; /rpc and the command line are one each, with a section of their own or the one for
// everybody else.
func policySurfaces(cfg config.Config) []controller.PolicySurface {
	surface := func(name string) controller.PolicySurface {
		return controller.PolicySurface{
			Surface: name, Gate: "before every controller", Level: cfg.Policy.Level, DeniedTools: len(cfg.Policy.DenyTools),
			RateLimit: cfg.Policy.MaxReadsPerMinute, Redact: cfg.Policy.RedactSecrets, Audit: cfg.Audit.Enabled,
		}
	}
	var list []controller.PolicySurface
	for _, name := range []string{"mcp_stdio", "mcp_http"} {
		s := surface(name)
		for client := range cfg.Policy.Clients {
			if client != clientinfo.HTTP && client != clientinfo.CLI {
				s.ClientScopes++
			}
		}
		list = append(list, s)
	}
	for _, one := range []struct{ name, client string }{{"json_rpc", clientinfo.HTTP}, {"cli", clientinfo.CLI}} {
		s := surface(one.name)
		section, ok := cfg.Policy.Clients[one.client]
		if !ok {
			section, ok = cfg.Policy.Clients[policy.Others]
		}
		if ok {
			s.ClientScopes = 1
			s.DeniedTools += len(section.DenyTools)
		}
		if one.client == clientinfo.CLI {
			s.RateLimit = 0 // each call is a process of its own, which remembers none before it
		}
		list = append(list, s)
	}
	return list
}

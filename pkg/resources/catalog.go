// Package resources holds the prompts that the product serves as static MCP resources: their
// addresses, their order and their embedded texts. How they travel is not its business.
package resources

import (
	"embed"
	"fmt"
)

// MIMEType is the type of every resource.
const MIMEType = "text/markdown"

// A Resource is one prompt.
type Resource struct {
	URI         string
	Name        string // the file's name as clients show it; also its place under prompts/ (see path)
	Title       string
	Description string
}

// Catalog lists every resource in the order in which clients see them.
var Catalog = []Resource{
	{"openhuman://prompts/identity", "IDENTITY.md", "Identity", "Who the core agent is."},
	{"openhuman://prompts/soul", "SOUL.md", "Soul", "The core agent's personality and values."},
	{"openhuman://prompts/user", "USER.md", "User", "The user-profile context."},
	{"openhuman://prompts/agents/orchestrator", "orchestrator/prompt.md", "Orchestrator", "Prompt of the agent that judges, delegates and merges."},
	{"openhuman://prompts/agents/planner", "planner/prompt.md", "Planner", "Prompt of the agent that turns a goal into steps."},
	{"openhuman://prompts/agents/code_executor", "code_executor/prompt.md", "Code executor", "Prompt of the agent that writes and runs code in a sandbox."},
	{"openhuman://prompts/agents/integrations_agent", "integrations_agent/prompt.md", "Integrations agent", "Prompt of the agent that works one connected SaaS toolkit."},
	{"openhuman://prompts/agents/crypto_agent", "crypto_agent/prompt.md", "Crypto agent", "Prompt of the agent for wallets and chains."},
	{"openhuman://prompts/agents/markets_agent", "markets_agent/prompt.md", "Markets agent", "Prompt of the agent for prediction markets."},
	{"openhuman://prompts/agents/tools_agent", "tools_agent/prompt.md", "Tools agent", "Prompt of the generalist with every built-in tool."},
	{"openhuman://prompts/agents/tool_maker", "tool_maker/prompt.md", "Tool maker", "Prompt of the agent that writes a missing helper script."},
	{"openhuman://prompts/agents/skill_creator", "skill_creator/prompt.md", "Skill creator", "Prompt of the agent that authors skill packages."},
	{"openhuman://prompts/agents/researcher", "researcher/prompt.md", "Researcher", "Prompt of the agent that reads the web and documentation."},
	{"openhuman://prompts/agents/critic", "critic/prompt.md", "Critic", "Prompt of the adversarial reviewer."},
	{"openhuman://prompts/agents/archivist", "archivist/prompt.md", "Archivist", "Prompt of the agent that distils sessions into memory."},
	{"openhuman://prompts/agents/trigger_triage", "trigger_triage/prompt.md", "Trigger triage", "Prompt of the agent that classifies incoming triggers."},
	{"openhuman://prompts/agents/trigger_reactor", "trigger_reactor/prompt.md", "Trigger reactor", "Prompt of the agent that carries out small reactions."},
	{"openhuman://prompts/agents/morning_briefing", "morning_briefing/prompt.md", "Morning briefing", "Prompt of the daily briefing."},
	{"openhuman://prompts/agents/summarizer", "summarizer/prompt.md", "Summarizer", "Prompt of the agent that compresses tool output."},
	{"openhuman://prompts/agents/help", "help/prompt.md", "Help", "Prompt of the agent that answers product questions."},
	{"openhuman://prompts/agents/mcp_setup", "mcp_setup/prompt.md", "MCP setup", "Prompt of the agent that connects MCP servers."},
}

const agentPrefix = "openhuman://prompts/agents/"

//go:embed prompts
var prompts embed.FS

// Find returns the resource at uri. Addresses are compared exactly, as the protocol asks.
func Find(uri string) (Resource, bool) {
	for _, r := range Catalog {
		if r.URI == uri {
			return r, true
		}
	}
	return Resource{}, false
}

// Text returns the resource's Markdown.
func (r Resource) Text() (string, error) {
	data, err := prompts.ReadFile(r.path())
	if err != nil {
		return "", fmt.Errorf("read embedded prompt: %w", err)
	}
	return string(data), nil
}

// path is where the resource stands in the embedded tree.
func (r Resource) path() string {
	if len(r.URI) > len(agentPrefix) && r.URI[:len(agentPrefix)] == agentPrefix {
		return "prompts/agents/" + r.Name
	}
	return "prompts/" + r.Name
}

package resources

// A Builtin is an agent that ships with the product.
type Builtin struct {
	ID    string
	About string // what it is for, one sentence
}

// Builtins are the agents that ship with the product. Each one has a prompt in the [Catalog]; a test
// fails when an agent is added on one side only.
var Builtins = []Builtin{
	{"orchestrator", "Front door: judges a request, delegates it and merges the results; writes no code."},
	{"planner", "Read-only: turns a goal into a dependency graph of steps with acceptance criteria."},
	{"code_executor", "Writes, runs and debugs code in a sandbox."},
	{"integrations_agent", "Works one connected SaaS toolkit per run."},
	{"crypto_agent", "Wallets and chains: reads, quotes, confirms, then executes."},
	{"markets_agent", "Prediction markets; trades only with approval."},
	{"tools_agent", "Generalist with every built-in tool and no managed OAuth."},
	{"tool_maker", "Writes one small helper script when a command is missing."},
	{"skill_creator", "Authors skill packages."},
	{"researcher", "Reads the web and documentation; returns dense Markdown with sources."},
	{"critic", "Read-only adversarial review."},
	{"archivist", "Distils finished sessions into lasting memory."},
	{"trigger_triage", "Classifies an incoming trigger: drop, acknowledge, react or escalate; has no tools."},
	{"trigger_reactor", "Carries out one or two small reactions to a trigger."},
	{"morning_briefing", "Scheduled, read-only daily briefing."},
	{"summarizer", "Compresses oversized tool output."},
	{"help", "Answers product questions from the documentation."},
	{"mcp_setup", "Guides through installing and connecting an MCP server; never asks for secrets in chat."},
}

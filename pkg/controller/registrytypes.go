package controller

import "encoding/json"

// The types in this file are the wire of the tool registry.

// A Schema is a JSON Schema, as it is written.
type Schema json.RawMessage

// MarshalJSON implements json.Marshaler.
func (s Schema) MarshalJSON() ([]byte, error) { return json.RawMessage(s).MarshalJSON() }

// ListToolsParams are the arguments of tool_registry_list: none.
type ListToolsParams struct{}

// ListToolsResult is the answer of tool_registry_list.
type ListToolsResult struct {
	Tools     []Entry    `json:"tools"` // by tool_id
	Truncated *Truncated `json:"truncated,omitempty"`
	Hint      string     `json:"hint,omitempty"`
}

// GetToolParams are the arguments of tool_registry_get.
type GetToolParams struct {
	ToolID string `json:"tool_id"`
}

// An Entry is one operation on one surface.
type Entry struct {
	ToolID        string   `json:"tool_id"`
	Name          string   `json:"name"`
	Title         string   `json:"title"`
	Description   string   `json:"description"`
	Version       string   `json:"version"`   // of the tool's contract
	Transport     string   `json:"transport"` // mcp_stdio or json_rpc
	Route         string   `json:"route"`     // the method that calls it
	InputSchema   Schema   `json:"input_schema"`
	OutputSchema  Schema   `json:"output_schema"`
	AllowedAgents []string `json:"allowed_agents"`
	Tags          []string `json:"tags"`
	Enabled       bool     `json:"enabled"`
	Health        string   `json:"health"` // available, unavailable or unknown
}

// DiagnosticsParams are the arguments of tool_registry_diagnostics: none.
type DiagnosticsParams struct{}

// DiagnosticsResult is the answer of tool_registry_diagnostics: counts and names of the program's own
// tools, never text, paths, addresses, digests or secrets.
type DiagnosticsResult struct {
	TotalTools            int             `json:"total_tools"`
	EnabledTools          int             `json:"enabled_tools"`
	MCPTools              int             `json:"mcp_stdio_tools"`
	RPCTools              int             `json:"json_rpc_tools"`
	PossibleWriteSurfaces []WriteSurface  `json:"possible_write_surfaces"`
	PolicySurfaces        []PolicySurface `json:"policy_surfaces"`
	CapabilityProviders   ProviderStatus  `json:"capability_providers"`
	Store                 StoreHealth     `json:"store"`
	Denials               int             `json:"denials"`        // since the start
	RecentDenials         []Denial        `json:"recent_denials"` // latest first
	Truncated             *Truncated      `json:"truncated,omitempty"`
	Hint                  string          `json:"hint,omitempty"`
}

// A WriteSurface is an operation that changes something, or is named as if it did.
type WriteSurface struct {
	ToolID string `json:"tool_id"`
	Reason string `json:"reason"`
}

// A PolicySurface is how the policy stands before one way to call, in counts.
type PolicySurface struct {
	Surface      string `json:"surface"`
	Gate         string `json:"gate"`
	Level        string `json:"level"`
	DeniedTools  int    `json:"denied_tools"`
	ClientScopes int    `json:"client_scopes"`
	RateLimit    int    `json:"rate_limit"` // reads a minute, 0 for no limit
	Redact       bool   `json:"redact"`
	Audit        bool   `json:"audit"`
}

// ProviderStatus counts the capability providers. A list with a bad entry counts as void: its total is
// what was written, and nothing of it is in use.
type ProviderStatus struct {
	Total          int      `json:"total"`
	Enabled        int      `json:"enabled"`
	Trusted        int      `json:"trusted"`
	TrustedEnabled int      `json:"trusted_enabled"`
	Errors         []string `json:"errors"`
}

// StoreHealth is whether the memory can be read, with the code of the error when it cannot.
type StoreHealth struct {
	Health string `json:"health"`
	Code   string `json:"code,omitempty"`
}

// A Denial is a call that the policy has refused.
type Denial struct {
	At     string `json:"at"`
	Client string `json:"client"`
	ToolID string `json:"tool_id"`
}

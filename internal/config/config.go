// Package config reads the settings: defaults, then config.toml, then OPENHUMAN_* variables, then
// flags. The Config struct, with its tags and comments, is the only list of settings; names of
// variables, the documentation and the checks are made from it. Only the command line imports this
// package, and the rest of the program takes plain options.
package config

// Tags: koanf is the key; alias another key that is accepted; env another variable that is accepted;
// choices, min, max and check bound the value; secret masks it.

// Config is every setting. The comments are the documentation.
type Config struct {
	// The folder that holds the memory and everything that belongs to it. A leading ~ is the home
	// folder; a relative path in config.toml starts at that file.
	Workspace string `koanf:"workspace"`
	// How much is logged to stderr. --verbose is debug. No level logs queries or memory text.
	Log string `koanf:"log" choices:"debug info warn error off"`

	MCP       MCP       `koanf:"mcp"`
	Server    Server    `koanf:"server"`
	Embedding Embedding `koanf:"embedding"`
	Summary   Summary   `koanf:"summary"`
	Policy    Policy    `koanf:"policy"`
	Audit     Audit     `koanf:"audit"`
	SearXNG   SearXNG   `koanf:"searxng"`

	Sources             []Source   `koanf:"sources"`
	CapabilityProviders []Provider `koanf:"capability_providers"`
}

// MCP is the stdio server.
type MCP struct {
	// How tools are named in tools/list: memory.search (dotted) or memory_search (underscore). auto is
	// dotted, except for clients that are known to refuse dots. Both forms can always be called.
	ToolNames string `koanf:"tool_names" choices:"auto dotted underscore"`
	// The most bytes in one copy of an answer. Previews shrink first; a row that does not fit is
	// announced, never dropped in silence.
	MaxResultBytes int `koanf:"max_result_bytes" min:"4096" max:"10000000"`
	// Offers memory.store, so that a client may add to the memory, within policy.level; on /rpc also
	// openhuman.memory_tree_ingest.
	WriteTools bool `koanf:"write_tools"`
}

// Server is the HTTP JSON-RPC server.
type Server struct {
	// The address to listen on. Anything but a loopback address needs an explicit token.
	Host string `koanf:"host" env:"OPENHUMAN_CORE_HOST"`
	// The port to listen on; 0 takes any that is free.
	Port int `koanf:"port" env:"OPENHUMAN_CORE_PORT" min:"0" max:"65535"`
	// The bearer token that callers must send. Empty: one is made and kept in core.token.
	Token string `koanf:"token" env:"OPENHUMAN_CORE_TOKEN" secret:"true"`
	// Further names that callers may reach the server by, such as memory.example.org behind a proxy.
	// localhost and the address itself always do.
	AllowedHosts []string `koanf:"allowed_hosts"`
	// Web pages of other origins that a browser may let call, such as https://dash.example.org. They
	// need the token like everybody else.
	AllowedOrigins []string `koanf:"allowed_origins"`
}

// Embedding is the model behind recall by meaning.
type Embedding struct {
	// builtin needs nothing; ollama and openai (any compatible endpoint) use base_url, and builtin
	// stands in while there is no answer; none turns vectors off and leaves recall to keywords. A
	// change embeds everything anew.
	Provider string `koanf:"provider" choices:"builtin ollama openai none"`
	// Where the endpoint is. Empty: http://localhost:11434 for ollama, https://api.openai.com/v1 for
	// openai. Text of the memory goes there, and to nobody else.
	BaseURL string `koanf:"base_url" check:"url"`
	// The model's name at the endpoint.
	Model string `koanf:"model"`
	// The key that the endpoint asks for.
	APIKey string `koanf:"api_key" secret:"true"`
	// How long one call may take.
	TimeoutSeconds int `koanf:"timeout_seconds" alias:"timeout_secs" min:"1" max:"600"`
}

// Summary is the summariser of the tree.
type Summary struct {
	// builtin extracts sentences; ollama and openai (any compatible endpoint) use base_url and fall
	// back to builtin; none makes no summaries.
	Provider string `koanf:"provider" choices:"builtin ollama openai none"`
	// Where the endpoint is. Empty: http://localhost:11434 for ollama, https://api.openai.com/v1 for
	// openai. Text of the memory goes there, and to nobody else.
	BaseURL string `koanf:"base_url" check:"url"`
	// The model's name at the endpoint.
	Model string `koanf:"model"`
	// The key that the endpoint asks for.
	APIKey string `koanf:"api_key" secret:"true"`
	// How long one call may take.
	TimeoutSeconds int `koanf:"timeout_seconds" alias:"timeout_secs" min:"1" max:"600"`
}

// Policy is what callers may do and see.
type Policy struct {
	// What may be changed: readonly nothing, supervised a limited amount, full anything that a tool
	// offers. Reading passes at every level.
	Level string `koanf:"level" choices:"readonly supervised full"`
	// Tools or methods that nobody may call, as names or patterns: tree.top_entities, tree.*
	DenyTools []string `koanf:"deny_tools"`
	// Sources that are never served to anyone, as patterns over source ids: * is any run of
	// characters, ? one. Example: slack:#hr*. The owner's own status, forget and ingest at the command
	// line work on everything.
	DenySources []string `koanf:"deny_sources"`
	// How many reads one client may make in a minute; 0 is without a limit. Each mcp process counts for
	// itself, serve counts by the name of the client.
	MaxReadsPerMinute int `koanf:"max_reads_per_minute" min:"0" max:"1000000"`
	// Serves private keys, API tokens, passwords in addresses and card numbers as [redacted:…]. What is
	// stored stays as it is; --raw shows it at the command line. See docs/privacy.md.
	RedactSecrets bool `koanf:"redact_secrets"`
	// Narrower rules for one client, by its normalised name; "default" is for the others.
	Clients map[string]ClientPolicy `koanf:"clients"`
}

// ClientPolicy narrows what one client may do and see, beside what is denied to all. NAME is what the
// client calls itself, in lower case and with - between words (mcp --verbose logs it), or what
// "openhuman-core mcp --client NAME" calls it; http is everybody at /rpc, cli the command line, and
// default all who have no section of their own, these two included.
type ClientPolicy struct {
	// The only sources that exist for this client, as patterns; without this, all.
	AllowSources []string `koanf:"allow_sources"`
	// Sources that do not exist for this client, as patterns.
	DenySources []string `koanf:"deny_sources"`
	// Tools or methods that this client may not call, as names or patterns. It is not shown them either.
	DenyTools []string `koanf:"deny_tools"`
}

// Audit is the record of who read what, without text.
type Audit struct {
	// Writes one line for each call to the audit folder in the workspace: when, who, which tool, how
	// long the arguments were, how many rows, and what the policy said. No text.
	Enabled bool `koanf:"enabled"`
	// The size at which a file is closed and the next begun.
	MaxFileMB int `koanf:"max_file_mb" min:"1" max:"1000"`
	// How many files are kept.
	MaxFiles int `koanf:"max_files" min:"1" max:"1000"`
}

// SearXNG is a self-hosted search engine that clients may use.
type SearXNG struct {
	// Offers the searxng_search tool.
	Enabled bool `koanf:"enabled"`
	// Where the instance is.
	BaseURL string `koanf:"base_url" check:"url"`
	// How many results a search returns when the client does not say.
	MaxResults int `koanf:"max_results" min:"1" max:"50"`
	// The language of a search when the client does not say.
	DefaultLanguage string `koanf:"default_language"`
	// How long one search may take.
	TimeoutSeconds int `koanf:"timeout_seconds" alias:"timeout_secs" min:"1" max:"300"`
}

// Source is folders, mailboxes or other files that "openhuman-core sync" keeps current. A row with a
// mistake is left out, and said; the others are not.
type Source struct {
	// Which files: paths or globs. * and ? stay within one name, ** is any number of folders; a folder is
	// everything in it. A leading ~ is the home folder; a relative path starts at this file.
	Path []string `koanf:"path" list:"whole"`
	// Takes the files as chat, email or document instead of finding out; what is of another kind is left
	// out. Interchange lines say of themselves what they are.
	Kind string `koanf:"kind" choices:"chat email document"`
	// The name of the source, such as work or notes:work; without one, that of the folder.
	Name string `koanf:"name"`
	// Whose memory it is, where the files do not say.
	Owner string `koanf:"owner"`
	// Tags that everything in it gets.
	Tags []string `koanf:"tags"`
	// What is left out, in patterns as in .gitignore, and what is not: "!.obsidian/" takes in a hidden
	// folder, "!*.key" files that look like secrets. They go before those of files in the folder.
	Ignore []string `koanf:"ignore" list:"whole"`
	// Whether .gitignore files in the folder count (true unless it is set), as .openhumanignore files always
	// do.
	Gitignore bool `koanf:"gitignore"`
}

// Provider records an external capability provider: governance metadata only. Nothing is installed,
// fetched or run. One bad entry voids the whole list.
type Provider struct {
	// The provider's name; it is normalised ("Acme Tools" becomes acme-tools).
	ID string `koanf:"id"`
	// The name for people.
	DisplayName string `koanf:"display_name"`
	// Where the provider comes from.
	SourceURI string `koanf:"source_uri"`
	// The digest of what was reviewed.
	SourceDigest string `koanf:"source_digest"`
	// Whether the owner trusts it; empty is untrusted.
	TrustState string `koanf:"trust_state" choices:"untrusted trusted"`
	// Whether it may be used, when it is trusted.
	Enabled bool `koanf:"enabled"`
}

// Defaults returns the settings of somebody who has set nothing.
func Defaults() Config {
	return Config{
		Workspace: "~/.openhuman",
		Log:       "warn",
		MCP:       MCP{ToolNames: "auto", MaxResultBytes: 60_000},
		Server:    Server{Host: "127.0.0.1", Port: 7788},
		Embedding: Embedding{Provider: "builtin", TimeoutSeconds: 60},
		Summary:   Summary{Provider: "builtin", TimeoutSeconds: 120},
		Policy:    Policy{Level: "supervised", RedactSecrets: true},
		Audit:     Audit{Enabled: true, MaxFileMB: 10, MaxFiles: 5},
		SearXNG:   SearXNG{BaseURL: "http://localhost:8080", MaxResults: 10, DefaultLanguage: "en", TimeoutSeconds: 10},
	}
}

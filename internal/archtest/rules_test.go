package archtest

const module = "github.com/openhuman/openhuman-core/"

// mayImport lists for each package which others of this module it may import. A package without a
// row fails the test: decide where it stands before it grows. Arrows point one way:
// cmd → tools → controller → store, and everything may use fault.
var mayImport = map[string][]string{
	// Vocabulary. These know nothing of the rest.
	"pkg/fault":           {},
	"pkg/clientinfo":      {},
	"internal/doc":        {},
	"internal/text":       {},
	"internal/charset":    {},
	"internal/html":       {"internal/charset"},
	"internal/jsonstream": {},
	"internal/near":       {},
	"internal/glob":       {},
	"internal/ignore":     {},
	"internal/term":       {},
	"internal/golden":     {},

	// What the product does.
	"pkg/policy":       {"pkg/fault", "pkg/clientinfo", "internal/glob"},
	"internal/query":   {"internal/text"},
	"internal/rank":    {"internal/text"},
	"internal/entity":  {"internal/doc", "internal/text"},
	"internal/chunk":   {"internal/doc", "internal/text"},
	"internal/tree":    {},
	"internal/summary": {"internal/text"},
	"pkg/store":        {"pkg/fault", "internal/text", "internal/glob", "internal/near"},
	"pkg/controller": {
		"pkg/store", "pkg/policy", "pkg/fault", "pkg/clientinfo",
		"internal/text", "internal/query", "internal/near", "internal/rank", "internal/vecset",
	},

	"internal/vecset":   {"internal/embed/vector"},
	"internal/vecimage": {"internal/vecset"},
	"internal/vecindex": {"internal/vecset", "internal/vecimage", "pkg/store", "pkg/controller"},

	// Taking things in. Readers know documents, never the store.
	"internal/ingest": {
		"pkg/store", "pkg/fault", "internal/doc", "internal/chunk", "internal/origin", "internal/entity", "internal/text", "internal/charset", "internal/summary", "internal/tree", "internal/vecset", "internal/ignore",
		"internal/ingest/interchange", "internal/ingest/plain", "internal/ingest/mail", "internal/ingest/markdown", "internal/ingest/slack",
		"internal/ingest/whatsapp", "internal/ingest/telegram", "internal/ingest/discord", "internal/ingest/irc", "internal/ingest/signal",
		"internal/ingest/imessage", "internal/ingest/chatzip", "internal/ingest/chatgpt", "internal/ingest/claude", "internal/ingest/sessions",
		"internal/ingest/web", "internal/ingest/csv", "internal/ingest/office", "internal/ingest/epub", "internal/ingest/pdf",
		"internal/ingest/contacts", "internal/ingest/calendar", "internal/ingest/archive", "internal/ingest/bookmarks",
	},
	"internal/ingest/interchange": readers,
	"internal/ingest/plain":       readers,
	"internal/ingest/mail":        readers,
	"internal/ingest/markdown":    readers,
	"internal/ingest/slack":       readers,
	"internal/ingest/talk":        {"internal/doc", "internal/charset"},
	"internal/ingest/whatsapp":    chats,
	"internal/ingest/chatgpt":     chats,
	"internal/ingest/claude":      chats,
	"internal/ingest/sessions":    chats,
	"internal/ingest/telegram":    chats,
	"internal/ingest/discord":     chats,
	"internal/ingest/irc":         chats,
	"internal/ingest/signal":      chats,
	"internal/ingest/imessage":    chats,
	"internal/ingest/web":         readers,
	"internal/ingest/rows":        {},
	"internal/ingest/zipped":      {},
	"internal/ingest/archive":     {"internal/doc", "internal/charset", "internal/ingest/zipped"},
	"internal/ingest/chatzip":     {"internal/doc", "internal/ingest/talk", "internal/ingest/zipped"},
	"internal/ingest/epub":        {"internal/doc", "internal/charset", "internal/html", "internal/ingest/zipped"},
	"internal/ingest/pdf":         {"internal/doc"},
	"internal/ingest/office":      {"internal/doc", "internal/charset", "internal/ingest/rows", "internal/ingest/zipped"},
	"internal/ingest/csv":         {"internal/doc", "internal/charset", "internal/ingest/rows"},

	"internal/ingest/contentline": {"internal/charset"},
	"internal/ingest/entries":     {"internal/doc"},
	"internal/ingest/contacts":    cards,
	"internal/ingest/calendar":    cards,
	"internal/ingest/bookmarks":   cards,

	// Surfaces.
	"pkg/resources":  {"pkg/fault"},
	"pkg/tools":      {"pkg/controller", "pkg/policy", "pkg/fault", "pkg/clientinfo", "pkg/resources", "internal/near", "internal/audit"},
	"internal/stdio": {"pkg/tools", "pkg/fault", "pkg/clientinfo"},
	"internal/web":   {}, // a handler: it calls nobody
	"internal/rpc":   {"pkg/tools", "pkg/fault", "pkg/clientinfo", "internal/near"},

	// The program around them.
	"internal/capability": {},
	"internal/config":     {"pkg/fault", "pkg/clientinfo", "internal/near"},
	"internal/logx":       {"pkg/clientinfo"},
	"internal/demo":       {},
	"cmd/openhuman-core":  {everything},

	"internal/endpoint":  {"internal/text", "pkg/fault"},
	"internal/searxng":   {"pkg/controller", "pkg/fault"},
	"internal/audit":     {},
	"internal/lock":      {},
	"internal/watch":     {},
	"internal/wholefile": {"pkg/fault"},
	"internal/backup":    {"pkg/store", "pkg/fault", "internal/wholefile"},
	"internal/origin":    {"internal/doc", "internal/chunk"},
	"internal/export":    {"pkg/store", "internal/doc", "internal/origin", "internal/ingest/interchange"},
	"internal/inbox":     {"internal/ingest", "internal/ingest/interchange", "pkg/store", "pkg/controller", "pkg/fault"},

	"internal/embed/...": {"internal/embed/...", "internal/text", "pkg/fault"},

	".": {}, // the legal texts

	// Checks.
	"internal/archtest":        {},
	"internal/ingest/doctest":  {"internal/doc", "internal/chunk", "internal/golden"},
	"internal/ingest/chattest": {"internal/doc"},
	"pkg/store/storetest":      {"pkg/store", "pkg/fault", "pkg/controller", "internal/text"},
	"e2e":                      {},
	"bench/...":                {everything},
	"datagen/...":              {everything},
}

const everything = "*"

var readers = []string{"internal/doc", "internal/text", "internal/charset", "internal/html", "internal/entity", "pkg/fault"}

// chats are the readers that gather messages into days.
var chats = []string{"internal/doc", "internal/jsonstream", "internal/html", "internal/ingest/talk"}

// cards are the readers of lists of small things.
var cards = []string{"internal/doc", "internal/jsonstream", "internal/charset", "internal/html", "internal/ingest/contentline", "internal/ingest/entries"}

// onlyIn lists what only some packages may import, by path or by a path's beginning. Tests may
// import anything.
var onlyIn = map[string][]string{
	// One storage, one protocol, one configuration: each technology has one home.
	"database/sql":                                        {"pkg/store", "pkg/store/storetest", "bench/..."},
	"modernc.org":                                         {"pkg/store", "pkg/store/storetest", "bench/..."},
	"github.com/modelcontextprotocol":                     {"pkg/tools", "pkg/resources", "internal/stdio", "internal/rpc", "cmd/openhuman-core", "bench/..."},
	"github.com/knadh/koanf":                              {"internal/config"},
	"github.com/spf13":                                    {"cmd/openhuman-core"},
	"github.com/rs/zerolog":                               {"internal/logx", "pkg/tools", "internal/stdio", "internal/rpc", "cmd/openhuman-core"},
	"github.com/klippa-app":                               {"internal/ingest/pdf"},
	"github.com/tetratelabs":                              {"internal/ingest/pdf"},
	"github.com/mattn/go-isatty":                          {"internal/term"},
	"github.com/fsnotify":                                 {"internal/watch"},
	"github.com/openhuman/openhuman-core/internal/config": {"cmd/openhuman-core"},
	// One package listens; two call, where they are told to.
	"net":      {"bench/...", "internal/rpc", "internal/endpoint", "internal/searxng"},
	"net/http": {"bench/...", "internal/rpc", "internal/web", "internal/endpoint", "internal/searxng"},
	"net/rpc":  {},
	// Other programs are started by the command line alone.
	"os/exec": {"cmd/openhuman-core", "bench/..."},
	"plugin":  {},
	"unsafe":  {"internal/vecimage"},                  // a mapped file as what it holds
	"log":     {"internal/rpc", "cmd/openhuman-core"}, // net/http takes no other logger, and has one of its own to be silenced
	"testing": {"internal/golden", "pkg/store/storetest", "internal/ingest/doctest", "internal/ingest/chattest"},
}

// maxLines bounds a file that is not a test.
const maxLines = 500

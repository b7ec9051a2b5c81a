// Package tools maps operations to the surfaces that callers see. The table in this file is the only
// place where the name of a method or a tool is written: the MCP server, the HTTP server, the command
// line, the registry and the manual are made from it. What an operation does is the controller's
// business; how messages travel is the transport's.
package tools

import (
	"slices"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// Catalog holds every operation. The order of the rows is the order of the tools in every list.
var Catalog = slices.Concat(memoryRows, writeRows(), webRows(), registryRows(), lookRows())

// memoryRows are the operations on the memory.
var memoryRows = []Op{
	op(RPC{"openhuman.memory_tree_search", "Search memory", "Keyword search over memory-tree chunks.", policy.Read},
		(*controller.Controller).Search,
		tool(MCP{Name: "memory.search", About: "Keyword search over memory-tree chunks: the user's own mail, chats, notes and documents. " +
			`Best match first. Words match their stems, "a phrase" is exact, word* is a prefix, -word excludes; ` +
			"from: source: kind: tag: after:YYYY-MM-DD before:YYYY-MM-DD (both days included) narrow. " +
			"Rows hold previews: read the whole text with tree.read_chunk."}),
		arg("query", "Words to look for."),
		argK),

	op(RPC{"openhuman.memory_tree_recall", "Recall memory", "Semantic recall over memory-tree summaries and chunks.", policy.Read},
		(*controller.Controller).Recall,
		tool(MCP{Name: "memory.recall", About: "Semantic recall over memory-tree summaries and chunks: ask in plain language, by meaning instead of exact words. " +
			"An empty list means that nothing relevant is stored. Rows hold previews: read the whole text with tree.read_chunk."}),
		arg("query", "A question or a description of what to remember."),
		argK),

	op(RPC{"openhuman.memory_tree_get_chunk", "Read chunk", "One chunk in full.", policy.Read},
		(*controller.Controller).GetChunk,
		tool(MCP{Name: "tree.read_chunk", About: "Read one chunk returned by search, recall or browse: its whole text, its neighbours and the entities it mentions."}),
		arg("chunk_id", "The chunk_id of a row.")),

	op(RPC{"openhuman.memory_tree_list_chunks", "Browse memory", "Paginated chunk listing with source, entity and time filters.", policy.Read},
		(*controller.Controller).ListChunks,
		tool(MCP{Name: "tree.browse", About: "Page through chunks, newest first, filtered by source, entity and time. Filters are combined with AND, the values of one list with OR."}),
		arg("source_kinds", "Only these kinds of sources.", oneOf(controller.SourceKinds)),
		arg("source_ids", "Only these sources, as tree.list_sources names them."),
		arg("entity_ids", "Only chunks that mention one of these, as tree.top_entities names them."),
		arg("since_ms", "Not before this time, in milliseconds since 1970 UTC."),
		arg("until_ms", "Not after this time, in milliseconds since 1970 UTC."),
		arg("query", "Words that must all occur, in the language of memory.search."),
		argK,
		arg("offset", "Rows to skip: the next_offset of the page before.", atLeast(0))),

	op(RPC{"openhuman.memory_tree_top_entities", "Top entities", "Most-referenced canonical entities.", policy.Read},
		(*controller.Controller).TopEntities,
		tool(MCP{Name: "tree.top_entities", About: "Most-referenced canonical entities (people, organizations, topics and so on) with the number of chunks that mention each, optionally of one kind."}),
		arg("kind", "Only this kind of entity.", oneOf(controller.EntityKinds)),
		argK),

	op(RPC{"openhuman.memory_tree_list_sources", "List sources", "Distinct ingest sources with chunk counts and last activity.", policy.Read},
		(*controller.Controller).ListSources,
		tool(MCP{Name: "tree.list_sources", About: "Distinct ingest sources (mailboxes, channels, folders) with chunk counts and last-activity timestamps, latest first."}),
		arg("user_email_hint", "The user's own address, left out of the display names of conversations.")),
}

// argK is the number of rows, the same everywhere.
var argK = arg("k", "How many rows, capped at 50.", atLeast(1), byDefault("10"))

// ByMethod finds an operation by its JSON-RPC method.
func ByMethod(method string) (Op, bool) {
	for _, o := range Catalog {
		if o.Method == method {
			return o, true
		}
	}
	return Op{}, false
}

// ByTool finds an operation by its tool's name, dotted or underscored.
func ByTool(name string) (Op, bool) {
	for _, o := range Catalog {
		if o.Tool != nil && (o.Tool.Name == name || underscored(o.Tool.Name) == name) {
			return o, true
		}
	}
	return Op{}, false
}

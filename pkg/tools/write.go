package tools

import (
	"context"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

const storeTool = "memory.store"

// writeRows are the operations that add to the memory. While the settings do not allow that, they are
// absent from tools/list, and a call says so. Taking in whole payloads is for programs that know them,
// so that it has no tool.
func writeRows() []Op {
	return []Op{
		op(RPC{"openhuman.memory_store", "Store in memory", "Keep a text as a document of the caller's own source.", policy.Act},
			(*controller.Controller).Store, needs(controller.NeedsWrite), brief(),
			tool(MCP{Name: storeTool, About: "Keep a text the user wants remembered. No secrets."}),
			arg("title", "What it is about."),
			arg("content", "Plain text or Markdown."),
			arg("tags", "Labels.")),

		op(RPC{"openhuman.memory_tree_ingest", "Ingest", "Take in one interchange payload: a conversation, a thread of mails or a document of a source that it names. " +
			"What is there already stays as it is, and what has changed is replaced.", policy.Act},
			(*controller.Controller).Ingest, needs(controller.NeedsWrite),
			arg("payload", "One line of the interchange format as an object; or, with source_kind and source_id beside it, only its payload."),
			arg("source_kind", "The kind of the source, when payload does not say so itself.", oneOf(controller.SourceKinds)),
			arg("source_id", "The source, such as slack:#eng, when payload does not name it itself."),
			arg("owner", "Whose source it is, when payload does not say so itself."),
			arg("tags", "Words to file it under, when payload has none itself.")),
	}
}

// brief leaves out of the result's schema what is always there: tools/list has a bound.
func brief() option { return func(o *Op) { o.Out.Required = nil } }

const (
	readOnlyClause = " and is read-only."
	writeSentence  = " With " + storeTool + " you may add a text to it; nothing in it can be changed or removed."
)

// instructionsFor are the instructions for the caller in ctx: whether it may write depends on who it is.
func (s *server) instructionsFor(ctx context.Context) string {
	o, ok := ByTool(storeTool)
	if !ok || !o.Enabled(ctx, s.deps) {
		return s.text(ctx, instructions)
	}
	return s.text(ctx, strings.Replace(instructions, readOnlyClause, "."+writeSentence, 1))
}

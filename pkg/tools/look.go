package tools

import (
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// lookRows are the operations for whoever looks at a memory as a whole, as the page of the HTTP server
// does. They have no tools: a model has no use for them, and tools/list is short for a reason.
func lookRows() []Op {
	return []Op{
		op(RPC{"openhuman.memory_tree_activity", "Activity", "Chunks of each source by month.", policy.Read},
			(*controller.Controller).Activity,
			arg("months", "How many months to look back, this one included; capped at 120.", atLeast(1), byDefault("24"))),

		op(RPC{"openhuman.memory_tree_list_summaries", "List summaries", "The roots of a source's summary tree, or what stands under a summary.", policy.Read},
			(*controller.Controller).ListSummaries,
			arg("source_id", "The source whose roots are wanted, the latest first."),
			arg("parent_id", "The summary under which to look: the chunk_id of a node."),
			argK,
			arg("offset", "Rows to skip: the next_offset of the page before.", atLeast(0))),

		op(RPC{"openhuman.audit_calls", "Calls by client", "How often each client has called each tool, from the record of calls.", policy.Read},
			(*controller.Controller).AuditCalls, standsAlone(),
			arg("days", "How many days to look back.", atLeast(1), byDefault("30"))),
	}
}

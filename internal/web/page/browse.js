// The chunks of a source, or those that mention an entity, newest first.

import { h, fill } from "./dom.js";
import { call } from "./rpc.js";
import { t, number } from "./words.js";
import { at, title, notes, row } from "./parts.js";
import { terms } from "./marks.js";

const PAGE = 25;

export async function browse(view, { signal, parts: [what, id] }) {
  const narrow = what === "entity" ? { entity_ids: [id] } : { source_ids: [id] };
  const list = h("div");
  let query = "";
  const load = async (offset) => {
    const params = { ...narrow, k: PAGE, offset };
    if (query) params.query = query;
    const answer = await call("memory_tree_list_chunks", params, signal);
    const shown = answer.chunks.length;
    fill(list,
      shown > 0 && h("p", { class: "note" }, t("page", { from: number(offset + 1), to: number(offset + shown), n: number(answer.total) })),
      h("ol", { class: "rows" }, answer.chunks.map((r) => row(r, { wanted: terms(query) }))),
      notes(answer),
      h("div", { class: "pager" },
        offset > 0 && h("button", { type: "button", onclick: () => go(Math.max(0, offset - PAGE)) }, t("later")),
        answer.next_offset && h("button", { type: "button", onclick: () => go(answer.next_offset) }, t("earlier"))));
  };
  const go = async (offset) => {
    await load(offset);
    view.querySelector("h1").focus();
    scrollTo(0, 0);
  };
  const input = h("input", { id: "q", type: "search", autocomplete: "off", maxlength: 2000, "aria-label": t("filterHelp"), placeholder: t("filterHelp") });
  await load(0);
  fill(view, title(id, what === "source" && h("p", { class: "lead" }, h("a", { href: at.tree(id) }, t("openTree")))),
    h("form", { class: "ask", role: "search", onsubmit: (e) => { e.preventDefault(); query = input.value.trim(); load(0); } }, input, h("button", null, t("apply"))), list);
}

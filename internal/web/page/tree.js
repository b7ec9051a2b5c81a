// The summary tree of a source, opened level by level.

import { h, fill } from "./dom.js";
import { call } from "./rpc.js";
import { t, number, day } from "./words.js";
import { at, title, notes, note } from "./parts.js";

export async function tree(view, { signal, parts: [chosen] }) {
  const { sources } = await call("memory_tree_list_sources", {}, signal);
  const id = chosen ?? sources.toSorted((a, b) => b.chunk_count - a.chunk_count)[0]?.source_id;
  const list = h("ul", { class: "tree" });
  const more = h("div", { class: "pager" });
  const load = async (into, params, pager) => {
    const answer = await call("memory_tree_list_summaries", { k: 25, ...params }, signal);
    answer.nodes.forEach((n) => into.append(node(n)));
    fill(pager, answer.next_offset && h("button", { type: "button", onclick: () => load(into, { ...params, offset: answer.next_offset }, pager) }, t("moreRoots")), notes(answer));
  };
  const node = (n) => {
    const below = h("ul", { hidden: true }), pager = h("div", { class: "pager" });
    const when = day(n.since_ms) === day(n.until_ms) ? day(n.since_ms) : day(n.since_ms) + " – " + day(n.until_ms);
    const about = h("div", { class: "meta" }, n.level > 0 && h("span", null, t("level", { n: n.level })), n.level > 0 && h("span", null, t("covering", { n: number(n.chunks) })), h("span", null, when));
    const link = h("a", { href: at.read(n.chunk_id), "data-row": true }, n.title || n.preview.slice(0, 80) || n.chunk_id);
    const open = n.level > 0 && h("button", { type: "button", class: "twist", "aria-expanded": "false", "aria-label": n.title || n.chunk_id, onclick: async () => {
      const now = open.getAttribute("aria-expanded") !== "true";
      open.setAttribute("aria-expanded", String(now));
      below.hidden = !now;
      if (now && !below.childElementCount) {
        await load(below, { parent_id: n.chunk_id, k: 50 }, pager);
        below.after(pager);
      }
    } }, "▸");
    return h("li", { class: "node level-" + n.level }, h("div", { class: "node-head" }, open || h("span", { class: "leaf", "aria-hidden": "true" }, "·"), link), about, h("p", { class: "preview", dir: "auto" }, n.preview), below);
  };
  if (id) await load(list, { source_id: id }, more);
  const pick = h("select", { id: "source", onchange: () => (location.hash = at.tree(pick.value)) }, sources.map((s) => h("option", { value: s.source_id, selected: s.source_id === id }, s.source_id)));
  fill(view, title(t("trees")), note(t("treeHelp")), sources.length > 0 && h("p", { class: "field" }, h("label", { for: "source" }, t("chooseSource")), pick), list, more);
}

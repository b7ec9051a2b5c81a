// One chunk, in its document.

import { h, fill } from "./dom.js";
import { call, calls } from "./rpc.js";
import { t, number, moment } from "./words.js";
import { at, title, kindBadge } from "./parts.js";

export async function read(view, { signal, parts: [id] }) {
  const get = async (id) => (await call("memory_tree_get_chunk", { chunk_id: id }, signal)).chunk;
  const chunk = await get(id);
  const around = [chunk.prev_chunk_id, chunk.next_chunk_id].filter(Boolean);
  const near = new Map((around.length ? await calls(around.map((id) => ["memory_tree_get_chunk", { chunk_id: id }]), signal) : []).map((a) => [a.chunk.chunk_id, a.chunk]));
  const summary = chunk.node_kind === "summary";

  const part = (c, here) => h("article", { class: here ? "part here" : "part", "aria-current": here && "true", id: here && "here" },
    here ? h("span", { class: "unseen" }, t("thisPart")) : h("a", { class: "part-link", href: at.read(c.chunk_id), "aria-label": t("read") + ": " + moment(c.timestamp_ms) }, "¶"),
    h("div", { class: "text", dir: "auto" }, c.content));
  const doc = h("div", { class: "document" }, part(chunk, true));
  const grow = (side, next, end) => {
    const bar = h("p", { class: "grow" });
    const button = () => fill(bar, h("button", { type: "button", onclick: async () => {
      const c = await get(next);
      next = c[side === "before" ? "prev_chunk_id" : "next_chunk_id"];
      place(c);
      draw();
    } }, t(side === "before" ? "loadBefore" : "loadAfter")));
    const place = (c) => side === "before" ? bar.after(part(c)) : bar.before(part(c));
    const draw = () => next ? button() : fill(bar, h("span", { class: "dim" }, t(end)));
    side === "before" ? doc.prepend(bar) : doc.append(bar);
    if (near.has(next)) {
      const c = near.get(next);
      place(c);
      next = c[side === "before" ? "prev_chunk_id" : "next_chunk_id"];
    }
    draw();
  };
  grow("before", chunk.prev_chunk_id, "start");
  grow("after", chunk.next_chunk_id, "end");

  const fact = (name, ...value) => value.flat().some(Boolean) && [h("dt", null, name), h("dd", null, value)];
  const context = chunk.context && chunk.context !== chunk.title ? chunk.context : "";
  fill(view,
    title(chunk.title || chunk.source_ref || chunk.source_id),
    h("div", { class: "reading" }, h("div", { class: "column" }, doc,
      chunk.children?.length && h("section", null, h("h2", null, t("covers", { n: number(chunk.children.length) })),
        h("ul", { class: "ids" }, chunk.children.map((c) => h("li", null, h("a", { href: at.read(c), "data-row": true }, c)))))),
      h("aside", null,
        h("p", { class: "aside-title", "aria-hidden": "true" }, chunk.title || chunk.source_ref), // the heading may be out of sight
        h("dl", null,
          fact(t("source"), h("a", { href: at.source(chunk.source_id) }, chunk.source_id), " ", kindBadge(chunk.source_kind), summary && [" ", h("span", { class: "badge" }, t("isSummary"))]),
          fact(t("from"), chunk.author), fact(t("date"), h("time", { datetime: chunk.timestamp }, moment(chunk.timestamp_ms))),
          fact(t("reference"), chunk.source_ref), context && h("dd", { class: "context" }, context),
          fact(t("tags"), chunk.tags.join(", ")),
          fact(t("nodeId"), h("code", null, chunk.chunk_id)), h("dd", { class: "dim" }, t("tokens", { n: number(chunk.token_count) }))),
        chunk.entities.length > 0 && [h("h2", null, t("mentions")), h("ul", { class: "chips" }, chunk.entities.map((e) => h("li", null, h("a", { href: at.entity(e.entity_id), title: e.entity_id }, e.surface))))])));
  return { previous: chunk.prev_chunk_id && at.read(chunk.prev_chunk_id), next: chunk.next_chunk_id && at.read(chunk.next_chunk_id), scroll: near.has(chunk.prev_chunk_id) && doc.querySelector("#here") };
}

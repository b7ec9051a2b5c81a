// What the memory mentions most.

import { h, fill } from "./dom.js";
import { call } from "./rpc.js";
import { t, number } from "./words.js";
import { at, title, notes, note, table, meter } from "./parts.js";

const KINDS = "email url handle hashtag person organization location event product datetime technology artifact quantity misc topic".split(" ");
let kind = "";

export async function entities(view, { signal }) {
  const list = h("div");
  const load = async () => {
    const answer = await call("memory_tree_top_entities", kind ? { kind, k: 50 } : { k: 50 }, signal);
    const most = Math.max(0, ...answer.entities.map((e) => e.count));
    fill(list, answer.entities.length ? table([t("entity"), t("kind"), "", t("chunks")],
      answer.entities.map((e) => [h("a", { href: at.entity(e.entity_id), "data-row": true, title: e.entity_id }, e.surface), h("span", { class: "badge" }, e.kind), meter(e.count, most), number(e.count)]),
      { right: [3], caption: t("entities"), cls: "entities" }) : note(t("noEntities")), notes(answer));
  };
  const pick = h("select", { id: "kind", onchange: () => { kind = pick.value; load(); } },
    h("option", { value: "" }, t("kindAll")), KINDS.map((k) => h("option", { value: k, selected: k === kind }, k)));
  await load();
  fill(view, title(t("entities")), h("p", { class: "field" }, h("label", { for: "kind" }, t("kind")), pick), list);
}

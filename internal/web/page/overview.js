// The sources and what has happened in them.

import { h, fill } from "./dom.js";
import { calls, call } from "./rpc.js";
import { t, number, day } from "./words.js";
import { at, title, notes, kindBadge, table, choice } from "./parts.js";
import { bars, told } from "./chart.js";

export async function overview(view, { signal }) {
  let [list, active] = await calls([["memory_tree_list_sources"], ["memory_tree_activity", { months: 24 }]], signal);
  if (!list.sources.length) {
    fill(view, title(t("empty")), h("p", { class: "lead" }, t("emptyHelp")));
    return;
  }
  const total = list.sources.reduce((n, s) => n + s.chunk_count, 0);
  const chart = h("section", { class: "card" });
  const rows = h("section");
  const look = async (months) => {
    active = await call("memory_tree_activity", { months }, signal);
    draw();
  };
  const draw = () => {
    const by = new Map(active.sources.map((s) => [s.source_id, s.counts]));
    const sums = active.months.map((_, i) => active.sources.reduce((n, s) => n + s.counts[i], 0));
    fill(chart,
      h("div", { class: "card-head" }, h("h2", null, t("activityBy")),
        choice(t("span"), [[24, t("years2")], [120, t("years10")]], active.months.length, look)),
      bars(active.months, sums, { width: Math.max(280, Math.min(960, innerWidth - 64)), height: 150, label: told(active.months, sums), axis: true }));
    fill(rows, table([t("source"), t("kind"), t("activity"), t("chunks"), t("latest")],
      list.sources.map((s) => [
        h("a", { href: at.source(s.source_id), "data-row": true, title: s.source_id }, s.display_name),
        kindBadge(s.source_kind),
        by.has(s.source_id) ? bars(active.months, by.get(s.source_id), { width: 120, height: 18, label: told(active.months, by.get(s.source_id)) }) : h("span", { class: "dim" }, "–"),
        number(s.chunk_count), day(s.most_recent_ms),
      ]), { right: [3, 4], caption: t("sources"), cls: "sources" }));
  };
  draw();
  addEventListener("resize", draw, { signal });
  // A memory of old letters has little in the last two years: what there is stands at once, and more follows.
  const recent = active.sources.reduce((n, s) => n + s.counts.reduce((a, b) => a + b, 0), 0);
  if (recent < total / 5) look(120);
  fill(view, title(t("overview"), h("p", { class: "lead" }, t("total", { n: number(total), s: number(list.sources.length) }))), chart, h("h2", null, t("sources")), rows, notes(list));
}

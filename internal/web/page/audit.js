// Who has called what.

import { h, fill } from "./dom.js";
import { call } from "./rpc.js";
import { t, number, moment } from "./words.js";
import { title, notes, note, table, meter, choice } from "./parts.js";

let days = 30;

export async function audit(view, { signal }) {
  const list = h("div");
  const head = h("p", { class: "field" });
  const load = async () => {
    const answer = await call("audit_calls", { days }, signal);
    const by = Map.groupBy(answer.calls, (c) => c.client);
    const sum = (rows, of) => rows.reduce((n, r) => n + r[of], 0);
    const most = Math.max(0, ...answer.calls.map((c) => c.calls));
    fill(head, choice(t("span"), [7, 30, 365].map((n) => [n, t("days", { n: number(n) })]), days, (n) => { days = n; load(); }));
    fill(list, answer.calls.length === 0 && note(t("noCalls")), notes(answer),
      [...by].sort((a, b) => sum(b[1], "calls") - sum(a[1], "calls")).map(([client, rows]) =>
        h("section", { class: "card" },
          h("div", { class: "card-head" }, h("h2", null, client), h("span", { class: "dim" }, `${t("callsIn", { n: number(sum(rows, "calls")) })} · ${moment(Math.max(...rows.map((r) => r.latest_ms)))}`)),
          table([t("tool"), "", t("calls"), t("refused"), t("errors"), t("rows"), t("latest")],
            rows.map((r) => [h("code", null, r.tool), meter(r.calls, most), number(r.calls), r.denied ? h("span", { class: "state unavailable" }, number(r.denied)) : "0", number(r.failed), number(r.rows), moment(r.latest_ms)]),
            { right: [2, 3, 4, 5, 6], caption: client, cls: "calls" }))));
  };
  await load();
  fill(view, title(t("audit")), note(t("auditHelp")), head, list);
}

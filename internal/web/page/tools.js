// The tool registry and its diagnostics.

import { h, fill } from "./dom.js";
import { calls, call } from "./rpc.js";
import { t, number, moment } from "./words.js";
import { title, notes, note, table } from "./parts.js";

export async function tools(view, { signal }) {
  const [list, d] = await calls([["tool_registry_list"], ["tool_registry_diagnostics"]], signal);
  const figure = (n, what) => h("div", { class: "figure" }, h("strong", null, n), h("span", null, what));
  const health = (s) => h("span", { class: "state " + s }, t(s));
  const yes = (b) => t(b ? "yes" : "no");
  const p = d.capability_providers;
  fill(view, title(t("tools")), note(t("toolsHelp")),
    h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("diagnostics"))),
      h("div", { class: "figures" }, figure(number(d.total_tools), t("operations")), figure(number(d.enabled_tools), t("enabledOnes")), figure(number(d.mcp_stdio_tools), t("overMCP")), figure(number(d.json_rpc_tools), t("overRPC"))),
      h("dl", { class: "flat" },
        h("dt", null, t("memory")), h("dd", null, health(d.store.health)),
        h("dt", null, t("providers")), h("dd", null, p.total ? `${number(p.trusted_enabled)} / ${number(p.total)} ${t("usable")}` : t("none"), p.errors?.length > 0 && h("ul", null, p.errors.map((e) => h("li", { lang: "en" }, typeof e === "string" ? e : JSON.stringify(e))))),
        h("dt", null, t("writes")), h("dd", null, d.possible_write_surfaces.length ? h("ul", null, d.possible_write_surfaces.map((w) => h("li", null, h("code", null, w.tool_id), " ", w.reason))) : t("noWrites")),
        h("dt", null, t("denials")), h("dd", null, d.denials ? [number(d.denials), h("ul", null, d.recent_denials.map((x) => h("li", null, moment(Date.parse(x.at)), " ", x.client, " ", h("code", null, x.tool_id))))] : t("noDenials"))),
      h("h3", null, t("surfaces")),
      table([t("surface"), t("levelOf"), t("denied"), t("scopes"), t("limit"), t("redact"), t("recorded")],
        d.policy_surfaces.map((s) => [s.surface, s.level, number(s.denied_tools), number(s.client_scopes), s.rate_limit ? number(s.rate_limit) : "–", yes(s.redact), yes(s.audit)]), { right: [2, 3, 4], caption: t("surfaces") })),
    table([t("tool"), t("transport"), t("state"), t("health"), t("version"), t("schemas")],
      list.tools.map((x) => [
        h("div", { class: "tool" }, h("code", null, x.tool_id), h("span", { class: "dim", lang: "en" }, x.title)), x.transport,
        h("span", { class: "state " + (x.enabled ? "available" : "unknown") }, t(x.enabled ? "on" : "off")), health(x.health), x.version, schemas(x, signal),
      ]), { caption: t("tools"), cls: "registry" }), notes(list));
}

function schemas(x, signal) {
  const body = h("div");
  const show = (name, s) => [h("h4", null, name), h("pre", { tabindex: 0 }, JSON.stringify(s, null, 2))];
  return h("details", { ontoggle: async (e) => {
    if (!e.target.open || body.childElementCount) return;
    const full = await call("tool_registry_get", { tool_id: x.tool_id }, signal);
    fill(body, h("p", { lang: "en" }, full.description), show(t("input"), full.input_schema), show(t("output"), full.output_schema));
  } }, h("summary", { "aria-label": t("schemas") + ": " + x.tool_id }, "{ }"), body);
}

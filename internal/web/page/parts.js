// What several views are made of.

import { h } from "./dom.js";
import { t, day, number } from "./words.js";
import { mark } from "./marks.js";

export const at = {
  read: (id) => "#/read/" + encodeURIComponent(id),
  source: (id) => "#/browse/source/" + encodeURIComponent(id),
  entity: (id) => "#/browse/entity/" + encodeURIComponent(id),
  tree: (id) => "#/trees/" + encodeURIComponent(id),
};

// title is how a view begins.
export const title = (text, ...more) => h("div", { class: "title" }, h("h1", { tabindex: -1 }, text), more);

export const note = (text) => text && h("p", { class: "note" }, text);

// notes are what an answer says about itself. A hint is the server's own sentence, in English.
export const notes = (answer) => {
  if (answer.truncated) return note(t("cut", { shown: number(answer.truncated.shown), total: number(answer.truncated.total) }));
  return answer.hint && h("p", { class: "note", lang: "en" }, answer.hint);
};

export const kindBadge = (kind) => h("span", { class: "badge kind-" + kind }, t(kind));

// row is one chunk in a list.
export function row(r, { wanted = [], why } = {}) {
  const what = r.title || r.author || r.source_ref || r.source_id;
  return h("li", { class: "row" },
    h("a", { class: "row-title", href: at.read(r.chunk_id), "data-row": true }, r.node_kind === "summary" && h("span", { class: "badge" }, t("isSummary")), mark(what, wanted)),
    h("div", { class: "meta" }, h("span", null, r.source_id), r.author && r.author !== what && h("span", null, r.author), h("time", { datetime: r.timestamp }, day(r.timestamp_ms))),
    h("p", { class: "preview", dir: "auto" }, mark(r.preview, wanted)),
    why && h("div", { class: "why" }, why));
}

// table makes a table of rows of cells; a column named in `right` holds numbers.
export const table = (heads, rows, { right = [], caption, cls } = {}) =>
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", { class: cls },
      h("caption", { class: "unseen" }, caption),
      h("thead", null, h("tr", null, heads.map((x, i) => h("th", { scope: "col", class: right.includes(i) && "num" }, x)))),
      h("tbody", null, rows.map((cells) => h("tr", null, cells.map((x, i) => h(i ? "td" : "th", { scope: i ? undefined : "row", class: right.includes(i) && "num" }, x)))))));

// meter is a number as a bar beside it.
export function meter(n, most) {
  const bar = h("span", { class: "meter-fill" });
  bar.style.width = Math.max(1, (n / Math.max(most, 1)) * 100) + "%";
  return h("span", { class: "meter", "aria-hidden": "true" }, bar);
}

// choice is a group of buttons of which one is on.
export const choice = (label, options, on, pick) =>
  h("div", { class: "choice", role: "group", "aria-label": label }, options.map(([value, text]) =>
    h("button", { type: "button", "aria-pressed": String(value === on), onclick: () => pick(value) }, text)));

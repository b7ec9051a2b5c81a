// One question, asked by words and by meaning, side by side.

import { h, fill } from "./dom.js";
import { call } from "./rpc.js";
import { t, number } from "./words.js";
import { title, notes, row, note } from "./parts.js";
import { terms } from "./marks.js";

// What was asked last is kept for the way back, and in no address: those are remembered by browsers.
let kept = { query: "", search: null, recall: null };

export async function search(view, { signal }) {
  const input = h("input", { id: "q", type: "search", name: "query", autocomplete: "off", spellcheck: "false", maxlength: 2000, "aria-label": t("query"), placeholder: t("query"), value: kept.query });
  const sides = h("div", { class: "sides", "aria-live": "polite" });
  let running;
  const ask = async (query) => {
    running?.abort();
    running = new AbortController();
    const stop = AbortSignal.any([running.signal, signal]);
    kept = { query, search: null, recall: null };
    if (!query) return fill(sides);
    fill(sides, note(t("loading")));
    try {
      const one = (method) => call(method, { query, k: 20 }, stop);
      const [search, recall] = await Promise.all([one("memory_tree_search"), one("memory_tree_recall")]);
      kept = { query, search, recall };
      show(sides);
    } catch (err) {
      if (err.name === "AbortError") return;
      fill(sides, h("div", { class: "failure", role: "alert" }, h("strong", null, t("failed")), h("p", null, err.message), err.hint && h("p", null, err.hint)));
    }
  };
  fill(view, title(t("search")),
    h("form", { class: "ask", role: "search", onsubmit: (e) => { e.preventDefault(); ask(input.value.trim()); } }, input, h("button", { class: "main" }, t("search"))),
    h("p", { class: "note" }, t("searchHelp")), sides);
  if (kept.search) show(sides);
  else if (kept.query) await ask(kept.query);
  return { focus: kept.search ? undefined : input };
}

function show(sides) {
  const wanted = terms(kept.query);
  const places = (list) => new Map(list.map((r, i) => [r.chunk_id, i + 1]));
  const inSearch = places(kept.search.chunks), inRecall = places(kept.recall.chunks);
  fill(sides,
    side(t("byWords"), t("byWordsAbout"), kept.search, wanted, (r) => [
      h("span", null, t("keyword")), r.score && h("span", null, t("score", { n: r.score.toFixed(2) })),
      inRecall.has(r.chunk_id) && h("span", null, t("alsoMeaning", { n: inRecall.get(r.chunk_id) }))]),
    side(t("byMeaning"), t("byMeaningAbout"), kept.recall, wanted, (r) => [
      (r.matched ?? []).map((m) => h("span", { class: "matched" }, t(m))), r.score && h("span", null, t("relevance", { n: r.score.toFixed(2) })),
      inSearch.has(r.chunk_id) && h("span", null, t("alsoWords", { n: inSearch.get(r.chunk_id) }))]));
}

const side = (name, about, answer, wanted, why) =>
  h("section", { class: "side", "aria-label": name },
    h("h2", null, name, " ", h("code", null, about), h("span", { class: "count" }, t("found", { n: number(answer.chunks.length) + (answer.has_more ? "+" : "") }))),
    answer.chunks.length ? h("ol", { class: "rows" }, answer.chunks.map((r) => row(r, { wanted, why: [h("span", { class: "unseen" }, t("why"), ": "), why(r)] }))) : note(t("nothing")),
    answer.has_more && !answer.hint ? note(t("more")) : notes(answer));

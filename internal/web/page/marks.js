// Showing where a text holds what was asked for. The server decides what matches; this only points at
// the words, so that it may be simpler: it folds case and accents, and cuts common endings.

import { h } from "./dom.js";

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const COMMON = new Set(
  ("a an and are as at be been but by can could did do does for from had has have how i in is it its me my of on or our she he that the their them " +
    "there they this to was we were what when where which who why will with would you your").split(" "),
);

const fold = (s) => s.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const stem = (w) => (w.length > 4 ? w.replace(/(ing|edly|ed|ies|es|s|e|y)$/, "") : w);

// terms are the words of a query that can stand in a text.
export function terms(query) {
  const asked = query
    .replace(/(^|\s)-\S+/g, " ")
    .replace(/(^|\s)(source|kind|tag|after|before|from):("[^"]*"|\S+)/gi, " ");
  const words = (asked.match(WORD) ?? []).map(fold);
  const telling = words.filter((w) => !COMMON.has(w));
  return [...new Set(telling.length ? telling : words)];
}

// mark returns text as nodes, with what the terms match in <mark>.
export function mark(text, wanted) {
  if (!wanted.length) return [text];
  const spans = [];
  for (const m of text.matchAll(WORD)) {
    if (DENSE.test(m[0])) {
      dense(m[0], m.index, wanted, spans);
      continue;
    }
    const word = fold(m[0]);
    const hit = wanted.some((w) => word === w || (w.length > 3 && word.length > 3 && stem(word) === stem(w)) || word.split("_").includes(w));
    if (hit) spans.push([m.index, m.index + m[0].length]);
  }
  const out = [];
  let at = 0;
  for (const [from, to] of join(spans)) {
    out.push(text.slice(at, from), h("mark", null, text.slice(from, to)));
    at = to;
  }
  out.push(text.slice(at));
  return out;
}

// dense finds terms, or else pairs of their characters, in a script without spaces.
function dense(word, offset, wanted, spans) {
  const lower = word.toLowerCase();
  for (const w of wanted) {
    const pieces = lower.includes(w) || w.length < 3 || !DENSE.test(w) ? [w] : Array.from({ length: w.length - 1 }, (_, i) => w.slice(i, i + 2));
    for (const p of pieces) {
      for (let i = lower.indexOf(p); i >= 0; i = lower.indexOf(p, i + 1)) spans.push([offset + i, offset + i + p.length]);
    }
  }
}

function join(spans) {
  const out = [];
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    const end = out.at(-1);
    if (end && from <= end[1]) end[1] = Math.max(end[1], to);
    else out.push([from, to]);
  }
  return out;
}

// The frame around the views: signing in, the address, the keyboard.

import { h, fill } from "./dom.js";
import { t, languages, current, choose } from "./words.js";
import { call, signedIn, signIn, signOut, Failure } from "./rpc.js";
import { overview } from "./overview.js";

// The first view is there at once; the others come when they are wanted.
const VIEWS = {
  "": async () => overview,
  search: async () => (await import("./search.js")).search,
  browse: async () => (await import("./browse.js")).browse,
  read: async () => (await import("./read.js")).read,
  entities: async () => (await import("./entities.js")).entities,
  trees: async () => (await import("./tree.js")).tree,
  tools: async () => (await import("./tools.js")).tools,
  audit: async () => (await import("./audit.js")).audit,
};
const MENU = [["", "overview"], ["search", "search"], ["entities", "entities"], ["trees", "trees"], ["tools", "tools"], ["audit", "audit"]];

let main, showing = new AbortController(), shown = {}, first = true;

function frame(menu) {
  document.documentElement.lang = current() === "zh" ? "zh-CN" : "en";
  const speak = h("select", { class: "quiet", "aria-label": t("language"), onchange: (e) => { choose(e.target.value); start(); } },
    languages.map(([code, name]) => h("option", { value: code, selected: code === current(), lang: code }, name)));
  main = h("main", { id: "main", tabindex: -1 });
  fill(document.body,
    h("a", { class: "skip", href: "#main", onclick: (e) => { e.preventDefault(); main.focus(); } }, t("skip")),
    h("header", null, h("div", { class: "bar-top" },
      h("a", { class: "brand", href: "#/" }, h("img", { src: "icon.svg", alt: "", width: 22, height: 22 }), "OpenHuman"),
      menu && h("nav", { "aria-label": t("views") }, MENU.map(([to, name], i) => h("a", { href: "#/" + to, "data-view": to, "aria-keyshortcuts": i + 1 }, t(name)))),
      h("div", { class: "right" }, menu && h("button", { type: "button", class: "quiet", "aria-keyshortcuts": "?", onclick: keys }, t("keys")), speak,
        menu && h("button", { type: "button", class: "quiet", onclick: leave }, t("signout"))))),
    main);
}

// start draws everything anew.
async function start() {
  frame(signedIn());
  if (signedIn()) await show();
  else greet();
}

// leave forgets everything, also what the views keep for the way back.
function leave() {
  signOut();
  history.replaceState(null, "", "#/");
  location.reload();
}

function greet(problem) {
  showing.abort();
  document.title = "OpenHuman";
  const input = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "token-help", "aria-invalid": problem && "true" });
  const said = h("p", { class: "failure", role: "alert", hidden: !problem }, problem);
  const say = (text) => { said.hidden = false; fill(said, text); input.select(); };
  fill(main, h("form", { class: "card sign-in", onsubmit: async (e) => {
    e.preventDefault();
    const token = input.value.trim();
    if (!/^[\x21-\x7e]+$/.test(token)) return say(t("badToken"));
    signIn(token);
    try {
      await call("memory_tree_list_sources");
    } catch (err) {
      if (err.status === 401 || err.status === 0) {
        signOut();
        return say(err.status ? t("wrongToken") : t("unreachable"));
      }
    }
    start();
  } }, h("h1", null, t("signin")), h("p", { class: "lead" }, t("tagline")), h("label", { for: "token" }, t("token")), input, h("p", { id: "token-help", class: "note" }, t("signinHelp")), said, h("button", { class: "main" }, t("signin"))));
  input.focus();
}

// show draws the view that the address names.
async function show() {
  const [name = "", ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decode);
  const find = VIEWS[name] ?? VIEWS[""];
  showing.abort();
  shown = {}; // keys for the former view must not lead on from it
  const mine = (showing = new AbortController());
  for (const a of document.querySelectorAll("nav a")) a.dataset.view === name ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current");
  const place = h("div");
  const slow = setTimeout(() => fill(main, h("p", { class: "note", role: "status" }, t("loading"))), 300);
  try {
    shown = (await (await find())(place, { signal: mine.signal, parts })) ?? {};
    if (mine.signal.aborted) return;
    fill(main, place);
  } catch (err) {
    if (mine.signal.aborted) return;
    trouble(err);
  } finally {
    clearTimeout(slow);
  }
  const head = main.querySelector("h1");
  document.title = (head?.textContent ?? "") + " · OpenHuman";
  if (shown.focus) shown.focus.focus();
  else if (!first) head?.focus({ preventScroll: true });
  scrollTo(0, 0);
  if (shown.scroll) shown.scroll.scrollIntoView({ block: "start" });
  first = false;
  performance.mark("shown");
}

const decode = (s) => {
  try {
    return decodeURIComponent(s);
  } catch {
    return s;
  }
};

function trouble(err) {
  shown = {};
  if (err.status === 401) {
    signOut();
    frame(false);
    return greet(t("wrongToken"));
  }
  const away = (err instanceof Failure && err.status === 0) || /dynamically imported/.test(err.message);
  fill(main, h("div", { class: "failure", role: "alert" }, h("h1", { tabindex: -1 }, t("failed")), h("p", null, away ? t("unreachable") : err.message), (away || err.hint) && h("p", null, away ? t("unreachableHint") : err.hint),
    h("button", { type: "button", onclick: show }, t("retry"))));
}

function keys() {
  const line = (what, ...names) => [h("dt", null, names.map((n) => h("kbd", null, n))), h("dd", null, t(what))];
  const box = h("dialog", { "aria-labelledby": "keys", onclose: () => box.remove() }, h("h2", { id: "keys" }, t("keyHelp")),
    h("dl", { class: "keys" }, line("k1", "1", "–", "6"), line("kslash", "/"), line("kjk", "j", "k"), line("kenter", "Enter"), line("kbrackets", "[", "]"), line("kesc", "Esc"), line("kq", "?")),
    h("form", { method: "dialog" }, h("button", { class: "main" }, t("close"))));
  document.body.append(box);
  box.showModal();
}

function step(by) {
  const rows = [...main.querySelectorAll("[data-row]")].filter((r) => r.checkVisibility());
  const now = rows.indexOf(document.activeElement);
  rows[now < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + by))]?.focus();
}

addEventListener("keydown", (e) => {
  if (!signedIn() || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
  const typing = e.target.matches?.("input, select, textarea");
  if (e.key === "Escape") {
    if (typing) e.target.blur();
    else if (/^#\/(read|browse)\//.test(location.hash)) history.back();
    return;
  }
  if (typing) return;
  const view = MENU[Number(e.key) - 1];
  if (view) location.hash = "#/" + view[0];
  else if (e.key === "/") main.querySelector("#q") ? main.querySelector("#q").select() : (location.hash = "#/search");
  else if (e.key === "j") step(1);
  else if (e.key === "k") step(-1);
  else if (e.key === "[" && shown.previous) location.hash = shown.previous;
  else if (e.key === "]" && shown.next) location.hash = shown.next;
  else if (e.key === "?") keys();
  else return;
  e.preventDefault();
});

// What goes wrong after a view stands, as in a button of it, is said in its place.
addEventListener("unhandledrejection", (e) => {
  if (e.reason?.name === "AbortError") return e.preventDefault();
  if (e.reason instanceof Failure) {
    e.preventDefault();
    trouble(e.reason);
  }
});
addEventListener("hashchange", () => signedIn() && show());
start();

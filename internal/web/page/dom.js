// Making elements. Text goes into the page as text and in no other way: nothing here, and nothing
// that uses it, turns a string into markup.

const SVG = "http://www.w3.org/2000/svg";

function build(el, props, kids) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else el.setAttribute(name, value === true ? "" : String(value));
  }
  add(el, kids);
  return el;
}

function add(el, kids) {
  for (const kid of kids.flat(Infinity)) {
    if (kid === undefined || kid === null || kid === false || kid === "") continue;
    el.append(kid instanceof Node ? kid : document.createTextNode(String(kid)));
  }
}

// h makes an HTML element: h("a", {href: "#/"}, "text", other).
export const h = (tag, props, ...kids) => build(document.createElement(tag), props, kids);

// svg makes an SVG element.
export const svg = (tag, props, ...kids) => build(document.createElementNS(SVG, tag), props, kids);

// fill replaces what an element holds.
export function fill(el, ...kids) {
  el.replaceChildren();
  add(el, kids);
  return el;
}

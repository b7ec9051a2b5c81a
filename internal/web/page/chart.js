// Activity as bars.

import { svg } from "./dom.js";
import { t, number, month } from "./words.js";

// bars draws one bar a month. A month with anything in it shows, however little it is.
export function bars(months, counts, { width, height, label, axis }) {
  const most = Math.max(1, ...counts);
  const foot = axis ? 18 : 0, head = axis ? 16 : 0;
  const step = width / counts.length;
  const gap = step > 5 ? Math.min(3, step * 0.25) : step > 2.5 ? 1 : 0.4;
  const room = height - foot - head - 1;
  const el = svg("svg", { class: axis ? "chart" : "spark", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, preserveAspectRatio: axis ? undefined : "none" });
  el.append(svg("line", { class: "base", x1: 0, x2: width, y1: height - foot - 0.5, y2: height - foot - 0.5 }));
  counts.forEach((n, i) => {
    const tall = n ? Math.max(1.5, (n / most) * room) : 0;
    const group = svg("g", { class: "bar" });
    if (axis) group.append(svg("rect", { class: "hit", x: i * step, y: 0, width: step, height: height - foot }), svg("title", null, `${month(months[i])}: ${number(n)}`));
    if (n) group.append(svg("rect", { class: "fill", x: i * step + gap / 2, y: height - foot - 0.5 - tall, width: step - gap, height: tall, rx: Math.min(1.5, step / 6) }));
    el.append(group);
  });
  if (axis) {
    months.forEach((m, i) => {
      if (m.endsWith("-01") && i * step < width - 30) el.append(svg("line", { class: "tick", x1: i * step, x2: i * step, y1: height - foot, y2: height - foot + 4 }), svg("text", { x: i * step + 4, y: height - 4 }, m.slice(0, 4)));
    });
    el.append(svg("line", { class: "most", x1: 0, x2: width, y1: head, y2: head }), svg("text", { x: 0, y: head - 5 }, t("peak", { n: number(most) })));
  }
  return el;
}

// told is a chart in words.
export function told(months, counts) {
  const total = counts.reduce((a, b) => a + b, 0);
  const most = counts.indexOf(Math.max(...counts));
  return total ? t("chart", { total: number(total), from: month(months[0]), to: month(months.at(-1)), most: month(months[most]), n: number(counts[most]) }) : t("quiet", { from: month(months[0]), to: month(months.at(-1)) });
}

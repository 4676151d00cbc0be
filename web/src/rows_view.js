// Some of the rows that come to a node, those that are predicted wrongly among the first.
import {cellText, el, number, plural} from "./dom.js";

const FIRST = 8; // rows that are shown at first
const MOST = 60;
const FEATURES = 10;

/** The rows at a node; a click on the number of one calls useRow with its place. */
export function rowsView(data, model, id, useRow) {
  const here = rowsAt(data, model, id);
  if (!here.length) return el("p", {class: "note"}, "None of the rows of this report comes here.");
  const root = el("div");
  const draw = (most) => root.replaceChildren(...drawn(data, model, id, useRow, here, most, draw));
  draw(FIRST);
  return root;
}

function rowsAt(data, model, id) {
  const inside = (leaf) => {
    for (let node = leaf; node >= 0; node = model.parent[node]) if (node === id) return true;
    return false;
  };
  return data.rows.leaf.map((leaf, k) => (inside(leaf) ? k : -1)).filter((k) => k >= 0);
}

function drawn(data, model, id, useRow, here, most, draw) {
  const {rows, classes, features} = data;
  const off = (k) => classes && rows.truth[k] !== rows.predicted[k];
  const first = [...here.filter(off).slice(0, most / 2), ...here];
  const shown = [...new Set(first)].slice(0, most).sort((a, b) => a - b);
  const columns = featuresFirst(data, model, id);
  const answer = (value) => (classes ? (classes[value] ?? "(other)") : number(value));
  const names = ["row", "target", "predicted", ...columns.map((j) => features[j].name)];
  const line = (k) => {
    const title = "Explain this row";
    const button = el(
      "button",
      {type: "button", class: "plain", title, onclick: () => useRow(k)},
      number(rows.number[k]),
    );
    return el(
      "tr",
      {class: off(k) ? "off" : null},
      el("th", {scope: "row"}, button),
      el("td", {}, answer(rows.truth[k])),
      el("td", {}, answer(rows.predicted[k])),
      columns.map((j) => el("td", {class: "number"}, cellText(features[j], rows.cells[k][j]))),
    );
  };
  const table = el(
    "table",
    {class: "rows"},
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        names.map((name) => el("th", {scope: "col"}, name)),
      ),
    ),
    el("tbody", {}, shown.map(line)),
  );
  const all = plural(model.nodes[id].told.rows, "row", "rows");
  const more = el("button", {type: "button", onclick: () => draw(MOST)}, "More rows");
  return [
    el("h3", {}, "Rows here"),
    el("p", {class: "note"}, `${shown.length} of ${all}; choose a number to explain the row.`),
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows here"}, table),
    most < MOST && here.length > most && el("p", {class: "buttons"}, more),
  ].filter(Boolean);
}

/** The features that are tested on the way to a node, then the others. */
function featuresFirst(data, model, id) {
  const found = new Set();
  for (let node = id; node >= 0; node = model.parent[node]) {
    (model.nodes[node].test?.used ?? []).forEach((k) => found.add(model.columns[k].feature));
  }
  data.features.forEach((_, j) => found.add(j));
  return [...found].slice(0, FEATURES);
}

// The page: reads the data, puts the parts together.
import {legend} from "./charts.js";
import {classColours, numberColours} from "./colours.js";
import {el, number, plural} from "./dom.js";
import {figuresView} from "./figures_view.js";
import {Form} from "./form.js";
import {importancesView, leaderboardView} from "./lists.js";
import {contributions, Model} from "./model.js";
import {NodeView} from "./node_view.js";
import {pathView} from "./path_view.js";
import {lookOf, TreeView} from "./tree_view.js";

function header(data) {
  const {score} = data.figures;
  const size = data.model
    ? [
        plural(data.path.steps[0].leaves, "leaf", "leaves"),
        `depth ${data.depth}`,
        plural(data.terms, "weight", "weights"),
      ]
    : [];
  const facts = [
    data.estimator,
    ...size,
    plural(data.features.length, "feature", "features"),
    plural(data.n_rows, "row", "rows"),
    `${score.name} ${number(score.value)}`,
  ];
  const theme = el(
    "button",
    {
      type: "button",
      id: "theme",
      onclick: () => {
        const root = document.documentElement;
        const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
        root.dataset.theme = now === "dark" ? "light" : "dark";
      },
    },
    "Light or dark",
  );
  return el("header", {}, el("div", {}, el("h1", {}, data.title), el("p", {class: "note"}, facts.join(" · "))), theme);
}

function treePart(data, colour, range) {
  const model = new Model(data);
  const look = lookOf(data, model, colour, range);
  const state = {step: 0};
  let tree = null;
  const form = new Form(data, model, colour, (way) => tree?.setWay(way));
  const node = new NodeView(data, model, look, colour, (k) => {
    form.useRow(k);
    form.root.scrollIntoView({block: "start"});
    form.root.querySelector("input, select").focus({preventScroll: true});
  });
  tree = new TreeView(model, look, (id) => node.show(id, state.step));
  const path = pathView(data, (step) => {
    state.step = step;
    node.step = step;
    form.setStep(step);
    tree.setStep(step);
  });
  const button = (id, text, action) => el("button", {type: "button", id, onclick: action}, text);
  const buttons = el(
    "p",
    {class: "buttons"},
    button("unfold", "Unfold all", () => tree.setAll(true)),
    button("fold", "Fold all", () => tree.setAll(false)),
  );
  const holder = el("div", {class: "scroll canvas"});
  const help =
    "Arrow keys move, Enter folds and unfolds. Lines are as wide as their share of the rows; the blue ones lead to the leaf of the row in the form below.";
  const section = el(
    "section",
    {class: "card", "aria-labelledby": "tree-title"},
    el("div", {class: "row"}, el("h2", {id: "tree-title"}, "The tree"), buttons),
    el("p", {class: "note"}, help),
    data.classes && legend(data.classes.slice(0, 30), colour),
    path,
    holder,
  );
  return {
    parts: {tree: section, node: node.root, form: form.root},
    start: () => {
      tree.attach(holder);
      node.show(0, 0);
      tree.setWay(model.path(form.row));
    },
    model,
    form,
    tree,
  };
}

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const targets = data.classes ? [0, 1] : [...data.rows.truth, ...data.rows.predicted];
  const range = data.nodes?.[0].target
    ? [data.nodes[0].target.low, data.nodes[0].target.high]
    : [Math.min(...targets), Math.max(...targets)];
  const colour = data.classes ? classColours(data.classes.length) : numberColours(...range);
  const tree = data.model ? treePart(data, colour, range) : null;
  const others = [
    data.importances && importancesView(data),
    data.leaderboard && leaderboardView(data.leaderboard),
  ].filter(Boolean);
  document
    .getElementById("report")
    .replaceChildren(
      header(data),
      ...(tree
        ? [el("div", {class: "explore"}, tree.parts.tree, tree.parts.node, figuresView(data, colour)), tree.parts.form]
        : [el("section", {class: "card"}, el("p", {}, data.instead)), figuresView(data, colour)]),
      el("div", {class: "pair"}, ...others),
    );
  tree?.start();
  // For tests, and for those who want to ask the page by script.
  window.askew = {data, contributions, model: tree?.model, form: tree?.form, tree: tree?.tree};
  performance.mark("drawn");
}

main();

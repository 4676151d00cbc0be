// One node: what it tests, in the units of the data and as shares of the decision, and the rows that come there.
import {histogram, legend, plainBar, signedBar} from "./charts.js";
import {el, number, percent, plural} from "./dom.js";
import {rowsView} from "./rows_view.js";

const TERMS = 12; // shown at first
const LONG = 14; // characters of a name that stands on a line of its own
const LEGEND = 30; // classes that are named

export class NodeView {
  constructor(data, model, look, colour, useRow) {
    Object.assign(this, {data, model, look, colour, useRow, all: false});
    this.root = el("section", {
      class: "card node-view",
      id: "node",
      "aria-labelledby": "node-title",
    });
  }

  show(id, step) {
    const {model, data} = this;
    const node = model.nodes[id];
    const leaf = model.isLeaf(node, step);
    const told = node.told;
    const heading = el("h2", {id: "node-title"}, leaf ? `Leaf ${id}: ${this.look.answer(node)}` : `Node ${id}`);
    const share = percent(node.weight / model.total);
    const facts = `${plural(node.n_samples, "training row", "training rows")} (${share}), ${plural(told.rows, "row", "rows")} of this report`;
    this.root.replaceChildren(
      heading,
      el("p", {class: "note"}, facts),
      ...(leaf ? this.leaf(node, told) : this.test(node, told)),
      this.answers(node),
      rowsView(data, model, id, this.useRow),
    );
  }

  leaf(node, told) {
    const parts = [];
    if (node.model) parts.push(this.linear(node.model));
    if (told.target) parts.push(this.target(told));
    return parts;
  }

  test(node, told) {
    const kind = node.test.kind;
    const parts = [el("p", {class: "test"}, kind === "hyperplane" ? `${told.text} ?` : told.text)];
    if (kind === "categories") {
      parts.push(
        el(
          "ul",
          {class: "branches"},
          told.branches.map((name, k) => el("li", {}, `${name} → node ${node.children[k]}`)),
        ),
      );
    } else if (kind === "linear machine") {
      parts.push(
        el(
          "ol",
          {class: "branches"},
          told.sums.map((sum) => el("li", {}, sum)),
        ),
      );
    } else {
      parts.push(this.plane(node, told));
    }
    if (told.histogram) parts.push(...this.along(node, told));
    else if (told.target) parts.push(this.target(told));
    return parts;
  }

  /** The rows along the plane, or at each child of another test. */
  along(node, told) {
    const {classes} = this.data;
    const {threshold, single} = told.histogram;
    const plane = threshold !== undefined;
    const chart = histogram(told.histogram, {
      colour: this.colour,
      threshold,
      label: plane ? `Rows along the plane, threshold at ${number(threshold)}` : "Rows of each child",
      xLabel: plane ? (single ? node.test.columns[0] : "weighted sum; the line is the threshold") : null,
      bins: plane ? null : told.branches,
    });
    return [
      el("h3", {}, plane ? "Rows along the plane" : "Rows of each child"),
      classes && legend(classes.slice(0, LEGEND), this.colour),
      chart,
      !classes && el("p", {class: "note"}, "The colour is the mean of the target: dark is low, light is high."),
    ].filter(Boolean);
  }

  plane(node, {terms}) {
    const largest = Math.max(...terms.map(([, weight]) => Math.abs(weight ?? 0))) || 1;
    const line = ([name, weight, share]) => {
      const colour = weight === null ? "var(--muted)" : weight < 0 ? "var(--minus)" : "var(--plus)";
      return el(
        "tr",
        {},
        el("th", {scope: "row"}, name),
        el("td", {class: "number"}, weight === null ? "" : number(weight)),
        el("td", {}, weight === null ? "" : signedBar(weight / largest, colour)),
        el("td", {class: "number"}, percent(share)),
        el("td", {}, plainBar(share, colour)),
      );
    };
    const head = el(
      "tr",
      {},
      el("th", {scope: "col"}, "term"),
      el("th", {scope: "col", colspan: "2"}, "weight, in the data’s units"),
      el("th", {scope: "col", colspan: "2"}, "share of the decision"),
    );
    const text = this.all ? "Fewer terms" : `All ${terms.length} terms`;
    const more = el("button", {type: "button", onclick: () => this.toggleAll(node.id)}, text);
    const shown = this.all ? terms : terms.slice(0, TERMS);
    const long = shown.some(([name]) => name.length > LONG);
    return el(
      "div",
      {class: "scroll"},
      el("table", {class: long ? "plane stacked" : "plane"}, el("thead", {}, head), el("tbody", {}, shown.map(line))),
      terms.length > TERMS && more,
    );
  }

  toggleAll(id) {
    this.all = !this.all;
    this.show(id, this.step ?? 0);
    this.root.querySelector("button")?.focus();
  }

  linear(model) {
    const {classes} = this.data;
    const line = (name, k) =>
      el(
        "tr",
        {},
        el("th", {scope: "row"}, name),
        model.sums.map((sum) => el("td", {class: "number"}, number(sum.weights[k]))),
      );
    const head = classes
      ? [
          el(
            "tr",
            {},
            el("th", {scope: "col"}, "term"),
            classes.map((name) => el("th", {scope: "col"}, name)),
          ),
        ]
      : [];
    const constant = el(
      "tr",
      {},
      el("th", {scope: "row"}, "constant"),
      model.sums.map((sum) => el("td", {class: "number"}, number(sum.constant))),
    );
    const range =
      model.range && el("p", {class: "note"}, `from ${number(model.range[0])} to ${number(model.range[1])}`);
    return el(
      "div",
      {class: "scroll"},
      el("h3", {}, "Linear model"),
      range,
      el("table", {}, el("thead", {}, head), el("tbody", {}, model.columns.map(line), constant)),
    );
  }

  target(told) {
    const {low, high, counts} = told.target;
    const wide = (high - low) / counts.length;
    const means = counts.map((_, k) => low + (k + 0.5) * wide);
    return histogram(
      {low, high, counts: [counts], means},
      {colour: this.colour, label: "Distribution of the target of the rows here", xLabel: "target of the rows here"},
    );
  }

  answers(node) {
    const {classes} = this.data;
    if (!classes)
      return el(
        "p",
        {class: "note"},
        `Mean of the training rows here: ${number(node.value[0])}; of the rows of this report: ${number(node.told.mean)}`,
      );
    const shares = this.model.sharesOf(node);
    const order = shares
      .map((_, code) => code)
      .filter((code) => shares[code] > 0 || classes.length <= 8)
      .sort((a, b) => shares[b] - shares[a])
      .slice(0, 8);
    const line = (code) =>
      el(
        "tr",
        {},
        el("th", {scope: "row"}, classes[code]),
        el("td", {class: "number"}, percent(shares[code])),
        el("td", {}, plainBar(shares[code], this.colour(code))),
      );
    return el(
      "div",
      {},
      el("h3", {}, "Classes of the training rows"),
      el("table", {class: "shares"}, el("tbody", {}, order.map(line))),
    );
  }
}

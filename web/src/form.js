// A form that takes a row: what is predicted, its way through the tree with what each feature adds, the nearest change.
import {plainBar, signedBar} from "./charts.js";
import {card, cellText, el, number, percent} from "./dom.js";
import {ChangeView} from "./change_view.js";
import {contributions} from "./model.js";

const FIRST = 12; // features that are shown at once, those that matter most
const PARTS = 6; // of a node

export class Form {
  constructor(data, model, colour, onWay) {
    Object.assign(this, {data, model, colour, onWay, step: 0, fixed: new Set()});
    this.row = data.features.map((feature) => feature.usual ?? null);
    this.fields = data.features.map((feature, j) => this.field(feature, j));
    const order = data.features
      .map((_, j) => j)
      .sort((a, b) => (data.importances?.[b] ?? 0) - (data.importances?.[a] ?? 0) || a - b);
    const [first, rest] = [order.slice(0, FIRST), order.slice(FIRST)];
    this.answer = el("p", {class: "answer", id: "answer", "aria-live": "polite"});
    this.result = el("div", {class: "result"});
    this.change = new ChangeView(this);
    const grid = (places) =>
      el(
        "div",
        {class: "fields"},
        places.map((j) => this.fields[j].root),
      );
    const more = rest.length ? [el("details", {}, el("summary", {}, `${rest.length} more features`), grid(rest))] : [];
    const buttons = el(
      "p",
      {class: "buttons"},
      el(
        "button",
        {
          type: "button",
          id: "typical",
          onclick: () => this.setRow(data.features.map((feature) => feature.usual ?? null)),
        },
        "Typical row",
      ),
      el(
        "button",
        {
          type: "button",
          id: "random-row",
          onclick: () => this.useRow(Math.floor(Math.random() * data.rows.cells.length)),
        },
        "A row of the data",
      ),
    );
    const head = el(
      "div",
      {class: "field head", "aria-hidden": "true"},
      el("span", {}, "feature"),
      el("span", {}, "value"),
      el("span", {title: "Hold it in the nearest change"}, "hold"),
    );
    const form = el(
      "form",
      {onsubmit: (event) => event.preventDefault(), "aria-label": "A row"},
      buttons,
      head,
      grid(first),
      ...more,
    );
    this.root = card(
      "A row",
      "Change a value: the prediction, its reasons and the nearest change that would alter it follow.",
      el("div", {class: "columns"}, form, el("div", {}, this.answer, this.result, this.change.root)),
    );
    this.root.id = "row";
    this.update();
  }

  field(feature, j) {
    const id = `f${j}`;
    const set = (value) => {
      this.row[j] = value;
      this.update();
    };
    let input;
    if (feature.categories) {
      const read = () => set(input.value === "" ? null : Number(input.value));
      input = el(
        "select",
        {id, onchange: read},
        el("option", {value: ""}, "missing"),
        el("option", {value: "-1"}, "any other"),
        feature.categories.map((name, code) => el("option", {value: code}, name)),
      );
    } else {
      const read = () =>
        set(input.value.trim() === "" || !Number.isFinite(Number(input.value)) ? null : Number(input.value));
      const range = feature.low === undefined ? "" : `${number(feature.low)} to ${number(feature.high)}`;
      input = el("input", {id, type: "number", step: "any", placeholder: "missing", title: range, oninput: read});
    }
    const hold = el("input", {
      type: "checkbox",
      id: `${id}-hold`,
      "aria-label": `Hold ${feature.name} in the nearest change`,
      title: "Hold it in the nearest change",
      onchange: () => {
        if (hold.checked) this.fixed.add(j);
        else this.fixed.delete(j);
        this.update();
      },
    });
    const write = (value) => (input.value = value === null ? "" : String(value));
    write(this.row[j]);
    return {
      root: el("div", {class: "field"}, el("label", {for: id, title: feature.name}, feature.name), input, hold),
      write,
    };
  }

  useRow(k) {
    this.setRow(this.data.rows.cells[k]);
  }

  setRow(row) {
    this.row = [...row];
    this.row.forEach((value, j) => this.fields[j].write(value));
    this.update();
  }

  setStep(step) {
    this.step = step;
    this.update();
  }

  answerText(answer) {
    return this.data.classes ? this.data.classes[answer] : number(answer);
  }

  update() {
    const {model, data} = this;
    if (model.missing === "error" && this.row.includes(null)) {
      this.onWay([]);
      this.answer.textContent = "";
      this.result.replaceChildren(el("p", {}, "This model takes no missing values: fill in every field."));
      this.change.clear();
      return;
    }
    this.found = model.predict(this.row, this.step);
    const way = model.path(this.row, this.step);
    this.onWay(way);
    const {answer, shares} = this.found;
    this.answer.textContent = this.answerText(answer);
    const parts = [];
    if (shares) {
      const order = shares
        .map((_, code) => code)
        .sort((a, b) => shares[b] - shares[a])
        .slice(0, 6);
      parts.push(
        el(
          "table",
          {class: "shares"},
          el(
            "tbody",
            {},
            order.map((code) =>
              el(
                "tr",
                {},
                el("th", {scope: "row"}, data.classes[code]),
                el("td", {class: "number"}, percent(shares[code])),
                el("td", {}, plainBar(shares[code], this.colour(code))),
              ),
            ),
          ),
        ),
      );
    }
    if (this.step > 0)
      parts.push(el("p", {class: "note"}, `By the pruned tree above, of ${data.path.steps[this.step].leaves} leaves.`));
    parts.push(el("h3", {}, "Why"), this.reasons(way));
    this.result.replaceChildren(...parts);
    this.change.show();
  }

  reasons(way) {
    const x = this.model.columnsOf(this.row);
    const leaf = way[way.length - 1];
    const steps = way.slice(0, -1).map((node, k) => this.reason(node, way[k + 1], x));
    return el("ol", {class: "reasons"}, steps, el("li", {}, `Leaf ${leaf.id}: ${this.answerText(this.found.answer)}`));
  }

  reason(node, next, x) {
    const branch = node.told.branches[node.children.indexOf(next.id)];
    const head = el("p", {}, el("span", {class: "test"}, node.told.label), " ", el("span", {class: "branch"}, branch));
    if (node.test.kind !== "hyperplane" || node.test.columns.length < 2) {
      const k = node.test.used[0];
      const column = this.model.columns[k];
      const shown =
        node.test.kind === "linear machine"
          ? ""
          : `${this.data.features[column.feature].name} is ${cellText(this.data.features[column.feature], this.row[column.feature])}`;
      return el("li", {}, head, el("p", {class: "note"}, shown));
    }
    const {parts, base, margin} = contributions(this.model, node, x);
    parts.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const most = Math.max(...parts.map(([, part]) => Math.abs(part)), Math.abs(base)) || 1;
    const line = (name, part, colour) =>
      el(
        "tr",
        {},
        el("th", {scope: "row"}, name),
        el("td", {}, signedBar(part / most, colour)),
        el("td", {class: "number"}, number(part)),
      );
    const colour = (part) => (part < 0 ? "var(--minus)" : "var(--plus)");
    const rest = parts.slice(PARTS).reduce((sum, [, part]) => sum + part, 0);
    const value = (j) => `${this.data.features[j].name}: ${cellText(this.data.features[j], this.row[j])}`;
    const lines = parts.slice(0, PARTS).map(([j, part]) => line(value(j), part, colour(part)));
    if (parts.length > PARTS) lines.push(line(`${parts.length - PARTS} more`, rest, colour(rest)));
    lines.push(
      line("the mean row here", base, "var(--muted)"),
      el(
        "tr",
        {class: "sum"},
        el("th", {scope: "row"}, "sum − threshold"),
        el("td"),
        el("td", {class: "number"}, number(margin)),
      ),
    );
    return el("li", {}, head, el("table", {class: "parts"}, el("tbody", {}, lines)));
  }
}

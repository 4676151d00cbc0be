// A form that takes a row: what is predicted, its way through the tree with what each feature adds, the nearest change.
import {plainBar, signedBar} from "./charts.js";
import {card, el, number, percent} from "./dom.js";
import {nearest} from "./flip.js";
import {contributions} from "./model.js";
import {cellText} from "./node_view.js";

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
    this.result = el("div", {class: "result", "aria-live": "polite"});
    this.change = el("div", {class: "change", "aria-live": "polite"});
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
      el("div", {class: "columns"}, form, el("div", {}, this.result, this.change)),
    );
    this.root.id = "row";
    this.wanted = this.chooser();
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

  chooser() {
    const {classes, rows} = this.data;
    if (classes) {
      return el(
        "select",
        {id: "wanted", onchange: () => this.showChange()},
        el("option", {value: ""}, "any other class"),
        classes.map((name, code) => el("option", {value: code}, name)),
      );
    }
    const sorted = [...rows.truth].sort((a, b) => a - b);
    const high = sorted[Math.floor(0.75 * sorted.length)];
    return el("input", {
      id: "wanted",
      type: "number",
      step: "any",
      value: Number(high.toPrecision(3)),
      oninput: () => this.showChange(),
    });
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
      this.result.replaceChildren(el("p", {}, "This model takes no missing values: fill in every field."));
      this.change.replaceChildren();
      return;
    }
    this.found = model.predict(this.row, this.step);
    const way = model.path(this.row, this.step);
    this.onWay(way);
    const {answer, shares} = this.found;
    const parts = [el("p", {class: "answer", id: "answer"}, this.answerText(answer))];
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
    this.showChange();
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
    const {parts, base, margin} = contributions(node, x);
    const order = parts.map((_, k) => k).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
    const most = Math.max(...parts.map(Math.abs), Math.abs(base)) || 1;
    const line = (name, part, colour) =>
      el(
        "tr",
        {},
        el("th", {scope: "row"}, name),
        el("td", {}, signedBar(part / most, colour)),
        el("td", {class: "number"}, number(part)),
      );
    const colour = (part) => (part < 0 ? "var(--minus)" : "var(--plus)");
    const rest = order.slice(PARTS).reduce((sum, k) => sum + parts[k], 0);
    const lines = order.slice(0, PARTS).map((k) => line(node.test.columns[k], parts[k], colour(parts[k])));
    if (order.length > PARTS) lines.push(line(`${order.length - PARTS} more`, rest, colour(rest)));
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

  /** What answers are wanted of the nearest change. */
  goal() {
    const now = this.found.answer;
    if (this.data.classes) {
      const chosen = this.wanted.value === "" ? null : Number(this.wanted.value);
      const classes = this.data.classes
        .map((_, code) => code)
        .filter((code) => (chosen === null ? code !== now : code === chosen));
      return {classes, holds: (answer) => classes.includes(answer)};
    }
    const bound = this.wanted.value.trim() === "" ? NaN : Number(this.wanted.value);
    const sign = now < bound ? 1 : -1;
    return {bound, sign, holds: (answer) => sign * (answer - bound) >= 0};
  }

  showChange() {
    const {classes} = this.data;
    const told = el("div");
    const label = el(
      "label",
      {for: "wanted"},
      classes ? "The nearest change that gives " : "The nearest change that reaches ",
    );
    if (!this.change.contains(this.wanted)) this.change.replaceChildren(el("h3", {}, label, this.wanted), told);
    else this.change.lastElementChild.replaceWith(told);
    const wanted = this.goal();
    if (wanted.bound !== undefined && !Number.isFinite(wanted.bound))
      return told.append(el("p", {class: "note"}, "Give a number."));
    if (wanted.holds(this.found.answer))
      return told.append(el("p", {class: "note"}, "That is the prediction already."));
    const open = ["below", "fractional"].includes(this.model.missing) && this.row.includes(null);
    if (open) return told.append(el("p", {class: "note"}, "Fill in the missing values first."));
    const found = this.flip(wanted);
    if (!found) return told.append(el("p", {class: "note"}, "No change of the values that are free gives it."));
    told.append(
      this.changeTable(found),
      el(
        "p",
        {class: "buttons"},
        el("button", {type: "button", id: "apply-change", onclick: () => this.setRow(found.row)}, "Take this row"),
      ),
    );
    const alone = this.alone(wanted, found);
    if (alone) told.append(el("p", {class: "note"}, `By one feature alone: ${alone}`));
    return undefined;
  }

  options(only) {
    return {scale: this.data.scale, fixed: this.fixed, step: this.step, only};
  }

  flip(wanted = this.goal()) {
    return nearest(this.model, this.row, wanted, this.options());
  }

  /** The nearest change of a single feature, in words. */
  alone(wanted, found) {
    if (found.row.filter((cell, j) => cell !== this.row[j]).length < 2) return null;
    let best = null;
    for (let j = 0; j < this.row.length; j++) {
      if (this.fixed.has(j) || this.row[j] === null) continue;
      const one = nearest(this.model, this.row, wanted, this.options(j));
      if (one && (best === null || one.distance < best.distance)) best = {...one, j};
    }
    if (!best) return null;
    const feature = this.data.features[best.j];
    return `${feature.name} ${cellText(feature, this.row[best.j])} → ${cellText(feature, best.row[best.j])}`;
  }

  changeTable(found) {
    const {data} = this;
    const change = (j) => (data.features[j].categories ? 1 : (found.row[j] - this.row[j]) / data.scale[j]);
    const changed = found.row
      .map((_, j) => j)
      .filter((j) => found.row[j] !== this.row[j])
      .sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)));
    const most = Math.max(...changed.map((j) => Math.abs(change(j))));
    const line = (j) =>
      el(
        "tr",
        {},
        el("th", {scope: "row"}, data.features[j].name),
        el(
          "td",
          {class: "number"},
          `${cellText(data.features[j], this.row[j])} → ${cellText(data.features[j], found.row[j])}`,
        ),
        el("td", {}, signedBar(change(j) / most, change(j) < 0 ? "var(--minus)" : "var(--plus)")),
      );
    const then = this.model.predict(found.row, this.step).answer;
    const head = `${this.answerText(then)}, at a distance of ${number(found.distance)} standard deviations`;
    return el(
      "div",
      {},
      el("p", {id: "changed-to"}, head),
      el("table", {class: "parts"}, el("tbody", {}, changed.slice(0, 10).map(line))),
      changed.length > 10 && el("p", {class: "note"}, `and ${changed.length - 10} smaller changes`),
    );
  }
}

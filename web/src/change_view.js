// The nearest change of the form's row that gives another answer.
import {signedBar} from "./charts.js";
import {cellText, el, exact, number} from "./dom.js";
import {nearest} from "./flip.js";

const SHOWN = 10; // features that change
const LARGE = 150; // leaves of a tree for which the search waits until typing pauses
const ALONE = 40; // features that are tried one by one
const PAUSE = 250; // milliseconds

export class ChangeView {
  constructor(form) {
    Object.assign(this, {form, data: form.data, model: form.model});
    this.wanted = this.chooser();
    this.told = el("div");
    const label = this.data.classes ? "The nearest change that gives " : "The nearest change that reaches ";
    this.root = el("div", {class: "change"}, el("h3", {}, el("label", {for: "wanted"}, label), this.wanted), this.told);
  }

  /** What is wanted: any other class, a class, or a number. */
  chooser() {
    const {classes, rows} = this.data;
    if (classes) {
      return el(
        "select",
        {id: "wanted", onchange: () => this.show()},
        el("option", {value: ""}, "any other class"),
        classes.map((name, code) => el("option", {value: code}, name)),
      );
    }
    const sorted = [...rows.truth].sort((a, b) => a - b);
    const value = Number(sorted[Math.floor(0.75 * sorted.length)].toPrecision(3));
    return el("input", {id: "wanted", type: "number", step: "any", value, oninput: () => this.show()});
  }

  /** A test of an answer, and what the search for it needs to know. */
  goal() {
    const now = this.form.found.answer;
    if (this.data.classes) {
      const chosen = this.wanted.value === "" ? null : Number(this.wanted.value);
      const codes = this.data.classes.map((_, code) => code);
      const classes = codes.filter((code) => (chosen === null ? code !== now : code === chosen));
      return {classes, holds: (answer) => classes.includes(answer)};
    }
    const bound = this.wanted.value.trim() === "" ? NaN : Number(this.wanted.value);
    const sign = now < bound ? 1 : -1;
    return {bound, sign, holds: (answer) => sign * (answer - bound) >= 0};
  }

  clear() {
    clearTimeout(this.timer);
    this.told.replaceChildren();
  }

  show() {
    this.clear();
    const wanted = this.goal();
    const note = this.obstacle(wanted);
    if (note) this.told.append(el("p", {class: "note"}, note));
    else if (this.model.leaves(this.form.step).length < LARGE) this.search(wanted);
    else this.timer = setTimeout(() => this.search(wanted), PAUSE);
  }

  /** Why there is nothing to look for; null if there is. */
  obstacle(wanted) {
    if (wanted.bound !== undefined && !Number.isFinite(wanted.bound)) return "Give a number.";
    if (wanted.holds(this.form.found.answer)) return "That is the prediction already.";
    const open = ["below", "fractional"].includes(this.model.missing) && this.form.row.includes(null);
    return open ? "Fill in the missing values first." : null;
  }

  search(wanted) {
    const found = this.find(wanted);
    if (!found) {
      this.told.append(el("p", {class: "note"}, "No change of the values that are free gives it."));
      return;
    }
    const take = () => this.form.setRow(found.row);
    const button = el("button", {type: "button", id: "apply-change", onclick: take}, "Take this row");
    this.told.append(this.table(found), el("p", {class: "buttons"}, button));
    const alone = this.alone(wanted, found);
    if (alone) this.told.append(el("p", {class: "note", id: "alone"}, `By one feature alone: ${alone}`));
  }

  find(wanted = this.goal(), only = undefined) {
    const {row, fixed, step} = this.form;
    return nearest(this.model, row, wanted, {scale: this.data.scale, fixed, step, only});
  }

  /** How much a feature changes, in spreads. */
  size(found, j) {
    return this.data.features[j].categories ? 1 : (found.row[j] - this.form.row[j]) / this.data.scale[j];
  }

  /** The features that change, the most first. */
  changed(found) {
    const places = found.row.map((_, j) => j).filter((j) => found.row[j] !== this.form.row[j]);
    return places.sort((a, b) => Math.abs(this.size(found, b)) - Math.abs(this.size(found, a)));
  }

  /** The nearest change of a single feature, in words; null if the nearest change is one, or none is enough. */
  alone(wanted, found) {
    const changed = this.changed(found);
    if (changed.length < 2) return null;
    let best = null;
    for (const j of changed.slice(0, ALONE)) {
      const one = this.find(wanted, j);
      if (one && (best === null || one.distance < best.distance)) best = {...one, j};
    }
    return best && `${this.data.features[best.j].name} ${this.fromTo(best.row, best.j)}`;
  }

  /** The old value, and the new one with all digits that count: the change must be one that can be typed in. */
  fromTo(row, j) {
    const feature = this.data.features[j];
    return `${cellText(feature, this.form.row[j])} → ${feature.categories === null ? exact(row[j]) : cellText(feature, row[j])}`;
  }

  table(found) {
    const {features} = this.data;
    const changed = this.changed(found);
    const size = (j) => this.size(found, j);
    const most = Math.abs(size(changed[0]));
    const line = (j) =>
      el(
        "tr",
        {},
        el("th", {scope: "row"}, features[j].name),
        el("td", {class: "number"}, this.fromTo(found.row, j)),
        el("td", {}, signedBar(size(j) / most, size(j) < 0 ? "var(--minus)" : "var(--plus)")),
      );
    const then = this.form.answerText(this.model.predict(found.row, this.form.step).answer);
    return el(
      "div",
      {},
      el("p", {id: "changed-to"}, `${then}, at a distance of ${number(found.distance)} standard deviations`),
      el("table", {class: "parts"}, el("tbody", {}, changed.slice(0, SHOWN).map(line))),
      changed.length > SHOWN && el("p", {class: "note"}, `and ${changed.length - SHOWN} smaller changes`),
    );
  }
}

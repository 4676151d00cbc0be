// The slider along the pruning path: leaves against the score; the tree redraws.
import {line} from "d3-shape";
import {frame} from "./charts.js";
import {el, number, plural} from "./dom.js";

export function pathView(data, onStep) {
  const {steps} = data.path;
  const name = data.figures.score.name;
  const told = (k) =>
    `${steps[k].leaves} of ${plural(steps[0].leaves, "leaf", "leaves")} · ${name} ${number(steps[k].score)}`;
  const output = el("output", {for: "size", id: "size-told"}, told(0));
  if (steps.length < 2)
    return el("div", {class: "path"}, el("p", {class: "note"}, "This tree has no smaller subtrees to look at."));
  const last = steps.length - 1;
  const slider = el("input", {
    type: "range",
    id: "size",
    min: 0,
    max: last,
    step: 1,
    value: last,
    "aria-describedby": "size-told",
    "aria-valuetext": told(0),
  });
  const {chart, mark} = drawn(steps, name);
  slider.addEventListener("input", () => {
    const k = last - Number(slider.value); // the whole tree is on the right
    output.textContent = told(k);
    slider.setAttribute("aria-valuetext", told(k));
    mark(k);
    onStep(k);
  });
  return el(
    "div",
    {class: "path"},
    el("div", {class: "control"}, el("label", {for: "size"}, "Prune the tree"), slider, output),
    chart,
  );
}

function drawn(steps, name) {
  const scores = steps.map((step) => step.score).filter((score) => score !== null);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const away = (high - low || 0.1) * 0.1;
  const chart = frame({
    width: 420,
    height: 120,
    x: [1, Math.max(2, steps[0].leaves)],
    y: [low - away, high + away],
    xLabel: "leaves",
    yTicks: 3,
    label: `${name} of each subtree by its leaves`,
    format: (n) => (Number.isInteger(n) ? n : ""),
  });
  const known = steps.filter((step) => step.score !== null);
  const path = line(
    (step) => chart.sx(step.leaves),
    (step) => chart.sy(step.score),
  );
  chart.drawing.append("path").attr("class", "curve").attr("d", path(known)).attr("stroke", "var(--accent)");
  known.forEach((step) =>
    chart.drawing
      .append("circle")
      .attr("r", 2)
      .attr("cx", chart.sx(step.leaves))
      .attr("cy", chart.sy(step.score))
      .attr("fill", "var(--accent)"),
  );
  const dot = chart.drawing.append("circle").attr("r", 6).attr("class", "mark");
  const mark = (k) => dot.attr("cx", chart.sx(steps[k].leaves)).attr("cy", chart.sy(steps[k].score ?? low));
  mark(0);
  return {chart: chart.root, mark};
}

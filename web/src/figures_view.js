// How well the model predicts: the score, confusion matrix, calibration and ROC; of numbers, residuals.
import {curve, frame, histogram} from "./charts.js";
import {card, el, number, percent} from "./dom.js";

export function figuresView(data, colour) {
  const {score, facts} = data.figures;
  const shown = el(
    "dl",
    {class: "facts"},
    [[score.name, score.value], ...facts].map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, number(value))),
    ),
  );
  const note = `On the ${number(data.n_rows)} rows of this report.`;
  return card(
    "How well it predicts",
    note,
    shown,
    el("div", {class: "charts"}, ...(data.classes ? classCharts(data, colour) : numberCharts(data, colour))),
  );
}

function classCharts(data, colour) {
  const charts = [];
  if (data.figures.matrix) charts.push(el("figure", {}, el("figcaption", {}, "Confusion matrix"), matrix(data)));
  if (data.figures.curves.length) charts.push(...curves(data, colour));
  return charts;
}

function matrix({classes, figures}) {
  const names = [...classes, ...(figures.matrix.length > classes.length ? ["(other)"] : [])];
  const head = el(
    "tr",
    {},
    el("th", {scope: "col"}, "true ╲ predicted"),
    classes.map((name) => el("th", {scope: "col"}, name)),
  );
  const line = (counts, k) => {
    const total = counts.reduce((a, b) => a + b, 0);
    return el(
      "tr",
      {},
      el("th", {scope: "row"}, names[k]),
      counts.map((n, j) => {
        const strength = total ? n / total : 0;
        const tint = `color-mix(in srgb, var(${j === k ? "--good" : "--bad"}) ${Math.round(75 * strength)}%, transparent)`;
        return el(
          "td",
          {
            class: "number",
            style: n ? {background: tint} : {},
            title: `${number(n)} of ${number(total)} rows of class ${names[k]}, ${percent(strength)}, predicted as ${classes[j]}`,
          },
          number(n),
        );
      }),
    );
  };
  return el(
    "div",
    {class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix"},
    el("table", {class: "matrix"}, el("thead", {}, head), el("tbody", {}, figures.matrix.map(line))),
  );
}

function curves(data, colour) {
  const {classes, figures} = data;
  const [roc, calibration] = [el("div"), el("div")];
  const draw = (code) => {
    const one = figures.curves[code];
    roc.replaceChildren(
      one.roc
        ? curve(
            one.roc.x.map((x, k) => [x, one.roc.y[k]]),
            {
              label: `ROC curve of ${classes[code]}, area ${number(one.roc.area)}`,
              xLabel: "false positive rate",
              yLabel: "true positive rate",
              colour: colour(code),
            },
          )
        : el("p", {class: "note"}, "All rows are of one kind."),
      el("p", {class: "note"}, one.roc ? `Area under the curve: ${number(one.roc.area)}` : ""),
    );
    calibration.replaceChildren(
      curve(one.calibration, {
        label: `Calibration of ${classes[code]}`,
        xLabel: "predicted probability",
        yLabel: "share observed",
        colour: colour(code),
        dots: one.calibration.map((p) => p[2]),
      }),
      el("p", {class: "note"}, "A dot for each tenth of the probability; larger ones have more rows."),
    );
  };
  const first = classes.length === 2 ? 1 : 0;
  const choice = el(
    "select",
    {id: "curve-class", onchange: (event) => draw(Number(event.target.value))},
    classes.map((name, code) => el("option", {value: code, selected: code === first}, name)),
  );
  draw(first);
  return [
    el(
      "figure",
      {class: "drawn"},
      el("figcaption", {}, el("label", {for: "curve-class"}, "ROC curve of "), choice),
      roc,
    ),
    el("figure", {class: "drawn"}, el("figcaption", {}, "Calibration"), calibration),
  ];
}

function numberCharts(data, colour) {
  const {truth, predicted} = data.rows;
  const all = [...truth, ...predicted];
  const ends = [Math.min(...all), Math.max(...all)];
  const chart = frame({
    width: 300,
    height: 290,
    x: ends,
    y: ends,
    xLabel: "predicted",
    yLabel: "target",
    label: "Target against prediction",
    square: true,
  });
  chart.drawing
    .append("line")
    .attr("class", "diagonal")
    .attr("x1", chart.sx(ends[0]))
    .attr("y1", chart.sy(ends[0]))
    .attr("x2", chart.sx(ends[1]))
    .attr("y2", chart.sy(ends[1]));
  truth.forEach((value, k) =>
    chart.drawing
      .append("circle")
      .attr("r", 2.2)
      .attr("cx", chart.sx(predicted[k]))
      .attr("cy", chart.sy(value))
      .attr("fill", colour(value))
      .attr("fill-opacity", 0.7),
  );
  const {low, high, counts} = data.figures.residuals;
  return [
    el("figure", {class: "drawn"}, el("figcaption", {}, "Target against prediction"), chart.root),
    el(
      "figure",
      {class: "drawn"},
      el("figcaption", {}, "Residuals"),
      histogram(
        {low, high, counts: [counts]},
        {
          colour: () => "var(--accent)",
          threshold: 0,
          label: "Distribution of the residuals",
          xLabel: "target − prediction",
          height: 240,
        },
      ),
    ),
  ];
}

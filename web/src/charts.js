// Charts that several parts of the page share.
import {axisBottom, axisLeft} from "d3-axis";
import {scaleLinear} from "d3-scale";
import {select} from "d3-selection";
import {line} from "d3-shape";
import {el, elided, number, svg} from "./dom.js";

/** A frame of two axes: returns the drawing and its scales. */
export function frame({
  width = 340,
  height = 230,
  x,
  y,
  xLabel,
  yLabel,
  label,
  xTicks = 5,
  yTicks = 4,
  format = null,
  square = false,
}) {
  const [left, right, top, bottom] = [yTicks ? 46 : 10, 12, 10, 40];
  const root = svg("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label});
  if (!square) root.style.setProperty("max-width", `${width * 1.5}px`);
  const sx = scaleLinear()
    .domain(x)
    .range([left, width - right]);
  const sy = scaleLinear()
    .domain(y)
    .range([height - bottom, top]);
  const drawing = select(root);
  const bottomAxis = axisBottom(sx).ticks(xTicks).tickSizeOuter(0);
  if (format) bottomAxis.tickFormat(format);
  drawing
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${height - bottom})`)
    .call(bottomAxis);
  if (yTicks)
    drawing
      .append("g")
      .attr("class", "axis")
      .attr("transform", `translate(${left},0)`)
      .call(axisLeft(sy).ticks(yTicks).tickSizeOuter(0));
  if (xLabel)
    drawing
      .append("text")
      .attr("class", "label")
      .attr("x", (left + width - right) / 2)
      .attr("y", height - 5)
      .attr("text-anchor", "middle")
      .text(xLabel);
  if (yLabel)
    drawing
      .append("text")
      .attr("class", "label")
      .attr("transform", `translate(11,${(top + height - bottom) / 2}) rotate(-90)`)
      .attr("text-anchor", "middle")
      .text(yLabel);
  return {root, drawing, sx, sy, base: height - bottom, top, left, right: width - right};
}

/** Bars of counts in bins, stacked by class; a line where the threshold is. */
export function histogram(
  {low, high, counts, means},
  {colour, threshold, label, xLabel, bins: names = null, height = 190},
) {
  const bins = counts[0].length;
  const totals = counts[0].map((_, k) => counts.reduce((sum, one) => sum + one[k], 0));
  const chart = frame({width: 360, height, x: [low, high], y: [0, Math.max(1, ...totals)], xLabel, yTicks: 3, label});
  const wide = (high - low) / bins;
  if (names) nameBins(chart, names);
  for (let k = 0; k < bins; k++) {
    let below = 0;
    counts.forEach((one, code) => {
      if (!one[k]) return;
      const [x0, x1] = [chart.sx(low + k * wide), chart.sx(low + (k + 1) * wide)];
      chart.drawing
        .append("rect")
        .attr("x", x0 + 0.4)
        .attr("width", Math.max(0.6, x1 - x0 - 0.8))
        .attr("y", chart.sy(below + one[k]))
        .attr("height", chart.sy(below) - chart.sy(below + one[k]))
        .attr("fill", means ? colour(means[k]) : colour(code));
      below += one[k];
    });
  }
  if (threshold !== undefined) {
    const at = chart.sx(threshold);
    chart.drawing
      .append("line")
      .attr("class", "threshold")
      .attr("x1", at)
      .attr("x2", at)
      .attr("y1", chart.top - 4)
      .attr("y2", chart.base);
  }
  return chart.root;
}

/** Names of a few bins in place of the numbers of the axis. */
function nameBins({drawing, sx, base}, names) {
  drawing.select(".axis").selectAll(".tick").remove();
  const most = Math.floor((sx(1) - sx(0)) / 6);
  names.forEach((name, k) => {
    const text = drawing
      .append("text")
      .attr("class", "label")
      .attr("x", sx(k + 0.5))
      .attr("y", base + 15);
    text.attr("text-anchor", "middle").text(elided(name, most));
  });
}

/** A curve through points, the diagonal behind it, and dots where rows are. */
export function curve(points, {label, xLabel, yLabel, colour, dots = null}) {
  const chart = frame({width: 300, height: 290, x: [0, 1], y: [0, 1], xLabel, yLabel, label, square: true});
  chart.drawing
    .append("line")
    .attr("class", "diagonal")
    .attr("x1", chart.sx(0))
    .attr("y1", chart.sy(0))
    .attr("x2", chart.sx(1))
    .attr("y2", chart.sy(1));
  const path = line(
    (p) => chart.sx(p[0]),
    (p) => chart.sy(p[1]),
  );
  chart.drawing.append("path").attr("class", "curve").attr("d", path(points)).attr("stroke", colour);
  if (dots) {
    const most = Math.max(...dots);
    points.forEach((p, k) => {
      const dot = chart.drawing
        .append("circle")
        .attr("cx", chart.sx(p[0]))
        .attr("cy", chart.sy(p[1]))
        .attr("r", 3 + 6 * Math.sqrt(dots[k] / most))
        .attr("fill", colour)
        .attr("fill-opacity", 0.75);
      dot.append("title").text(`predicted ${number(p[0])}, observed ${number(p[1])}, ${number(dots[k])} rows`);
    });
  }
  return chart.root;
}

/** A bar from the middle to the left or the right, in a track. */
export function signedBar(share, colour) {
  const wide = Math.min(1, Math.abs(share)) * 50;
  return el(
    "span",
    {class: "track signed", "aria-hidden": "true"},
    el("span", {class: "fill", style: {left: `${share < 0 ? 50 - wide : 50}%`, width: `${wide}%`, background: colour}}),
  );
}

/** A bar from the left, in a track. */
export function plainBar(share, colour) {
  return el(
    "span",
    {class: "track", "aria-hidden": "true"},
    el("span", {class: "fill", style: {left: "0", width: `${100 * Math.min(1, share)}%`, background: colour}}),
  );
}

export function legend(names, colour) {
  return el(
    "ul",
    {class: "legend"},
    names.map((name, code) => el("li", {}, el("span", {class: "dot", style: {background: colour(code)}}), name)),
  );
}

// Colours that colour-blind readers tell apart, and that stand out on light and dark.
import {scaleSequential} from "d3-scale";
import {interpolateViridis, schemeTableau10} from "d3-scale-chromatic";

const OKABE_ITO = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#b8a800", "#808080"];

/** A function from the code of a class to its colour. */
export function classColours(n) {
  if (n <= OKABE_ITO.length) return (code) => OKABE_ITO[code] ?? "#808080";
  if (n <= schemeTableau10.length) return (code) => schemeTableau10[code];
  return (code) => interpolateViridis(0.08 + (0.87 * code) / (n - 1));
}

/** A function from a number in a range to its colour. */
export function numberColours(low, high) {
  return scaleSequential((t) => interpolateViridis(0.1 + 0.8 * t))
    .domain([low, high])
    .clamp(true);
}

// Importances and leaderboard.
import {plainBar} from "./charts.js";
import {card, el, number, percent} from "./dom.js";

const SHOWN = 20;

export function importancesView(data) {
  const shares = data.importances;
  const order = shares
    .map((_, j) => j)
    .filter((j) => shares[j] > 0)
    .sort((a, b) => shares[b] - shares[a]);
  const most = shares[order[0]] ?? 1;
  const line = (j) =>
    el(
      "tr",
      {},
      el("th", {scope: "row"}, data.features[j].name),
      el("td", {class: "number"}, percent(shares[j])),
      el("td", {}, plainBar(shares[j] / most, "var(--accent)")),
    );
  const rest = order.length - SHOWN;
  const unused = shares.length - order.length;
  const notes = [
    rest > 0 && `${rest} more features have less.`,
    unused > 0 && `${unused} of ${shares.length} features are not used.`,
  ].filter(Boolean);
  return card(
    "Importance of the features",
    "Share of each feature in the decrease of impurity.",
    el("table", {class: "shares wide"}, el("tbody", {}, order.slice(0, SHOWN).map(line))),
    notes.length ? el("p", {class: "note"}, notes.join(" ")) : null,
  );
}

export function leaderboardView({tried, lines}) {
  const head = el(
    "tr",
    {},
    ["recipe", "leaves", "terms", "score", "± s.e."].map((name) => el("th", {scope: "col"}, name)),
  );
  const line = (one) =>
    el(
      "tr",
      {class: one.chosen ? "chosen" : null},
      el("th", {scope: "row"}, one.recipe, one.chosen ? el("span", {class: "badge"}, "chosen") : null),
      [one.leaves, one.terms].map((n) => el("td", {class: "number"}, number(Number(n.toFixed(1))))),
      [one.mean, one.standard_error].map((n) => el("td", {class: "number"}, n.toFixed(4))),
    );
  return card(
    "Leaderboard",
    `The best of ${tried} that were tried, in cross-validation. The best score of many is optimistic.`,
    el(
      "div",
      {class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Leaderboard"},
      el("table", {class: "board"}, el("thead", {}, head), el("tbody", {}, lines.map(line))),
    ),
  );
}

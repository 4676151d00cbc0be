// Small helpers for elements. Text goes in as text, never as HTML: names come from data.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element; children are elements or text, null is left out. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, one] of Object.entries(value)) element.style.setProperty(name, one);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

let cards = 0;

/** A section with a heading and, below it, a sentence. */
export function card(title, note, ...children) {
  const id = `h${++cards}`;
  return el(
    "section",
    {class: "card", "aria-labelledby": id},
    el("h2", {id}, title),
    note && el("p", {class: "note"}, note),
    ...children,
  );
}

/** A number as people read it: four significant digits, all digits of whole numbers. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return sign(value.toLocaleString("en", {maximumFractionDigits: 0}));
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return sign(value.toExponential(2).replace(/\.?0+e/, "e"));
  return sign(Number(value.toPrecision(size >= 1000 ? 6 : 4)).toLocaleString("en", {maximumFractionDigits: 8}));
}

/** A number with all its digits. */
export function exact(value) {
  return sign(String(Number(value.toPrecision(15))));
}

export function percent(share) {
  const shown = 100 * share;
  return shown > 0 && shown < 0.1 ? "<0.1%" : `${shown.toFixed(shown >= 99.95 || shown === 0 ? 0 : 1)}%`;
}

const sign = (text) => text.replace("-", "−");

/** Text of about so many characters at most. */
export function elided(text, most) {
  const letters = [...text];
  return letters.length <= most
    ? text
    : `${letters
        .slice(0, Math.max(1, most - 1))
        .join("")
        .trimEnd()}…`;
}

/** Text in one or two lines of about so many characters, broken at a space. */
export function inTwo(text, most) {
  if ([...text].length <= most) return [text];
  const words = text.split(" ");
  let first = words.shift();
  while (words.length && [...first].length + 1 + [...words[0]].length <= most) first += ` ${words.shift()}`;
  return [elided(first, most), ...(words.length ? [elided(words.join(" "), most)] : [])];
}

export function plural(n, one, many) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** A cell of a row as text: a number, the name of a category, or that it is missing. */
export function cellText(feature, cell) {
  if (cell === null) return "missing";
  if (feature.categories === null) return number(cell);
  return feature.categories[cell] ?? "(other)";
}

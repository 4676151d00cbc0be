// The tree, to fold and explore: from left to right, or, where there is little room, as an indented list.
import {hierarchy, tree as tidy} from "d3-hierarchy";
import {select} from "d3-selection";
import {linkHorizontal} from "d3-shape";
import {elided, inTwo, number, percent, plural, svg} from "./dom.js";

const HEIGHT = 46; // of a node whose text is one line
const LINE = 15; // of a second one
const NARROW = 620; // pixels of a window in which the tree is a list
const GAP = {short: 42, long: 78}; // between levels: room for yes and no, or for categories
const OPEN = 24; // leaves that are shown at first; what is below larger trees' first levels is folded

export class TreeView {
  constructor(model, look, onSelect) {
    Object.assign(this, {model, look, onSelect, step: 0, folded: new Set(), selected: 0, way: new Set()});
    this.root = svg("svg", {class: "tree", role: "tree", "aria-label": "Decision tree"});
    this.links = select(this.root).append("g").attr("class", "links").attr("aria-hidden", "true");
    this.items = select(this.root).append("g").attr("role", "presentation");
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.foldDeep();
  }

  /** Fold what is below the first levels of a large tree. */
  foldDeep() {
    let level = [this.model.nodes[0]];
    let leaves = 0;
    while (level.length) {
      if (leaves + level.length > OPEN) level.forEach((node) => node.children.length && this.folded.add(node.id));
      leaves += level.filter((node) => !node.children.length).length;
      level = level.flatMap((node) => node.children.map((id) => this.model.nodes[id]));
    }
  }

  attach(container) {
    this.container = container;
    container.append(this.root);
    new ResizeObserver(() => container.clientWidth !== this.width && this.draw()).observe(container);
    this.draw();
  }

  /** Show the subtree of a step of the pruning path. */
  setStep(step) {
    this.step = step;
    while (this.hidden(this.selected)) this.selected = this.model.parent[this.selected];
    this.draw();
    this.onSelect(this.selected);
  }

  /** Mark the nodes that a row passes, and show them. */
  setWay(nodes) {
    this.way = new Set(nodes.map((node) => node.id));
    this.draw();
  }

  hidden(id) {
    for (let above = this.model.parent[id]; above >= 0; above = this.model.parent[above]) {
      if (this.folded.has(above) || this.model.isLeaf(this.model.nodes[above], this.step)) return true;
    }
    return false;
  }

  choose(id, focus = false) {
    for (let above = this.model.parent[id]; above >= 0; above = this.model.parent[above]) this.folded.delete(above);
    this.selected = id;
    this.draw();
    this.onSelect(id);
    if (focus) this.focus();
  }

  focus() {
    const item = this.root.querySelector(`#node-${this.selected}`);
    item.focus({preventScroll: true});
    item.scrollIntoView({block: "nearest", inline: "nearest"});
  }

  toggle(id) {
    if (this.model.isLeaf(this.model.nodes[id], this.step)) return;
    if (!this.folded.delete(id)) this.folded.add(id);
    while (this.hidden(this.selected)) this.selected = this.model.parent[this.selected];
    this.draw();
  }

  setAll(open) {
    this.folded = new Set(open ? [] : this.model.nodes.filter((node) => node.children.length).map((node) => node.id));
    if (!open) this.selected = 0;
    this.draw();
    this.onSelect(this.selected);
  }

  // Keys as in the tree view pattern of the ARIA Authoring Practices Guide.
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const order = this.shown.map((d) => d.data.id);
    const at = order.indexOf(this.selected);
    const here = this.shown[at];
    const inner = !this.model.isLeaf(here.data, this.step);
    const folded = this.folded.has(this.selected);
    const go = {
      ArrowDown: () => this.choose(order[Math.min(at + 1, order.length - 1)], true),
      ArrowUp: () => this.choose(order[Math.max(at - 1, 0)], true),
      Home: () => this.choose(order[0], true),
      End: () => this.choose(order[order.length - 1], true),
      ArrowRight: () => inner && (folded ? this.toggle(this.selected) : this.choose(here.data.children[0], true)),
      ArrowLeft: () =>
        inner && !folded ? this.toggle(this.selected) : here.parent && this.choose(here.parent.data.id, true),
      Enter: () => this.toggle(this.selected),
      " ": () => this.toggle(this.selected),
    }[event.key];
    if (!go) return;
    event.preventDefault();
    go();
    this.focus();
  }

  draw() {
    if (!this.container) return;
    this.width = this.container.clientWidth;
    const narrow = this.width < NARROW;
    const {model, step, folded} = this;
    const top = hierarchy(model.nodes[0], (node) =>
      folded.has(node.id) || model.isLeaf(node, step) ? null : node.children.map((id) => model.nodes[id]),
    );
    this.shown = [];
    top.eachBefore((d) => this.shown.push(d));
    const size = narrow ? this.listed(top) : this.tidied(top);
    select(this.root).classed("narrow", narrow).attr("width", size.width).attr("height", size.height);
    this.drawLinks(top, narrow);
    this.drawNodes(narrow);
  }

  /** Break what a node says into lines, which give it its height. */
  measure(d, width, room) {
    const lines = inTwo(this.title(d.data), (width - room) / 6.9);
    Object.assign(d, {width, lines, high: HEIGHT + (lines.length - 1) * LINE});
  }

  tidied(top) {
    const levels = top.height + 1;
    const gap = this.model.nodes.some((node) => node.test?.kind === "categories") ? GAP.long : GAP.short;
    const across = Math.min(208 + gap, Math.max(114 + gap, (this.width - 20) / levels));
    top.each((d) => this.measure(d, across - gap, 18));
    const tallest = Math.max(...this.shown.map((d) => d.high));
    tidy()
      .nodeSize([tallest + 12, across])
      .separation((a, b) => (a.parent === b.parent ? 1 : 1.12))(top);
    let [low, high] = [Infinity, -Infinity];
    top.each((d) => ([low, high] = [Math.min(low, d.x), Math.max(high, d.x)]));
    top.each((d) => Object.assign(d, {px: d.y + 2, py: d.x - low + 4 + (tallest - d.high) / 2}));
    return {width: Math.max(levels * across - 20, this.width - 4), height: high - low + tallest + 8};
  }

  listed(top) {
    const indent = Math.min(18, (this.width - 190) / Math.max(top.height, 1));
    let y = 2;
    for (const d of this.shown) {
      const px = 1 + d.depth * indent;
      this.measure(d, this.width - px - 6, 36);
      Object.assign(d, {px, py: y});
      y += d.high + 6;
    }
    return {width: this.width - 2, height: y + 2};
  }

  drawLinks(top, narrow) {
    const link = linkHorizontal()
      .x((d) => d[0])
      .y((d) => d[1]);
    const mid = (d) => d.py + d.high / 2;
    const path = ({source: a, target: b}) =>
      narrow
        ? `M${a.px + 8},${a.py + a.high}V${mid(b)}H${b.px}`
        : link({source: [a.px + a.width, mid(a)], target: [b.px, mid(b)]});
    const cover = (d) => this.model.nodes[d.target.data.id].weight / this.model.total;
    const key = (d) => d.target.data.id;
    this.links
      .selectAll("path")
      .data(top.links(), key)
      .join("path")
      .attr("d", path)
      .classed("on-way", (d) => this.way.has(d.target.data.id))
      .attr("stroke-width", (d) => (narrow ? 1.5 : Math.max(1.2, 15 * cover(d))));
    this.links
      .selectAll("text")
      .data(narrow ? [] : top.links(), key)
      .join("text")
      .attr("x", (d) => d.target.px - 5)
      .attr("y", (d) => mid(d.target) - 5)
      .text((d) => elided(branchOf(d.target), 12));
  }

  drawNodes(narrow) {
    const view = this;
    const items = this.items
      .selectAll("g.node")
      .data(this.shown, (d) => d.data.id)
      .join((enter) => {
        const made = enter.append("g").attr("class", "node").attr("role", "treeitem");
        made.append("title");
        made.append("rect").attr("class", "box").attr("rx", 7);
        made.append("g").attr("class", "bar").attr("aria-hidden", "true");
        made.append("text").attr("class", "what");
        made.append("text").attr("class", "count").attr("x", 10);
        const knob = made.append("g").attr("class", "knob").attr("aria-hidden", "true");
        knob.append("circle").attr("r", 8);
        knob.append("path");
        return made;
      });
    items.order();
    items
      .style("transform", (d) => `translate(${d.px}px,${d.py}px)`)
      .attr("id", (d) => `node-${d.data.id}`)
      .attr("tabindex", (d) => (d.data.id === this.selected ? 0 : -1))
      .attr("aria-level", (d) => d.depth + 1)
      .attr("aria-posinset", (d) => (d.parent ? d.parent.children.indexOf(d) + 1 : 1))
      .attr("aria-setsize", (d) => (d.parent ? d.parent.children.length : 1))
      .attr("aria-selected", (d) => d.data.id === this.selected)
      .attr("aria-expanded", (d) => (this.model.isLeaf(d.data, this.step) ? null : !this.folded.has(d.data.id)))
      .attr("aria-label", (d) => this.described(d))
      .classed("leaf", (d) => this.model.isLeaf(d.data, this.step))
      .classed("on-way", (d) => this.way.has(d.data.id))
      .on("click", (event, d) => this.choose(d.data.id, true))
      .on("dblclick", (event, d) => this.toggle(d.data.id))
      .on("focus", (event, d) => d.data.id !== this.selected && this.choose(d.data.id, true));
    items.select("title").text((d) => this.title(d.data));
    items
      .select(".box")
      .attr("width", (d) => d.width)
      .attr("height", (d) => d.high);
    items
      .select(".what")
      .selectAll("tspan")
      .data((d) => d.lines)
      .join("tspan")
      .attr("x", 10)
      .attr("y", (_, k) => 18 + k * LINE)
      .text((line) => line);
    items.select(".count").attr("y", (d) => d.high - 13);
    items.select(".count").text((d) => {
      const before = narrow && d.parent ? `${elided(branchOf(d), 14)} · ` : "";
      const count = d.width < 130 ? number(d.data.n_samples) : plural(d.data.n_samples, "row", "rows");
      return elided(`${before}${count} · ${percent(d.data.weight / this.model.total)}`, (d.width - 16) / 5.9);
    });
    items.select(".bar").each(function draw(d) {
      view.look.bar(select(this), d.data, d.width - 20, 10, d.high - 8);
    });
    const knob = items
      .select(".knob")
      .style("display", (d) => (this.model.isLeaf(d.data, this.step) ? "none" : null))
      .attr("transform", (d) => `translate(${narrow ? d.width - 14 : d.width},${narrow ? 15 : d.high / 2})`)
      .on("click", (event, d) => {
        event.stopPropagation();
        this.toggle(d.data.id);
      });
    knob.select("path").attr("d", (d) => (this.folded.has(d.data.id) ? "M-4,0H4M0,-4V4" : "M-4,0H4"));
  }

  title(node) {
    return this.model.isLeaf(node, this.step) ? this.look.answer(node) : node.told.label;
  }

  described(d) {
    const node = d.data;
    const start = d.parent ? `${branchOf(d)}: ` : "";
    const kind = this.model.isLeaf(node, this.step) ? "leaf, " : "test ";
    return `${start}${kind}${this.title(node)}, ${plural(node.n_samples, "row", "rows")}`;
  }
}

/** What leads from the parent to a node: yes, no, or categories. */
function branchOf(d) {
  return d.parent.data.told.branches[d.parent.data.children.indexOf(d.data.id)];
}

/** How the answers of nodes look: a bar of the shares of the classes, or a mark on the range of the target. */
export function lookOf(data, model, colour, range) {
  const answer = (node) =>
    (data.classes ? data.classes[model.answerOf(node)] : number(node.value[0])) +
    (node.model && !node.test ? " (linear)" : "");
  const bar = (group, node, width, x, y) => {
    if (!data.classes) {
      const at = (width * (node.value[0] - range[0])) / (range[1] - range[0] || 1);
      group
        .selectAll("rect")
        .data([0, 1])
        .join("rect")
        .attr("height", 4)
        .attr("y", y)
        .attr("rx", 2)
        .attr("x", (k) => x + (k ? Math.max(0, Math.min(width - 6, at - 3)) : 0))
        .attr("width", (k) => (k ? 6 : width))
        .attr("fill", (k) => (k ? colour(node.value[0]) : "var(--line)"));
      return;
    }
    let start = x;
    const parts = model.sharesOf(node).map((share, code) => {
      const part = {code, start, width: share * width};
      start += part.width;
      return part;
    });
    group
      .selectAll("rect")
      .data(parts.filter((part) => part.width > 0.2))
      .join("rect")
      .attr("height", 4)
      .attr("y", y)
      .attr("x", (part) => part.start)
      .attr("width", (part) => part.width)
      .attr("fill", (part) => colour(part.code));
  };
  return {answer, bar};
}

// A tree as `predict` walks it: from a row of data to columns, a path, a leaf and what it predicts.
// A row has a number for each feature, the code of a category (-1: not in the training data), or null where missing.

const UNSEEN = -1;

export class Model {
  constructor(data) {
    const {missing, features, columns, nodes} = data.model;
    this.missing = missing;
    this.features = features;
    this.columns = columns;
    this.classes = data.classes;
    this.classWeight = data.model.class_weight ?? null;
    this.collapsed = data.path.collapsed;
    this.wholeStep = 0;
    const named = (part) => part && {...part, columns: part.used.map((k) => columns[k].name)};
    this.nodes = nodes.map((node, id) => {
      const told = data.nodes[id];
      return {...node, id, told, test: named(node.test), model: named(node.model ?? told.model)};
    });
    this.parent = new Array(nodes.length).fill(-1);
    this.nodes.forEach((node) => node.children.forEach((child) => (this.parent[child] = node.id)));
    this.total = this.nodes[0].weight;
  }

  /** Whether a node is a leaf of the subtree at a step of the pruning path. */
  isLeaf(node, step = this.wholeStep) {
    return !node.children.length || this.collapsed[node.id] <= step;
  }

  /** The leaves of a subtree. */
  leaves(step = this.wholeStep) {
    const found = [];
    const visit = (node) => {
      if (this.isLeaf(node, step)) found.push(node);
      else node.children.forEach((child) => visit(this.nodes[child]));
    };
    visit(this.nodes[0]);
    return found;
  }

  /** The columns that tests name, null where a value stays missing. */
  columnsOf(row) {
    const filled = this.missing === "mean" || this.missing === "indicator";
    const cells = this.features.map((feature, j) => {
      if (row[j] !== null) return row[j];
      if (feature.categories === null) return filled ? feature.mean : null;
      const own = feature.categories.indexOf(null);
      return own >= 0 ? own : filled ? UNSEEN : null;
    });
    return this.columns.map((column) => {
      const cell = cells[column.feature];
      if (column.missing) return row[column.feature] === null ? 1 : 0;
      if (column.category === null || cell === null) return cell;
      return cell === column.category ? 1 : 0;
    });
  }

  /** The number of the child that a test sends columns to. */
  child(test, x) {
    const values = test.used.map((k) => x[k]);
    if (test.kind === "categories") {
      const code = values[0];
      return code !== null && code >= 0 && code < test.goes_to.length ? test.goes_to[code] : test.otherwise;
    }
    if (test.kind === "hyperplane") {
      return !values.includes(null) && added(0, test.weights, values) <= test.threshold ? 0 : 1;
    }
    return largest(test.sums.map((sum) => added(sum.constant, sum.weights, values)));
  }

  /** The nodes that a row passes: where values are missing and rows go down in parts, the way of the largest part. */
  path(row, step = this.wholeStep) {
    const x = this.columnsOf(row);
    if (this.missing === "fractional" && x.includes(null)) {
      const parts = this.parts(x, step);
      let node = parts.reduce((best, one) => (one.part > best.part ? one : best)).node;
      const way = [node];
      while (this.parent[node.id] >= 0) way.unshift((node = this.nodes[this.parent[node.id]]));
      return way;
    }
    const way = [this.nodes[0]];
    for (let node = way[0]; !this.isLeaf(node, step); way.push(node)) {
      node = this.nodes[node.children[this.child(node.test, x)]];
    }
    return way;
  }

  /** The leaves that a row reaches, each with its part of the row. */
  parts(x, step, node = this.nodes[0], part = 1) {
    if (this.isLeaf(node, step)) return [{node, part}];
    const below = node.children.map((id) => this.nodes[id]);
    if (!node.test.used.some((k) => x[k] === null)) {
      return this.parts(x, step, below[this.child(node.test, x)], part);
    }
    const total = below.reduce((sum, one) => sum + one.weight, 0);
    return below.flatMap((one) => this.parts(x, step, one, (part * one.weight) / total));
  }

  /** What a leaf says of columns: weights of the classes or one number, and whether a linear model said so. */
  atLeaf(node, x) {
    const model = node.model;
    const values = model && model.used.map((k) => x[k]);
    if (!model || values.includes(null)) return {value: node.value, byModel: false};
    const sums = model.sums.map((sum) => added(sum.constant, sum.weights, values));
    const usable = model.range ? !Number.isNaN(sums[0]) : sums.every(Number.isFinite);
    if (!usable) return {value: node.value, byModel: false};
    if (model.range) return {value: [Math.min(Math.max(sums[0], model.range[0]), model.range[1])], byModel: true};
    const most = Math.max(...sums);
    const powers = sums.map((sum) => Math.exp(sum - most));
    const all = powers.reduce((a, b) => a + b, 0);
    const mass = node.value.reduce((a, b) => a + b, 0);
    return {value: powers.map((power) => (mass * power) / all), byModel: true};
  }

  /** What is predicted for a row: the code of a class or a number, the shares of the classes, and the leaf. */
  predict(row, step = this.wholeStep) {
    const x = this.columnsOf(row);
    const way = this.path(row, step);
    const leaf = way[way.length - 1];
    if (this.missing === "fractional" && x.includes(null) && this.classes) {
      const parts = this.parts(x, step);
      const sum = (shares) => this.classes.map((_, c) => parts.reduce((s, p, i) => s + p.part * shares[i][c], 0));
      const plain = sum(parts.map((p) => normalized(this.atLeaf(p.node, x).value)));
      const smooth = sum(parts.map((p) => this.sharesAt(p.node, x)));
      return {answer: largest(plain), shares: this.occurring(normalized(smooth)), leaf};
    }
    const {value} = this.atLeaf(leaf, x);
    if (!this.classes) return {answer: value[0], shares: null, leaf};
    return {answer: largest(value), shares: this.occurring(this.sharesAt(leaf, x)), leaf};
  }

  sharesAt(node, x) {
    const {value, byModel} = this.atLeaf(node, x);
    return byModel || !node.shares ? normalized(value) : node.shares;
  }

  /** The shares of the classes as they occur, of shares in which each class has its weight. */
  occurring(shares) {
    if (!this.classWeight) return shares;
    return normalized(shares.map((share, c) => share / (this.classWeight[c] > 0 ? this.classWeight[c] : 1)));
  }

  /** The shares of the classes in the training rows of a node. */
  sharesOf(node) {
    return this.occurring(normalized(node.value));
  }

  /** What a node predicts whatever the row: the code of a class, or a number. */
  answerOf(node) {
    return this.classes ? largest(node.value) : node.value[0];
  }
}

export function added(total, weights, values) {
  for (let k = 0; k < weights.length; k++) total += weights[k] * values[k];
  return total;
}

/** The place of the largest, of equals the first. */
export function largest(values) {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
}

export function normalized(values) {
  const total = values.reduce((a, b) => a + b, 0);
  return total > 0 ? values.map((value) => value / total) : values;
}

/**
 * How far a row is from a plane, and what each feature adds to that, beside the mean of the rows at the node: on the
 * scale on which the test is printed.
 */
export function contributions(model, node, x) {
  const {used, weights, threshold} = node.test;
  const {unit, means} = node.told;
  const parts = new Map();
  used.forEach((k, i) => {
    const {feature} = model.columns[k];
    const part = x[k] === null ? 0 : unit * weights[i] * (x[k] - means[i]);
    parts.set(feature, (parts.get(feature) ?? 0) + part);
  });
  const values = used.map((k) => x[k]);
  const beyond = (row) => unit * (added(0, weights, row) - threshold);
  return {parts: [...parts], base: beyond(means), margin: beyond(values)};
}

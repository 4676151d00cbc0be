// The nearest change of a row that gives another answer. A leaf is a polyhedron: the row is projected onto it by
// Hildreth's method (dual coordinate ascent), in units of each feature's spread, and `predict` checks what was found.

const SWEEPS = 2000;
const MARGINS = [1e-7, 1e-5, 1e-3, 1e-2]; // how far beyond a plane to go, in spreads, until predict agrees
const OTHER_CATEGORIES = 60; // tried one at a time
const LONGER = 1.02; // by how much a change may grow for the sake of short numbers

/**
 * Find the nearest row with an answer that is wanted; null if there is none.
 *
 * @param model the model
 * @param row a row; what is missing in it does not change
 * @param wanted `holds`, a test of an answer, and `classes` (codes), or `bound` and `sign` (numbers:
 *   sign * (answer - bound) >= 0)
 * @param options scale (spread of each feature), fixed (features that stay), step, only (one feature that may change)
 */
export function nearest(model, row, wanted, options) {
  const {scale, step} = options;
  let best = null;
  // Nearest first, by the farthest of the planes to cross: what is farther than the best so far need not be looked at.
  for (const {start, planes, movable, bound} of candidates(model, row, wanted, options)) {
    const limit = best === null ? Infinity : best.distance ** 2 - start.cost;
    if (bound ** 2 >= limit) continue;
    const found = project(model, start.row, planes, movable, scale, limit, wanted, step);
    if (!found) continue;
    const distance = Math.sqrt(found.squared + start.cost);
    if (best === null || distance < best.distance) best = {row: found.row, distance};
  }
  return best && shortened(model, row, best, wanted, options);
}

/** The polyhedra to project onto: those of the leaves with a wanted answer, for each row to start from. */
function candidates(model, row, wanted, {scale, fixed, step, only}) {
  const found = [];
  const free = row.map((cell, j) => cell !== null && !fixed.has(j));
  const movable = free.map((one, j) => one && model.features[j].categories === null && (only ?? j) === j);
  const leaves = model.leaves(step).map((leaf) => ({leaf, goals: goalsOf(model, leaf, wanted)}));
  for (const start of startsOf(model, row, free, only)) {
    const x = model.columnsOf(start.row);
    for (const {leaf, goals} of leaves) {
      for (const goal of goals) {
        const planes = planesOf(model, leaf, goal, x, movable, scale);
        if (planes === null) continue;
        const bound = planes.reduce((most, {b}) => Math.max(most, -b), 0);
        found.push({start, planes, movable, bound});
      }
    }
  }
  return found.sort((a, b) => a.bound ** 2 + a.start.cost - b.bound ** 2 - b.start.cost);
}

/** How far one row is from another, in spreads; a change of category counts as one. */
export function distanceOf(model, row, other, scale) {
  const parts = row.map((cell, j) => {
    if (cell === other[j]) return 0;
    return model.features[j].categories === null ? ((cell - other[j]) / scale[j]) ** 2 : 1;
  });
  return Math.sqrt(parts.reduce((a, b) => a + b, 0));
}

/** The row itself, and rows that differ in one category, which costs as much as one spread. */
function* startsOf(model, row, free, only) {
  if (only === undefined || model.features[only].categories === null) yield {row, cost: 0};
  let tried = 0;
  for (let j = 0; j < row.length; j++) {
    const labels = model.features[j].categories;
    if (!free[j] || labels === null || (only !== undefined && only !== j)) continue;
    for (let code = 0; code < labels.length && tried < OTHER_CATEGORIES; code++) {
      if (code === row[j] || labels[code] === null) continue;
      tried++;
      yield {row: row.map((cell, k) => (k === j ? code : cell)), cost: 1};
    }
  }
}

/** What must hold in a leaf for the answer to be one that is wanted: lists of sums that must be above 0; [] if it is. */
function goalsOf(model, leaf, wanted) {
  if (!leaf.model) return wanted.holds(model.answerOf(leaf)) ? [[]] : [];
  const {sums, used, range} = leaf.model;
  if (wanted.bound !== undefined) {
    if (wanted.sign * ((wanted.sign > 0 ? range[1] : range[0]) - wanted.bound) < 0) return [];
    const {weights, constant} = sums[0];
    const above = weights.map((w) => wanted.sign * w);
    return [[{used, weights: above, constant: wanted.sign * (constant - wanted.bound)}]];
  }
  return wanted.classes.map((one) =>
    sums.flatMap((sum, k) =>
      k === one
        ? []
        : [
            {
              used,
              weights: sum.weights.map((w, i) => sums[one].weights[i] - w),
              constant: sums[one].constant - sum.constant,
            },
          ],
    ),
  );
}

/** The planes around a leaf as a . u <= b, u the change in spreads; null if what cannot change forbids the leaf. */
function planesOf(model, leaf, goal, x, movable, scale) {
  const planes = [];
  // sum of weights times columns + constant, which must be at most 0, or at least 0
  const add = (used, weights, constant, sign) => {
    const a = new Map();
    let at = constant;
    for (let k = 0; k < used.length; k++) {
      if (x[used[k]] === null) return false;
      at += weights[k] * x[used[k]];
      const column = model.columns[used[k]];
      if (column.category !== null || column.missing || !movable[column.feature]) continue;
      a.set(column.feature, (a.get(column.feature) ?? 0) + sign * weights[k] * scale[column.feature]);
    }
    const entries = [...a].filter(([, weight]) => weight !== 0);
    const size = Math.hypot(...entries.map(([, weight]) => weight));
    if (!(size > 0) || !Number.isFinite(size)) return sign * at <= 0;
    planes.push({a: entries.map(([j, weight]) => [j, weight / size]), b: (-sign * at) / size, strict: sign < 0});
    return true;
  };
  for (let node = leaf; model.parent[node.id] >= 0;) {
    const above = model.nodes[model.parent[node.id]];
    const side = above.children.indexOf(node.id);
    const {test} = above;
    if (test.kind === "hyperplane") {
      if (!add(test.used, test.weights, -test.threshold, side === 0 ? 1 : -1)) return null;
    } else if (test.kind === "categories") {
      if (model.child(test, x) !== side) return null;
    } else {
      const own = test.sums[side];
      for (const [k, sum] of test.sums.entries()) {
        if (k === side) continue;
        const less = sum.weights.map((weight, i) => weight - own.weights[i]);
        if (!add(test.used, less, sum.constant - own.constant, 1)) return null;
      }
    }
    node = above;
  }
  for (const {used, weights, constant} of goal) if (!add(used, weights, constant, -1)) return null;
  return planes;
}

/** The nearest point of a polyhedron that predict agrees with, if it is nearer than a limit (squared). */
function project(model, row, planes, movable, scale, limit, wanted, step) {
  for (const margin of MARGINS) {
    const u = hildreth(planes, row.length, margin, limit);
    if (u === null) return null;
    const moved = row.map((cell, j) => (movable[j] && u[j] !== 0 ? cell + u[j] * scale[j] : cell));
    if (wanted.holds(model.predict(moved, step).answer)) return {row: moved, squared: u.reduce((s, v) => s + v * v, 0)};
  }
  return null;
}

/** Project the origin onto {u : a . u <= b - margin}, rows of a of length 1; null if it is farther than the limit. */
export function hildreth(planes, n, margin, limit = Infinity) {
  const u = new Float64Array(n);
  const used = new Set(planes.flatMap(({a}) => a.map(([j]) => j)));
  if (used.size === 1) return onLine(planes, u, [...used][0], margin);
  const force = new Float64Array(planes.length);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (let i = 0; i < planes.length; i++) {
      const {a, b} = planes[i];
      let over = margin - b;
      for (const [j, weight] of a) over += weight * u[j];
      const change = Math.max(-force[i], over);
      if (change === 0) continue;
      force[i] += change;
      for (const [j, weight] of a) u[j] -= change * weight;
      moved = Math.max(moved, Math.abs(change));
    }
    if (moved < 1e-12) break;
    // The dual value never exceeds the squared distance: the polyhedron is farther away than the limit, or empty.
    let dual = -u.reduce((sum, value) => sum + value * value, 0);
    for (let i = 0; i < planes.length; i++) dual += 2 * force[i] * (margin - planes[i].b);
    if (dual > limit || dual > 1e12) return null;
  }
  return u;
}

/** The same where only feature j can move: between the largest lower and the least upper limit. */
function onLine(planes, u, j, margin) {
  let [low, high] = [-Infinity, Infinity];
  for (const {a, b} of planes) {
    if (a[0][1] > 0) high = Math.min(high, b - margin);
    else low = Math.max(low, margin - b);
  }
  if (low > high) return null;
  u[j] = Math.min(Math.max(0, low), high);
  return u;
}

/** The same change with as few digits as predict agrees with, hardly longer; its distance. */
function shortened(model, row, best, wanted, {scale, step}) {
  for (let digits = 2; digits < 16; digits++) {
    const short = (cell, j) =>
      cell === row[j] || model.features[j].categories !== null ? cell : Number(cell.toPrecision(digits));
    const rounded = best.row.map(short);
    const distance = distanceOf(model, row, rounded, scale);
    if (distance <= LONGER * best.distance && wanted.holds(model.predict(rounded, step).answer)) {
      return {row: rounded, distance};
    }
  }
  return {...best, distance: distanceOf(model, row, best.row, scale)};
}

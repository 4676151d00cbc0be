"""Templates of the C code that `askew.export_c` puts together. ``@`` stands for the name of the model.

A block of rows descends together, a step of each in turn, as in core/tree/tree_walk.hpp: the processor computes one
row's test while it waits for another's. Sums are added in the order in which `predict` adds them.
"""

from __future__ import annotations

# Planes of as many terms each, those that are missing filled up with weights of 0; {sum} is their sum.
PLANES = """\
struct @_node { double threshold; {weights}uint32_t feature[{width}], first, inner; };
{nodes}
{leaves}
{roots}
static void @_find(size_t part, const double *x, size_t n, uint32_t *place)
{
  uint32_t row[@_BLOCK], at[@_BLOCK];
  size_t i, turn, active = n;
  for (i = 0; i < n; ++i) row[i] = (uint32_t)i, at[i] = @_root[part];
  while (active > 0) {
    size_t kept = 0;
    for (turn = 0; turn < {turns}; ++turn)
      for (i = 0; i < active; ++i) {
        const struct @_node *node = &@_nodes[at[i]];
        const double *r = x + row[i] * @_COLUMNS;
        const double sum = {sum};
        at[i] = node->first + ((uint32_t)!(sum <= node->threshold) & node->inner);
      }
    for (i = 0; i < active; ++i) {
      const uint32_t here = at[i], r = row[i];
      place[r] = @_place[here];
      at[kept] = here;
      row[kept] = r;
      kept += @_nodes[here].inner;
    }
    active = kept;
  }
}
"""

# Planes of most columns, with weights for all of them: four rows at once, as each of their sums must wait for itself.
DENSE = """\
struct @_node { double threshold; uint32_t first, plane, place, inner; };
{nodes}
{planes}
{roots}
static void @_find(size_t part, const double *x, size_t n, uint32_t *place)
{
  uint32_t row[@_BLOCK + 3], at[@_BLOCK + 3];
  size_t i, j, k, active = 0;
  for (i = 0; i < n; ++i) {
    place[i] = @_nodes[@_root[part]].place;
    row[i] = (uint32_t)i;
    at[i] = @_root[part];
  }
  if (@_nodes[@_root[part]].inner) active = n;
  while (active > 0) {
    size_t kept = 0;
    for (k = active; k % 4 != 0; ++k) at[k] = at[0], row[k] = row[0];
    for (i = 0; i < active; i += 4) {
      const struct @_node *a = &@_nodes[at[i]], *b = &@_nodes[at[i + 1]];
      const struct @_node *c = &@_nodes[at[i + 2]], *d = &@_nodes[at[i + 3]];
      const double *u = @_planes[a->plane], *v = @_planes[b->plane], *w = @_planes[c->plane], *z = @_planes[d->plane];
      const double *p = x + row[i] * @_COLUMNS, *q = x + row[i + 1] * @_COLUMNS;
      const double *r = x + row[i + 2] * @_COLUMNS, *s = x + row[i + 3] * @_COLUMNS;
      double e = 0, f = 0, g = 0, h = 0;
      for (j = 0; j < @_COLUMNS; ++j) {
        e += u[j] * p[j];
        f += v[j] * q[j];
        g += w[j] * r[j];
        h += z[j] * s[j];
      }
      at[i] = a->first + (uint32_t)!(e <= a->threshold);
      at[i + 1] = b->first + (uint32_t)!(f <= b->threshold);
      at[i + 2] = c->first + (uint32_t)!(g <= c->threshold);
      at[i + 3] = d->first + (uint32_t)!(h <= d->threshold);
    }
    for (i = 0; i < active; ++i) {
      const uint32_t here = at[i], r = row[i];
      place[r] = @_nodes[here].place;
      at[kept] = here;
      row[kept] = r;
      kept += @_nodes[here].inner;
    }
    active = kept;
  }
}
"""

# Tests of any kind, those that there are.
TESTS = """\
struct @_test { double threshold; uint32_t kind, children, columns, n, weights, n_weights; };
{tests}
{test_columns}
{test_weights}
static uint32_t @_route(uint32_t number, const double *x)
{
  const struct @_test *test = &@_tests[number];
  const uint32_t *column = @_test_columns + test->columns;
  const double *w = @_test_weights + test->weights;
{routes}
}
"""

ROUTES = {
    "categories": """\
    const double code = x[column[0]];
    const int known = code >= 0 && code < (double)test->n_weights && code == (double)(uint32_t)code;
    return (uint32_t)(known ? w[(uint32_t)code] : test->threshold);""",
    "hyperplane": """\
    uint32_t j;
    double sum = 0;
    for (j = 0; j < test->n; ++j) sum += w[j] * x[column[j]];
    return sum <= test->threshold ? 0 : 1;""",
    "linear machine": """\
    uint32_t j, child, winner = 0;
    double highest = 0;
    for (child = 0; child < test->children; ++child, w += test->n + 1) {
      double sum = w[test->n];
      for (j = 0; j < test->n; ++j) sum += w[j] * x[column[j]];
      if (child == 0 || sum > highest) winner = child, highest = sum;
    }
    return winner;""",
}

NODES = """\
struct @_node { uint32_t first, test, place, children; };
{nodes}
{roots}
static void @_find(size_t part, const double *x, size_t n, uint32_t *place)
{
  uint32_t row[@_BLOCK], at[@_BLOCK];
  size_t i, active = 0;
  for (i = 0; i < n; ++i) {
    place[i] = @_nodes[@_root[part]].place;
    row[i] = (uint32_t)i;
    at[i] = @_root[part];
  }
  if (@_nodes[@_root[part]].children > 0) active = n;
  while (active > 0) {
    size_t kept = 0;
    for (i = 0; i < active; ++i)
      at[i] = @_nodes[at[i]].first + @_route(@_nodes[at[i]].test, x + row[i] * @_COLUMNS);
    for (i = 0; i < active; ++i) {
      const uint32_t here = at[i], r = row[i];
      place[r] = @_nodes[here].place;
      at[kept] = here;
      row[kept] = r;
      kept += @_nodes[here].children > 0;
    }
    active = kept;
  }
}
"""

# The first region whose conditions all hold, or the last.
REGIONS = """\
{network_tests}
{network_regions}
{region_start}
{conditions}
static void @_find(size_t part, const double *x, size_t n, uint32_t *place)
{
  uint32_t side[@_TESTS], i, region, c;
  const uint32_t first = @_network_tests[part], last = @_network_regions[part + 1] - 1;
  size_t r;
  for (r = 0; r < n; ++r, x += @_COLUMNS) {
    for (i = first; i < @_network_tests[part + 1]; ++i) side[i - first] = @_route(i, x);
    for (region = @_network_regions[part]; region < last; ++region) {
      for (c = @_region_start[region]; c < @_region_start[region + 1]; ++c)
        if (side[@_conditions[c][0]] != @_conditions[c][1]) break;
      if (c == @_region_start[region + 1]) break;
    }
    place[r] = region;
  }
}
"""

# exp(x) for x <= 0, as `predict` has it: the same digits with every C library.
EXP = """\
static double @_exp(double x)
{
  const double whole = 6755399441055744.0, v = x > -700.0 ? x : -700.0;
  const double shifted = v * 1.4426950408889634 + whole, r = v - (shifted - whole) * 0.6931471805599453;
  double series = 1.0 / 6227020800.0, scale;
  union { double number; uint64_t bits; } u;
  series = series * r + 1.0 / 479001600;
  series = series * r + 1.0 / 39916800;
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 1.0 / 2;
  series = series * r + 1.0;
  u.number = shifted;
  u.bits = (u.bits + 1023) << 52;
  scale = u.number;
  return scale + scale * (r * series);
}
"""

# What a leaf predicts for a row. Where the sum of a linear model is NaN, the leaf predicts its constant value.
MODELS = """\
struct @_model { uint32_t start, end; double {range}constant[@_WIDTH]; };
{models}
{model_columns}
{model_weights}
{value}
{weight}
"""

MODEL_NUMBER = """\
static double @_leaf(uint32_t place, const double *x)
{
  const struct @_model *model = &@_models[place];
  uint32_t t;
  double sum = model->constant[0];
  if (model->start == model->end) return @_value[place][0];
  for (t = model->start; t < model->end; ++t) sum += @_model_weights[t][0] * x[@_model_columns[t]];
  if (sum != sum) return @_value[place][0];
  return sum < model->low ? model->low : model->high < sum ? model->high : sum;
}
"""

MODEL_CLASSES = """\
static void @_leaf(uint32_t place, const double *x, double *to, const double (*other)[@_WIDTH])
{
  const struct @_model *model = &@_models[place];
  double most, total = 0, mass = 0;
  uint32_t t;
  size_t c;
  int finite = model->start < model->end;
  for (c = 0; c < @_WIDTH; ++c) to[c] = model->constant[c];
  for (t = model->start; t < model->end; ++t)
    for (c = 0; c < @_WIDTH; ++c) to[c] += @_model_weights[t][c] * x[@_model_columns[t]];
  for (c = 0; c < @_WIDTH; ++c) {
    finite = finite && to[c] - to[c] == 0;
    mass += other[place][c];
  }
  if (!finite) {
    for (c = 0; c < @_WIDTH; ++c) to[c] = other[place][c];
    return;
  }
  most = to[0];
  for (c = 1; c < @_WIDTH; ++c) if (to[c] > most) most = to[c];
  for (c = 0; c < @_WIDTH; ++c) to[c] = @_exp(to[c] - most), total += to[c];
  for (c = 0; c < @_WIDTH; ++c) to[c] = to[c] / total * mass;
}
"""

# The sum of K numbers in the order in which NumPy adds them.
TOTAL = """\
static double @_total(const double *s)
{
  double total = 0;
  size_t c;
  for (c = 0; c < @_CLASSES; ++c) total += s[c];
  return total;
}
"""

TOTAL_OF_EIGHT = """\
static double @_total(const double *s)
{
  double sum[8], total;
  size_t c, j;
  for (j = 0; j < 8; ++j) sum[j] = s[j];
  for (c = 8; c + 8 <= @_CLASSES; c += 8)
    for (j = 0; j < 8; ++j) sum[j] += s[c + j];
  total = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  for (; c < @_CLASSES; ++c) total += s[c];
  return total;
}
"""

SCALE = """\
static void @_scale(double *s)
{
  const double total = @_total(s);
  size_t c;
  for (c = 0; c < @_CLASSES; ++c) s[c] /= total;
}
"""

# From probabilities by weight to those of the classes as they occur.
DIVIDE = """\
{divisors}
static void @_divide(double *s)
{
  size_t c;
  for (c = 0; c < @_CLASSES; ++c) s[c] /= @_divisors[c];
  @_scale(s);
}
"""

LARGEST = """\
static int @_largest(const double *s)
{
  int c, best = 0;
  for (c = 1; c < @_CLASSES; ++c) if (s[c] > s[best]) best = c;
  return best;
}
"""

# Where a test needs a missing value, each child gets the part of the row that its training rows are.
SPREAD = """\
{parts}
static int @_incomplete(const double *x)
{
  size_t j;
  for (j = 0; j < @_COLUMNS; ++j) if (x[j] != x[j]) return 1;
  return 0;
}

static void @_spread(size_t part, const double *x, double *to, {table})
{
  struct { uint32_t node; double part; } stack[{deepest}];
  double share[@_CLASSES];
  size_t c, size = 1;
  for (c = 0; c < @_CLASSES; ++c) to[c] = 0;
  stack[0].node = @_root[part];
  stack[0].part = 1.0;
  while (size > 0) {
    const struct @_node *node = &@_nodes[stack[--size].node];
    double piece = stack[size].part;
    while (node->children > 0) {
      const struct @_test *test = &@_tests[node->test];
      uint32_t j = 0, child;
      while (j < test->n && x[@_test_columns[test->columns + j]] == x[@_test_columns[test->columns + j]]) ++j;
      if (j == test->n) {
        node = &@_nodes[node->first + @_route(node->test, x)];
        continue;
      }
      for (child = node->children; child-- > 1;) {
        stack[size].node = node->first + child;
        stack[size++].part = piece * @_parts[node->first + child];
      }
      piece *= @_parts[node->first];
      node = &@_nodes[node->first];
    }
    {shares}
    for (c = 0; c < @_CLASSES; ++c) to[c] += piece * share[c];
  }
}
"""

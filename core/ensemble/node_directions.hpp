// Directions at a node of a forest's tree, in some drawn features: one penalised Newton step of a logistic or linear
// model from zero (Jaeger et al. 2024, accelerated oblique random survival forests), canonical directions for more than
// two classes (Rainforth and Wood 2015, canonical correlation forests), or random sparse combinations (Breiman 2001,
// Forest-RC; Tomita et al. 2020, SPORF).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ensemble/cut_scan.hpp"
#include "ensemble/node_columns.hpp"
#include "numeric/canonical_directions.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/rng.hpp"

namespace askew::ensemble {

using namespace numeric;

// One direction: weights in the units of the columns.
class NodeDirections {
 public:
  bool found = false;
  std::vector<double> weights;

  // The first Newton step from zero: H = X' U X / 4 + l2 I for classes (curvature 1/4), X' U X + l2 I for numbers; the
  // columns have mean 0 and deviation 1. A factor of the direction changes no cut.
  void newton(const NodeColumns& columns, const double* z, double l2, double curvature) {
    start(columns);
    const Factor factor(columns.correlation, columns.m, l2 / (curvature * columns.mass), false);
    if (!factor.ok) return;
    columns.covariances(z, weights.data());
    factor.solve(weights.data());
    keep(columns);
  }

  // The first canonical direction of the classes.
  void canonical(const NodeColumns& columns, const ClassRows& rows, double l2) {
    start(columns);
    const std::size_t d = columns.m, m = d + 1;
    ClassMoments moments{rows.of_class, std::vector<double>(rows.of_class.size() * d, 0.0), std::vector<double>(m * m)};
    for (std::size_t j = 0; j < d; ++j) {
      const double* x = columns.weighted(j);
      for (std::size_t i = 0; i < columns.n; ++i) moments.sums[static_cast<std::size_t>(rows.label[i]) * d + j] += x[i];
    }
    for (std::size_t i = 0; i < moments.sums.size(); ++i)
      moments.sums[i] = columns.deviation[i % d] > 0 ? moments.sums[i] / columns.deviation[i % d] : 0.0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) moments.gram[i * m + j] = columns.mass * columns.correlation[i * d + j];
    moments.gram[d * m + d] = columns.mass;
    std::vector<Direction> directions = canonical_directions(moments, 4 * l2, 1);
    if (directions.empty()) return;
    weights.swap(directions[0]);
    keep(columns);
  }

  // Two of the columns, scaled, with random signs.
  void random_pair(const NodeColumns& columns, Rng& random) {
    start(columns);
    const std::size_t first = static_cast<std::size_t>(random.below(columns.m));
    std::size_t second = static_cast<std::size_t>(random.below(columns.m - 1));
    second += second >= first;
    weights[first] = 1;
    weights[second] = (random.next() >> 63) != 0 ? 1.0 : -1.0;
    keep(columns);
  }

 private:
  void start(const NodeColumns& columns) {
    found = false;
    weights.assign(columns.m, 0.0);
  }
  // From scaled columns to columns as they are.
  void keep(const NodeColumns& columns) {
    for (std::size_t j = 0; j < columns.m; ++j) {
      weights[j] = columns.deviation[j] > 0 ? weights[j] / columns.deviation[j] : 0.0;
      if (!std::isfinite(weights[j])) return;
      found = found || weights[j] != 0;
    }
  }
};

}  // namespace askew::ensemble

// The rows of one node for OC1, CART-LC, SADT and CART-ELC: gathered, scaled, and the way back to the data's units.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/parallel.hpp"
#include "numeric/simd.hpp"
#include "score/column_scales.hpp"
#include "score/local_target.hpp"
#include "score/sweep.hpp"

namespace askew::score {

using namespace numeric;

// (x - shift) / scale; halves: no overflow.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void centre_and_divide(double* x, double shift, double scale, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) x[j] = (x[j] * 0.5 - shift * 0.5) / (scale * 0.5);
}

// How far a plane may be moved along s before a row crosses it. A row on the plane itself counts as below it: it may
// not be lifted.
struct Room {
  double low, high;
};
ASKEW_WIDE_VECTORS
[[maybe_unused]] static Room room_along(const double* V, const double* s, std::size_t n) {
  // The bits of numbers that are not negative have their order: of whole numbers vectors find the least.
  constexpr auto kEndless = std::bit_cast<std::int64_t>(kInfinity);
  std::int64_t down = kEndless, up = kEndless;
  for (std::size_t j = 0; j < n; ++j) {
    const double t = -V[j] / s[j];
    const auto size = std::bit_cast<std::int64_t>(std::abs(t));
    const double way = t == 0 ? s[j] : t;  // below 0: the row sets a limit to the way down
    const std::int64_t still = s[j] != 0 ? 0 : kEndless;
    const std::int64_t lower = way < 0 ? size : kEndless, upper = way < 0 ? kEndless : size;
    down = std::min(down, lower | still);
    up = std::min(up, upper | still);
  }
  return {-std::bit_cast<double>(down), std::bit_cast<double>(up)};
}

// The result of a line search: how far a plane is moved, and the score of the split there.
struct LineCut {
  double t = 0;
  double score = kInfinity;  // infinite: there is no candidate
};

// Column-major: an oblique search works on one feature at a time. The first columns are kept; of a node that has almost
// all the rows of a large table the others are computed again from the table at each use, to the same bits.
struct NodeMatrix {
  std::vector<double> columns;
  std::size_t n = 0, d = 0, n_kept = 0;
  const double* X = nullptr;  // the table, row by row
  std::size_t X_width = 0;
  const std::uint32_t* rows = nullptr;
  std::vector<std::int64_t> features;
  std::vector<double> shift, scale;

  const double* column(std::size_t m) const { return columns.data() + m * n; }  // one that is kept
  double* column(std::size_t m) { return columns.data() + m * n; }
  // Any column; `spare` has room for one that is not kept.
  const double* column(std::size_t m, std::vector<double>& spare) const {
    if (m < n_kept) return column(m);
    spare.resize(n);
    read(m, 0, n, spare.data());
    scale_values(m, n, spare.data());
    return spare.data();
  }

  // V_j = a.x_j + a[d] for every row; a block of rows at a time, so that its sums stay in the cache.
  void evaluate(const std::vector<double>& a, std::vector<double>& V) const {
    constexpr std::size_t kRowsAtOnce = 1024;
    double made[kRowsAtOnce];
    V.assign(n, a[d]);
    for (std::size_t start = 0; start < n; start += kRowsAtOnce) {
      const std::size_t size = std::min(n - start, kRowsAtOnce);
      add_multiples(&V[start], a.data(), n_kept, columns.data() + start, n, size);
      for (std::size_t m = n_kept; m < d; ++m) {
        if (a[m] == 0) continue;
        read(m, start, size, made);
        scale_values(m, size, made);
        add_multiple(&V[start], a[m], made, size, &V[start]);
      }
    }
  }

  // The values of a feature at `size` rows as the table has them.
  void read(std::size_t m, std::size_t start, std::size_t size, double* to) const {
    const double* x = X + features[m];
    for (std::size_t j = 0; j < size; ++j) to[j] = x[rows[start + j] * X_width];
  }
  void scale_values(std::size_t m, std::size_t size, double* values) const {
    if (scale[m] == 0) std::fill(values, values + size, 0.0);  // constant here: takes no part
    else centre_and_divide(values, shift[m], scale[m], size);
  }
};

// The plane that a search has found, in the units of the data.
struct FoundPlane {
  std::vector<double> weights;  // one for each feature taken
  double threshold = 0;
  double score = kInfinity;
  std::size_t n_evaluated = 0;  // hyperplanes
  bool ok = false;              // there is such a plane
};

class NodeData {
 public:
  // `wanted` are the columns to take; rows become 0..n-1, columns 0..n_wanted-1. About `n_numbers` numbers are kept.
  NodeData(const Target& target, const double* X, std::size_t d, const std::uint32_t* rows, std::size_t n,
           const std::int64_t* wanted, std::size_t n_wanted, Scaling scaling, std::size_t n_numbers, int threads,
           Interrupt& interrupt)
      : local(target, rows, n), shift_(matrix.shift), scale_(matrix.scale) {
    matrix.n = n, matrix.d = n_wanted, matrix.n_kept = std::min(n_wanted, n_numbers / std::max<std::size_t>(n, 1));
    matrix.X = X, matrix.X_width = d, matrix.rows = rows;
    matrix.features.assign(wanted, wanted + n_wanted);
    matrix.columns.resize(n * matrix.n_kept);
    shift_.resize(n_wanted), scale_.resize(n_wanted);
    parallel_for(n_wanted, threads_for(threads, kMeasureCost, n, n_wanted), interrupt, [&](std::size_t m, std::size_t) {
      std::vector<double> spare(m < matrix.n_kept ? 0 : n);
      double* column = m < matrix.n_kept ? matrix.column(m) : spare.data();
      matrix.read(m, 0, n, column);
      const ColumnScale found = line_scale(column, n, target, rows, scaling);
      shift_[m] = found.shift, scale_[m] = found.scale;
      if (m < matrix.n_kept) matrix.scale_values(m, n, column);
    });
  }
  // Keeps all columns.
  NodeData(const Target& target, const double* X, std::size_t d, const std::uint32_t* rows, std::size_t n,
           const std::int64_t* wanted, std::size_t n_wanted, Scaling scaling, Interrupt&& quiet = Interrupt(nullptr))
      : NodeData(target, X, d, rows, n, wanted, n_wanted, scaling, n * n_wanted, 1, quiet) {}
  NodeData(const NodeData&) = delete;
  NodeData& operator=(const NodeData&) = delete;

  // A plane given in the units of the data (a weight for each feature taken, then the constant), scaled; its
  // largest weight is 1 then, so that the units leave no trace.
  std::vector<double> scaled(const double* raw) const {
    std::vector<double> a(matrix.d + 1);
    double largest = 0;
    a[matrix.d] = raw[matrix.d];
    for (std::size_t m = 0; m < matrix.d; ++m) {
      a[m] = raw[m] * scale_[m];
      a[matrix.d] += raw[m] * shift_[m];
      largest = std::max(largest, std::abs(a[m]));
    }
    if (largest > 0)
      for (double& value : a) value /= largest;
    return a;
  }

  // Moves a plane to the middle of the room that its rows leave it: each coefficient in turn half-way between
  // the nearest crossings on either side, so that no row changes its side. Where rounding moves one across after
  // all, the plane stays as it was.
  void centre(std::vector<double>& a) const {
    constexpr int kSweeps = 3;  // more changed no result
    std::vector<double> V, before = a;
    matrix.evaluate(a, V);
    std::vector<bool> above(matrix.n);
    for (std::size_t j = 0; j < matrix.n; ++j) above[j] = V[j] > 0;
    std::vector<double> spare;
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (std::size_t m = 0; m <= matrix.d; ++m) {
        if (a[m] == 0 && m < matrix.d) continue;  // a feature that takes no part stays out
        if (m == matrix.d) spare.assign(matrix.n, 1.0);
        const double* s = m < matrix.d ? matrix.column(m, spare) : spare.data();
        const Room room = room_along(V.data(), s, matrix.n);
        if (!std::isfinite(room.low) || !std::isfinite(room.high) || !(room.low < room.high)) continue;
        const double t = midpoint(room.low, room.high);
        a[m] += t;
        add_multiple(V.data(), t, s, matrix.n, V.data());
      }
    spare = {};
    matrix.evaluate(a, V);
    for (std::size_t j = 0; j < matrix.n; ++j)
      if ((V[j] > 0) != above[j]) {
        a = std::move(before);
        return;
      }
  }

  // A plane in the units of the data: rows with weights.x <= threshold go left. `ok` is false where the
  // way back overflows.
  // Undoes the scaling of a plane with this score. The rows stay on their sides exactly: where rounding would move
  // one across, the threshold is put half-way between the sides. Where rounding has mixed the sides, it is put
  // where it is best, which `line` (a LineSearch, or what has its `best`) finds, and the score is that of the split
  // that is left.
  template <class Line>
  FoundPlane raw(const std::vector<double>& a, double score, Line& line) const {
    FoundPlane plane;
    plane.score = score;
    plane.weights.resize(matrix.d);
    double constant = a[matrix.d], largest = 0;
    for (std::size_t m = 0; m < matrix.d; ++m) {
      if (a[m] == 0 || scale_[m] == 0) continue;
      plane.weights[m] = a[m] / scale_[m];
      constant -= plane.weights[m] * shift_[m];
      largest = std::max(largest, std::abs(plane.weights[m]));
    }
    if (!(largest > 0) || !std::isfinite(largest) || !std::isfinite(constant)) return plane;
    const int exponent = -std::ilogb(largest);  // a power of two: scales without rounding
    for (double& w : plane.weights) w = std::ldexp(w, exponent);
    plane.threshold = -std::ldexp(constant, exponent);

    std::vector<double> projected(matrix.n), inside;
    matrix.evaluate(a, inside);
    double highest_left = -kInfinity, lowest_right = kInfinity;
    for (std::size_t j = 0; j < matrix.n; ++j) {
      projected[j] = project(plane.weights, j);
      if (!std::isfinite(projected[j])) return plane;
      if (inside[j] <= 0) highest_left = std::max(highest_left, projected[j]);
      else lowest_right = std::min(lowest_right, projected[j]);
    }
    if (highest_left < lowest_right) {
      if (!(highest_left <= plane.threshold && plane.threshold < lowest_right))
        plane.threshold = midpoint(highest_left, lowest_right);
    } else {
      const std::vector<double> ones(matrix.n, 1.0);
      // A power of two brings the values into the reach of a line search without rounding.
      double size = 0;
      for (const double p : projected) size = std::max(size, std::abs(p));
      const int power = size > 0 ? std::ilogb(size) : 0;
      for (double& p : projected) p = std::ldexp(p, -power);
      const LineCut move = line.best(projected.data(), ones.data());
      plane.threshold = std::ldexp(-move.t, power);
      plane.score = move.score;
    }
    plane.ok = std::isfinite(plane.threshold);
    return plane;
  }

  NodeMatrix matrix;
  LocalTarget local;

 private:
  // As the tree's walker sums it.
  double project(const std::vector<double>& weights, std::size_t j) const {
    double sum = 0;
    const double* x = matrix.X + matrix.rows[j] * matrix.X_width;
    for (std::size_t m = 0; m < matrix.d; ++m)
      if (weights[m] != 0) sum += weights[m] * x[matrix.features[m]];
    return sum;
  }

  std::vector<double>&shift_, &scale_;
};

}  // namespace askew::score

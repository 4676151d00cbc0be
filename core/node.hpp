// The rows of one node for an oblique search: gathered, scaled, and the way back to the units of the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "line.hpp"
#include "sweep.hpp"

namespace askew {

enum class Scaling { none, minmax, standard, robust };

// Column-major: an oblique search works on one feature at a time.
struct NodeMatrix {
  std::vector<double> columns;
  std::size_t n = 0, d = 0;
  const double* column(std::size_t m) const { return columns.data() + m * n; }
  double* column(std::size_t m) { return columns.data() + m * n; }

  // V_j = a.x_j + a[d] for every row; a block of rows at a time, so that its sums stay in the cache.
  void evaluate(const std::vector<double>& a, std::vector<double>& V) const {
    constexpr std::size_t kBlock = 1024;
    V.assign(n, a[d]);
    for (std::size_t start = 0; start < n; start += kBlock)
      add_multiples(&V[start], a.data(), d, column(0) + start, n, std::min(n - start, kBlock));
  }
};

class NodeData {
 public:
  // `features` are the columns to take; rows become 0..n-1, columns 0..features-1.
  NodeData(const Target& target, const double* X, std::size_t d, const std::uint32_t* rows, std::size_t n,
           const std::int64_t* features, std::size_t n_features, Scaling scaling)
      : X_(X), d_(d), rows_(rows), features_(features, features + n_features) {
    matrix.n = n, matrix.d = n_features;
    matrix.columns.resize(n * n_features);
    shift_.resize(n_features), scale_.resize(n_features);
    for (std::size_t m = 0; m < n_features; ++m) {
      double* column = matrix.column(m);
      for (std::size_t j = 0; j < n; ++j) column[j] = X[rows[j] * d + static_cast<std::size_t>(features_[m])];
      measure(m, scaling);
      if (scale_[m] == 0) std::fill(column, column + n, 0.0);  // constant here: takes no part
      else
        for (std::size_t j = 0; j < n; ++j) column[j] = (column[j] * 0.5 - shift_[m] * 0.5) / (scale_[m] * 0.5);
    }
    take(target.label, label_), take(target.y, y_), take(target.weight, weight_), take(target.multiplicity, samples_);
    local.label = target.label ? label_.data() : nullptr;
    local.y = target.y ? y_.data() : nullptr;
    local.weight = target.weight ? weight_.data() : nullptr;
    local.multiplicity = target.multiplicity ? samples_.data() : nullptr;
    local.k = target.k;
    everyone.resize(n);
    std::iota(everyone.begin(), everyone.end(), 0u);
  }
  NodeData(const NodeData&) = delete;
  NodeData& operator=(const NodeData&) = delete;

  // Numbers the classes that have rows here anew, in their order, and forgets the others: for criteria to which a class
  // without rows makes no difference. At least two are left.
  void forget_absent_classes() {
    if (!local.label) return;
    std::vector<std::int32_t> number(static_cast<std::size_t>(local.k), 0);
    for (const auto c : label_) number[static_cast<std::size_t>(c)] = 1;
    int present = 0;
    for (auto& c : number) c = c ? present++ : 0;
    if (present < 2 || present == local.k) return;
    for (auto& c : label_) c = number[static_cast<std::size_t>(c)];
    local.k = present;
  }

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
    std::vector<double> V, centred, before = a;
    matrix.evaluate(a, V);
    const std::vector<double> at_first = V;
    const std::vector<double> ones(matrix.n, 1.0);
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (std::size_t m = 0; m <= matrix.d; ++m) {
        if (a[m] == 0 && m < matrix.d) continue;  // a feature that takes no part stays out
        const double* s = m < matrix.d ? matrix.column(m) : ones.data();
        double low = -kInfinity, high = kInfinity;
        for (std::size_t j = 0; j < matrix.n; ++j) {
          if (s[j] == 0) continue;
          const double t = -V[j] / s[j];
          // A row on the plane itself counts as below it: it may not be lifted.
          if (t < 0 || (t == 0 && s[j] < 0)) low = std::max(low, t);
          else high = std::min(high, t);
        }
        if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) continue;
        const double t = midpoint(low, high);
        a[m] += t;
        for (std::size_t j = 0; j < matrix.n; ++j) V[j] += t * s[j];
      }
    matrix.evaluate(a, centred);
    for (std::size_t j = 0; j < matrix.n; ++j)
      if ((centred[j] > 0) != (at_first[j] > 0)) {
        a = std::move(before);
        return;
      }
  }

  // A plane in the units of the data: rows with weights.x <= threshold go left. `ok` is false where the
  // way back overflows.
  struct Raw {
    std::vector<double> weights;  // one for each feature taken
    double threshold = 0;
    double score = kInfinity;
    bool ok = false;
  };

  // Undoes the scaling of a plane with this score. The rows stay on their sides exactly: where rounding would move
  // one across, the threshold is put half-way between the sides. Where rounding has mixed the sides, it is put
  // where it is best, which `line` (a LineSearch, or what has its `best`) finds, and the score is that of the split
  // that is left.
  template <class Line>
  Raw raw(const std::vector<double>& a, double score, Line& line) const {
    Raw plane;
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
      const Move move = line.best(projected.data(), ones.data());
      plane.threshold = std::ldexp(-move.t, power);
      plane.score = move.score;
    }
    plane.ok = std::isfinite(plane.threshold);
    return plane;
  }

  NodeMatrix matrix;
  Target local;                         // over rows 0..n-1
  std::vector<std::uint32_t> everyone;  // 0..n-1

 private:
  // As the tree's walker sums it.
  double project(const std::vector<double>& weights, std::size_t j) const {
    double sum = 0;
    const double* x = X_ + rows_[j] * d_;
    for (std::size_t m = 0; m < matrix.d; ++m)
      if (weights[m] != 0) sum += weights[m] * x[features_[m]];
    return sum;
  }

  // With moves below LineSearch::kFarthest this keeps a plane's values below LineSearch::kLargest.
  static constexpr double kReach = 1e40;

  void measure(std::size_t m, Scaling scaling) {
    const double* column = matrix.column(m);
    const auto [low, high] = std::minmax_element(column, column + matrix.n);
    const double range = *high * 0.5 - *low * 0.5;
    shift_[m] = 0, scale_[m] = 1;
    if (*low == *high) {
      scale_[m] = 0;
    } else if (scaling == Scaling::minmax) {
      shift_[m] = *low, scale_[m] = range * 2;
    } else if (scaling == Scaling::standard) {
      double mean = 0, squares = 0;
      for (std::size_t j = 0; j < matrix.n; ++j) mean += column[j] / static_cast<double>(matrix.n);
      const int power = std::ilogb(range);  // squares of huge and tiny values neither overflow nor vanish
      for (std::size_t j = 0; j < matrix.n; ++j) {
        const double away = std::ldexp(column[j] * 0.5 - mean * 0.5, 1 - power);
        squares += away * away;
      }
      shift_[m] = mean, scale_[m] = std::ldexp(std::sqrt(squares / static_cast<double>(matrix.n)), power);
    } else if (scaling == Scaling::robust) {
      std::vector<double> sorted(column, column + matrix.n);
      std::sort(sorted.begin(), sorted.end());
      const auto quantile = [&](double q) {
        const double place = q * static_cast<double>(matrix.n - 1);
        const auto i = static_cast<std::size_t>(place);
        const double next = sorted[std::min(i + 1, matrix.n - 1)];
        return sorted[i] + (next - sorted[i]) * (place - static_cast<double>(i));
      };
      const double spread = quantile(0.75) - quantile(0.25);
      shift_[m] = quantile(0.5), scale_[m] = spread > 0 ? spread : range * 2;  // no spread: the range
    }
    // Values far beyond their scale would overflow sooner or later: the range is the scale then.
    const auto within_reach = [&] {
      return std::max(std::abs(*low - shift_[m]), std::abs(*high - shift_[m])) / scale_[m] < kReach;
    };
    if (scale_[m] > 0 && !within_reach()) scale_[m] = range * 2;
    if (!std::isfinite(scale_[m]) || !std::isfinite(shift_[m]) || scale_[m] < 1e-290 || !within_reach()) scale_[m] = 0;
  }

  template <class T>
  void take(const T* from, std::vector<T>& to) const {
    if (!from) return;
    to.resize(matrix.n);
    for (std::size_t j = 0; j < matrix.n; ++j) to[j] = from[rows_[j]];
  }

  const double* X_;
  std::size_t d_;
  const std::uint32_t* rows_;
  std::vector<std::int64_t> features_;
  std::vector<double> shift_, scale_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_, weight_, samples_;
};

}  // namespace askew

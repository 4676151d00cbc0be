// Cuts that are good for linear leaves, for `search="piecewise"`: a ridge line on each side, least squared error of
// both.
//
//   values of a direction, sorted    x x x x | x x x x | x x x x | x x x x     bins of equal mass
//   moments of (z 1 y) in each bin   M0        M1        M2        M3
//   cut behind bin 1                 left = M0 + M1, right = M2 + M3           one small linear system a side
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linear/normal_equations.hpp"
#include "linear/standardised.hpp"
#include "numeric/parallel.hpp"
#include "numeric/symmetric_eigen.hpp"
#include "score/sweep.hpp"
#include "score/target.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

struct PiecewiseRules {
  double l2 = 0.01;  // penalty of the lines, beside the mean square
  std::size_t bins = 16;
  LeafLimits limits;
};

struct PiecewiseCut {
  double threshold = 0;
  double error = std::numeric_limits<double>::infinity();  // sum of the squared errors of both sides, y of deviation 1
};

class PiecewiseCuts {
 public:
  // y has mean 0 (data.stride entries, 0 in the padding).
  PiecewiseCuts(const Target& target, const std::uint32_t* rows, const Standardised& data, const std::vector<double>& y,
                const PiecewiseRules& rules)
      : data_(data), y_(y), rules_(rules), samples_(data.n) {
    for (std::size_t j = 0; j < data.d; ++j)
      if (data.scale[j] > 0) used_.push_back(j);
    m_ = used_.size() + 2;
    for (std::size_t i = 0; i < data.n; ++i) samples_[i] = target.samples_of(rows[i]);
    rules_.limits.n_samples = std::accumulate(samples_.begin(), samples_.end(), 0.0);
    rules_.limits.weight = data.mass;
  }

  // The squared error of one line.
  double whole() const {
    std::vector<std::uint32_t> all(data_.n);
    std::iota(all.begin(), all.end(), 0u);
    return line_error(moments(all, 0, all.size()), std::vector<double>(m_ * m_, 0.0));
  }

  // The best cut along values of the rows: between the bins, and then between finer ones on both sides of it.
  PiecewiseCut best(const std::vector<double>& value) const {
    std::vector<std::uint32_t> order(data_.n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return value[a] < value[b]; });
    const std::vector<double> all = moments(order, 0, order.size());
    PiecewiseCut found;
    Bracket bracket{0, order.size(), std::vector<double>(m_ * m_, 0.0)};
    for (int turn = 0; turn < 2 && bracket.to > bracket.from; ++turn) bracket = scan(value, order, all, bracket, found);
    return found;
  }

 private:
  // Places in the order between which a cut is looked for, and the moments of the rows before them.
  struct Bracket {
    std::size_t from, to;
    std::vector<double> before;
  };

  // Cuts between bins of equal mass in a bracket; `found` becomes the best. Returns the bins beside it, empty if no cut
  // here was better.
  Bracket scan(const std::vector<double>& value, const std::vector<std::uint32_t>& order,
               const std::vector<double>& all, const Bracket& in, PiecewiseCut& found) const {
    double samples = 0, mass = 0, part = 0;
    for (std::size_t i = 0; i < in.from; ++i) samples += samples_[order[i]], mass += data_.weight[order[i]];
    for (std::size_t i = in.from; i < in.to; ++i) part += data_.weight[order[i]];
    const double first = mass;
    Bracket next{0, 0, in.before}, here = in;
    bool ends_here = false;
    double bins = 1;
    for (std::size_t i = in.from, begin = in.from; i < in.to && i + 1 < order.size(); ++i) {
      samples += samples_[order[i]], mass += data_.weight[order[i]];
      const double due = part * bins / static_cast<double>(rules_.bins);
      if ((mass - first) < due * (1 - 1e-12) || !(value[order[i]] < value[order[i + 1]])) continue;
      while (part * bins / static_cast<double>(rules_.bins) <= (mass - first) * (1 + 1e-12)) ++bins;
      if (std::exchange(ends_here, false)) next.to = i + 1;
      const std::vector<double> before = here.before;
      add_to(here.before.data(), 1.0, moments(order, begin, i + 1).data(), m_ * m_);
      if (rules_.limits.allow(samples, mass)) {
        const double error = line_error(here.before, std::vector<double>(m_ * m_, 0.0)) + line_error(all, here.before);
        if (error < found.error * (1 - 1e-9)) {
          found = {midpoint(value[order[i]], value[order[i + 1]]), error};
          next = {begin, in.to, before};
          ends_here = true;
        }
      }
      begin = i + 1;
    }
    return next;
  }

  // Sums of u a a' over some rows, a = (1, columns, y); the lower triangle.
  std::vector<double> moments(const std::vector<std::uint32_t>& order, std::size_t from, std::size_t to) const {
    const std::size_t n = to - from, stride = whole_lanes(n);
    std::vector<double> part(m_ * stride, 0.0), scaled(stride, 0.0), sums(m_ * m_, 0.0), u(stride, 0.0);
    for (std::size_t i = 0; i < n; ++i) u[i] = data_.weight[order[from + i]], part[i] = 1.0;
    for (std::size_t a = 1; a < m_; ++a) {
      const double* x = a + 1 < m_ ? data_.column(used_[a - 1]) : y_.data();
      for (std::size_t i = 0; i < n; ++i) part[a * stride + i] = x[order[from + i]];
    }
    for (std::size_t a = 0; a < m_; ++a) {
      multiply_lanes(&part[a * stride], u.data(), stride, scaled.data());
      for (std::size_t b = 0; b <= a; ++b) sums[a * m_ + b] = lane_dot(scaled.data(), &part[b * stride], stride);
    }
    return sums;
  }
  // The squared error of the ridge line on rows with the moments a - b: y'y - c'c, c what of y lies along the columns.
  double line_error(std::vector<double> a, const std::vector<double>& b) const {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    const double penalty = rules_.l2 * a[0], square = a[m_ * m_ - 1];
    for (std::size_t j = 1; j + 1 < m_; ++j) a[j * m_ + j] += penalty;
    // The last entry of the factor's diagonal is the root of what the columns leave of y: a little is added to it, so
    // that an exact line does not end the factorisation.
    a[m_ * m_ - 1] += 1e-9 * square + 1e-300;
    if (!cholesky(a.data(), m_)) return square;
    const double left = a[m_ * m_ - 1];
    return left * left;
  }

  const Standardised& data_;
  const std::vector<double>& y_;
  PiecewiseRules rules_;
  std::vector<std::size_t> used_;
  std::size_t m_ = 0;
  std::vector<double> samples_;
};

}  // namespace askew::linear

// Cuts that are good for linear leaves, for `search="piecewise"`: a ridge line on each side, least squared error of both.
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
#include <vector>

#include "base/parallel.hpp"
#include "base/sweep.hpp"
#include "base/symmetric_eigen.hpp"
#include "base/target.hpp"
#include "linear/normal_equations.hpp"
#include "linear/standardised.hpp"

namespace askew {

struct PiecewiseRules {
  double l2 = 0.01;        // penalty of the lines, beside the mean square
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

  // The best cut along values of the rows.
  PiecewiseCut best(const std::vector<double>& value) const {
    std::vector<std::uint32_t> order(data_.n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return value[a] < value[b]; });
    std::vector<std::size_t> ends;  // of the bins
    std::vector<double> samples, mass;
    double n = 0, u = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      n += samples_[order[i]], u += data_.weight[order[i]];
      const bool last = i + 1 == order.size();
      const double due = data_.mass * static_cast<double>(ends.size() + 1) / static_cast<double>(rules_.bins);
      if (last || (u >= due * (1 - 1e-12) && value[order[i]] < value[order[i + 1]]))
        ends.push_back(i + 1), samples.push_back(n), mass.push_back(u);
    }
    PiecewiseCut found;
    if (ends.size() < 2) return found;
    std::vector<std::vector<double>> below;  // moments of all bins up to each
    for (std::size_t b = 0; b < ends.size(); ++b) {
      below.push_back(moments(order, b == 0 ? 0 : ends[b - 1], ends[b]));
      if (b > 0) add_to(below[b].data(), 1.0, below[b - 1].data(), m_ * m_);
    }
    const std::vector<double> none(m_ * m_, 0.0);
    for (std::size_t b = 0; b + 1 < ends.size(); ++b) {
      if (!rules_.limits.allow(samples[b], mass[b])) continue;
      const double error = line_error(below[b], none) + line_error(below.back(), below[b]);
      if (error < found.error * (1 - 1e-9))
        found = {midpoint(value[order[ends[b] - 1]], value[order[ends[b]]]), error};
    }
    return found;
  }

 private:
  // Sums of u a a' over some rows, a = (1, columns, y); the lower triangle.
  std::vector<double> moments(const std::vector<std::uint32_t>& order, std::size_t from, std::size_t to) const {
    const std::size_t n = to - from, stride = (n + kLanes - 1) / kLanes * kLanes;
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

}  // namespace askew

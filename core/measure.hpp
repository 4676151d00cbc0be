// What a search asks of a node's columns: where each lies and how wide it is, and which are independent.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "sweep.hpp"

namespace askew {

enum class Normalisation { none, minmax, standard, robust };

// x' = (x - shift) / scale puts a column in its place; scale is 0 for a column that is constant here.
struct Measure {
  double shift = 0, scale = 1;
};

// The value at a place (0 for the least; between two values, in proportion) of a column in which each value
// stands as often as its multiplicity says. `column` is reordered.
class Quantiles {
 public:
  Quantiles(std::vector<double>& column, const Target& target, const std::uint32_t* rows) : column_(column) {
    total_ = static_cast<double>(column.size());
    if (!target.multiplicity) return;
    std::vector<std::uint32_t> order(column.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return column[a] < column[b]; });
    std::vector<double> sorted(column.size());
    total_ = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted[i] = column[order[i]];
      total_ += target.multiplicity[rows[order[i]]];
      up_to_.push_back(total_);
    }
    column_ = std::move(sorted);
  }

  double at(double share) {
    const double place = share * (total_ - 1), lower = std::floor(place);
    const double a = nth(lower), b = place > lower ? nth(lower + 1) : a;
    return a + (b - a) * (place - lower);
  }

 private:
  double nth(double place) {
    if (!up_to_.empty()) {
      const auto i = std::upper_bound(up_to_.begin(), up_to_.end(), place) - up_to_.begin();
      return column_[static_cast<std::size_t>(std::min<std::ptrdiff_t>(i, std::ssize(column_) - 1))];
    }
    const auto middle = column_.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(column_.begin(), middle, column_.end());
    return *middle;
  }

  std::vector<double>& column_;
  std::vector<double> up_to_;
  double total_;
};

// CE-DT, section 5.4. Where the measure of width is 0 or nothing to divide by, it is 1, or, for values too
// large for that, the range.
inline Measure measure(std::vector<double>& column, const Target& target, const std::uint32_t* rows,
                       Normalisation kind) {
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  const double least = *low, most = *high, half_range = most * 0.5 - least * 0.5;
  if (least == most) return {0, 0};
  Measure m;
  if (kind == Normalisation::minmax || kind == Normalisation::standard) {
    double mass = 0, mean = 0, squares = 0;
    for (std::size_t i = 0; i < column.size(); ++i) mass += target.samples_of(rows[i]);
    for (std::size_t i = 0; i < column.size(); ++i) mean += column[i] * (target.samples_of(rows[i]) / mass);
    for (std::size_t i = 0; i < column.size(); ++i)
      squares += (column[i] - mean) * (column[i] - mean) * (target.samples_of(rows[i]) / mass);
    m = {mean, kind == Normalisation::minmax ? 2 * half_range : std::sqrt(squares)};
  } else if (kind == Normalisation::robust) {
    Quantiles quantiles(column, target, rows);
    const double quarter = quantiles.at(0.25), middle = quantiles.at(0.5);
    m = {middle, quantiles.at(0.75) - quarter};
  }
  constexpr double kWide = 1e100, kNarrow = 1e-290;
  if (!std::isfinite(m.shift)) m.shift = least * 0.5 + most * 0.5;
  if (!(m.scale > 0) || !std::isfinite(m.scale)) m.scale = 1;
  if (m.scale < kNarrow || half_range / m.scale > kWide) m.scale = std::max(half_range, kNarrow);
  return m;
}

inline std::vector<Measure> measure_all(const Target& target, const double* X, std::size_t d, const std::uint32_t* rows,
                                        std::size_t n, Normalisation kind, int threads, Pulse& pulse) {
  std::vector<Measure> measures(d);
  std::vector<std::vector<double>> columns(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(d, n * d < 100'000 ? 1 : threads, pulse, [&](std::size_t f, std::size_t thread) {
    std::vector<double>& column = columns[thread];
    column.resize(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = X[rows[i] * d + f];
    measures[f] = measure(column, target, rows, kind);
  });
  return measures;
}

// Of the features in the given order, those that are not a linear combination of the constant and of features
// before them on these rows (CE-DT, Lemma 1), by Gram and Schmidt's elimination on normalised columns.
inline std::vector<std::int64_t> independent_features(const double* X, std::size_t d, const std::uint32_t* rows,
                                                      std::size_t n, const std::int64_t* order, std::size_t n_order,
                                                      const Measure* measures) {
  constexpr double kDependent = 1e-9;  // what is left of a unit vector
  std::vector<std::vector<double>> basis{std::vector<double>(n, 1 / std::sqrt(static_cast<double>(n)))};
  std::vector<std::int64_t> kept;
  const auto norm = [&](const std::vector<double>& v) {
    double squares = 0;
    for (const double x : v) squares += x * x;
    return std::sqrt(squares);
  };
  for (std::size_t i = 0; i < n_order && basis.size() < n; ++i) {
    const auto f = static_cast<std::size_t>(order[i]);
    if (measures[f].scale == 0) continue;
    std::vector<double> column(n);
    double largest = 0;
    for (std::size_t r = 0; r < n; ++r) {
      column[r] = (X[rows[r] * d + f] - measures[f].shift) / measures[f].scale;
      largest = std::max(largest, std::abs(column[r]));
    }
    if (!(largest > 0)) continue;
    for (double& x : column) x /= largest;
    const double before = norm(column);
    for (int pass = 0; pass < 2; ++pass)  // twice is enough
      for (const auto& unit : basis) {
        double along = 0;
        for (std::size_t r = 0; r < n; ++r) along += column[r] * unit[r];
        for (std::size_t r = 0; r < n; ++r) column[r] -= along * unit[r];
      }
    const double left = norm(column);
    if (left <= kDependent * before) continue;
    for (double& x : column) x /= left;
    basis.push_back(std::move(column));
    kept.push_back(order[i]);
  }
  return kept;
}

}  // namespace askew

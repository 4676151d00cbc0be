// Where a column lies on the rows of a node and how wide it is there. For the oblique methods: `line_scale` for those
// that move a plane along a line (OC1, CART-LC, SADT), `cedt_scale` for CE-DT and the methods that take its scales.
//
//               line_scale                                 cedt_scale
//   minmax      from the lowest value, by the range        from the mean, by the range
//   standard    mean and deviation; a column of two        mean and deviation
//               values: from the more frequent one, by
//               their distance
//   robust      median and interquartile range; if that    median and interquartile range; if that is 0, 1
//               is 0, the range
//   too narrow  takes no part (scale 0)                    the range
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/parallel.hpp"
#include "score/target.hpp"

namespace askew::score {

using namespace numeric;

enum class Scaling { none, minmax, standard, robust };

// x' = (x - shift) / scale standardises a column; scale is 0 for a column that takes no part, such as a constant.
struct ColumnScale {
  double shift = 0, scale = 1;
};

constexpr double kNarrowest = 1e-290;  // of all scales

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

struct Extent {
  double low, high;
  double half() const { return high * 0.5 - low * 0.5; }  // of the range: no overflow
  bool constant() const { return low == high; }
};
inline Extent extent_of(const double* column, std::size_t n) {
  const auto [low, high] = std::minmax_element(column, column + n);
  return {*low, *high};
}

struct Quartiles {
  double median, range;
};
inline Quartiles quartiles_of(std::vector<double>& column, const Target& target, const std::uint32_t* rows) {
  Quantiles quantiles(column, target, rows);
  const double lower = quantiles.at(0.25), upper = quantiles.at(0.75);
  return {quantiles.at(0.5), upper - lower};
}

// A row that stands for several samples counts as often, as if it were there several times.
inline ColumnScale line_scale(const double* column, std::size_t n, const Target& target, const std::uint32_t* rows,
                              Scaling kind) {
  const Extent extent = extent_of(column, n);
  const double low = extent.low, high = extent.high, range = extent.half();
  ColumnScale s;
  if (extent.constant()) {
    s.scale = 0;
  } else if (kind == Scaling::minmax) {
    s = {low, range * 2};
  } else if (kind == Scaling::standard) {
    double samples = 0, mean = 0, squares = 0;
    for (std::size_t j = 0; j < n; ++j) samples += target.samples_of(rows[j]);
    for (std::size_t j = 0; j < n; ++j) mean += column[j] / samples * target.samples_of(rows[j]);
    // Squares of huge and tiny values neither overflow nor vanish. Half the range of subnormal numbers may be 0.
    const int power = range > 0 ? std::ilogb(range) : 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double away = std::ldexp(column[j] * 0.5 - mean * 0.5, 1 - power);
      squares += away * away * target.samples_of(rows[j]);
    }
    s = {mean, std::ldexp(std::sqrt(squares / samples), power)};
    // Of two values the more frequent becomes 0 and the other 1 away: a move then concerns its rows alone.
    if (std::all_of(column, column + n, [&](double x) { return x == low || x == high; }))
      s = {mean * 0.5 <= low * 0.25 + high * 0.25 ? low : high, range * 2};
  } else if (kind == Scaling::robust) {
    std::vector<double> values(column, column + n);
    const Quartiles quartiles = quartiles_of(values, target, rows);
    s = {quartiles.median, quartiles.range > 0 ? quartiles.range : range * 2};
  }
  // Values far beyond their scale would overflow sooner or later: the range is the scale then. With moves below
  // LineSearch::kFarthest this keeps a plane's values below LineSearch::kLargest.
  constexpr double kReach = 1e40;
  const auto within_reach = [&] {
    return std::max(std::abs(low - s.shift), std::abs(high - s.shift)) / s.scale < kReach;
  };
  if (s.scale > 0 && !within_reach()) s.scale = range * 2;
  if (!std::isfinite(s.scale) || !std::isfinite(s.shift) || s.scale < kNarrowest || !within_reach()) s.scale = 0;
  return s;
}

// Where the measure of width is 0 or nothing to divide by, it is 1, or, for values too large for that, the range.
inline ColumnScale usable(ColumnScale s, const Extent& extent) {
  constexpr double kWide = 1e100;
  if (extent.constant()) return {0, 0};
  if (!std::isfinite(s.shift)) s.shift = extent.low * 0.5 + extent.high * 0.5;
  if (!(s.scale > 0) || !std::isfinite(s.scale)) s.scale = 1;
  if (s.scale < kNarrowest || extent.half() / s.scale > kWide) s.scale = std::max(extent.half(), kNarrowest);
  return s;
}

// CE-DT, section 5.4. `column` is reordered.
inline ColumnScale cedt_scale(std::vector<double>& column, const Target& target, const std::uint32_t* rows,
                              Scaling kind) {
  const Extent extent = extent_of(column.data(), column.size());
  if (extent.constant()) return {0, 0};
  ColumnScale s;
  if (kind == Scaling::minmax || kind == Scaling::standard) {
    double samples = 0, mean = 0, squares = 0;
    for (std::size_t i = 0; i < column.size(); ++i) samples += target.samples_of(rows[i]);
    for (std::size_t i = 0; i < column.size(); ++i) mean += column[i] * (target.samples_of(rows[i]) / samples);
    for (std::size_t i = 0; i < column.size(); ++i)
      squares += (column[i] - mean) * (column[i] - mean) * (target.samples_of(rows[i]) / samples);
    s = {mean, kind == Scaling::minmax ? 2 * extent.half() : std::sqrt(squares)};
  } else if (kind == Scaling::robust) {
    const Quartiles quartiles = quartiles_of(column, target, rows);
    s = {quartiles.median, quartiles.range};
  }
  return usable(s, extent);
}

inline std::vector<ColumnScale> cedt_scales(const Target& target, const double* X, std::size_t d,
                                            const std::uint32_t* rows, std::size_t n, Scaling kind, int threads,
                                            Interrupt& interrupt) {
  std::vector<ColumnScale> scales(d);
  const int used = threads_for(threads, kMeasureCost, n, d);
  std::vector<std::vector<double>> columns(static_cast<std::size_t>(used));
  parallel_for(d, used, interrupt, [&](std::size_t f, std::size_t thread) {
    std::vector<double>& column = columns[thread];
    column.resize(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = X[rows[i] * d + f];
    scales[f] = cedt_scale(column, target, rows, kind);
  });
  return scales;
}

}  // namespace askew::score

// How columns are brought to one scale, and the order statistics that it takes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/target.hpp"

namespace askew {

enum class Scaling { none, minmax, standard, robust };

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

}  // namespace askew

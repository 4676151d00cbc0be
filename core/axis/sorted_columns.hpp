// The columns of a table, each sorted once, for trees of axis-parallel cuts (CART, C4.5, ID3).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "numeric/parallel.hpp"
#include "numeric/sort.hpp"

namespace askew::axis {

using namespace numeric;

// Sorts the rows of a column that has few different values, by counting. False, and nothing done, if it has more.
inline bool sort_few_values(const std::vector<double>& values, Keyed* sorted, std::vector<std::uint8_t>& which) {
  constexpr std::size_t kFew = 10;  // of more, to find a value takes longer than to sort by its bits
  double distinct[kFew];
  std::size_t n_distinct = 0, last = 0;
  std::uint32_t count[kFew] = {}, place[kFew], code[kFew];
  which.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (n_distinct == 0 || distinct[last] != values[i]) {
      last = static_cast<std::size_t>(std::find(distinct, distinct + n_distinct, values[i]) - distinct);
      if (last == kFew) return false;
      if (last == n_distinct) distinct[n_distinct++] = values[i];
    }
    which[i] = static_cast<std::uint8_t>(last);
    ++count[last];
  }
  std::uint32_t start = 0;
  std::vector<std::size_t> ascending(n_distinct);
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::sort(ascending.begin(), ascending.end(), [&](auto a, auto b) { return distinct[a] < distinct[b]; });
  for (std::size_t rank = 0; rank < n_distinct; ++rank) {
    const std::size_t v = ascending[rank];
    code[v] = static_cast<std::uint32_t>(rank), place[v] = start;
    start += count[v];
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    sorted[place[which[i]]++] = keyed(code[which[i]], static_cast<std::uint32_t>(i));
  return true;
}

class SortedColumns {
 public:
  // code (rank of the value in the column, 32 bits) | row (32 bits); rows of equal values in ascending order
  using Entry = Keyed;

  // X: row by row; it must outlive this.
  SortedColumns(const double* X, std::size_t n, std::size_t d, int threads, Interrupt& interrupt)
      : X_(X), d_(d), rows_(n), entries_(n * d) {
    std::iota(rows_.begin(), rows_.end(), 0u);
    struct Scratch {
      std::vector<double> values;
      std::vector<Keyed> order, spare;
      std::vector<std::uint8_t> which;
    };
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(threads, 1)));
    parallel_for(d, threads, interrupt, [&](std::size_t f, std::size_t thread) {
      Scratch& s = scratch[thread];
      s.values.resize(n);
      for (std::size_t i = 0; i < n; ++i) s.values[i] = value(static_cast<std::uint32_t>(i), f);
      if (sort_few_values(s.values, order(f), s.which)) return;
      s.order.resize(n);
      std::iota(s.order.begin(), s.order.end(), Keyed{0});
      sort_by_value(s.order, s.spare, [&](std::uint32_t row) { return s.values[row]; });
      std::uint32_t code = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && s.values[item_of(s.order[i - 1])] < s.values[item_of(s.order[i])]) ++code;
        order(f)[i] = keyed(code, item_of(s.order[i]));
      }
    });
  }

  double value(std::uint32_t row, std::size_t feature) const { return X_[row * d_ + feature]; }
  std::size_t n() const { return rows_.size(); }
  std::size_t d() const { return d_; }
  std::vector<std::uint32_t>& rows() { return rows_; }  // ascending, until a grower moves them
  Entry* order(std::size_t feature) { return entries_.data() + feature * rows_.size(); }

 private:
  const double* X_;
  std::size_t d_;
  std::vector<std::uint32_t> rows_;
  std::vector<Entry> entries_;  // d orders of n entries
};

}  // namespace askew::axis

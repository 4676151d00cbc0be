// CE-DT: products of rows and planes by lookup table, for columns that have few values on the rows of a node (one-hot,
// binary, small whole numbers).
//
//   columns with 2, 2 and 3 values make a group:  12 sums of weight x value for each plane, made once; fewer if
//                                                 not all of the 12 occur, as with one-hot columns
//   a row has a code for each group:              one addition instead of three products
//
// This is the method of the four Russians (Arlazarov, Dinic, Kronrod, Faradzev 1970). Columns with many values, the
// rest, are multiplied as usual.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cedt/points.hpp"
#include "cedt/simd_kernels.hpp"

namespace askew::cedt {

class Lookup {
 public:
  // `packed`: the rows at unit length, in the order of `rows`; it must outlive this.
  Lookup(const Points& points, const std::vector<std::uint32_t>& rows, const std::vector<float>& packed)
      : n_(rows.size()), width_(points.width()) {
    if (n_ < kFewestRows) return;
    Grouping grouping(n_);
    for (std::size_t j = 0; j < points.d; ++j)
      if (!few_values(points, rows, j)) rest_.push_back(j);
      else grouping.add(j, values_, which_, groups_);
    values_.assign(1, 1.0f);
    which_.assign(n_, 0);
    grouping.add(points.d, values_, which_, groups_);
    for (const Group& group : groups_) entries_ += group.size();
    if (!worth(n_) || entries_ > 0xffff) {
      groups_.clear();
      return;
    }
    encode();
    rest_rows_.resize(n_ * rest_.size());
    scale_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const float* row = &packed[i * width_];
      scale_[i] = row[width_ - 1];  // the constant 1 at the length of the row
      for (std::size_t r = 0; r < rest_.size(); ++r) rest_rows_[i * rest_.size() + r] = row[rest_[r]];
    }
  }

  // Whether tables pay for this number of rows.
  bool worth(std::size_t rows) const {
    constexpr double kAddition = 1.5;  // relative to a product and its addition: it reads more
    const auto n = static_cast<double>(rows);
    const double each = kAddition * static_cast<double>(groups_.size()) + static_cast<double>(rest_.size());
    return !groups_.empty() && n * each + static_cast<double>(entries_) < 0.8 * n * static_cast<double>(width_);
  }

  struct Tables {
    LineFloats sums, rest;
  };

  // The tables of a panel of planes (panel[column][plane]).
  void fill(const float* panel, const Kernels& lanes, Tables& tables) const {
    tables.sums.resize(entries_ * kPanel);
    tables.rest.resize(rest_.size() * kPanel);
    float* table = tables.sums.data();
    alignas(64) float spare[kLargestTable * kPanel];
    for (const Group& group : groups_) {
      float *sums = table, *other = spare;
      std::fill_n(sums, kPanel, 0.0f);
      for (const Step& step : group.steps) {
        const float* weights = panel + step.column * kPanel;
        float* to = step.kept > 0 ? sums + step.kept * kPanel : other;
        lanes.extend(sums, weights, step.from.data(), step.value.data(), step.from.size(), to);
        if (step.kept == 0) std::swap(sums, other);
      }
      if (sums != table) std::copy_n(sums, group.size() * kPanel, table);
      table += group.size() * kPanel;
    }
    for (std::size_t r = 0; r < rest_.size(); ++r)
      std::copy_n(panel + rest_[r] * kPanel, kPanel, &tables.rest[r * kPanel]);
  }

  // Where the rest, the codes and the length of a row are.
  const float* rest_of(std::size_t place) const { return rest_rows_.data() + place * rest_.size(); }
  const std::uint16_t* codes_of(std::size_t place) const { return &codes_[place * groups_.size()]; }
  float scale_of(std::size_t place) const { return scale_[place]; }
  std::size_t rest_width() const { return rest_.size(); }
  std::size_t n_groups() const { return groups_.size(); }

 private:
  static constexpr std::size_t kFew = 8, kFewestRows = 96, kLargestTable = 64;
  static constexpr double kLargest = 1e6;

  // Takes a column into a table: code kept + i stands for code from[i] of the columns before, and for value[i] of the
  // column. The codes below `kept` stay what they are, with the column at 0.
  struct Step {
    std::size_t column, kept;
    std::vector<std::uint8_t> from;
    std::vector<float> value;
    std::size_t size() const { return kept + from.size(); }
  };
  struct Group {
    std::vector<Step> steps;
    std::vector<std::uint8_t> codes;  // of the rows
    std::size_t size() const { return steps.empty() ? 1 : steps.back().size(); }
  };

  // Groups columns next to each other while their table is small.
  class Grouping {
   public:
    // More columns in a table save additions for each row, but it is computed again for each panel.
    explicit Grouping(std::size_t n)
        : largest_(n < 384    ? kLargestTable / 4
                   : n < 1024 ? kLargestTable / 2
                              : kLargestTable) {}

    void add(std::size_t column, const std::vector<float>& values, const std::vector<std::uint8_t>& which,
             std::vector<Group>& groups) {
      if (!groups.empty() && join(groups.back(), column, values, which)) return;
      groups.push_back({{}, std::vector<std::uint8_t>(which.size(), 0)});
      join(groups.back(), column, values, which);
    }

   private:
    bool join(Group& group, std::size_t column, const std::vector<float>& values,
              const std::vector<std::uint8_t>& which) {
      constexpr std::uint8_t kUnmet = 0xff;
      bool met[kLargestTable * kFew] = {};
      for (std::size_t i = 0; i < which.size(); ++i) met[group.codes[i] * kFew + which[i]] = true;
      const std::size_t before = group.size();
      const auto zero = static_cast<std::size_t>(std::find(values.begin(), values.end(), 0.0f) - values.begin());
      bool keep = zero < values.size();
      for (std::size_t c = 0; keep && c < before; ++c) keep = met[c * kFew + zero];
      Step step{column, keep ? before : 0, {}, {}};
      std::uint8_t code_of[kLargestTable * kFew];
      std::fill(code_of, code_of + kLargestTable * kFew, kUnmet);
      for (std::size_t v = 0; v < values.size(); ++v)
        for (std::size_t c = 0; c < before; ++c) {
          if (!met[c * kFew + v]) continue;
          const bool stays = keep && v == zero;
          if (!stays && step.size() == largest_) return false;
          code_of[c * kFew + v] = static_cast<std::uint8_t>(stays ? c : step.size());
          if (stays) continue;
          step.from.push_back(static_cast<std::uint8_t>(c));
          step.value.push_back(values[v]);
        }
      for (std::size_t i = 0; i < which.size(); ++i) group.codes[i] = code_of[group.codes[i] * kFew + which[i]];
      group.steps.push_back(std::move(step));
      return true;
    }

    std::size_t largest_;
  };

  // Finds the values of a column, and which of them each row has; false if there are too many, or too large ones.
  bool few_values(const Points& points, const std::vector<std::uint32_t>& rows, std::size_t j) {
    double values[kFew];
    std::size_t n_values = 0, last = 0;
    which_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double x = points.raw(rows[i], j);
      if (n_values == 0 || values[last] != x) {
        last = static_cast<std::size_t>(std::find(values, values + n_values, x) - values);
        if (last == n_values) {
          if (n_values == kFew || !(std::abs(points.placed(x, j)) < kLargest)) return false;
          values[n_values++] = x;
        }
      }
      which_[i] = static_cast<std::uint8_t>(last);
    }
    values_.clear();
    for (std::size_t v = 0; v < n_values; ++v) values_.push_back(static_cast<float>(points.placed(values[v], j)));
    return true;
  }

  // The place in the tables that each row has for each group.
  void encode() {
    codes_.resize(n_ * groups_.size());
    std::size_t start = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::size_t i = 0; i < n_; ++i)
        codes_[i * groups_.size() + g] = static_cast<std::uint16_t>(start + groups_[g].codes[i]);
      start += groups_[g].size();
    }
  }

  std::size_t n_, width_, entries_ = 0;
  std::vector<Group> groups_;
  std::vector<std::size_t> rest_;  // columns that are multiplied
  std::vector<std::uint16_t> codes_;
  std::vector<float> rest_rows_, scale_;
  std::vector<float> values_;        // of the column that is looked at
  std::vector<std::uint8_t> which_;  // of these each row has
};

}  // namespace askew::cedt

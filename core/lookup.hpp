// Products of rows and planes by table, for columns that have few values on the rows of a node (one-hot, binary,
// small whole numbers).
//
//   columns with 2, 2 and 3 values make a group:  12 sums of weight x value for each plane, made once
//   a row has a code for each group:              one addition instead of three products
//
// This is the method of the four Russians (Arlazarov, Dinic, Kronrod, Faradzev 1970). Columns with many values and
// the constant, the rest, are multiplied as usual.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lanes.hpp"
#include "points.hpp"

namespace askew {

class Lookup {
 public:
  // `packed`: the rows at unit length, in the order of `rows`; it must outlive this.
  Lookup(const Points& points, const std::vector<std::uint32_t>& rows, const std::vector<float>& packed)
      : n_(rows.size()), width_(points.width()) {
    if (n_ < kFewestRows) return;
    std::vector<Column> columns;
    std::vector<std::uint8_t> which;  // of each column, which of its values each row has
    for (std::size_t j = 0; j < points.d; ++j)
      if (!few_values(points, rows, j, columns, which)) rest_.push_back(j);
    group(columns);
    if (groups_.empty() || !worth(n_)) {
      groups_.clear();
      return;
    }
    rest_.push_back(points.d);
    encode(which);
    rest_rows_.resize(n_ * rest_.size());
    scale_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const float* row = &packed[i * width_];
      scale_[i] = row[width_ - 1];  // the constant 1 at the length of the row
      for (std::size_t r = 0; r < rest_.size(); ++r) rest_rows_[i * rest_.size() + r] = row[rest_[r]];
    }
  }

  // Whether tables pay for so many rows.
  bool worth(std::size_t rows) const {
    constexpr double kAddition = 1.5;  // beside a product and its addition: it reads more
    const auto n = static_cast<double>(rows);
    const double each = kAddition * static_cast<double>(groups_.size()) + static_cast<double>(rest_.size());
    return !groups_.empty() && n * each + static_cast<double>(entries_) < 0.8 * n * static_cast<double>(width_);
  }

  struct Tables {
    std::vector<float> sums, rest;
  };

  // The tables of a panel of planes (panel[column][plane]).
  void fill(const float* panel, const Kernels& lanes, Tables& tables) const {
    tables.sums.resize(entries_ * kPanel);
    tables.rest.resize(rest_.size() * kPanel);
    float* table = tables.sums.data();
    for (const std::vector<Column>& group : groups_) {
      std::fill(table, table + kPanel, 0.0f);
      std::size_t size = 1;
      for (const Column& column : group) {
        lanes.extend(table, size, panel + column.j * kPanel, column.values.data(), column.values.size());
        size *= column.values.size();
      }
      table += size * kPanel;
    }
    for (std::size_t r = 0; r < rest_.size(); ++r)
      std::copy_n(panel + rest_[r] * kPanel, kPanel, &tables.rest[r * kPanel]);
  }

  // Where the rest, the codes and the length of a row are.
  const float* rest_of(std::size_t place) const { return &rest_rows_[place * rest_.size()]; }
  const std::uint16_t* codes_of(std::size_t place) const { return &codes_[place * groups_.size()]; }
  float scale_of(std::size_t place) const { return scale_[place]; }
  std::size_t rest_width() const { return rest_.size(); }
  std::size_t n_groups() const { return groups_.size(); }

 private:
  struct Column {
    std::size_t j;
    std::vector<float> values;
  };
  static constexpr std::size_t kFew = 8, kFewestRows = 96;
  static constexpr double kLargest = 1e6;

  // Adds the column and, for each row, which value it has; false if there are too many values, or too large ones.
  static bool few_values(const Points& points, const std::vector<std::uint32_t>& rows, std::size_t j,
                         std::vector<Column>& columns, std::vector<std::uint8_t>& which) {
    double values[kFew];
    std::size_t n_values = 0, last = 0;
    const std::size_t before = which.size();
    which.resize(before + rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double x = points.raw(rows[i], j);
      if (n_values == 0 || values[last] != x) {
        last = static_cast<std::size_t>(std::find(values, values + n_values, x) - values);
        if (last == n_values) {
          if (n_values == kFew || !(std::abs(points.placed(x, j)) < kLargest)) {
            which.resize(before);
            return false;
          }
          values[n_values++] = x;
        }
      }
      which[before + i] = static_cast<std::uint8_t>(last);
    }
    columns.push_back({j, {}});
    for (std::size_t v = 0; v < n_values; ++v)
      columns.back().values.push_back(static_cast<float>(points.placed(values[v], j)));
    return true;
  }

  // Groups columns next to each other while their table is small beside the rows.
  void group(std::vector<Column>& columns) {
    const std::size_t largest = n_ < 256 ? 16 : n_ < 1024 ? 32 : 64;
    std::size_t size = largest;
    for (Column& column : columns) {
      if (size * column.values.size() > largest) {
        groups_.emplace_back();
        size = 1;
      }
      size *= column.values.size();
      groups_.back().push_back(std::move(column));
    }
    for (const std::vector<Column>& one : groups_) entries_ += size_of(one);
    if (entries_ > 0xffff) groups_.clear();
  }

  static std::size_t size_of(const std::vector<Column>& group) {
    std::size_t size = 1;
    for (const Column& column : group) size *= column.values.size();
    return size;
  }

  // The place in the tables that each row has for each group.
  void encode(const std::vector<std::uint8_t>& which) {
    codes_.resize(n_ * groups_.size());
    std::size_t start = 0, column = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::size_t i = 0; i < n_; ++i) codes_[i * groups_.size() + g] = static_cast<std::uint16_t>(start);
      std::size_t size = 1;
      for (const Column& one : groups_[g]) {
        for (std::size_t i = 0; i < n_; ++i)
          codes_[i * groups_.size() + g] =
              static_cast<std::uint16_t>(codes_[i * groups_.size() + g] + size * which[column * n_ + i]);
        size *= one.values.size();
        ++column;
      }
      start += size;
    }
  }

  std::size_t n_, width_, entries_ = 0;
  std::vector<std::vector<Column>> groups_;
  std::vector<std::size_t> rest_;  // columns that are multiplied
  std::vector<std::uint16_t> codes_;
  std::vector<float> rest_rows_, scale_;
};

}  // namespace askew

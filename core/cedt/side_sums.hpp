// What is summed on the upper side of a plane, beside counting its rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/target.hpp"

namespace askew {

// Rows fall into segments (the classes; one for regression), in which they are counted. A row may also have
// amounts, each summed in a slot: its weight (a slot for each class), its moments (three slots), the samples that
// it stands for (one slot, the last).
class Amounts {
 public:
  // `moments`: sum them, about `centre`, for regression. `limited`: a side must have some samples.
  Amounts(const Target& target, const std::vector<std::uint32_t>& rows, bool moments, double centre, bool limited)
      : target_(target), centre_(centre), moments_(moments) {
    const bool classes = target.classification();
    segments = classes ? static_cast<std::size_t>(target.k) : 1;
    counts_samples = target.multiplicity != nullptr && limited;
    weighted_ = classes && target.weight;
    each = (moments ? 3 : 0) + (weighted_ ? 1 : 0) + (counts_samples ? 1 : 0);
    slots = (moments ? 3 : 0) + (weighted_ ? segments : 0) + (counts_samples ? 1 : 0);
    total.assign(slots, 0.0);
    rows_in.assign(segments, 0.0);
    for (const auto row : rows) {
      rows_in[segment_of(row)] += 1;
      samples += target.samples_of(row);
      add(row, total.data());
    }
  }

  std::size_t segment_of(std::uint32_t row) const {
    return target_.classification() ? static_cast<std::size_t>(target_.label[row]) : 0;
  }
  // The amounts of a row, `each` numbers.
  void of(std::uint32_t row, double* out) const {
    if (moments_) {
      const double w = target_.weight_of(row), y = target_.y[row] - centre_;
      *out++ = w, *out++ = w * y, *out++ = w * y * y;
    }
    if (weighted_) *out++ = target_.weight[row];
    if (counts_samples) *out = target_.samples_of(row);
  }
  // The slot of amount i of a row of this segment.
  std::size_t slot(std::size_t segment, std::size_t i) const {
    if (counts_samples && i + 1 == each) return slots - 1;
    return weighted_ ? segment : i;
  }
  // Adds a row to slots.
  void add(std::uint32_t row, double* to) const {
    double own[4];
    of(row, own);
    for (std::size_t i = 0; i < each; ++i) to[slot(segment_of(row), i)] += own[i];
  }

  std::size_t segments = 1, slots = 0, each = 0;
  bool counts_samples = false;
  double samples = 0;                  // of all rows
  std::vector<double> total, rows_in;  // of each slot, of each segment

 private:
  Target target_;
  double centre_;
  bool moments_, weighted_ = false;
};

}  // namespace askew

// CE-DT: the sums over the rows on the upper side of a plane, besides their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cedt/simd_kernels.hpp"
#include "score/count_scores.hpp"
#include "score/target.hpp"

namespace askew::cedt {

using namespace score;

// Rows fall into segments (the classes; one for regression), in which they are counted. A row may also have
// amounts, each summed in a slot: its weight (a slot for each class), its moments (three slots), the samples that
// it stands for (one slot, the last).
class Amounts {
 public:
  // `moments`: sum them, about `centre`, for regression. `limited`: a side must have some samples.
  Amounts(const Target& target, const std::vector<std::uint32_t>& rows, bool moments, double centre, bool limited,
          const MomentGrid& grid = {})
      : target_(target), centre_(centre), moments_(moments), grid_(grid) {
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
      *out++ = w, *out++ = grid_.first(w * y), *out++ = grid_.second(w * y * y);
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
  MomentGrid grid_;
};

// Planes stand in panels: [panel][segment or slot][plane in the panel].
struct UpperSides {
  std::vector<double> present, upper;         // rows of each segment, amounts of each slot
  std::vector<double> settled_rows, settled;  // the same of rows that are above every plane
  std::vector<double> medians;                // for absolute error, the score of each plane
};

// The counts of the upper sides of n planes, as `score_counts` takes them (count_scores.hpp): n x width.
inline std::vector<double> gather_counts(const UpperSides& sides, const Amounts& amounts, const CountShape& shape,
                                         std::size_t n) {
  const std::size_t width = shape.width(), k = shape.counts();
  const bool summed = amounts.slots > (amounts.counts_samples ? 1u : 0u);  // weights or moments
  std::vector<double> counts(n * width, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t panel = i / kPanel, c = i % kPanel;
    const auto slot = [&](std::size_t s) {
      return sides.settled[s] + sides.upper[(panel * amounts.slots + s) * kPanel + c];
    };
    double* own = &counts[i * width];
    double rows = 0;
    for (std::size_t s = 0; s < amounts.segments; ++s) {
      own[k + s] = sides.settled_rows[s] + sides.present[(panel * amounts.segments + s) * kPanel + c];
      rows += own[k + s];
    }
    for (std::size_t j = 0; j < k; ++j) own[j] = summed ? slot(j) : shape.classification ? own[k + j] : 0.0;
    own[width - 1] = amounts.counts_samples ? slot(amounts.slots - 1) : rows;
  }
  return counts;
}

// The same of all rows.
inline std::vector<double> all_counts(const Amounts& amounts, const CountShape& shape) {
  const bool summed = amounts.slots > (amounts.counts_samples ? 1u : 0u);
  std::vector<double> counts(shape.width(), 0.0);
  double rows = 0;
  for (std::size_t s = 0; s < amounts.segments; ++s) rows += counts[shape.counts() + s] = amounts.rows_in[s];
  for (std::size_t j = 0; j < shape.counts(); ++j)
    counts[j] = summed ? amounts.total[j] : shape.classification ? amounts.rows_in[j] : 0.0;
  counts.back() = amounts.counts_samples ? amounts.samples : rows;
  return counts;
}

}  // namespace askew::cedt

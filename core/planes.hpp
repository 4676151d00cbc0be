// Scores of many hyperplanes on the rows of a node: a matrix product that is consumed tile by tile.
//
//   rows, by class   planes ->  panel 0   panel 1  ...
//   a a a b          tile 0     96 x 16   96 x 16        a tile's values stay in the cache; only their signs
//   b b b c          tile 1     96 x 16   96 x 16        are counted, class by class
//
// The product is in float32. A row has unit length there, so that one bound holds for every value: a value
// within it is computed again in float64, in a fixed order. The counts are therefore those of float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "criterion.hpp"
#include "lanes.hpp"
#include "parallel.hpp"
#include "sweep.hpp"

namespace askew {

// The rows of a node as a search sees them: some features, shifted and scaled, and the constant 1 at the end.
struct Points {
  const double* X;
  std::size_t columns;  // of X
  const std::int64_t* features;
  const double *shift, *inverse;  // x' = (x - shift) inverse
  std::size_t d;                  // features

  std::size_t width() const { return d + 1; }
  double coordinate(std::uint32_t row, std::size_t j) const {
    return (X[row * columns + static_cast<std::size_t>(features[j])] - shift[j]) * inverse[j];
  }
  double value(std::uint32_t row, const double* plane) const {  // the order of this sum is part of the result
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += plane[j] * coordinate(row, j);
    return sum + plane[d];
  }
  // The row at unit length, in float32.
  void pack(std::uint32_t row, float* out, std::vector<double>& spare) const {
    spare.resize(d);
    double largest = 1, squares = 0;
    for (std::size_t j = 0; j < d; ++j) {
      spare[j] = coordinate(row, j);
      squares += spare[j] * spare[j];
    }
    if (!(squares < 1e300)) {
      squares = 0;
      for (std::size_t j = 0; j < d; ++j) largest = std::max(largest, std::abs(spare[j]));
      for (std::size_t j = 0; j < d; ++j) squares += (spare[j] / largest) * (spare[j] / largest);
    }
    const double scale = 1 / std::sqrt(squares + (1 / largest) * (1 / largest));
    for (std::size_t j = 0; j < d; ++j) out[j] = static_cast<float>(spare[j] / largest * scale);
    out[d] = static_cast<float>(scale / largest);
  }
};

// What each side of a plane must have.
struct SideLimits {
  double samples = 1, weight = 0;
};

template <class C>
class PlaneScorer {
 public:
  static constexpr bool kMedian = std::is_same_v<C, AbsoluteError>;

  PlaneScorer(const C& criterion, const Target& target, const Points& points, const std::uint32_t* rows, std::size_t n,
              const SideLimits& limits, int threads, Pulse& pulse, const Kernels& lanes)
      : criterion_(criterion),
        target_(target),
        points_(points),
        order_(rows, rows + n),
        limits_{std::max(1.0, limits.samples), limits.weight},
        threads_(threads),
        pulse_(pulse),
        lanes_(lanes) {
    const auto p = static_cast<float>(points.width());
    near_ = (p + 8) * 0x1.2p-24f;  // |error| <= (p + 4) 2^-24 for unit vectors, and some room
    if (target.classification())
      std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return target.label[a] < target.label[b]; });
    else if (kMedian)
      std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return target.y[a] < target.y[b]; });
    choose_amounts();
    take_totals();
    constexpr std::size_t kKept = std::size_t{8} << 20;  // bytes; larger nodes are packed tile by tile, each time
    if (n * points.width() * sizeof(float) <= kKept) {
      packed_.resize(n * points.width());
      std::vector<double> spare;
      for (std::size_t i = 0; i < n; ++i) points.pack(order_[i], &packed_[i * points.width()], spare);
    }
  }

  // Scores n planes of unit length (row-major); infinite where a side has less than the limits ask.
  // If `mean` is given, rows that lie on one side of every plane, being far from the mean plane, are counted once.
  void score(const double* planes, std::size_t n, const double* mean, double* scores) {
    const std::size_t panels = (n + kPanel - 1) / kPanel;
    pack_panels(planes, n, panels);
    settle(planes, n, mean);
    upper_.assign(panels * slots_ * kPanel, 0.0);
    present_.assign(panels * segments_ * kPanel, 0.0);
    medians_.assign(kMedian ? panels * kPanel : 0, 0.0);
    const bool small = active_.size() * points_.width() * n < 2'000'000;
    const auto threads = static_cast<std::size_t>(small ? 1 : std::max(threads_, 1));
    // Each task has some panels and all the rows in order, so that sums do not depend on the threads.
    const std::size_t group = kMedian ? 1 : std::max<std::size_t>(1, panels / (threads == 1 ? 1 : 4 * threads));
    scratch_.resize(threads);
    parallel_for((panels + group - 1) / group, static_cast<int>(threads), pulse_, [&](std::size_t task, std::size_t t) {
      run(planes, n, task * group, std::min(panels, (task + 1) * group), scratch_[t], threads == 1);
    });
    finish(n, scores);
  }

  std::size_t n_rows() const { return order_.size(); }
  std::size_t n_settled() const { return order_.size() - active_.size(); }

 private:
  struct Scratch {
    std::vector<float> tile = std::vector<float>(), values = std::vector<float>(kTileValues);
    std::vector<double> spare, amounts;
    std::vector<const float*> pointers = std::vector<const float*>(kTileRows);
    std::vector<std::uint16_t> sides;
  };

  bool summed() const { return n_amounts_ > 0; }
  std::size_t segment_of(std::uint32_t row) const {
    return target_.classification() ? static_cast<std::size_t>(target_.label[row]) : 0;
  }

  // What is summed beside counting rows: the weights, the moments, the samples that a row stands for.
  void choose_amounts() {
    const bool classes = target_.classification();
    segments_ = classes ? static_cast<std::size_t>(target_.k) : 1;
    if constexpr (kMedian) return;
    n_amounts_ = classes ? (target_.weight ? 1 : 0) : 3;
    counts_samples_ = target_.multiplicity != nullptr && limits_.samples > 1;
    n_amounts_ += counts_samples_;
    slots_ = (classes ? segments_ * (target_.weight ? 1 : 0) : 3) + counts_samples_;
    if constexpr (std::is_same_v<C, SquaredError>) {  // moments about the mean: see CountSides
      double weight = 0, sum = 0;
      for (const auto row : order_) {
        weight += target_.weight_of(row);
        sum += target_.weight_of(row) * target_.y[row];
      }
      centre_ = sum / weight;
    }
  }

  void amounts_of(std::uint32_t row, double* out) const {
    std::size_t i = 0;
    if (!target_.classification()) {
      const double w = target_.weight_of(row), y = target_.y[row] - centre_;
      out[0] = w, out[1] = w * y, out[2] = w * y * y;
      i = 3;
    } else if (target_.weight) {
      out[i++] = target_.weight[row];
    }
    if (counts_samples_) out[i] = target_.samples_of(row);
  }
  // Where amount i of a segment is summed.
  std::size_t slot(std::size_t segment, std::size_t i) const {
    if (counts_samples_ && i + 1 == n_amounts_) return slots_ - 1;
    return target_.classification() ? segment : i;
  }

  void take_totals() {
    total_.assign(slots_, 0.0);
    rows_in_.assign(segments_, 0.0);
    std::vector<double> amounts(std::max<std::size_t>(n_amounts_, 1));
    for (const auto row : order_) {
      const std::size_t segment = segment_of(row);
      rows_in_[segment] += 1;
      samples_ += target_.samples_of(row);
      if (!summed()) continue;
      amounts_of(row, amounts.data());
      for (std::size_t i = 0; i < n_amounts_; ++i) total_[slot(segment, i)] += amounts[i];
    }
  }

  void pack_panels(const double* planes, std::size_t n, std::size_t panels) {
    const std::size_t p = points_.width();
    panel_.assign(panels * p * kPanel, 0.0f);
    for (std::size_t i = 0; i < n; ++i) {
      float* to = panel_.data() + (i / kPanel) * p * kPanel + i % kPanel;
      for (std::size_t j = 0; j < p; ++j) to[j * kPanel] = static_cast<float>(planes[i * p + j]);
    }
  }

  // Finds the rows on which the planes may differ, and counts the others.
  //
  // A plane at an angle t to the mean plane leaves a row of unit length on its side if its value there is
  // larger than sin t.
  void settle(const double* planes, std::size_t n, const double* mean) {
    const std::size_t p = points_.width();
    settled_.assign(slots_, 0.0);
    settled_rows_.assign(segments_, 0.0);
    double apart = 0;  // the largest squared distance to the mean
    for (std::size_t i = 0; mean && i < n; ++i) {
      double squares = 0;
      for (std::size_t j = 0; j < p; ++j) squares += (planes[i * p + j] - mean[j]) * (planes[i * p + j] - mean[j]);
      apart = std::max(apart, squares);
    }
    active_.clear();
    if constexpr (kMedian) sides_.assign(order_.size(), 0);
    const double sine = mean && apart < 1 ? std::sqrt(apart * (1 - apart / 4)) * (1 + 1e-6) + 2.0 * near_ : 2;
    if (sine >= 1) {
      active_.resize(order_.size());
      std::iota(active_.begin(), active_.end(), 0u);
      return;
    }
    std::vector<float> row(p);
    std::vector<float> centre(mean, mean + p);
    std::vector<double> spare, amounts(std::max<std::size_t>(n_amounts_, 1));
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const float* x = packed_.empty() ? row.data() : &packed_[i * p];
      if (packed_.empty()) points_.pack(order_[i], row.data(), spare);
      const double value = dot(x, centre.data(), p);
      if (std::abs(value) <= sine) {
        active_.push_back(static_cast<std::uint32_t>(i));
      } else if (value > 0) {
        const std::size_t segment = segment_of(order_[i]);
        settled_rows_[segment] += 1;
        if constexpr (kMedian) sides_[i] = 0xffff;
        if (!summed()) continue;
        amounts_of(order_[i], amounts.data());
        for (std::size_t a = 0; a < n_amounts_; ++a) settled_[slot(segment, a)] += amounts[a];
      }
    }
  }

  static float dot(const float* x, const float* y, std::size_t p) {
    float sums[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= p; j += 8)
      for (std::size_t l = 0; l < 8; ++l) sums[l] += x[j + l] * y[j + l];
    float sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; j < p; ++j) sum += x[j] * y[j];
    return sum;
  }

  // The panels [first, last) on all active rows.
  void run(const double* planes, std::size_t n, std::size_t first, std::size_t last, Scratch& s, bool alone) {
    const std::size_t p = points_.width();
    if constexpr (kMedian) s.sides = sides_;
    for (std::size_t begin = 0; begin < active_.size(); begin += kTileRows) {
      if (alone) pulse_.check();
      else if (pulse_.stopped()) return;
      const std::size_t rows = std::min(kTileRows, active_.size() - begin);
      const std::uint32_t* active = active_.data() + begin;
      if (packed_.empty()) s.tile.resize(kTileRows * p);
      s.amounts.resize(rows * n_amounts_);
      for (std::size_t i = 0; i < rows; ++i) {
        if (packed_.empty()) points_.pack(order_[active[i]], &s.tile[i * p], s.spare);
        s.pointers[i] = packed_.empty() ? &s.tile[i * p] : &packed_[active[i] * p];
        if (summed()) amounts_of(order_[active[i]], &s.amounts[i * n_amounts_]);
      }
      std::size_t padded = rows;
      for (; padded % 6 != 0; ++padded) s.pointers[padded] = s.pointers[rows - 1];
      for (std::size_t panel = first; panel < last; ++panel) {
        lanes_.product(s.pointers.data(), padded, &panel_[panel * p * kPanel], p, s.values.data());
        consume(planes, n, panel, active, rows, s);
      }
    }
    if constexpr (kMedian)
      for (std::size_t c = 0; c < kPanel; ++c) medians_[first * kPanel + c] = median_score(s.sides, c);
  }

  // Counts the signs of a tile, one run of rows of the same segment after the other.
  void consume(const double* planes, std::size_t n, std::size_t panel, const std::uint32_t* active, std::size_t rows,
               Scratch& s) {
    for (std::size_t begin = 0; begin < rows;) {
      const std::size_t segment = segment_of(order_[active[begin]]);
      std::size_t end = begin + 1;
      while (end < rows && segment_of(order_[active[end]]) == segment) ++end;
      float* values = s.values.data() + begin * kPanel;
      std::int32_t count[kPanel] = {};
      if (lanes_.count_upper(values, end - begin, near_, count)) {
        recompute(planes, n, panel, active + begin, end - begin, values);
        std::fill(count, count + kPanel, 0);
        lanes_.count_upper(values, end - begin, near_, count);
      }
      double* present = &present_[(panel * segments_ + segment) * kPanel];
      for (std::size_t c = 0; c < kPanel; ++c) present[c] += count[c];
      for (std::size_t a = 0; a < n_amounts_; ++a)
        lanes_.sum_upper(values, end - begin, &s.amounts[begin * n_amounts_ + a], n_amounts_,
                         &upper_[(panel * slots_ + slot(segment, a)) * kPanel]);
      if constexpr (kMedian)
        for (std::size_t i = begin; i < end; ++i) {
          unsigned bits = 0;
          for (std::size_t c = 0; c < kPanel; ++c) bits |= static_cast<unsigned>(s.values[i * kPanel + c] >= 0) << c;
          s.sides[active[i]] = static_cast<std::uint16_t>(bits);
        }
      begin = end;
    }
  }

  // Puts the sign of the float64 value in the place of each value that is near to 0.
  void recompute(const double* planes, std::size_t n, std::size_t panel, const std::uint32_t* active, std::size_t rows,
                 float* values) const {
    const std::size_t planes_here = std::min(kPanel, n - panel * kPanel);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t c = 0; c < planes_here; ++c) {
        float& value = values[i * kPanel + c];
        if (std::abs(value) > near_) continue;
        const double exact = points_.value(order_[active[i]], planes + (panel * kPanel + c) * points_.width());
        value = exact >= 0 ? 1.0f : -1.0f;
      }
  }

  // Mean absolute deviation from the medians of both sides; rows are in the order of y.
  double median_score(const std::vector<std::uint16_t>& sides, std::size_t plane) const {
    double weight[2] = {}, sum[2] = {}, below[2] = {}, below_sum[2] = {}, median[2] = {};
    bool found[2] = {};
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const int side = (sides[i] >> plane) & 1;
      const double w = target_.weight_of(order_[i]);
      weight[side] += w;
      sum[side] += w * target_.y[order_[i]];
    }
    for (std::size_t i = 0; i < order_.size() && !(found[0] && found[1]); ++i) {
      const int side = (sides[i] >> plane) & 1;
      if (found[side]) continue;
      const double w = target_.weight_of(order_[i]), y = target_.y[order_[i]];
      if (below[side] + w >= weight[side] / 2) {
        median[side] = y, found[side] = true;
      } else {
        below[side] += w;
        below_sum[side] += w * y;
      }
    }
    if (std::min(weight[0], weight[1]) < limits_.weight) return kInfinity;
    double deviation = 0;
    for (int side = 0; side < 2; ++side)
      deviation += std::max(0.0, median[side] * below[side] - below_sum[side] + (sum[side] - below_sum[side]) -
                                     median[side] * (weight[side] - below[side]));
    return deviation / (weight[0] + weight[1]);
  }

  double weight_of(const double* counts) const {
    return target_.classification() ? total(counts, target_.k) : counts[0];
  }

  // From counts to scores. The user's Python function is called once, with every plane that leaves enough
  // samples on either side.
  void finish(std::size_t n, double* scores) {
    const auto k = static_cast<std::size_t>(target_.k);
    const bool counted = target_.classification() && !target_.weight;
    std::vector<double> lefts(k), rights(k), answers;
    std::vector<std::size_t> asked;
    if constexpr (std::is_same_v<C, Batch>) lefts.resize(n * k), rights.resize(n * k);
    for (std::size_t i = 0; i < n; ++i) {
      scores[i] = kInfinity;
      const std::size_t panel = i / kPanel, c = i % kPanel;
      double* left = lefts.data() + asked.size() * k;
      double* right = rights.data() + asked.size() * k;
      double above = 0;
      for (std::size_t s = 0; s < segments_; ++s) {
        const double rows = settled_rows_[s] + present_[(panel * segments_ + s) * kPanel + c];
        above += rows;
        if (counted) left[s] = rows, right[s] = rows_in_[s] - rows;
        else if (target_.classification()) {
          left[s] = settled_[s] + upper_[(panel * slots_ + s) * kPanel + c];
          right[s] = rows == rows_in_[s] ? 0.0 : total_[s] - left[s];  // nothing there: no crumbs of rounding
        }
      }
      double beneath = static_cast<double>(order_.size()) - above;
      if (counts_samples_) {
        above = settled_.back() + upper_[(panel * slots_ + slots_ - 1) * kPanel + c];
        beneath = samples_ - above;
      }
      if (above < limits_.samples || beneath < limits_.samples) continue;
      if constexpr (kMedian) {
        scores[i] = medians_[i];
      } else {
        if (!target_.classification())
          for (std::size_t m = 0; m < 3; ++m) {
            left[m] = settled_[m] + upper_[(panel * slots_ + m) * kPanel + c];
            right[m] = total_[m] - left[m];
          }
        if (limits_.weight > 0 && std::min(weight_of(left), weight_of(right)) < limits_.weight) continue;
        if constexpr (std::is_same_v<C, Batch>) asked.push_back(i);
        else scores[i] = score_sides(criterion_, left, right, target_.k);
        if (std::isnan(scores[i])) scores[i] = kInfinity;
      }
    }
    if constexpr (std::is_same_v<C, Batch>) {
      answers.resize(asked.size());
      if (!asked.empty()) criterion_.function(lefts.data(), rights.data(), asked.size(), target_.k, answers.data());
      for (std::size_t i = 0; i < asked.size(); ++i)
        scores[asked[i]] = std::isnan(answers[i]) ? kInfinity : answers[i];
    }
  }

  C criterion_;
  Target target_;
  Points points_;
  std::vector<std::uint32_t> order_, active_;  // rows by class (or by y); places in `order_`
  SideLimits limits_;
  int threads_;
  Pulse& pulse_;
  const Kernels& lanes_;
  float near_ = 0;
  double centre_ = 0, samples_ = 0;
  std::size_t segments_ = 1, slots_ = 0, n_amounts_ = 0;
  bool counts_samples_ = false;
  std::vector<float> packed_, panel_;
  std::vector<double> total_, rows_in_, settled_, settled_rows_, upper_, present_, medians_;
  std::vector<std::uint16_t> sides_;
  std::vector<Scratch> scratch_;
};

}  // namespace askew

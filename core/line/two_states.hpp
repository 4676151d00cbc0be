// Two classes on the left of a plane that moves along a line past few rows: at the ends of bins, behind each row, and
// which bins may hold a winner. All numbers are whole, and exact.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "line/few_loops.hpp"
#include "numeric/simd.hpp"
#include "score/fast_ranking.hpp"

namespace askew::line {

using namespace score;

// How D and the rows on the left change over each bin, and how many rows it has. Slots lie by label and way, then by
// bin: in `counts` are four tables, each with room for twice the bins.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void two_steps(const std::uint32_t* counts, std::size_t bins, const std::int32_t* step,
                                       std::int32_t* __restrict__ d, std::int32_t* __restrict__ size,
                                       std::int32_t* __restrict__ rows) {
  const auto* out0 = reinterpret_cast<const std::int32_t*>(counts);
  const std::int32_t *in0 = out0 + 2 * bins, *out1 = in0 + 2 * bins, *in1 = out1 + 2 * bins;
  const std::int32_t s0 = step[0], s1 = step[1], s2 = step[2], s3 = step[3];
  for (std::size_t b = 0; b < bins; ++b) {
    d[b] = s0 * out0[b] + s1 * in0[b] + s2 * out1[b] + s3 * in1[b];
    size[b] = in0[b] + in1[b] - out0[b] - out1[b];
    rows[b] = in0[b] + in1[b] + out0[b] + out1[b];
  }
}

// Which bins may hold a q of at least `least`. Each class's count on the left lies between what it has when all of its
// leaving rows have left and none has come, and the other way round. q is convex, so it is largest at a corner of that
// box.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void two_open(const std::uint32_t* counts, std::size_t bins, const std::int32_t* step,
                                      const std::int32_t* d, const std::int32_t* size, double all, double least,
                                      std::uint8_t* __restrict__ open) {
  const auto* out0 = reinterpret_cast<const std::int32_t*>(counts);
  const std::int32_t *in0 = out0 + 2 * bins, *out1 = in0 + 2 * bins, *in1 = out1 + 2 * bins;
  const std::int32_t s0 = step[0], s1 = step[1], s2 = step[2], s3 = step[3];
  const auto at = [=](std::int32_t D, std::int32_t N) {
    const double distance = D, left = N;
    return distance * distance - least * (left * (all - left));
  };
  for (std::size_t b = 0; b < bins; ++b) {
    const std::int32_t d_out = d[b] + s0 * out0[b], d_in = d[b] + s1 * in0[b];
    const std::int32_t n_out = size[b] - out0[b], n_in = size[b] + in0[b];
    const double e0 = at(d_out + s2 * out1[b], n_out - out1[b]), e1 = at(d_out + s3 * in1[b], n_out + in1[b]);
    const double e2 = at(d_in + s2 * out1[b], n_in - out1[b]), e3 = at(d_in + s3 * in1[b], n_in + in1[b]);
    const double f0 = e0 > e1 ? e0 : e1, f1 = e2 > e3 ? e2 : e3;
    const double most = f0 > f1 ? f0 : f1;
    open[b] = !(most < 0);
  }
}

class TwoStates {
 public:
  TwoStates(const std::vector<double>& all, int bin_bits)
      : slots{bin_bits, 0, bin_bits + 2, bin_bits + 1}, k(2), n(all[0] + all[1]), size_(static_cast<std::int32_t>(n)),
        ones_(static_cast<std::int32_t>(all[1])), step_{ones_, -ones_, ones_ - size_, size_ - ones_} {}

  Fraction rate(const double* left) const {
    const double size = left[0] + left[1];
    return rank_by_distance(n * left[1] - static_cast<double>(ones_) * size, size, n);
  }

  void count(const std::uint32_t* slot, std::size_t rows) {
    std::fill_n(counts_, std::size_t{8} << slots.bin_bits, 0u);
    count_slots(slot, rows, counts_);
    const std::size_t bins = slots.n_bins();
    std::int32_t above[2] = {};
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t b = 0; b <= bins; ++b)
        above[c] += static_cast<std::int32_t>(counts_[(2 * c + 1) * 2 * bins + b]);
    std::int32_t N = size_ - above[0] - above[1], D = size_ * (ones_ - above[1]) - ones_ * N;
    two_steps(counts_, bins, step_, d, n_left, rows_);
    for (std::size_t b = 0; b < bins; ++b) {
      D += std::exchange(d[b], D);
      N += std::exchange(n_left[b], N);
    }
    d[bins] = D, n_left[bins] = N;
  }

  std::uint32_t open(double least) const {
    const std::size_t bins = slots.n_bins();
    if (bins == kFewestBins) return (std::uint32_t{1} << kFewestBins) - 1;
    std::uint8_t flags[kMostFewBins + 1];
    const double highest = highest_at_ends(d, n_left, bins + 1, n);
    two_open(counts_, bins, step_, d, n_left, n, std::max(least, highest * (1 - kRankMargin)), flags);
    return static_cast<std::uint32_t>(bits_of(flags, bins));
  }
  std::uint64_t ends(double least) const { return ends_reaching(d, n_left, slots.n_bins(), n, least); }
  std::size_t rows_in(std::size_t b) const { return static_cast<std::size_t>(rows_[b]); }

  // The states behind the rows. `tied` are those whose key is the next row's, too: true if there are any.
  bool follow(const FewOrder& order, std::int32_t* after, std::int32_t* size, std::uint8_t* tied) const {
    std::int32_t D = 0, N = 0;
    std::fill_n(after, order.m, 0), std::fill_n(size, order.m, 0);
    for (std::uint32_t left = order.open; left != 0; left &= left - 1) {  // what closed bins before an open one add
      const int b = std::countr_zero(left);
      if (rows_[b] == 0) continue;
      after[order.start[b]] = d[b] - D, size[order.start[b]] = n_left[b] - N;
      D = d[b + 1], N = n_left[b + 1];
    }
    D = N = 0;
    bool any = false;
    const FewOrder in = order;
    for (std::size_t i = 0; i < in.m; ++i) {
      const std::uint32_t code = in.slot_of(i) >> slots.way_shift;
      D += after[i] + step_[code];
      N += size[i] + static_cast<std::int32_t>(code & 1) * 2 - 1;
      after[i] = D, size[i] = N;
      const bool same = in.tied(i);
      tied[i] = same, any |= same;
    }
    return any;
  }

  // The counts on the left; they are lost with the next call.
  const double* counts_at_end(std::size_t b) { return counts_of(d[b], n_left[b]); }
  template <class Slot>
  const double* counts_behind(std::size_t, std::size_t, std::int32_t D, std::int32_t N, Slot) {
    return counts_of(D, N);
  }

  std::int32_t d[kMostFewBins + 1], n_left[kMostFewBins + 1];  // at the ends of bins
  FewSlots slots;
  std::size_t k;
  double n;

 private:
  const double* counts_of(std::int32_t D, std::int32_t N) {
    const std::int32_t ones = (D + ones_ * N) / size_;
    left_ = {static_cast<double>(N - ones), static_cast<double>(ones)};
    return left_.data();
  }

  std::int32_t size_, ones_, step_[4];
  std::uint32_t counts_[8 * kMostFewBins];
  std::int32_t rows_[kMostFewBins];
  std::array<double, 2> left_{};
};

}  // namespace askew::line

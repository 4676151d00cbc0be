// Two classes on the left of a plane that moves along a line: at the ends of bins, behind each row, and which bins may
// hold a winner. All numbers are whole, and exact.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "line/bin_loops.hpp"
#include "numeric/simd.hpp"
#include "score/fast_ranking.hpp"

namespace askew::line {

// How D and the rows on the left change over each bin, and how many rows it has. Slots lie by label and way, then by
// bin: in `counts` are four tables, each with room for twice the bins.
template <class Count>
ASKEW_WIDE_VECTORS static void two_steps(const std::uint32_t* counts, std::size_t bins, const Count* step,
                                         Count* __restrict__ d, Count* __restrict__ size,
                                         std::int32_t* __restrict__ rows) {
  const auto* out0 = reinterpret_cast<const std::int32_t*>(counts);
  const std::int32_t *in0 = out0 + 2 * bins, *out1 = in0 + 2 * bins, *in1 = out1 + 2 * bins;
  const Count s0 = step[0], s1 = step[1], s2 = step[2], s3 = step[3];
  for (std::size_t b = 0; b < bins; ++b) {
    d[b] = s0 * out0[b] + s1 * in0[b] + s2 * out1[b] + s3 * in1[b];
    size[b] = in0[b] + in1[b] - out0[b] - out1[b];
    rows[b] = in0[b] + in1[b] + out0[b] + out1[b];
  }
}

// Which bins may hold a q of at least `least`. Each class's count on the left lies between what it has when all of its
// leaving rows have left and none has come, and the other way round. q is convex, so it is largest at a corner of that
// box.
template <class Count>
ASKEW_WIDE_VECTORS static void two_open(const std::uint32_t* counts, std::size_t bins, const Count* step,
                                        const Count* d, const Count* size, double all, double least,
                                        std::uint8_t* __restrict__ open) {
  const auto* out0 = reinterpret_cast<const std::int32_t*>(counts);
  const std::int32_t *in0 = out0 + 2 * bins, *out1 = in0 + 2 * bins, *in1 = out1 + 2 * bins;
  const Count s0 = step[0], s1 = step[1], s2 = step[2], s3 = step[3];
  const auto at = [=](Count D, Count N) {
    const double distance = D, left = N;
    return distance * distance - least * (left * (all - left));
  };
  for (std::size_t b = 0; b < bins; ++b) {
    const Count d_out = d[b] + s0 * out0[b], d_in = d[b] + s1 * in0[b];
    const Count n_out = size[b] - out0[b], n_in = size[b] + in0[b];
    const double e0 = at(d_out + s2 * out1[b], n_out - out1[b]), e1 = at(d_out + s3 * in1[b], n_out + in1[b]);
    const double e2 = at(d_in + s2 * out1[b], n_in - out1[b]), e3 = at(d_in + s3 * in1[b], n_in + in1[b]);
    const double f0 = e0 > e1 ? e0 : e1, f1 = e2 > e3 ? e2 : e3;
    const double most = f0 > f1 ? f0 : f1;
    open[b] = !(most < 0);
  }
}

template <class W>
class TwoStates {
 public:
  using Width = W;
  using Count = typename W::Count;

  TwoStates(const std::vector<double>& all, int bin_bits)
      : slots{bin_bits, 0, bin_bits + 2, bin_bits + 1}, k(2), n(all[0] + all[1]), size_(static_cast<Count>(n)),
        ones_(static_cast<Count>(all[1])), step_{ones_, -ones_, ones_ - size_, size_ - ones_} {}

  Fraction rate(const double* left) const {
    const double size = left[0] + left[1];
    return rank_by_distance(n * left[1] - static_cast<double>(ones_) * size, size, n);
  }

  void count(const std::uint32_t* slot, std::size_t rows) {
    std::fill_n(counts_, std::size_t{8} << slots.bin_bits, 0u);
    count_slots(slot, rows, counts_);
    const std::size_t bins = slots.n_bins();
    std::uint32_t above[2] = {};
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t b = 0; b <= bins; ++b) above[c] += counts_[(2 * c + 1) * 2 * bins + b];
    const auto above0 = static_cast<Count>(above[0]), above1 = static_cast<Count>(above[1]);
    Count N = size_ - above0 - above1, D = size_ * (ones_ - above1) - ones_ * N;
    two_steps(counts_, bins, step_, d, n_left, rows_);
    for (std::size_t b = 0; b < bins; ++b) {
      D += std::exchange(d[b], D);
      N += std::exchange(n_left[b], N);
    }
    d[bins] = D, n_left[bins] = N;
  }

  // Marks the bins that may hold a q of at least `least`, or more where an end has it.
  void open(double least, std::uint8_t* flags) const {
    const std::size_t bins = slots.n_bins();
    const double highest = highest_at_ends(d, n_left, bins + 1, n);
    two_open(counts_, bins, step_, d, n_left, n, std::max(least, highest * (1 - kRankMargin)), flags);
  }
  std::size_t rows_in(std::size_t b) const { return static_cast<std::size_t>(rows_[b]); }

  // The states behind the rows. `tied` are those whose key is the next row's, too: true if there are any.
  bool follow(const EntryOrder<typename W::Entry>& order, Count* after, Count* size, std::uint8_t* tied) const {
    Count D = 0, N = 0;
    std::fill_n(after, order.m, Count{0}), std::fill_n(size, order.m, Count{0});
    for (std::size_t i = 0; i < order.n_open; ++i) {  // what closed bins before an open one add
      const std::size_t b = order.open[i];
      if (rows_[b] == 0) continue;
      after[order.start[b]] = d[b] - D, size[order.start[b]] = n_left[b] - N;
      D = d[b + 1], N = n_left[b + 1];
    }
    D = N = 0;
    bool any = false;
    const auto in = order;
    for (std::size_t i = 0; i < in.m; ++i) {
      const std::uint32_t code = in.slot_of(i) >> slots.way_shift;
      D += after[i] + step_[code];
      N += size[i] + static_cast<Count>(static_cast<std::int32_t>(code & 1) * 2 - 1);
      after[i] = D, size[i] = N;
      const bool same = in.tied(i);
      tied[i] = same, any |= same;
    }
    return any;
  }

  // The counts on the left; they are lost with the next call.
  const double* counts_at_end(std::size_t b) { return counts_of(d[b], n_left[b]); }
  template <class Slot>
  const double* counts_behind(std::size_t, std::size_t, Count D, Count N, Slot) {
    return counts_of(D, N);
  }

  Count d[W::kMostBins + 8] = {}, n_left[W::kMostBins + 8] = {};  // at the ends of bins
  Slots slots;
  std::size_t k;
  double n;

 private:
  const double* counts_of(Count D, Count N) {
    const Count ones = (D + ones_ * N) / size_;
    left_ = {static_cast<double>(N - ones), static_cast<double>(ones)};
    return left_.data();
  }

  Count size_, ones_, step_[4];
  std::uint32_t counts_[8 * W::kMostBins];
  std::int32_t rows_[W::kMostBins];
  std::array<double, 2> left_{};
};

}  // namespace askew::line

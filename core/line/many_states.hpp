// The same as two_states.hpp for more classes, up to K, in the order of twoing.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "line/few_loops.hpp"
#include "numeric/simd.hpp"
#include "score/criterion.hpp"
#include "score/fast_ranking.hpp"

namespace askew::line {

using namespace score;

// What is known at the ends of bins of many classes, and of the bins.
struct ManyEnds {
  std::vector<std::int32_t> left, a;  // by end and class: the counts on the left, and a_c = n l_c - t_c N
  std::int32_t d[kMostFewBins + 1], n_left[kMostFewBins + 1];
  std::int32_t leave[kMostFewBins], in_bin[kMostFewBins];  // rows that leave the left, and all
  std::int32_t room[kMostFewBins];                         // what the rows can change D by, halved
};

// `all` are the counts of the classes; slots lie by bin, then by way, then by label.
template <int K>
[[gnu::always_inline]] inline void many_ends(const std::uint32_t* slots, std::size_t bins, const std::int32_t* all,
                                             std::int32_t n, ManyEnds& ends) {
  const auto* counts = reinterpret_cast<const std::int32_t*>(slots);
  std::int32_t left[K], rest[K], N = 0;
  for (int c = 0; c < K; ++c) left[c] = all[c], rest[c] = n - all[c];
  for (std::size_t b = 0; b <= bins; ++b)
    for (int c = 0; c < K; ++c) left[c] -= counts[b * 2 * K + K + c];
  for (int c = 0; c < K; ++c) N += left[c];
  std::int32_t *to = ends.left.data(), *a = ends.a.data();
  for (std::size_t b = 0;; ++b, to += K, a += K) {
    std::int32_t D = 0;
    for (int c = 0; c < K; ++c) {
      to[c] = left[c], a[c] = n * left[c] - all[c] * N;
      D += std::abs(n * left[c] - all[c] * N);
    }
    ends.d[b] = D, ends.n_left[b] = N;
    if (b == bins) break;
    const std::int32_t *out = counts + b * 2 * K, *in = out + K;
    std::int32_t leave = 0, come = 0, room = 0;
    for (int c = 0; c < K; ++c) {
      leave += out[c], come += in[c], room += rest[c] * (out[c] + in[c]);
      left[c] += in[c] - out[c];
    }
    N += come - leave;
    ends.leave[b] = leave, ends.in_bin[b] = leave + come, ends.room[b] = room;
  }
}
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void many_ends_8(const std::uint32_t* slots, std::size_t bins, const std::int32_t* all,
                                         std::int32_t n, ManyEnds& ends) {
  many_ends<8>(slots, bins, all, n, ends);
}
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void many_ends_16(const std::uint32_t* slots, std::size_t bins, const std::int32_t* all,
                                          std::int32_t n, ManyEnds& ends) {
  many_ends<16>(slots, bins, all, n, ends);
}

// a_c = n l_c - t_c N of each class c behind each row.
template <int K>
[[gnu::always_inline]] inline void follow_rows(const std::int32_t* start, const std::int32_t* steps,
                                               const std::uint32_t* codes, std::size_t rows, std::int32_t* d) {
  typedef std::int32_t Eight __attribute__((vector_size(32), aligned(4), may_alias));
  constexpr int kVectors = K / 8;
  Eight a[kVectors];
  for (int v = 0; v < kVectors; ++v) a[v] = *reinterpret_cast<const Eight*>(start + 8 * v);
  for (std::size_t l = 0; l < rows; ++l) {
    const std::int32_t* step = steps + codes[l] * K;
    Eight sum = {};
    for (int v = 0; v < kVectors; ++v) {
      a[v] += *reinterpret_cast<const Eight*>(step + 8 * v);
      sum += a[v] < 0 ? -a[v] : a[v];
    }
    std::int32_t D = 0;
    for (int c = 0; c < 8; ++c) D += sum[c];
    d[l] = D;
  }
}
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void follow_8(const std::int32_t* start, const std::int32_t* steps, const std::uint32_t* codes,
                                      std::size_t rows, std::int32_t* d) {
  follow_rows<8>(start, steps, codes, rows, d);
}
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void follow_16(const std::int32_t* start, const std::int32_t* steps, const std::uint32_t* codes,
                                       std::size_t rows, std::int32_t* d) {
  follow_rows<16>(start, steps, codes, rows, d);
}

// Slots lie by bin, then by way, then by label.
template <int K>
class ManyStates : public ManyEnds {
 public:
  ManyStates(const std::vector<double>& all, int bin_bits)
      : slots{bin_bits, kLog + 1, 0, kLog}, k(all.size()), n(total(all.data(), static_cast<int>(all.size()))),
        size_(static_cast<std::int32_t>(n)), counts_((slots.n_bins() + 1) * 2 * K), left_(k) {
    left.resize((slots.n_bins() + 1) * K), a.resize(left.size());
    for (std::size_t c = 0; c < k; ++c) all_[c] = static_cast<std::int32_t>(all[c]);
    for (int code = 0; code < 2 * K; ++code)
      for (int c = 0; c < K; ++c) {
        const std::int32_t sign = code >= K ? 1 : -1;
        steps_[code * K + c] = sign * ((code % K == c ? size_ : 0) - all_[c]);
      }
  }

  Fraction rate(const double* counts) const {
    double N = 0, D = 0;
    for (std::size_t c = 0; c < k; ++c) N += counts[c];
    for (std::size_t c = 0; c < k; ++c) D += std::abs(n * counts[c] - all_[c] * N);
    return rank_by_distance(D, N, n);
  }

  void count(const std::uint32_t* slot, std::size_t rows) {
    const std::size_t bins = slots.n_bins();
    std::fill(counts_.begin(), counts_.end(), 0u);
    count_slots(slot, rows, counts_.data());
    (K == 8 ? many_ends_8 : many_ends_16)(counts_.data(), bins, all_, size_, *this);
  }

  // A state inside a bin is some of its rows away from one end, and the others from the other. A row of a class of t
  // rows changes D by 2 (n - t) at most.
  std::uint32_t open(double least) const {
    const std::size_t bins = slots.n_bins();
    if (bins == kFewestBins) return (std::uint32_t{1} << kFewestBins) - 1;
    least = std::max(least, highest_at_ends(d, n_left, bins + 1, n) * (1 - kRankMargin));
    std::uint32_t mask = 0;
    for (std::size_t b = 0; b < bins; ++b) {
      const double highest = 0.5 * (d[b] + d[b + 1]) + room[b];
      const double low = n_left[b] - leave[b], high = n_left[b] + (in_bin[b] - leave[b]);
      const double sizes = std::min(low * (n - low), high * (n - high));
      mask |= static_cast<std::uint32_t>(!(highest * highest < least * sizes)) << b;
    }
    return mask;
  }
  std::uint64_t ends(double least) const { return ends_reaching(d, n_left, slots.n_bins(), n, least); }
  std::size_t rows_in(std::size_t b) const { return static_cast<std::size_t>(in_bin[b]); }

  bool follow(const FewOrder& order, std::int32_t* after, std::int32_t* size, std::uint8_t* tied) {
    bool any = false;
    codes_.resize(std::max(codes_.size(), order.m));
    for (std::uint32_t open = order.open; open != 0; open &= open - 1) {
      const auto b = static_cast<std::size_t>(std::countr_zero(open));
      const std::size_t first = order.start[b], rows = rows_in(b);
      std::int32_t N = n_left[b];
      for (std::size_t i = first; i < first + rows; ++i) {
        const std::uint32_t code = order.slot_of(i) & (2 * K - 1);
        codes_[i] = code;
        N += way_of(code);
        size[i] = N;
        const bool same = order.tied(i);
        tied[i] = same, any |= same;
      }
      (K == 8 ? follow_8 : follow_16)(&a[b * K], steps_, codes_.data() + first, rows, after + first);
    }
    return any;
  }

  const double* counts_at_end(std::size_t b) {
    for (std::size_t c = 0; c < k; ++c) left_[c] = left[b * K + c];
    return left_.data();
  }
  template <class Slot>
  const double* counts_behind(std::size_t b, std::size_t rows, std::int32_t, std::int32_t, Slot slot) {
    counts_at_end(b);
    for (std::size_t l = 0; l < rows; ++l) {
      const std::uint32_t code = slot(l) & (2 * K - 1);
      left_[code & (K - 1)] += way_of(code);
    }
    return left_.data();
  }

 private:
  static constexpr int kLog = K == 8 ? 3 : 4;
  static std::int32_t way_of(std::uint32_t code) { return static_cast<std::int32_t>(code >> kLog) * 2 - 1; }

 public:
  FewSlots slots;
  std::size_t k;
  double n;

 private:
  std::int32_t size_, all_[K] = {}, steps_[2 * K * K];
  std::vector<std::uint32_t> counts_, codes_;
  std::vector<double> left_;
};

}  // namespace askew::line

// The same as two_states.hpp for more classes, up to K, in the order of twoing.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "line/bin_loops.hpp"
#include "numeric/simd.hpp"
#include "score/criterion.hpp"
#include "score/fast_ranking.hpp"

namespace askew::line {

// What is known at the ends of bins of many classes, and of the bins.
template <class W>
struct ManyEnds {
  using Count = typename W::Count;
  std::vector<Count> a;  // by end and class: a_c = n l_c - t_c N of the counts l on the left
  Count d[W::kMostBins + 8] = {}, n_left[W::kMostBins + 8] = {};
  std::int32_t leave[W::kMostBins], in_bin[W::kMostBins];  // rows that leave the left, and all
  Count room[W::kMostBins];                                // what the rows can change D by, halved
};

// `all` are the counts of the classes; slots lie by bin, then by way, then by label.
template <int K, class W>
ASKEW_WIDE_VECTORS static void many_ends(const std::uint32_t* slots, std::size_t bins, const typename W::Count* all,
                                         typename W::Count n, ManyEnds<W>& ends) {
  using Count = typename W::Count;
  const auto* counts = reinterpret_cast<const std::int32_t*>(slots);
  std::int32_t above[K] = {};
  Count left[K], rest[K], N = 0;
  for (std::size_t b = 0; b <= bins; ++b)
    for (int c = 0; c < K; ++c) above[c] += counts[b * 2 * K + K + c];
  for (int c = 0; c < K; ++c) left[c] = all[c] - above[c], rest[c] = n - all[c];
  for (int c = 0; c < K; ++c) N += left[c];
  Count* a = ends.a.data();
  for (std::size_t b = 0;; ++b, a += K) {
    Count D = 0;
    for (int c = 0; c < K; ++c) {
      a[c] = n * left[c] - all[c] * N;
      D += std::abs(n * left[c] - all[c] * N);
    }
    ends.d[b] = D, ends.n_left[b] = N;
    if (b == bins) break;
    const std::int32_t *out = counts + b * 2 * K, *in = out + K;
    std::int32_t leave = 0, come = 0;
    Count room = 0;
    for (int c = 0; c < K; ++c) {
      leave += out[c], come += in[c], room += rest[c] * (out[c] + in[c]);
      left[c] += in[c] - out[c];
    }
    N += come - leave;
    ends.leave[b] = leave, ends.in_bin[b] = leave + come, ends.room[b] = room;
  }
}

// D behind each row, by a_c of each class c.
template <int K, class Count>
ASKEW_WIDE_VECTORS static void follow_rows(const Count* start, const Count* steps, const std::uint32_t* codes,
                                           std::size_t rows, Count* d) {
  typedef Count Lanes __attribute__((vector_size(32), aligned(sizeof(Count)), may_alias));
  constexpr int kLanes = 32 / sizeof(Count), kVectors = K / kLanes;
  Lanes a[kVectors];
  for (int v = 0; v < kVectors; ++v) a[v] = *reinterpret_cast<const Lanes*>(start + kLanes * v);
  for (std::size_t l = 0; l < rows; ++l) {
    const Count* step = steps + codes[l] * K;
    Lanes sum = {};
    for (int v = 0; v < kVectors; ++v) {
      a[v] += *reinterpret_cast<const Lanes*>(step + kLanes * v);
      sum += a[v] < 0 ? -a[v] : a[v];
    }
    Count D = 0;
    for (int c = 0; c < kLanes; ++c) D += sum[c];
    d[l] = D;
  }
}

// Slots lie by bin, then by way, then by label.
template <int K, class W>
class ManyStates : public ManyEnds<W> {
 public:
  using Width = W;
  using Count = typename W::Count;
  using Ends = ManyEnds<W>;
  using Ends::a, Ends::d, Ends::in_bin, Ends::leave, Ends::n_left, Ends::room;

  ManyStates(const std::vector<double>& all, int bin_bits)
      : slots{bin_bits, kLog + 1, 0, kLog}, k(all.size()), n(total(all.data(), static_cast<int>(all.size()))),
        size_(static_cast<Count>(n)), steps_(2 * K * K), counts_((slots.n_bins() + 1) * 2 * K), left_(k) {
    a.resize((slots.n_bins() + 1) * K);
    for (std::size_t c = 0; c < k; ++c) all_[c] = static_cast<Count>(all[c]);
    for (std::size_t code = 0; code < 2 * K; ++code)
      for (std::size_t c = 0; c < K; ++c) {
        const Count sign = code >= K ? 1 : -1;
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
    std::fill(counts_.begin(), counts_.end(), 0u);
    count_slots(slot, rows, counts_.data());
    many_ends<K, W>(counts_.data(), slots.n_bins(), all_, size_, *this);
  }

  // A state inside a bin is some of its rows away from one end, and the others from the other. A row of a class of t
  // rows changes D by 2 (n - t) at most.
  void open(double least, std::uint8_t* flags) const {
    const std::size_t bins = slots.n_bins();
    least = std::max(least, highest_at_ends(d, n_left, bins + 1, n) * (1 - kRankMargin));
    for (std::size_t b = 0; b < bins; ++b) {
      const double highest = 0.5 * (d[b] + d[b + 1]) + room[b];
      const double low = n_left[b] - leave[b], high = n_left[b] + (in_bin[b] - leave[b]);
      const double sizes = std::min(low * (n - low), high * (n - high));
      flags[b] = !(highest * highest < least * sizes);
    }
  }
  std::size_t rows_in(std::size_t b) const { return static_cast<std::size_t>(in_bin[b]); }

  bool follow(const EntryOrder<typename W::Entry>& order, Count* after, Count* size, std::uint8_t* tied) {
    bool any = false;
    codes_.resize(std::max(codes_.size(), order.m));
    for (std::size_t o = 0; o < order.n_open; ++o) {
      const std::size_t b = order.open[o], first = order.start[b], rows = rows_in(b);
      Count N = n_left[b];
      for (std::size_t i = first; i < first + rows; ++i) {
        const std::uint32_t code = order.slot_of(i) & (2 * K - 1);
        codes_[i] = code;
        N += way_of(code);
        size[i] = N;
        const bool same = order.tied(i);
        tied[i] = same, any |= same;
      }
      follow_rows<K>(&a[b * K], steps_.data(), codes_.data() + first, rows, after + first);
    }
    return any;
  }

  const double* counts_at_end(std::size_t b) {
    for (std::size_t c = 0; c < k; ++c) left_[c] = (a[b * K + c] + all_[c] * n_left[b]) / size_;
    return left_.data();
  }
  template <class Slot>
  const double* counts_behind(std::size_t b, std::size_t rows, Count, Count, Slot slot) {
    counts_at_end(b);
    for (std::size_t l = 0; l < rows; ++l) {
      const std::uint32_t code = slot(l) & (2 * K - 1);
      left_[code & (K - 1)] += way_of(code);
    }
    return left_.data();
  }

 private:
  static constexpr int kLog = std::countr_zero(static_cast<unsigned>(K));
  static std::int32_t way_of(std::uint32_t code) { return static_cast<std::int32_t>(code >> kLog) * 2 - 1; }

 public:
  Slots slots;
  std::size_t k;
  double n;

 private:
  Count size_, all_[K] = {};
  std::vector<Count> steps_;
  std::vector<std::uint32_t> counts_, codes_;
  std::vector<double> left_;
};

}  // namespace askew::line

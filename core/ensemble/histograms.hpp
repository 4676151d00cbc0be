// Sums of gradients and hessians by bin, for the trees of boosting: a histogram a feature, and the best cut of one.
//
//   codes, column by column   0 2 2 1 0 ...     the bin of each row, made once; bin b holds values up to edge[b]
//   histogram of a node       (g h n) (g h n)   one triple a bin; a sibling's is the parent's less one's own
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace askew::ensemble {

// What all trees of one boosting share.
struct BinnedTable {
  const double* X;  // row-major
  std::size_t n, d;
  const std::uint8_t* codes;       // column by column
  const std::int64_t* edge_start;  // d + 1; a feature with e edges has e + 1 bins
  const double* edges;
  const std::int8_t* monotonic;  // of each feature: +1 rising, -1 falling, 0 free; null: all free

  std::size_t n_edges(std::size_t f) const { return static_cast<std::size_t>(edge_start[f + 1] - edge_start[f]); }
  double edge(std::size_t f, std::size_t b) const { return edges[static_cast<std::size_t>(edge_start[f]) + b]; }
};

struct BoostSums {
  double gradient = 0, hessian = 0, samples = 0;
  void add(const BoostSums& other) { gradient += other.gradient, hessian += other.hessian, samples += other.samples; }
  BoostSums operator-(const BoostSums& other) const {
    return {gradient - other.gradient, hessian - other.hessian, samples - other.samples};
  }
};

// A row at a node of a boosted tree.
struct BoostRow {
  std::uint32_t row;
  float samples;
  double gradient, hessian;
};

constexpr std::size_t kBins = 256;

inline void fill_histogram(const std::uint8_t* codes, const BoostRow* rows, std::size_t n, BoostSums* bins,
                           std::size_t n_bins) {
  std::fill(bins, bins + n_bins, BoostSums{});
  for (std::size_t i = 0; i < n; ++i) {
    BoostSums& bin = bins[codes[rows[i].row]];
    bin.gradient += rows[i].gradient;
    bin.hessian += rows[i].hessian;
    bin.samples += static_cast<double>(rows[i].samples);
  }
}

// What a cut must leave on each side, how leaves are penalised, and between which values they must lie.
struct BoostLimit {
  double l2, min_samples, min_hessian;
  double lowest = -std::numeric_limits<double>::infinity(), highest = std::numeric_limits<double>::infinity();

  bool bounded() const {
    return lowest > -std::numeric_limits<double>::infinity() || highest < std::numeric_limits<double>::infinity();
  }
  double value(const BoostSums& s) const {
    const double v = s.hessian + l2 > 0 ? -s.gradient / (s.hessian + l2) : 0.0;
    return v < lowest ? lowest : v > highest ? highest : v;
  }
  // Twice the loss that a leaf of this value saves; G^2 / (H + l2) for the best value.
  double saved(const BoostSums& s, double v) const { return -2 * s.gradient * v - (s.hessian + l2) * v * v; }
};

struct BoostCut {
  double gain = 0;
  std::size_t bin = 0;
};

// The best cut behind a bin. Of monotone features (`sign` +1 or -1), only cuts whose values are in order.
inline BoostCut best_bin(const BoostSums* bins, std::size_t n_cuts, const BoostSums& all, const BoostLimit& limit,
                         int sign) {
  BoostCut best;
  const double before = limit.saved(all, limit.value(all));
  const bool plain = sign == 0 && !limit.bounded();
  BoostSums left;
  for (std::size_t b = 0; b < n_cuts; ++b) {
    if (bins[b].samples == 0) continue;  // the same cut as the one before
    left.add(bins[b]);
    if (left.samples < limit.min_samples || left.hessian < limit.min_hessian) continue;
    const BoostSums right = all - left;
    if (right.samples < limit.min_samples || right.hessian < limit.min_hessian) break;
    double after = 0;
    if (plain) {
      after = left.gradient * left.gradient / (left.hessian + limit.l2) +
              right.gradient * right.gradient / (right.hessian + limit.l2);
    } else {
      const double low = limit.value(left), high = limit.value(right);
      if (sign != 0 && (sign > 0 ? low > high : low < high)) continue;
      after = limit.saved(left, low) + limit.saved(right, high);
    }
    if (after - before > best.gain) best = {after - before, b};
  }
  return best;
}

}  // namespace askew::ensemble

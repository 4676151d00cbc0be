// The directions of all points seen from the fixed samples of CART-ELC (see Frame), as keys that rise with the angle,
// and the exact answers where keys are too close to tell.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "elc/exact_frame.hpp"
#include "elc/side_tally.hpp"
#include "numeric/sort.hpp"

namespace askew::elc {

using namespace numeric;

class Directions {
 public:
  static constexpr std::uint32_t kDoubt = 2;  // keys so close may be in the wrong order, or equal

  Directions(const ExactTable& table, std::size_t r)
      : table_(table), frame_(make_frame(table, r)), exact_(table.bits_to_compare(r) <= 53 && !table.rounded),
        y1_(table.n), y2_(table.n), keys_(table.n) {}

  // False if the fixed samples do not span what they could.
  bool set(const Combination& fixed, const Combination& features) {
    if (!frame_->set(fixed, features)) return false;
    features_ = &features;
    project(fixed[0], features);
    prepare_orientation();
    return true;
  }
  double y1(std::uint32_t u) const { return y1_[u]; }
  double y2(std::uint32_t u) const { return y2_[u]; }
  std::uint32_t key(std::uint32_t u) const { return keys_[u]; }
  std::uint32_t turning_key() const { return turning_key_; }

  // Whether the canonical normal is (-u2, u1) for the direction u of an entry.
  bool plus(Keyed entry) const {
    const std::uint32_t k = key_of(entry);
    if (k + std::uint64_t{kDoubt} < turning_key_) return plus_before_;
    if (k > turning_key_ + std::uint64_t{kDoubt}) return !plus_before_;
    const std::uint32_t u = point_of(entry);
    int sign = 0;
    for (std::size_t c = first_column_; sign == 0; ++c) sign = frame_->coefficient(u, c);
    return (sign > 0) != static_cast<bool>(item_of(entry) & 1);
  }

  // The sign of cross(a, b) for the directions, turned into the half-plane: positive if a comes first.
  int cross(Keyed a, Keyed b) const {
    const std::uint32_t u = item_of(a) >> 1, v = item_of(b) >> 1;
    const int sign = (item_of(a) ^ item_of(b)) & 1 ? -1 : 1;
    const double p = y1_[u] * y2_[v], q = y2_[u] * y1_[v], det = p - q;
    if (exact_) return det > 0 ? sign : det < 0 ? -sign : 0;
    const double bound = 4 * (error_ + 0x1p-52) * (std::abs(p) + std::abs(q)) + 1e-290;
    if (det > bound) return sign;
    if (det < -bound) return -sign;
    if ((y1_[u] == 0 || y2_[v] == 0) && (y2_[u] == 0 || y1_[v] == 0)) return 0;
    return coincide(u, v) ? 0 : sign * frame_->cross(u, v);
  }

 private:
  const double* column(std::size_t k) const { return table_.columns[(*features_)[k]].value.data(); }
  bool coincide(std::uint32_t u, std::uint32_t v) const {
    for (std::size_t k = 0; k < features_->size(); ++k)
      if (column(k)[u] != column(k)[v]) return false;
    return !table_.rounded;
  }

  void project(std::uint32_t first, const Combination& features) {
    const std::size_t n = table_.n;
    if (features.size() == 2 && !table_.rounded) {
      const double *f = column(0), *g = column(1);
      const double f0 = f[first], g0 = g[first];
      for (std::size_t u = 0; u < n; ++u) y1_[u] = f[u] - f0, y2_[u] = g[u] - g0;
      error_ = 0x1p-52;
    } else {
      project_by_matrix(first, features);
      error_ = 0x1p-36;
    }
    double size1 = 1e-300, size2 = 1e-300;  // of a sample: keys are to be spread evenly
    for (std::size_t u = 0; u < n; u += 1 + n / 32) size1 += std::abs(y1_[u]), size2 += std::abs(y2_[u]);
    stretch_ = size2 / size1;
    const double stretch = stretch_;
    for (std::size_t u = 0; u < n; ++u) keys_[u] = key_of_direction(y1_[u], y2_[u], stretch);
  }

  void project_by_matrix(std::uint32_t first, const Combination& features) {
    const std::size_t n = table_.n, r = features.size();
    doubt_.assign(n, table_.rounded);
    for (int a = 0; a < 2; ++a) {
      auto& y = a ? y2_ : y1_;
      std::fill(y.begin(), y.end(), 0.0);
      terms_.assign(n, 0.0);
      for (std::size_t k = 0; k < r; ++k) {
        const double entry = frame_->N[a][k], start = column(k)[first];
        if (entry == 0) continue;
        const double* x = column(k);
        for (std::size_t u = 0; u < n; ++u) {
          const double term = entry * (x[u] - start);
          y[u] += term, terms_[u] += std::abs(term);
        }
      }
      // What floating point leaves open to more than one part in 2^36.
      const double bound = static_cast<double>(r + 3) * 0x1p-17;
      for (std::size_t u = 0; u < n; ++u)
        doubt_[u] |= !exact_ && (terms_[u] > 0) && !(std::abs(y[u]) > bound * terms_[u] + 1e-290);
    }
    for (std::uint32_t u = 0; u < n; ++u) {
      if (!doubt_[u]) continue;
      double y[2];
      frame_->project(u, y);
      y1_[u] = y[0], y2_[u] = y[1];
    }
  }

  // Rises with the angle of the direction, from -90 degrees (not included) to 90.
  static std::uint32_t key_of_direction(double y1, double y2, double stretch) {
    const double width = std::abs(y1) * stretch, height = y1 == 0 ? std::abs(y2) : std::copysign(1.0, y1) * y2;
    const double t = height / (width + std::abs(height) + std::numeric_limits<double>::min());
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(t * 2147483520.0)) ^ 0x80000000u;
  }

  // The canonical normal has a positive first coefficient. The sign of coefficient k changes where the sweep passes
  // the direction of the k-th column of N.
  void prepare_orientation() {
    first_column_ = 0;
    while (frame_->N[0][first_column_] == 0 && frame_->N[1][first_column_] == 0) ++first_column_;
    const double c1 = frame_->N[0][first_column_], c2 = frame_->N[1][first_column_];
    turning_key_ = key_of_direction(c1, c2, stretch_);
    plus_before_ = c1 > 0 || (c1 == 0 && c2 > 0);
  }

  const ExactTable& table_;
  std::unique_ptr<Frame> frame_;
  bool exact_;  // every number fits a double: floating point does not round
  const Combination* features_ = nullptr;
  double error_ = 0, stretch_ = 1;
  std::vector<double> y1_, y2_, terms_;
  std::vector<std::uint8_t> doubt_;
  std::vector<std::uint32_t> keys_;
  std::size_t first_column_ = 0;
  std::uint32_t turning_key_ = 0;
  bool plus_before_ = true;
};

}  // namespace askew::elc

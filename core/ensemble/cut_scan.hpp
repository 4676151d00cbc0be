// The best cut along a direction, for the trees of a forest: rows sorted by their projection, one scan over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/portable_math.hpp"
#include "numeric/sort.hpp"
#include "score/sweep.hpp"

namespace askew::ensemble {

using namespace numeric;
using namespace score;

// A cut: rows with a projection up to the threshold are on the left. Of two cuts the one of higher worth is better.
struct ForestCut {
  double worth = -kInfinity;
  double threshold = 0;
  bool found() const { return worth > -kInfinity; }
};

// What the rows of a node are labelled with, row by row.
struct ClassRows {
  std::vector<std::int32_t> label;  // numbers of the classes that are present at the node
  std::vector<double> of_class;     // weight of each class
};
struct NumberRows {
  std::vector<double> y;  // distances from the mean of the node
};

// Sums over the rows of both sides, and the worth of the cut between them. Worth grows as weight x impurity of the
// sides falls; what does not depend on the cut is left out.

struct GiniScan {
  const ClassRows& rows;
  std::vector<double>& left;  // weight of each class on the left
  double left_squares = 0, right_squares = 0, left_mass = 0, right_mass = 0;

  GiniScan(const ClassRows& r, std::vector<double>& memory, double mass) : rows(r), left(memory), right_mass(mass) {
    left.assign(rows.of_class.size(), 0.0);
    for (const double c : rows.of_class) right_squares += c * c;
  }
  void move(std::size_t i, double w) {
    const auto c = static_cast<std::size_t>(rows.label[i]);
    const double l = left[c], r = rows.of_class[c] - l;
    left_squares += w * (2 * l + w);
    right_squares -= w * (2 * r - w);
    left[c] = l + w;
    left_mass += w, right_mass -= w;
  }
  double worth() const { return left_squares / left_mass + right_squares / right_mass; }
};

struct EntropyScan {
  const ClassRows& rows;
  std::vector<double>& left;
  double sums = 0, left_mass = 0, right_mass = 0;  // sum of c log c over the classes of both sides

  static double c_log_c(double c) { return c > 1e-300 ? c * portable_log(c) : 0.0; }

  EntropyScan(const ClassRows& r, std::vector<double>& memory, double mass) : rows(r), left(memory), right_mass(mass) {
    left.assign(rows.of_class.size(), 0.0);
    for (const double c : rows.of_class) sums += c_log_c(c);
  }
  void move(std::size_t i, double w) {
    const auto c = static_cast<std::size_t>(rows.label[i]);
    const double l = left[c], r = rows.of_class[c] - l;
    sums += c_log_c(l + w) - c_log_c(l) + c_log_c(r - w) - c_log_c(r);
    left[c] = l + w;
    left_mass += w, right_mass -= w;
  }
  double worth() const { return sums - c_log_c(left_mass) - c_log_c(right_mass); }
};

struct SquaredScan {
  const NumberRows& rows;
  double left_sum = 0, right_sum = 0, left_mass = 0, right_mass = 0;

  SquaredScan(const NumberRows& r, std::vector<double>&, double mass) : rows(r), right_mass(mass) {}
  void move(std::size_t i, double w) {
    left_sum += w * rows.y[i], right_sum -= w * rows.y[i];  // the sum over all rows is 0
    left_mass += w, right_mass -= w;
  }
  double worth() const { return left_sum * left_sum / left_mass + right_sum * right_sum / right_mass; }
};

// What is needed of the rows to scan over them, and memory that is kept from scan to scan.
class CutScanner {
 public:
  // What each side of a cut must have, of the samples of the node.
  struct Limit {
    double n_samples, min_samples, min_weight;
  };

  template <class Scan, class Rows>
  ForestCut best(const Rows& rows, const double* projection, const double* weight, const float* samples, std::size_t n,
                 double mass, const Limit& limit) {
    ForestCut cut;
    if (!sort(projection, n)) return cut;
    Scan scan(rows, counts_, mass);
    double on_left = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const std::uint32_t item = item_of(entries_[i]);
      scan.move(item, weight[item]);
      on_left += static_cast<double>(samples[item]);
      if (key_of(entries_[i]) == key_of(entries_[i + 1]) || on_left < limit.min_samples ||
          limit.n_samples - on_left < limit.min_samples || std::min(scan.left_mass, scan.right_mass) < limit.min_weight)
        continue;
      const double worth = scan.worth();
      if (worth > cut.worth) cut.worth = worth, best = i;
    }
    if (cut.found()) cut.threshold = between(projection, n, best);
    return cut;
  }

 private:
  // Keys are the projections on a grid of 2^32 places: cuts between projections that share a place are left out.
  bool sort(const double* projection, std::size_t n) {
    const auto [low, high] = std::minmax_element(projection, projection + n);
    const double least = *low * 0.5, range = *high * 0.5 - least;  // halves: no overflow
    if (!(range > 0) || !std::isfinite(range)) return false;
    constexpr double kPlaces = 4294967040.0;
    const double scale = kPlaces / range;
    entries_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = projection[i] * 0.5 - least;
      const double place = std::isfinite(scale) ? std::min(distance * scale, kPlaces) : distance / range * kPlaces;
      entries_[i] = keyed(static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(i));
    }
    sort_entries(entries_, spare_);
    return true;
  }
  // The middle between the largest projection up to a place and the least behind it.
  double between(const double* projection, std::size_t n, std::size_t place) const {
    double below = projection[item_of(entries_[place])], above = projection[item_of(entries_[place + 1])];
    for (std::size_t i = place; i-- > 0 && key_of(entries_[i]) == key_of(entries_[place]);)
      below = std::max(below, projection[item_of(entries_[i])]);
    for (std::size_t i = place + 2; i < n && key_of(entries_[i]) == key_of(entries_[place + 1]); ++i)
      above = std::min(above, projection[item_of(entries_[i])]);
    return midpoint(below, above);
  }

  std::vector<Keyed> entries_, spare_;
  std::vector<double> counts_;
};

}  // namespace askew::ensemble

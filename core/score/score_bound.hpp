// Which cuts of a sweep need no score.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "score/criterion.hpp"
#include "score/fast_ranking.hpp"
#include "score/target.hpp"

namespace askew::score {

// Follows a sweep at a fraction of the cost of its sides, and says which cuts need no score because they
// cannot beat the score aimed at. The winner and ties are left to the scores of criterion.hpp: a filter's
// margin is far wider than their rounding. Compared by products, for a division takes longer than the rest.
template <class C>
struct Filter {  // most criteria have none
  void set_bound(double) {}
  void to_left(std::uint32_t) {}
  bool may_beat() const { return true; }
};

// Counts without weights are whole numbers, and so is everything below: nothing is rounded under 2^53.
// Two classes, l and t of the second on the left and in all, D = l n - t n_left:
//   gini = gini of all - 2 D^2 / (n^2 n_left n_right)
// More, L and R the sums of the squared counts, R = sum (t - l)^2 = sum t^2 - 2 sum t l + L:
//   gini = 1 - (L / n_left + R / n_right) / n
template <>
struct Filter<Gini> {
  Filter(const Target& target, const std::vector<double>& counts, std::vector<double>& scratch)
      : label(target.label), k(counts.size()), n(total(counts.data(), target.k)) {
    scratch.assign(2 * k, 0.0);
    left = scratch.data();
    all = std::copy(counts.begin(), counts.end(), left + k) - k;
    for (const double count : counts) squares += count * count;
    if (k == 2) all[0] = -counts[1], all[1] = n - counts[1];  // what a row adds to D
    usable = !target.weight && n <= 1 << 26;
  }
  void set_bound(double bound) {
    const double gain = (k == 2 ? 1 - squares / (n * n) : 1) - bound - 1e-12;
    threshold = gain * n * (k == 2 ? n / 2 : 1);
  }
  void to_left(std::uint32_t row) {
    const auto c = static_cast<std::size_t>(label[row]);
    if (k != 2) squares_left += 2 * left[c]++ + 1;
    products += all[c];
    ++n_left;
  }
  bool may_beat() const {
    if (!usable) return true;
    const auto above = [this](Fraction q) { return !(q.numerator <= threshold * q.denominator); };
    if (k == 2) return above(rank_by_distance(products, n_left, n));
    return above(rank_by_squares(squares_left, squares - 2 * products + squares_left, n_left, n));
  }

  const std::int32_t* label;
  std::size_t k;
  double *left = nullptr, *all = nullptr;
  double n, n_left = 0, squares = 0, squares_left = 0, products = 0, threshold = -kInfinity;
  bool usable;  // with weights the sums would gather rounding errors
};

// Twoing = D^2 / (n^2 n_left n_right), D the sum over the classes of |n l - t n_left|, l of t on the left; its score is
// the reciprocal. A row of a class of t rows changes D by 2 (n - t) at most: until that could suffice, the classes need
// not be summed again, however many they are.
template <>
struct Filter<Twoing> {
  Filter(const Target& target, const std::vector<double>& counts, std::vector<double>& scratch)
      : label(target.label), k(counts.size()), n(total(counts.data(), target.k)), all(counts.data()) {
    scratch.assign(k, 0.0);
    left = scratch.data();
    usable = label && !target.weight && n <= 1 << 26;
  }
  void set_bound(double bound) { threshold = n * n / bound * (1 - kRankMargin); }
  void to_left(std::uint32_t row) {
    const auto c = static_cast<std::size_t>(label[row]);
    ++left[c];
    ++n_left;
    D += 2 * (n - all[c]);
  }
  bool may_beat() {
    if (!usable) return true;
    const double needed = threshold * n_left * (n - n_left);
    if (D * D <= needed) return false;
    D = twoing_distance(all, left, k, n_left, n);
    return !(D * D <= needed);
  }

  const std::int32_t* label;
  std::size_t k;
  double n;
  const double* all;
  double *left = nullptr, n_left = 0, D = 0, threshold = 0;  // D is an upper bound between two sums
  bool usable;
};

// Counts without weights are whole numbers, and c log2 c of all of them fits into a table. With M(c) = c log2 c:
//   n entropy = M(n_left) - sum M(l) + M(n_right) - sum M(r)
template <>
struct Filter<Entropy> {
  Filter(const Target& target, const std::vector<double>& counts, std::vector<double>& table,
         std::vector<std::size_t>& tally)
      : label(target.label), n(static_cast<std::size_t>(total(counts.data(), target.k))), n_right(n) {
    usable = label && !target.weight && n < 1 << 26;
    if (!usable) return;
    if (table.size() != n + 1) {
      table.assign(n + 1, 0.0);
      for (std::size_t c = 2; c <= n; ++c) table[c] = static_cast<double>(c) * std::log2(static_cast<double>(c));
    }
    logs = table.data();
    tally.assign(2 * counts.size(), 0);
    left = tally.data();
    right = left + counts.size();
    for (std::size_t c = 0; c < counts.size(); ++c)
      right[c] = static_cast<std::size_t>(counts[c]), within += logs[right[c]];
    // What n steps may be rounded by, and the scores themselves.
    margin = 1e-15 * (64 + 8 * static_cast<double>(n)) * logs[n];
  }
  void set_bound(double bound) { threshold = bound * static_cast<double>(n) + margin; }
  void to_left(std::uint32_t row) {
    if (!usable) return;
    const auto c = static_cast<std::size_t>(label[row]);
    const std::size_t l = left[c]++, r = right[c]--;
    within += (logs[l + 1] - logs[l]) - (logs[r] - logs[r - 1]);
    ++n_left;
    --n_right;
  }
  bool may_beat() const { return !usable || !(logs[n_left] + logs[n_right] - within >= threshold); }

  const std::int32_t* label;
  std::size_t n, n_left = 0, n_right;
  const double* logs = nullptr;
  std::size_t *left = nullptr, *right = nullptr;
  double within = 0, margin = 0, threshold = kInfinity;  // within: sum of M over the classes of both sides
  bool usable;
};

// S the sums of y, rounded as those of the sides are, and Q the sum of squares of both sides, which is the
// same for all cuts but for rounding:
//   squared error = (Q - S_left^2 / n_left - S_right^2 / n_right) / n
template <>
struct Filter<SquaredError> {
  Filter(const Target& t, const std::vector<double>& moments, double mean, std::size_t rows)
      : target(t), centre(mean), n(moments[0]), n_right(moments[0]), sum_right(moments[1]) {
    squares = moments[2] * (1 - 1e-15 * (64 + 8 * static_cast<double>(rows)));
  }
  void set_bound(double bound) { threshold = squares - n * bound; }
  void to_left(std::uint32_t row) {
    const double w = target.weight_of(row), wy = w * (target.y[row] - centre);
    n_left += w;
    n_right -= w;
    sum_left += wy;
    sum_right -= wy;
  }
  bool may_beat() const {
    const double both = n_left * n_right;
    return !(sum_left * sum_left * n_right + sum_right * sum_right * n_left <= threshold * both) || !(both > 0);
  }

  Target target;
  double centre, n, squares, n_right, sum_right, n_left = 0, sum_left = 0, threshold = -kInfinity;
};

}  // namespace askew::score

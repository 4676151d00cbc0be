// OC1's search at one node: climb from a starting hyperplane by moving one coefficient at a time, jump in a
// random direction when nothing moves, start again (Murthy, Kasif & Salzberg 1994, section 3).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "line/line_search.hpp"
#include "numeric/parallel.hpp"
#include "numeric/portable_math.hpp"
#include "numeric/rng.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

enum class Order { sequential, best, random };

struct ClimbRules {
  Scaling scaling;  // of the rows on which it climbs
  std::size_t n_restarts;
  Order order;
  std::size_t n_random_moves;  // of the random order: 50 in the paper
  std::size_t n_jumps;
  bool exponential;  // stagnation as in OC1-93: a move that changes nothing is made with probability exp(-stagnant)
  std::size_t max_stagnant;  // as in OC1-94's program: such moves are made this often in a row
  bool perturb_bias;
  double max_loss;    // features are dropped while the score rises by no more than this share of the plane's
                      // lead over the axis-parallel split; negative: none are
  bool centre;        // put the plane in the middle of the room that the rows leave it
  double axis_score;  // of the axis-parallel split
};

// A hyperplane a.x + a[d] and the score of its split.
struct Plane {
  std::vector<double> a;
  double score = kInfinity;
  std::size_t n_evaluated = 0;
};

// One restart: from a starting plane to a local minimum that no jump leaves.
template <class Sides>
class Climb {
 public:
  Climb(LineSearch<Sides>& line, const NodeMatrix& rows, const ClimbRules& rules, Interrupt& interrupt)
      : line_(line), rows_(rows), rules_(rules), interrupt_(interrupt), V_(rows.n), moved_(rows.n),
        active_(rows.d + 1, true) {}

  Plane run(std::vector<double> start, std::uint64_t seed) {
    Rng rng(seed);
    plane_ = Plane{std::move(start), 0, 1};
    active_.assign(rows_.d + 1, true);
    forget();
    refresh();
    do descend(rng);
    while (plane_.score > 0 && jump(rng));
    refresh();
    return plane_;
  }

  // Backward elimination: drops the feature that is missed least, with the constant put where it is then best,
  // and climbs again with those that are left; as long as the score stays at or below `limit`.
  Plane thin_out(Plane plane, double limit, std::uint64_t seed) {
    Rng rng(seed);
    plane_ = std::move(plane);
    for (std::size_t m = 0; m < rows_.d; ++m) active_[m] = plane_.a[m] != 0;
    active_[rows_.d] = true;
    for (;;) {
      refresh();
      std::size_t weakest = kNone, left = 0;
      LineCut least;
      for (std::size_t m = 0; m < rows_.d; ++m) {
        if (!active_[m]) continue;
        ++left;
        const double* x = direction(m);
        for (std::size_t j = 0; j < rows_.n; ++j) moved_[j] = V_[j] - plane_.a[m] * x[j];
        const LineCut move = look(moved_.data(), direction(rows_.d));
        if (move.score < least.score) least = move, weakest = m;
      }
      if (left < 2 || !(least.score <= limit)) return plane_;
      plane_.a[weakest] = 0;
      plane_.a[rows_.d] += least.t;
      active_[weakest] = false;
      forget();
      refresh();
      descend(rng);
    }
  }

 private:
  std::size_t n_coefficients() const { return rows_.d + (rules_.perturb_bias ? 1 : 0); }
  const double* direction(std::size_t m) {
    if (m < rows_.n_kept) return rows_.column(m);
    if (m == along_is_) return along_.data();
    along_is_ = m;
    if (m < rows_.d) return rows_.column(m, along_);
    along_.assign(rows_.n, 1.0);
    return along_.data();
  }

  void forget() {
    stagnant_ = accepted_ = clock_ = changed_at_ = others_changed_at_ = 0;
    tried_at_.assign(rows_.d + 1, kNone);
  }

  void descend(Rng& rng) {
    switch (rules_.order) {
      case Order::sequential:
        for (bool changed = true; changed && plane_.score > 0;) {
          changed = false;
          for (std::size_t m = 0; m < n_coefficients() && plane_.score > 0; ++m) changed |= perturb(m, rng);
        }
        break;
      case Order::best:
        while (plane_.score > 0) {
          std::size_t winner = 0;
          double lowest = kInfinity;
          for (std::size_t m = 0; m < n_coefficients(); ++m)
            if (active_[m])
              if (const LineCut move = look(direction(m), false); move.score < lowest) lowest = move.score, winner = m;
          if (!(lowest <= plane_.score) || !perturb(winner, rng)) break;
        }
        break;
      case Order::random:
        for (std::size_t i = 0; i < rules_.n_random_moves && plane_.score > 0; ++i)
          perturb(rng.below(rows_.d + 1), rng);
        break;
    }
  }

  LineCut look(const double* along, bool only_better) {
    return look(V_.data(), along, {incumbent_.empty() ? nullptr : &incumbent_, plane_.score, only_better});
  }
  LineCut look(const double* V, const double* along, const Incumbent& incumbent = {}) {
    if ((rows_passed_ += rows_.n) >= kRowsUnasked) rows_passed_ = 0, interrupt_.check();
    ++plane_.n_evaluated;
    return line_.best(V, along, incumbent);
  }

  // Figure 8 of OC1-94. True if the coefficient has changed.
  bool perturb(std::size_t m, Rng& rng) {
    // What is best for one coefficient does not depend on its own value: if no other has changed
    // since it was last tried, it is where it should be.
    if (!active_[m] || (tried_at_[m] != kNone && !others_changed_since(tried_at_[m], m))) return false;
    tried_at_[m] = clock_;
    const LineCut move = look(direction(m), !rules_.exponential && stagnant_ >= rules_.max_stagnant);
    if (!(move.score <= plane_.score) || move.t == 0) return false;
    const bool level = move.score == plane_.score;
    if (level && !stagnates(rng)) return false;
    const double score = try_move(move.t, direction(m));
    if (score < plane_.score) {
      stagnant_ = 0;
    } else if (score == plane_.score && (level || stagnates(rng))) {
      ++stagnant_;
    } else {
      return false;
    }
    plane_.a[m] += move.t;
    accept(score);
    if (m != changed_) others_changed_at_ = changed_at_;
    changed_ = m, changed_at_ = ++clock_;
    tried_at_[m] = clock_;
    return true;
  }

  bool others_changed_since(std::size_t time, std::size_t m) const {
    return (m == changed_ ? others_changed_at_ : changed_at_) > time;
  }

  bool stagnates(Rng& rng) {
    if (rules_.exponential) return rng.uniform() < portable_exp(-static_cast<double>(stagnant_));
    return stagnant_ < rules_.max_stagnant;
  }

  // Up to n_jumps random directions; true as soon as one has improved the plane.
  bool jump(Rng& rng) {
    std::vector<double> r(rows_.d + 1);
    for (std::size_t i = 0; i < rules_.n_jumps; ++i) {
      for (double& value : r) value = rng.between(-1, 1);
      rows_.evaluate(r, along_), along_is_ = kNone;
      const LineCut move = look(along_.data(), true);
      if (!(move.score < plane_.score)) continue;
      const double score = try_move(move.t, along_.data());
      if (!(score < plane_.score)) continue;
      for (std::size_t m = 0; m <= rows_.d; ++m) plane_.a[m] += move.t * r[m];
      accept(score);
      changed_at_ = others_changed_at_ = ++clock_;
      stagnant_ = 0;
      return true;
    }
    return false;
  }

  // The move as floating point makes it, on all rows: what is accepted is what was counted.
  double try_move(double t, const double* s) { return line_.score_moved(V_.data(), t, s, moved_.data()); }

  void accept(double score) {
    V_.swap(moved_);
    plane_.score = score;
    stand();
    if (++accepted_ % 64 == 0) refresh();
  }

  // Notes the counts of the plane that was scored last: a move that does not score as well need not be found.
  void stand() {
    if (line_.left()) incumbent_ = *line_.left();
  }

  // Takes the small errors out of V that moves have left in it.
  void refresh() {
    rows_.evaluate(plane_.a, V_);
    plane_.score = line_.score(V_.data());
    stand();
  }

  LineSearch<Sides>& line_;
  const NodeMatrix& rows_;
  const ClimbRules& rules_;
  Interrupt& interrupt_;
  // Rows passed since interrupt_.check(), which takes as long as about ten rows.
  static constexpr std::size_t kRowsUnasked = 4096;
  std::size_t rows_passed_ = 0;
  Plane plane_;
  std::vector<double> V_, moved_, along_, incumbent_;
  std::size_t along_is_ = kNone;                         // the number of the coefficient to which `along_` belongs
  std::size_t stagnant_ = 0, accepted_ = 0, clock_ = 0;  // the clock counts changes of the plane
  // The coefficient that changed last, when it did, and when any other did.
  std::size_t changed_ = 0, changed_at_ = 0, others_changed_at_ = 0;
  std::vector<std::size_t> tried_at_;
  std::vector<bool> active_;
};

// All restarts of a node: the first from `start` (the best axis-parallel split), the others from random planes.
// Restarts are independent, each seeded by its number; of equals the first wins. A perfect plane makes those
// behind it needless.
template <class Sides>
Plane climb_all(const Sides& sides, const Target& target, const NodeMatrix& rows, const ClimbRules& rules,
                const std::vector<double>& start, std::size_t n_restarts, const LeafLimits& leaf, std::uint64_t seed,
                int threads, Interrupt& interrupt) {
  std::vector<Plane> found(n_restarts);
  std::atomic<std::size_t> perfect{kNone}, finished{0};
  const auto workers = static_cast<std::size_t>(std::max(threads, 1));
  std::vector<std::vector<LineSearch<Sides>>> lines(workers);
  parallel_for(n_restarts, threads, interrupt, [&](std::size_t r, std::size_t thread) {
    const std::size_t done = finished.fetch_add(1);
    interrupt.check(static_cast<double>(done) / static_cast<double>(n_restarts));
    if (r > perfect.load()) return;
    auto& line = lines[thread];
    if (line.empty()) line.emplace_back(sides, target, rows.n, leaf);
    std::vector<double> a = start;
    Rng rng(derive(seed, 2 * r));
    if (r > 0)
      for (double& value : a) value = rng.between(-1, 1);
    Climb<Sides> climb(line[0], rows, rules, interrupt);
    found[r] = climb.run(std::move(a), derive(seed, 2 * r + 1));
    if (found[r].score <= 0)
      for (std::size_t seen = perfect.load(); r < seen && !perfect.compare_exchange_weak(seen, r);) {
      }
  });
  Plane best;
  std::size_t n_evaluated = 0;
  for (std::size_t r = 0; r < n_restarts && r <= perfect.load(); ++r) {
    n_evaluated += found[r].n_evaluated;
    if (found[r].score < best.score || best.a.empty()) best = found[r];
  }
  best.n_evaluated = n_evaluated;
  if (rules.max_loss >= 0) {
    const double lead = std::isfinite(rules.axis_score) ? rules.axis_score - best.score : best.score;
    LineSearch<Sides> line(sides, target, rows.n, leaf);
    Climb<Sides> climb(line, rows, rules, interrupt);
    best = climb.thin_out(best, best.score + rules.max_loss * std::max(lead, 0.0), derive(seed, 2 * n_restarts));
  }
  return best;
}

}  // namespace askew::line

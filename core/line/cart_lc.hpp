// CART-LC's search at one node: cycle through the features, add the best multiple of each (shifted by gamma), then
// put the constant right; drop features that hardly matter (Breiman et al. 1984, chapter 5; OC1-94, figure 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "line/line_search.hpp"
#include "numeric/parallel.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

constexpr double kGammas[] = {-0.25, 0.0, 0.25};  // multiples of x + gamma are added (Breiman et al., section 5.2)

struct CycleRules {
  Scaling scaling;  // of the rows on which it searches
  double epsilon;
  std::size_t max_cycles;
  bool keep_best;  // of all cycles, rather than the last
  double beta;     // for the deletion of features; negative: none are deleted
};

template <class Sides>
class Cycles {
 public:
  Cycles(LineSearch<Sides>& line, const NodeMatrix& rows, const CycleRules& rules, Interrupt& interrupt)
      : line_(line), rows_(rows), rules_(rules), interrupt_(interrupt), V_(rows.n), s_(rows.n), ones_(rows.n, 1.0),
        active_(rows.d, true) {}

  // From a starting plane (weights, then the constant) to the plane that the cycles end at.
  std::vector<double> run(std::vector<double> start) {
    a_ = std::move(start);
    cycle_until_still();
    if (rules_.beta >= 0 && delete_weak()) cycle_until_still();
    return a_;
  }
  double score() const { return score_; }
  std::size_t n_evaluated() const { return n_evaluated_; }

 private:
  void cycle_until_still() {
    refresh();
    std::vector<double> best = a_;
    double lowest = score_;
    for (std::size_t cycle = 0; cycle < rules_.max_cycles; ++cycle) {
      const double before = score_;
      for (std::size_t m = 0; m < rows_.d; ++m)
        if (active_[m]) turn(m);
      make(look(ones_.data()), kNone, 0);
      refresh();
      if (score_ < lowest) lowest = score_, best = a_;
      if (std::abs(score_ - before) <= rules_.epsilon || score_ <= 0) break;
    }
    if (rules_.keep_best) {
      a_ = std::move(best);
      refresh();
    }
  }

  // The best multiple of x_m + gamma over all gammas. The move is made even if the split gets worse.
  void turn(std::size_t m) {
    LineCut best;
    double best_gamma = 0;
    for (const double gamma : kGammas) {
      shift(m, gamma);
      if (const LineCut move = look(s_.data()); move.score < best.score) best = move, best_gamma = gamma;
    }
    make(best, m, best_gamma);
  }

  void make(const LineCut& move, std::size_t m, double gamma) {
    if (!std::isfinite(move.score)) return;
    if (m == kNone) {
      a_[rows_.d] += move.t;
    } else {
      a_[m] += move.t;
      a_[rows_.d] += move.t * gamma;
      shift(m, gamma);
    }
    const double* s = m == kNone ? ones_.data() : s_.data();
    for (std::size_t j = 0; j < rows_.n; ++j) V_[j] += move.t * s[j];
  }

  // The plane without feature m, with the best constant.
  struct Deletion {
    double impurity;
    std::size_t m;
    double constant;  // how far it moves
  };
  Deletion without(std::size_t m) {
    const double* x = rows_.column(m);
    for (std::size_t j = 0; j < rows_.n; ++j) s_[j] = V_[j] - a_[m] * x[j];
    const double t = look(s_.data(), ones_.data()).t;
    for (double& v : s_) v += t;
    return {line_.impurity(s_.data()), m, t};
  }

  // Deletes the feature whose deletion costs least, while that is less than beta times what the dearest deletion would
  // cost; only the constant is optimised meanwhile. True if any was deleted. Of 200 features or more, a hundredth of
  // them is deleted, each after another look, before all are looked at again: 100 d line searches rather than d^2 / 2.
  bool delete_weak() {
    constexpr std::size_t kLooksForEach = 100;
    std::vector<Deletion> deletions;
    for (bool any = false;; any = true) {
      refresh();
      deletions.clear();
      double most = -kInfinity;
      for (std::size_t m = 0; m < rows_.d; ++m) {
        if (a_[m] == 0) active_[m] = false;
        if (!active_[m]) continue;
        deletions.push_back(without(m));
        most = std::max(most, deletions.back().impurity);
      }
      if (deletions.size() < 2) return any;
      std::stable_sort(deletions.begin(), deletions.end(), [](auto& a, auto& b) { return a.impurity < b.impurity; });
      const std::size_t n = std::max<std::size_t>(1, deletions.size() / kLooksForEach);
      for (std::size_t i = 0; i < n; ++i) {
        const Deletion deletion = i == 0 ? deletions[0] : without(deletions[i].m);
        const double now = line_.impurity(V_.data());
        if (deletion.impurity - now < rules_.beta * (most - now)) remove(deletion);
        else if (i == 0) return any;
        else break;
      }
    }
  }

  void remove(const Deletion& deletion) {
    const double* x = rows_.column(deletion.m);
    for (std::size_t j = 0; j < rows_.n; ++j) V_[j] += deletion.constant - a_[deletion.m] * x[j];
    a_[deletion.m] = 0;
    a_[rows_.d] += deletion.constant;
    active_[deletion.m] = false;
  }

  LineCut look(const double* s) { return look(V_.data(), s); }
  LineCut look(const double* V, const double* s) {
    interrupt_.check();
    ++n_evaluated_;
    return line_.best(V, s);
  }

  void shift(std::size_t m, double gamma) {
    const double* x = rows_.column(m);
    for (std::size_t j = 0; j < rows_.n; ++j) s_[j] = x[j] + gamma;
  }

  void refresh() {
    rows_.evaluate(a_, V_);
    score_ = line_.score(V_.data());
  }

  LineSearch<Sides>& line_;
  const NodeMatrix& rows_;
  const CycleRules& rules_;
  Interrupt& interrupt_;
  std::vector<double> a_, V_, s_, ones_;
  std::vector<bool> active_;
  double score_ = kInfinity;
  std::size_t n_evaluated_ = 0;
};

}  // namespace askew::line

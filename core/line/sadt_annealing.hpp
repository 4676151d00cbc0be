// SADT's search at one node: simulated annealing of the coefficients of a hyperplane (Heath, Kasif & Salzberg 1993;
// OC1-94, section 2).
//
// Moving one coefficient by t moves row j from V_j to V_j + t x_j: a plane costs one pass over the rows
// (sadt_scorer.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "line/sadt_scorer.hpp"
#include "numeric/parallel.hpp"
#include "numeric/portable_math.hpp"
#include "numeric/rng.hpp"
#include "numeric/simd.hpp"
#include "score/node_data.hpp"
#include "score/target.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

struct AnnealRules {
  Scaling scaling;     // of the rows on which it walks
  bool all;            // a perturbation moves all coefficients, not one
  double step;         // by a number in [-step, step)
  double temperature;  // at first; negative: found out by probing
  std::size_t n_probes;
  double cooling;  // factor of the temperature at each perturbation
  std::size_t max_unproductive;
  bool centre;  // put the plane in the middle of the room that the rows leave it
};

struct Annealed {
  std::vector<double> a;
  double score = kInfinity;
  std::size_t n_evaluated = 0;
};

ASKEW_WIDE_VECTORS
static void move_rows(double* V, const double* x, double t, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) V[j] += t * x[j];
}

// A plane on its way, and the values of the rows, which lie in the order of their classes.
class AnnealedPlane {
 public:
  AnnealedPlane(const NodeMatrix& rows, const Target& target)
      : rows_(rows), ones_(rows.n, 1.0), along_(rows.n), start_(static_cast<std::size_t>(target.k) + 1, 0) {
    if (!target.label) return;
    for (std::size_t j = 0; j < rows.n; ++j) ++start_[static_cast<std::size_t>(target.label[j]) + 1];
    for (std::size_t c = 0; c + 1 < start_.size(); ++c) start_[c + 1] += start_[c];
  }

  void place(std::vector<double> plane) {
    a = std::move(plane);
    accepted_ = 0;
    rows_.evaluate(a, V_);
  }

  // The rows while coefficient m moves.
  RowsView moved(std::size_t m) const { return {V_.data(), column(m), start_.data()}; }
  // The rows while all coefficients move by r.
  RowsView moved(const std::vector<double>& r) {
    rows_.evaluate(r, along_);
    return {V_.data(), along_.data(), start_.data()};
  }

  void accept(std::size_t m, double t) {
    a[m] += t;
    move_rows(V_.data(), column(m), t, rows_.n);
    refresh();
  }
  void accept(const std::vector<double>& r) {  // after moved(r)
    for (std::size_t m = 0; m <= rows_.d; ++m) a[m] += r[m];
    move_rows(V_.data(), along_.data(), 1.0, rows_.n);
    refresh();
  }

  std::vector<double> a;

 private:
  const double* column(std::size_t m) const { return m < rows_.d ? rows_.column(m) : ones_.data(); }
  // Takes the small errors out of V now and then.
  void refresh() {
    if (++accepted_ % 64 == 0) rows_.evaluate(a, V_);
  }

  const NodeMatrix& rows_;
  std::vector<double> V_, ones_, along_;
  std::vector<std::size_t> start_;
  std::size_t accepted_ = 0;
};

// One walk. The i-th perturbation draws its numbers from a seed of its own, so that several can be looked at together
// where a call of the criterion is slow: those after the first that is accepted are scored again.
template <class Scorer>
class Annealing {
 public:
  Annealing(Scorer& scorer, const NodeMatrix& rows, const Target& target, const AnnealRules& rules,
            Interrupt& interrupt)
      : scorer_(scorer), rows_(rows), rules_(rules), interrupt_(interrupt), plane_(rows, target) {
    for (std::size_t m = 0; m < rows.d; ++m) {
      const double* x = rows.column(m);
      if (std::any_of(x, x + rows.n, [](double value) { return value != 0; })) moving_.push_back(m);
    }
    moving_.push_back(rows.d);
  }

  Annealed run(std::uint64_t seed) {
    Annealed best;
    if (moving_.size() < 2) return best;
    std::vector<double> start(rows_.d + 1, 0.0);  // the canonical plane cuts every axis at 1
    for (const auto m : moving_) start[m] = 1;
    start[rows_.d] = -1;
    double temperature = rules_.temperature;
    if (temperature < 0) temperature = probe(start, derive(seed, 0));
    walk(std::move(start), temperature, derive(seed, 1), best);
    if (!best.a.empty()) {
      plane_.place(best.a);
      best.score = present();
    }
    best.n_evaluated = n_evaluated_;
    return best;
  }

 private:
  struct Perturbation {
    std::size_t m = 0;
    double t = 1, luck = 0;
    std::vector<double> r;
  };

  void draw(std::uint64_t seed, Perturbation& p) const {
    Rng rng(seed);
    if (rules_.all) {
      p.r.assign(rows_.d + 1, 0.0);
      for (const auto m : moving_) p.r[m] = rng.between(-rules_.step, rules_.step);
    } else {
      p.m = moving_[rng.below(moving_.size())];
      p.t = rng.between(-rules_.step, rules_.step);
    }
    p.luck = rng.uniform();
  }

  void look(const Perturbation& p) {
    ++n_evaluated_;
    scorer_.look(rules_.all ? plane_.moved(p.r) : plane_.moved(p.m), p.t);
  }
  void accept(const Perturbation& p) {
    if (rules_.all) plane_.accept(p.r);
    else plane_.accept(p.m, p.t);
  }
  double present() {  // score of the plane where it is
    ++n_evaluated_;
    scorer_.look(plane_.moved(rows_.d), 0.0);
    return scorer_.scores()[0];
  }

  // Every perturbation is accepted: the first temperature lets about half of an average rise through. The first
  // plane may leave all rows on one side, and be far from those that do not.
  double probe(const std::vector<double>& start, std::uint64_t seed) {
    plane_.place(start);
    double now = present(), sum = 0;
    std::size_t n = 0;
    Perturbation p;
    for (std::size_t i = 0; n < rules_.n_probes && i < 100 * rules_.n_probes; ++i) {
      if (i % 64 == 0 || rows_.n > 10'000) interrupt_.check();
      draw(derive(seed, i), p);
      look(p);
      const double next = scorer_.scores()[0];
      if (std::isfinite(now) && std::isfinite(next)) sum += std::abs(next - now), ++n;
      accept(p);
      now = next;
    }
    return n > 0 ? sum / static_cast<double>(n) / 0.6931471805599453 : 0;  // log 2
  }

  static bool accepted(double now, double next, double temperature, double luck) {
    if (next <= now) return true;
    return std::isfinite(next) && luck < portable_exp((now - next) / temperature);
  }

  void walk(std::vector<double> start, double temperature, std::uint64_t seed, Annealed& best) {
    plane_.place(std::move(start));
    double now = present();
    if (std::isfinite(now)) best.a = plane_.a, best.score = now;
    constexpr std::size_t kTogether = Scorer::batched ? 256 : 1;
    std::vector<Perturbation> tried(kTogether);
    std::size_t unproductive = 0, together = 1;
    std::uint64_t number = 0;
    while (unproductive < rules_.max_unproductive && best.score > 0) {
      if (number % 64 == 0 || rows_.n > 10'000) interrupt_.check();
      together = std::min(together, rules_.max_unproductive - unproductive);
      for (std::size_t i = 0; i < together; ++i) {
        if (rules_.all && i > 0) break;  // one buffer
        draw(derive(seed, number + i), tried[i]);
        look(tried[i]);
      }
      const std::vector<double>& scores = scorer_.scores();
      std::size_t i = 0;
      for (bool moved = false; i < scores.size() && !moved && unproductive < rules_.max_unproductive; ++i) {
        ++unproductive;
        moved = accepted(now, scores[i], temperature, tried[i].luck);
        temperature *= rules_.cooling;
        if (!moved) continue;
        accept(tried[i]);
        now = scores[i];
        if (now < best.score) best.a = plane_.a, best.score = now, unproductive = 0;
      }
      n_evaluated_ -= scores.size() - i;  // those will be looked at again
      number += i;
      together = std::min(kTogether, i == scores.size() ? 2 * together : std::max<std::size_t>(i, 1));
    }
  }

  Scorer& scorer_;
  const NodeMatrix& rows_;
  const AnnealRules& rules_;
  Interrupt& interrupt_;
  AnnealedPlane plane_;
  std::vector<std::size_t> moving_;
  std::size_t n_evaluated_ = 0;
};

}  // namespace askew::line

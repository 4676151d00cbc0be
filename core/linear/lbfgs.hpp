// L-BFGS (Liu & Nocedal 1989), with an absolute penalty on some coordinates by orthants (OWL-QN, Andrew & Gao 2007),
// for the refinement of trees: thousands of small steps, whose cost in an interpreter would be most of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace askew::linear {

struct LbfgsRules {
  int max_iter = 100;
  std::size_t memory = 10;
  double tolerance = 1e-6;  // the run ends when an iteration lowers the objective by less than this share of it
  double l1 = 0;
};

// Minimises evaluate(x, gradient) + l1 sum |x_i| over i with penalised[i]; x is moved there. `beat` is called with the
// share of the iterations that are done.
template <class Evaluate, class Beat>
void lbfgs(std::vector<double>& x, const std::vector<bool>& penalised, const LbfgsRules& rules, Evaluate evaluate,
           Beat beat) {
  const std::size_t n = x.size();
  const bool orthants = rules.l1 > 0;
  const auto inner = [n](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  const auto penalty = [&](const std::vector<double>& at) {
    double sum = 0;
    if (orthants)
      for (std::size_t i = 0; i < n; ++i) sum += penalised[i] ? rules.l1 * std::abs(at[i]) : 0.0;
    return sum;
  };
  // The steepest slope of the objective, with the penalty: 0 where |gradient| <= l1 holds a zero in place.
  const auto slope = [&](const std::vector<double>& at, const std::vector<double>& gradient) {
    std::vector<double> g = gradient;
    if (orthants)
      for (std::size_t i = 0; i < n; ++i) {
        if (!penalised[i]) continue;
        if (at[i] != 0) g[i] += at[i] > 0 ? rules.l1 : -rules.l1;
        else g[i] = g[i] > rules.l1 ? g[i] - rules.l1 : g[i] < -rules.l1 ? g[i] + rules.l1 : 0.0;
      }
    return g;
  };

  std::vector<double> gradient(n), next(n), next_gradient(n);
  double value = evaluate(x, gradient) + penalty(x);
  struct Pair {
    std::vector<double> s, y;
    double rho;
  };
  std::deque<Pair> memory;
  for (int turn = 0; turn < rules.max_iter; ++turn) {
    beat(static_cast<double>(turn) / rules.max_iter);
    const std::vector<double> g = slope(x, gradient);
    std::vector<double> step(n), alpha(memory.size());
    for (std::size_t i = 0; i < n; ++i) step[i] = -g[i];
    for (std::size_t m = memory.size(); m-- > 0;) {
      alpha[m] = memory[m].rho * inner(memory[m].s, step);
      for (std::size_t i = 0; i < n; ++i) step[i] -= alpha[m] * memory[m].y[i];
    }
    if (!memory.empty()) {
      const Pair& last = memory.back();
      const double scale = 1 / (last.rho * inner(last.y, last.y));
      for (double& part : step) part *= scale;
    }
    for (std::size_t m = 0; m < memory.size(); ++m) {
      const double beta = memory[m].rho * inner(memory[m].y, step);
      for (std::size_t i = 0; i < n; ++i) step[i] += (alpha[m] - beta) * memory[m].s[i];
    }
    if (orthants)
      for (std::size_t i = 0; i < n; ++i)
        if (penalised[i] && step[i] * g[i] >= 0) step[i] = 0;
    double descent = inner(g, step);
    if (!(descent < 0)) {
      if (memory.empty()) return;
      memory.clear();  // a step that does not descend: begin anew from the slope
      continue;
    }
    const double size = std::sqrt(inner(g, g));
    double length = memory.empty() ? std::min(1.0, 1 / size) : 1.0, there = 0;
    bool found = false;
    for (int halving = 0; halving < 30 && !found; ++halving, length *= found ? 1.0 : 0.5) {
      for (std::size_t i = 0; i < n; ++i) {
        next[i] = x[i] + length * step[i];
        if (orthants && penalised[i]) {
          const double side = x[i] != 0 ? x[i] : -g[i];
          if (next[i] * side <= 0) next[i] = 0;  // no further than to the border of the orthant
        }
      }
      there = evaluate(next, next_gradient) + penalty(next);
      found = there <= value + 1e-4 * length * descent;
    }
    if (!found) {
      if (memory.empty()) return;
      memory.clear();
      continue;
    }
    Pair pair{std::vector<double>(n), std::vector<double>(n), 0};
    for (std::size_t i = 0; i < n; ++i) pair.s[i] = next[i] - x[i], pair.y[i] = next_gradient[i] - gradient[i];
    const double curvature = inner(pair.s, pair.y), lowered = value - there;
    if (curvature > 1e-10 * inner(pair.y, pair.y)) {
      pair.rho = 1 / curvature;
      memory.push_back(std::move(pair));
      if (memory.size() > rules.memory) memory.pop_front();
    }
    x.swap(next), gradient.swap(next_gradient);
    value = there;
    if (lowered <= rules.tolerance * std::max(std::abs(value), 1e-3)) return;
  }
}

}  // namespace askew::linear

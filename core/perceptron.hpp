// The perceptron as a measure of separability (Shah and Sastry, APDT, section II): how many patterns go on correcting
// the plane, and the plane itself where none does any more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace askew {

// Different patterns of a node, in an order that only they decide; equal rows are one pattern, with their weight.
struct Patterns {
  std::size_t n, d;
  const double* X;  // row-major
  const std::int32_t* label;
  const double* weight;   // how much a pattern counts
  const double* samples;  // how many samples it stands for, for the limits
  int n_classes;
};

// The class of most weight among some patterns; of equals the first.
inline std::int32_t predominant(const Patterns& patterns, const std::vector<std::uint32_t>& members) {
  std::vector<double> mass(static_cast<std::size_t>(patterns.n_classes), 0.0);
  for (const std::uint32_t i : members) mass[static_cast<std::size_t>(patterns.label[i])] += patterns.weight[i];
  return static_cast<std::int32_t>(std::max_element(mass.begin(), mass.end()) - mass.begin());
}

struct PerceptronRules {
  std::size_t iterations;
  bool passes;  // an iteration is a pass; else a correction, and the pass that reaches the number is finished
  double rho;   // a pattern that corrects this share of the most is not separable
};

class Perceptron {
 public:
  Perceptron(const Patterns& patterns, const PerceptronRules& rules, Pulse& pulse)
      : patterns_(patterns), rules_(rules), pulse_(pulse), plane(patterns.d + 1) {}

  // The weight of the patterns that are not separable; 0 if `plane` parts the predominant class from the rest.
  double count(const std::vector<std::uint32_t>& members) {
    gather(members);
    std::fill(plane.begin(), plane.end(), 0.0);
    updates.assign(members.size(), 0);
    for (std::size_t done = 0, passes = 0; done < rules_.iterations; ++passes) {
      const std::size_t corrections = pass();
      if (corrections == 0) return unscale(), 0;
      done += rules_.passes ? 1 : corrections;
      if (passes % 16 == 0) pulse_.check();
    }
    const std::uint32_t most = *std::max_element(updates.begin(), updates.end());
    double not_separable = 0;
    for (std::size_t j = 0; j < members.size(); ++j)
      if (static_cast<double>(updates[j]) >= rules_.rho * most) not_separable += patterns_.weight[members[j]];
    return not_separable;
  }

 private:
  // From the members' own scale back to that of the patterns.
  void unscale() {
    const std::size_t d = patterns_.d;
    for (std::size_t f = 0; f < d; ++f) {
      plane[f] *= scale_[f];
      plane[d] -= plane[f] * shift_[f];
    }
  }

  const Patterns& patterns_;
  PerceptronRules rules_;
  Pulse& pulse_;
  std::vector<double> z_;  // a row for each member
  std::vector<double> shift_, scale_;

  // z = +-(x, 1), each feature at mean 0 and deviation 1 among the members: the plane needs fewer corrections so.
  void gather(const std::vector<std::uint32_t>& members) {
    const std::size_t m = members.size(), d = patterns_.d, p = d + 1;
    const std::int32_t wanted = predominant(patterns_, members);
    z_.resize(m * p);
    shift_.assign(d, 0.0), scale_.assign(d, 0.0);
    for (const std::uint32_t i : members)
      for (std::size_t f = 0; f < d; ++f) shift_[f] += patterns_.X[i * d + f];
    for (double& sum : shift_) sum /= static_cast<double>(m);
    for (const std::uint32_t i : members)
      for (std::size_t f = 0; f < d; ++f) {
        const double away = patterns_.X[i * d + f] - shift_[f];
        scale_[f] += away * away;
      }
    for (double& squares : scale_) squares = squares > 0 ? 1 / std::sqrt(squares / static_cast<double>(m)) : 0;
    for (std::size_t j = 0; j < m; ++j) {
      const double* x = patterns_.X + members[j] * d;
      const double sign = patterns_.label[members[j]] == wanted ? 1.0 : -1.0;
      for (std::size_t f = 0; f < d; ++f) z_[j * p + f] = (x[f] - shift_[f]) * (sign * scale_[f]);
      z_[j * p + d] = sign;
    }
  }

  // Shows every pattern to the plane once; returns how many of them corrected it.
  std::size_t pass() {
    switch (patterns_.d + 1) {
      case 2: return run_pass<2>();
      case 3: return run_pass<3>();
      case 4: return run_pass<4>();
      case 5: return run_pass<5>();
      case 6: return run_pass<6>();
      case 7: return run_pass<7>();
      default: return run_long_pass();
    }
  }

  // The coefficients stay in registers: most of the time of a fit is spent here.
  template <std::size_t P>
  std::size_t run_pass() {
    double w[P];
    std::copy_n(plane.data(), P, w);
    std::size_t corrections = 0;
    const double* z = z_.data();
    for (std::size_t j = 0; j < updates.size(); ++j, z += P) {
      double margin = 0;
      for (std::size_t f = 0; f < P; ++f) margin += w[f] * z[f];
      if (margin > 0) continue;
      for (std::size_t f = 0; f < P; ++f) w[f] += z[f];
      ++updates[j];
      ++corrections;
    }
    std::copy_n(w, P, plane.data());
    return corrections;
  }

  std::size_t run_long_pass() {
    const std::size_t p = patterns_.d + 1;
    double* w = plane.data();
    std::size_t corrections = 0;
    const double* z = z_.data();
    for (std::size_t j = 0; j < updates.size(); ++j, z += p) {
      double part[4] = {0, 0, 0, 0};  // four sums at once: the order is fixed, so that the answer is
      std::size_t f = 0;
      for (; f + 4 <= p; f += 4)
        for (std::size_t b = 0; b < 4; ++b) part[b] += w[f + b] * z[f + b];
      for (; f < p; ++f) part[0] += w[f] * z[f];
      if ((part[0] + part[1]) + (part[2] + part[3]) > 0) continue;
      for (f = 0; f < p; ++f) w[f] += z[f];
      ++updates[j];
      ++corrections;
    }
    return corrections;
  }

 public:
  std::vector<double> plane;           // of the last count
  std::vector<std::uint32_t> updates;  // of each member, in the last count
};

}  // namespace askew

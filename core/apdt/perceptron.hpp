// The perceptron as a measure of separability (Shah and Sastry, APDT, section II): how many patterns go on correcting
// the plane, and the plane itself where none does any more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apdt/inseparability.hpp"
#include "apdt/patterns.hpp"
#include "apdt/perceptron_pass.hpp"
#include "numeric/parallel.hpp"

namespace askew::apdt {

using namespace numeric;

struct PerceptronRules {
  std::size_t iterations;
  bool passes;  // an iteration is a pass; else a correction, and the pass that reaches the number is finished
  double rho;   // a pattern that corrects this share of the most is not separable
};

class Perceptron {
 public:
  Perceptron(const Patterns& patterns, const PerceptronRules& rules, Interrupt& interrupt)
      : patterns_(patterns), rules_(rules), interrupt_(interrupt), proofs_(patterns), plane(patterns.d + 1) {}

  // The weight of the patterns that are not separable; 0 if `plane` separates the predominant class from the rest. With
  // `number` false it may be -1, for "some": `plane` and `updates` are undefined then.
  double count(const std::vector<std::uint32_t>& members, bool number = true) {
    if (!number && proofs_.among(members)) return -1;
    gather(members);
    std::fill(plane.begin(), plane.end(), 0.0);
    updates.assign(members.size(), 0);
    for (std::size_t done = 0, passes = 0; done < rules_.iterations; ++passes) {
      const std::size_t corrections = pass();
      if (corrections == 0) return unscale(), 0;
      done += rules_.passes ? 1 : corrections;
      if (passes % 16 == 0) interrupt_.check();
    }
    const double enough = rules_.rho * *std::max_element(updates.begin(), updates.end());
    if (!number) proofs_.learn(members, updates, enough);
    double not_separable = 0;
    for (std::size_t j = 0; j < members.size(); ++j)
      not_separable += static_cast<double>(updates[j]) >= enough ? patterns_.weight[members[j]] : 0.0;
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
  Interrupt& interrupt_;
  InseparabilityProofs proofs_;
  std::vector<double> z_;
  std::vector<double> shift_, scale_;

  // Calls few<P> if rows have P numbers, and that is few; else many.
  template <class Few, class Many>
  auto by_width(Few few, Many many) {
    switch (patterns_.d + 1) {
      case 2: return few.template operator()<2>();
      case 3: return few.template operator()<3>();
      case 4: return few.template operator()<4>();
      case 5: return few.template operator()<5>();
      case 6: return few.template operator()<6>();
      case 7: return few.template operator()<7>();
      default: return many();
    }
  }

  // z = +-(x, 1), each feature at mean 0 and deviation 1 among the members: the plane needs fewer corrections so.
  void gather(const std::vector<std::uint32_t>& members) {
    shift_.assign(patterns_.d, 0.0), scale_.assign(patterns_.d, 0.0);
    by_width([&]<std::size_t P>() { gather_columns<P>(members); }, [&] { gather_rows(members); });
  }

  // As `short_pass` wants them. The sums stay in registers.
  template <std::size_t P>
  void gather_columns(const std::vector<std::uint32_t>& members) {
    constexpr std::size_t d = P - 1;
    const std::size_t m = members.size(), apart = m + kPatternsAtOnce;
    const std::int32_t wanted = predominant(patterns_, members);
    z_.resize(P * apart);
    double *z = z_.data(), *sign = z + d * apart, sum[d] = {}, squares[d] = {};
    for (std::size_t j = 0; j < m; ++j) {
      const double* x = patterns_.X + members[j] * d;
      for (std::size_t f = 0; f < d; ++f) sum[f] += x[f], z[f * apart + j] = x[f];
      sign[j] = patterns_.label[members[j]] == wanted ? 1.0 : -1.0;
    }
    for (double& total : sum) total /= static_cast<double>(m);
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t f = 0; f < d; ++f) {
        const double away = z[f * apart + j] - sum[f];
        squares[f] += away * away;
      }
    for (std::size_t f = 0; f < d; ++f) {
      const double shift = shift_[f] = sum[f], scale = scale_[f] = inverse_deviation(squares[f], m);
      double* column = z + f * apart;
      for (std::size_t j = 0; j < m; ++j) column[j] = (column[j] - shift) * (sign[j] * scale);
    }
    for (std::size_t f = 0; f < P; ++f) std::fill_n(z + f * apart + m, kPatternsAtOnce, 0.0);
  }

  void gather_rows(const std::vector<std::uint32_t>& members) {
    const std::size_t m = members.size(), d = patterns_.d, p = d + 1;
    const std::int32_t wanted = predominant(patterns_, members);
    z_.resize(m * p);
    for (const std::uint32_t i : members)
      for (std::size_t f = 0; f < d; ++f) shift_[f] += patterns_.X[i * d + f];
    for (double& sum : shift_) sum /= static_cast<double>(m);
    for (const std::uint32_t i : members)
      for (std::size_t f = 0; f < d; ++f) {
        const double away = patterns_.X[i * d + f] - shift_[f];
        scale_[f] += away * away;
      }
    for (double& squares : scale_) squares = inverse_deviation(squares, m);
    for (std::size_t j = 0; j < m; ++j) {
      const double* x = patterns_.X + members[j] * d;
      const double sign = patterns_.label[members[j]] == wanted ? 1.0 : -1.0;
      for (std::size_t f = 0; f < d; ++f) z_[j * p + f] = (x[f] - shift_[f]) * (sign * scale_[f]);
      z_[j * p + d] = sign;
    }
  }

  static double inverse_deviation(double squares, std::size_t m) {
    return squares > 0 ? 1 / std::sqrt(squares / static_cast<double>(m)) : 0;
  }

  // Shows every pattern to the plane once; returns how many of them corrected it.
  std::size_t pass() {
    return by_width(
        [&]<std::size_t P>() { return short_pass<P>(z_.data(), updates.size(), plane.data(), updates.data()); },
        [&] { return long_pass(); });
  }

  std::size_t long_pass() {
    const std::size_t p = patterns_.d + 1;
    double* w = plane.data();
    std::size_t corrections = 0;
    const double* z = z_.data();
    for (std::size_t j = 0; j < updates.size(); ++j, z += p) {
      double part[4] = {0, 0, 0, 0};  // four sums at once, in a fixed order: the same bits everywhere
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

}  // namespace askew::apdt

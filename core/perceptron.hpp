// The perceptron as a measure of separability (Shah and Sastry, APDT, section II): how many patterns go on correcting
// the plane, and the plane itself where none does any more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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
  bool at_least;  // as many as there are patterns, if they are more
  bool passes;    // an iteration is a pass; else a correction, and the pass that reaches the number is finished
  double rho;     // a pattern that corrects this share of the most is not separable
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
    const std::size_t iterations = rules_.at_least ? std::max(rules_.iterations, members.size()) : rules_.iterations;
    for (std::size_t done = 0, pass = 0; done < iterations; ++pass) {
      const std::size_t corrections = patterns_.d <= kFewFeatures ? run_pass<16>() : run_pass<4>();
      if (corrections == 0) return unscale(), 0;
      done += rules_.passes ? 1 : corrections;
      if (pass % 16 == 0) pulse_.check();
    }
    const std::uint32_t most = *std::max_element(updates.begin(), updates.end());
    double not_separable = 0;
    for (std::size_t j = 0; j < members.size(); ++j)
      if (static_cast<double>(updates[j]) >= rules_.rho * most) not_separable += patterns_.weight[members[j]];
    return not_separable;
  }

 private:
  void unscale() {
    const std::size_t d = patterns_.d;
    for (std::size_t f = 0; f < d; ++f) {
      plane[f] *= scale_[f];
      plane[d] -= plane[f] * shift_[f];
    }
  }

  static constexpr std::size_t kFewFeatures = 8, kBlock = 16;
  static constexpr double kNever = std::numeric_limits<double>::max();

  const Patterns& patterns_;
  PerceptronRules rules_;
  Pulse& pulse_;
  std::size_t width_ = 0;         // members, rounded up to whole blocks
  std::vector<double> shift_, scale_;
  std::vector<double> z_, pad_;   // z = +-(x, 1), a column for each coefficient; added to the margins of no pattern

  void gather(const std::vector<std::uint32_t>& members) {
    const std::size_t m = members.size(), d = patterns_.d;
    const std::int32_t wanted = predominant(patterns_, members);
    width_ = (m + kBlock - 1) / kBlock * kBlock;
    z_.assign(width_ * (d + 1), 0.0);
    pad_.assign(width_, 0.0);
    std::fill(pad_.begin() + static_cast<std::ptrdiff_t>(m), pad_.end(), kNever);
    double* sign = z_.data() + d * width_;
    for (std::size_t j = 0; j < m; ++j) sign[j] = patterns_.label[members[j]] == wanted ? 1.0 : -1.0;
    shift_.assign(d, 0.0), scale_.assign(d, 0.0);
    for (std::size_t f = 0; f < d; ++f) {
      double* z = z_.data() + f * width_;
      double sum = 0, squares = 0;
      for (std::size_t j = 0; j < m; ++j) sum += z[j] = patterns_.X[members[j] * d + f];
      shift_[f] = sum / static_cast<double>(m);
      for (std::size_t j = 0; j < m; ++j) z[j] -= shift_[f], squares += z[j] * z[j];
      const double spread = std::sqrt(squares / static_cast<double>(m));
      scale_[f] = spread > 0 ? 1 / spread : 0;
      for (std::size_t j = 0; j < m; ++j) z[j] *= sign[j] * scale_[f];
    }
  }

  // Shows every pattern to the plane once; returns how many of them corrected it. The margins of a block are computed
  // together, and again after a correction.
  template <std::size_t B>
  std::size_t run_pass() {
    const std::size_t p = patterns_.d + 1;
    std::size_t corrections = 0;
    for (std::size_t start = 0; start < width_; start += B) {
      for (std::size_t next = 0; next < B;) {
        double margin[B], least = kNever;
        for (std::size_t b = 0; b < B; ++b) margin[b] = pad_[start + b];
        for (std::size_t f = 0; f < p; ++f) {
          const double w = plane[f];
          const double* z = z_.data() + f * width_ + start;
          for (std::size_t b = 0; b < B; ++b) margin[b] += w * z[b];
        }
        for (std::size_t b = 0; b < B; ++b) least = std::min(least, margin[b]);
        if (least > 0) break;
        while (next < B && margin[next] > 0) ++next;
        if (next == B) break;
        for (std::size_t f = 0; f < p; ++f) plane[f] += z_[f * width_ + start + next];
        ++updates[start + next];
        ++corrections;
        ++next;
      }
    }
    return corrections;
  }

 public:
  std::vector<double> plane;           // of the last count
  std::vector<std::uint32_t> updates;  // of each member, in the last count
};

}  // namespace askew

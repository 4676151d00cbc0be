// Proofs for APDT that patterns in two dimensions are not linearly separable by class: the perceptron need not run
// again.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apdt/patterns.hpp"

namespace askew::apdt {

// Where the segment between two patterns of one class crosses that of two patterns of the other, every set that holds
// the four is not separable. For two classes and two features only: elsewhere no proof is looked for.
class InseparabilityProofs {
 public:
  explicit InseparabilityProofs(const Patterns& patterns) : patterns_(patterns) {
    if (patterns.n == 0 || patterns.d != 2 || patterns.n_classes != 2) return;
    double area = 1;
    for (const std::size_t f : {0, 1}) {
      double low = patterns.X[f], high = low;
      for (std::size_t i = 0; i < patterns.n; ++i) {
        low = std::min(low, patterns.X[i * 2 + f]);
        high = std::max(high, patterns.X[i * 2 + f]);
      }
      area *= high - low;
    }
    clear_ = kClear * area;
    useful_ = std::isnormal(clear_);
    last_in_.assign(patterns.n, 0);
  }

  // Whether the four patterns of a proof are among the members.
  bool among(const std::vector<std::uint32_t>& members) {
    if (known_.empty()) return false;
    ++question_;
    for (const std::uint32_t i : members) last_in_[i] = question_;
    const auto hit = std::find_if(known_.begin(), known_.end(), [&](const Four& four) {
      return std::all_of(four.begin(), four.end(), [&](std::uint32_t i) { return last_in_[i] == question_; });
    });
    if (hit == known_.end()) return false;
    std::rotate(known_.begin(), hit, hit + 1);  // the one that served last is tried first
    return true;
  }

  // Looks for a proof among the first members of each class that corrected the perceptron's plane `enough` times.
  void learn(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& updates, double enough) {
    if (!useful_) return;
    std::vector<std::uint32_t> of[2];
    for (std::size_t j = 0; j < members.size(); ++j)
      if (auto& own = of[patterns_.label[members[j]] != 0]; static_cast<double>(updates[j]) >= enough)
        if (own.size() < kTried) own.push_back(members[j]);
    for (std::size_t a = 0; a < of[0].size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (std::size_t c = 0; c < of[1].size(); ++c)
          for (std::size_t d = 0; d < c; ++d)
            if (const Four four{of[0][a], of[0][b], of[1][c], of[1][d]}; crosses(four)) {
              known_.insert(known_.begin(), four);
              if (known_.size() > kKept) known_.pop_back();
              return;
            }
  }

 private:
  using Four = std::array<std::uint32_t, 4>;  // two patterns of either class
  // Triangles smaller than half this share of the patterns' rectangle prove nothing. What is larger, the rounding of
  // the perceptron's sums, about 1e-15 of them, cannot make separable.
  static constexpr double kClear = 1e-4;
  static constexpr std::size_t kTried = 8, kKept = 16;

  bool crosses(const Four& f) const {
    return side(f[0], f[1], f[2]) * side(f[0], f[1], f[3]) < 0 && side(f[2], f[3], f[0]) * side(f[2], f[3], f[1]) < 0;
  }

  // The side of the line through a and b on which c is: -1, 1, or 0 where it is not clear.
  int side(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const auto at = [this](std::uint32_t i) { return patterns_.X + std::size_t{2} * i; };
    const double *p = at(a), *q = at(b), *r = at(c);
    const double twice = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);  // the area of the triangle
    return twice > clear_ ? 1 : twice < -clear_ ? -1 : 0;
  }

  const Patterns& patterns_;
  bool useful_ = false;
  double clear_ = 0;
  std::vector<Four> known_;
  std::uint32_t question_ = 0;
  std::vector<std::uint32_t> last_in_;  // the last question whose members a pattern was among
};

}  // namespace askew::apdt

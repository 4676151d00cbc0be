// LMDT's thermal training of a linear machine (Brodley & Utgoff 1992, after Frean's thermal perceptron): a weight
// vector for each class, the largest sum decides, and a row that is classified wrongly corrects two of them. Rows that
// are wrong by more than beta are let alone, and beta falls.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "numeric/parallel.hpp"
#include "numeric/rng.hpp"

namespace askew::lmdt {

using namespace numeric;

struct ThermalRules {
  double beta;               // at first
  double factor, decrement;  // beta becomes factor beta - decrement
  double least_beta;         // training ends below it
  double epsilon;            // how much more than needed a correction is
  bool squared;              // corrections of beta^2 / (beta + k), else beta / (beta + k)
  std::size_t max_passes;
};

// Cases: rows of p numbers, the class of each, and how often it is presented in a pass.
struct Cases {
  const double* y;
  const std::int32_t* label;
  const double* weight;
  std::size_t n, p, k;
  bool whole_weights;  // a case is presented so often; else corrections are multiplied by its weight
};

struct LinearMachineResult {
  std::vector<double> weights;  // p x k: those of one feature side by side
  std::size_t n_classes = 1, corrections = 0, passes = 0;
  double wrong = 0;  // weight of the cases that are wrong at the end
};

class ThermalTraining {
 public:
  ThermalTraining(const Cases& cases, const ThermalRules& rules, Interrupt& interrupt)
      : cases_(cases), rules_(rules), interrupt_(interrupt), activation_(cases.k), size_(cases.k),
        squares_(cases.n, 0.0), order_(cases.n) {
    for (std::size_t i = 0; i < cases.n; ++i)
      for (std::size_t f = 0; f < cases.p; ++f) squares_[i] += row(i)[f] * row(i)[f];
  }

  LinearMachineResult run(std::vector<double> weights, std::uint64_t seed) {
    result_ = {};
    result_.weights = std::move(weights);
    beta_ = rules_.beta;
    rose_ = false;
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    while (result_.passes < rules_.max_passes && beta_ >= rules_.least_beta) {
      shuffle(derive(seed, result_.passes));
      ++result_.passes;
      const std::size_t before = result_.corrections;
      const bool all_right = pass();
      // Rows that are let alone now will be let alone for ever: beta never rises.
      if (all_right || result_.corrections == before) break;
    }
    for (std::size_t i = 0; i < cases_.n; ++i)
      if (classify(i) != label(i)) result_.wrong += cases_.weight[i];
    return std::move(result_);
  }

 private:
  const double* row(std::size_t i) const { return cases_.y + i * cases_.p; }
  std::size_t label(std::size_t i) const { return static_cast<std::size_t>(cases_.label[i]); }
  double* of_feature(std::size_t f) { return result_.weights.data() + f * cases_.k; }

  void shuffle(std::uint64_t seed) {
    Rng rng(seed);
    for (std::size_t i = cases_.n; i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
  }

  // The class of the largest sum; of equals the first.
  std::size_t classify(std::size_t i) {
    const double* y = row(i);
    const std::size_t k = cases_.k;
    if (k == 2) {  // kept in registers
      double first = 0, second = 0;
      const double* w = result_.weights.data();
      for (std::size_t f = 0; f < cases_.p; ++f) first += y[f] * w[2 * f], second += y[f] * w[2 * f + 1];
      activation_[0] = first, activation_[1] = second;
    } else {
      std::fill(activation_.begin(), activation_.end(), 0.0);
      for (std::size_t f = 0; f < cases_.p; ++f) {
        const double* w = of_feature(f);
        for (std::size_t c = 0; c < k; ++c) activation_[c] += y[f] * w[c];
      }
    }
    std::size_t winner = 0;
    for (std::size_t c = 1; c < k; ++c)
      if (activation_[c] > activation_[winner]) winner = c;
    return winner;
  }

  // True if every row was right.
  bool pass() {
    measure();
    bool all_right = true;
    for (std::size_t at = 0; at < cases_.n; ++at) {
      if (at % 1024 == 0) interrupt_.check();
      const std::size_t i = order_[at];
      // A row that is right, or let alone, stays so when it is presented again.
      for (double turn = 0; turn < (cases_.whole_weights ? cases_.weight[i] : 1.0); ++turn) {
        const std::size_t winner = classify(i);
        if (winner == label(i)) break;
        all_right = false;
        if (!correct(i, winner)) break;
        if (beta_ < rules_.least_beta) return false;
      }
    }
    return all_right;
  }

  bool correct(std::size_t i, std::size_t winner) {
    const std::size_t right = label(i);
    const double needed = (activation_[winner] - activation_[right]) / (2 * squares_[i]) + rules_.epsilon;
    if (!(needed < beta_)) return false;
    double c = beta_ / (beta_ + needed);
    if (rules_.squared) c *= beta_;
    if (!cases_.whole_weights) c *= cases_.weight[i];
    const double* y = row(i);
    for (std::size_t f = 0; f < cases_.p; ++f) {
      double* w = of_feature(f);
      w[right] += c * y[f];
      w[winner] -= c * y[f];
    }
    ++result_.corrections;
    size_[right] += c * (2 * activation_[right] + c * squares_[i]);
    size_[winner] -= c * (2 * activation_[winner] - c * squares_[i]);
    cool();
    return true;
  }

  // Beta falls when the weights shrink after having grown.
  void cool() {
    const double now = magnitude();
    if (now < magnitude_ && rose_) beta_ = rules_.factor * beta_ - rules_.decrement;
    rose_ = now > magnitude_;
    magnitude_ = now;
  }

  // The squared lengths of the weight vectors, from scratch once a pass, then by what a correction adds.
  void measure() {
    std::fill(size_.begin(), size_.end(), 0.0);
    for (std::size_t f = 0; f < cases_.p; ++f)
      for (std::size_t c = 0; c < cases_.k; ++c) size_[c] += of_feature(f)[c] * of_feature(f)[c];
    magnitude_ = magnitude();
  }
  double magnitude() const {
    double sum = 0;
    for (const double squared : size_) sum += std::sqrt(std::max(0.0, squared));
    return sum;
  }

  const Cases& cases_;
  const ThermalRules& rules_;
  Interrupt& interrupt_;
  LinearMachineResult result_;
  std::vector<double> activation_, size_, squares_;
  std::vector<std::uint32_t> order_;
  double beta_ = 0, magnitude_ = 0;
  bool rose_ = false;
};

}  // namespace askew::lmdt

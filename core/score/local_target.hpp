// The target of the rows of one node, copied so that they become rows 0..n-1. For OC1, CART-LC, SADT, CART-ELC and the
// penalised fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "score/criterion.hpp"
#include "score/target.hpp"

namespace askew::score {

class LocalTarget : public Target {
 public:
  LocalTarget(const Target& target, const std::uint32_t* rows, std::size_t n) : n_(n) {
    label = taken(target.label, rows, label_), y = taken(target.y, rows, y_);
    weight = taken(target.weight, rows, weight_), multiplicity = taken(target.multiplicity, rows, multiplicity_);
    k = target.k;
  }
  LocalTarget(const LocalTarget&) = delete;
  LocalTarget& operator=(const LocalTarget&) = delete;

  std::vector<std::uint32_t> everyone() const {  // 0..n-1
    std::vector<std::uint32_t> numbers(n_);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
  }

  // Renumbers the classes that have rows here, in their order, and forgets the others, where a class without rows
  // makes no difference to the criterion. At least two are left.
  void forget_absent_classes(Kind kind) {
    if (!label || kind == Kind::sum_of_variances || kind == Kind::pointer || kind == Kind::batch) return;
    std::vector<std::int32_t> number(static_cast<std::size_t>(k), 0);
    for (const auto c : label_) number[static_cast<std::size_t>(c)] = 1;
    int present = 0;
    for (auto& c : number) c = c ? present++ : 0;
    if (present < 2 || present == k) return;
    for (auto& c : label_) c = number[static_cast<std::size_t>(c)];
    k = present;
  }

 private:
  template <class T>
  const T* taken(const T* from, const std::uint32_t* rows, std::vector<T>& to) const {
    if (!from) return nullptr;
    to.resize(n_);
    for (std::size_t j = 0; j < n_; ++j) to[j] = from[rows[j]];
    return to.data();
  }

  std::size_t n_;
  std::vector<std::int32_t> label_;
  std::vector<double> y_, weight_, multiplicity_;
};

}  // namespace askew::score

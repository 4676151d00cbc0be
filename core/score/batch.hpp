// A criterion that is a Python function: cuts are collected and scored in one call. For every method.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace askew::score {

using BatchFunction =
    std::function<void(const double* left, const double* right, std::size_t m, int k, double* scores)>;

// What kernels pass about. The function stays with the criterion that the caller holds: to copy it would change a
// Python object's reference count, which no thread may do without the GIL.
struct Batch {
  const BatchFunction* function = nullptr;

  void operator()(const double* left, const double* right, std::size_t m, int k, double* scores) const {
    (*function)(left, right, m, k, scores);
  }
};

// The sides of cuts that wait for their scores.
class WaitingCuts {
 public:
  std::size_t size() const { return size_; }

  void add(const double* left, const double* right, int k) {
    lefts_.insert(lefts_.end(), left, left + k);
    rights_.insert(rights_.end(), right, right + k);
    ++size_;
  }

  // The scores of all, in the order in which they were added; none wait afterwards.
  std::vector<double> scores(const Batch& criterion, int k) {
    std::vector<double> found(size_);
    if (size_ > 0) criterion(lefts_.data(), rights_.data(), size_, k, found.data());
    lefts_.clear(), rights_.clear(), size_ = 0;
    return found;
  }

 private:
  std::vector<double> lefts_, rights_;
  std::size_t size_ = 0;
};

}  // namespace askew::score

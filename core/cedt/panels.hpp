// Many planes at once, for CE-DT: panels of sixteen, numbers[panel][coordinate][plane in the panel]. A panel is drawn,
// multiplied and counted as a whole.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace askew::cedt {

constexpr std::size_t kPanel = 16;

// Numbers that start where a line of the cache does: of others, every second vector would touch two lines.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};
using LineFloats = std::vector<float, LineAllocator<float>>;

inline std::size_t panels_for(std::size_t n) { return (n + kPanel - 1) / kPanel; }

class Panels {
 public:
  // Room for n planes of p coordinates.
  Panels(std::size_t n, std::size_t p) : p_(p), numbers_(panels_for(n) * p * kPanel, 0.0f) {}

  std::size_t width() const { return p_; }
  float* panel(std::size_t i) { return numbers_.data() + i * p_ * kPanel; }
  const float* panel(std::size_t i) const { return numbers_.data() + i * p_ * kPanel; }
  float& at(std::size_t plane, std::size_t coordinate) {
    return panel(plane / kPanel)[coordinate * kPanel + plane % kPanel];
  }
  void copy(std::size_t plane, double* to) const {
    const float* from = panel(plane / kPanel) + plane % kPanel;
    for (std::size_t j = 0; j < p_; ++j) to[j] = from[j * kPanel];
  }

 private:
  std::size_t p_;
  LineFloats numbers_;
};

// Directions whose cosine to a mean is no less than 1 - deficit.
struct Cone {
  const double* mean;
  double deficit;
};

}  // namespace askew::cedt

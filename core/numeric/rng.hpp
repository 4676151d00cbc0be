// Random numbers (splitmix64), the same on every platform: for every method that draws. A seed is an argument
// everywhere.
#pragma once

#include <cstdint>

namespace askew::numeric {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

inline std::uint64_t mix(std::uint64_t z) {  // splitmix64's finaliser
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// The seed of the i-th thing (child, restart, tree) below a thing with a seed.
inline std::uint64_t derive(std::uint64_t seed, std::uint64_t i) { return mix(seed + (i + 1) * kGolden); }

class Rng {
 public:
  explicit Rng(std::uint64_t seed = 0) : state_(mix(seed ^ kGolden)) {}
  std::uint64_t next() { return mix(state_ += kGolden); }
  // For a loop of its own: the next n words are mix(from + kGolden), mix(from + 2 kGolden), ...
  std::uint64_t take(std::uint64_t n) {
    const std::uint64_t from = state_;
    state_ += n * kGolden;
    return from;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)
  double between(double low, double high) { return low + (high - low) * uniform(); }
  std::uint64_t below(std::uint64_t n) {  // unbiased
    const std::uint64_t limit = -n % n;
    for (;;)
      if (const std::uint64_t r = next(); r >= limit) return r % n;
  }

 private:
  std::uint64_t state_;
};

}  // namespace askew::numeric

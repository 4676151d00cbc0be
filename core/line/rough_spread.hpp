// About where the crossings of few rows lie, and how far from there: enough to spread keys evenly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace askew::line {

struct Spread {
  double middle, width;
};

// By the median of three medians of three, of nine rows; `at` gives the crossing of a row.
template <class At>
Spread rough_spread(std::size_t n, At at) {
  double sample[9];
  for (std::size_t i = 0; i < 9; ++i) {
    const double t = at(i * n / 9);
    sample[i] = std::isfinite(t) ? t : 0;
  }
  const auto of_three = [](double a, double b, double c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  };
  const auto median = [&] {
    return of_three(of_three(sample[0], sample[1], sample[2]), of_three(sample[3], sample[4], sample[5]),
                    of_three(sample[6], sample[7], sample[8]));
  };
  const double middle = median();
  for (double& t : sample) t = std::abs(t - middle);
  return {middle, median()};
}

}  // namespace askew::line

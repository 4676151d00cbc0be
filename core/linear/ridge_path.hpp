// Ridge regression with every strength of the penalty, chosen by generalised cross-validation. For linear leaves.
//
//   minimise  mean u (r - w.z)^2 + l2 |w|^2     over columns z of mean 0 and deviation 1, and r of mean 0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "linear/principal_axes.hpp"
#include "linear/standardised.hpp"

namespace askew::linear {

// The squared error that is expected on other rows: a mean square, the degrees of freedom spent, of how many samples.
// Each degree of freedom beyond that of the constant counts 1.4 times: as it is, generalised cross-validation chooses
// too weak a penalty too often (Kim & Gu 2004). Where next to nothing is left, the error of the fit says nothing.
inline double generalised_error(double mean_square, double freedom, double samples) {
  const double left = 1 - (1 + 1.4 * (freedom - 1)) / samples;
  return left > 0.05 ? mean_square / (left * left) : std::numeric_limits<double>::infinity();
}

struct RidgeChoice {
  double error = std::numeric_limits<double>::infinity();  // by generalised cross-validation
  double freedom = 1;                                      // degrees of freedom, that of the constant among them
  double l2 = std::numeric_limits<double>::infinity();     // infinite: no weights at all
};

class RidgePath {
 public:
  RidgePath(const Standardised& data, const PrincipalAxes& axes, const std::vector<double>& r)
      : axes_(axes), along_(axes.along(r)) {
    for (std::size_t i = 0; i < data.n; ++i) square_ += data.weight[i] * r[i] * r[i];
    square_ /= data.mass;
  }

  // The strength of least error. `inherited` degrees of freedom came with what r is the residual of.
  RidgeChoice choose(double samples, double inherited) const {
    RidgeChoice best;
    for (const double l2 : kStrengths) {
      RidgeChoice one;
      one.l2 = l2;
      double left = square_;
      for (std::size_t k = 0; std::isfinite(l2) && k < axes_.size(); ++k) {
        const double e = axes_.value(k), a = e + l2;
        one.freedom += e / a;
        left -= along_[k] * along_[k] * (e + 2 * l2) / (a * a);
      }
      one.freedom += inherited * (1 - std::min(one.freedom / samples, 1.0));
      one.error = generalised_error(std::max(left, 0.0), one.freedom, samples);
      if (one.error < best.error * (1 - 1e-9)) best = one;
    }
    return best;
  }

  // A weight for each column.
  std::vector<double> weights(double l2) const {
    std::vector<double> w(along_.size(), 0.0);
    for (std::size_t k = 0; std::isfinite(l2) && k < w.size(); ++k) w[k] = along_[k] / (axes_.value(k) + l2);
    return axes_.of_columns(w.data());
  }

 private:
  // The strongest first: of equals it wins.
  static constexpr double kStrengths[] = {std::numeric_limits<double>::infinity(),
                                          1e3,
                                          3e2,
                                          1e2,
                                          3e1,
                                          1e1,
                                          3e0,
                                          1e0,
                                          3e-1,
                                          1e-1,
                                          3e-2,
                                          1e-2,
                                          3e-3,
                                          1e-3,
                                          3e-4,
                                          1e-4,
                                          3e-5,
                                          1e-5,
                                          3e-6,
                                          1e-6,
                                          1e-7};

  const PrincipalAxes& axes_;
  std::vector<double> along_;
  double square_ = 0;  // mean of u r^2
};

}  // namespace askew::linear

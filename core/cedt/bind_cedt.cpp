// The cross-entropy search at one node, and the parts of it that tests and plots look at.
#include "base/bind.hpp"
#include "cedt/cross_entropy.hpp"

namespace askew {
namespace {

// Calls f with the scorer of planes on some rows of X. Shifts and inverses are those of `features`.
template <class F>
void with_scorer(const Criterion& criterion, const Target& target, Matrix X, Vector<std::uint32_t> rows,
                 Vector<std::int64_t> features, Vector<double> shift, Vector<double> inverse, const SideLimits& limits,
                 int threads, Pulse& pulse, const Kernels& lanes, F f) {
  const Points points{X.data(), X.shape(1), features.data(), shift.data(), inverse.data(), features.shape(0)};
  with_criterion(criterion, [&]<class C>(const C& c) {
    if (target.classification() && (std::is_same_v<C, SquaredError> || std::is_same_v<C, AbsoluteError>))
      throw std::invalid_argument("this criterion is for regression");
    PlaneScorer<C> scorer(c, target, points, rows.data(), rows.shape(0), limits, threads, pulse, lanes);
    f(scorer);
  });
}

// (plane, score, planes looked at, mu of each iteration, kappa, gamma)
nb::tuple cross_entropy_at(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
                           Vector<std::int64_t> features, Vector<double> shift, Vector<double> inverse,
                           std::size_t n_samples, double rho, double alpha, int patience, bool newton,
                           double min_samples_leaf, double min_weight_leaf, std::uint64_t seed, int threads) {
  Pulse pulse(heartbeat(nb::none()));
  const std::size_t p = features.shape(0) + 1;
  CrossEntropyResult found;
  unlocked([&] {
    with_scorer(criterion, bound.view(), X, rows, features, shift, inverse, {min_samples_leaf, min_weight_leaf}, threads, pulse,
                kernels(),
                [&](auto& scorer) {
                  found = cross_entropy(scorer, p, {n_samples, rho, alpha, patience, newton}, seed, threads, pulse,
                                        kernels());
                });
  });
  return nb::make_tuple(to_numpy(std::move(found.plane)), found.score, found.looked_at, to_numpy(std::move(found.mu), p),
                        to_numpy(std::move(found.kappa)), to_numpy(std::move(found.gamma)));
}

// Scores of given planes (unit vectors, rounded to float32), with the mean of them or without; `portable` leaves out
// AVX2.
nb::object score_planes(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
                        Vector<std::int64_t> features, Vector<double> shift, Vector<double> inverse, Matrix planes,
                        std::optional<Vector<double>> mean, double min_samples_leaf, int threads, bool portable) {
  Pulse pulse(heartbeat(nb::none()));
  const Kernels lanes = portable ? baseline_kernels() : kernels();
  const std::size_t n = planes.shape(0), p = planes.shape(1);
  std::vector<double> scores(n);
  Panels panels(n, p);
  Cone cone{data_or_null(mean), 0};
  for (std::size_t i = 0; i < n; ++i) {
    double apart = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double x = planes.data()[i * p + j];
      panels.at(i, j) = static_cast<float>(x);
      if (mean) apart += (x - cone.mean[j]) * (x - cone.mean[j]);
    }
    cone.deficit = std::max(cone.deficit, apart / 2);
  }
  unlocked([&] {
    with_scorer(criterion, bound.view(), X, rows, features, shift, inverse, {min_samples_leaf, 0}, threads, pulse, lanes,
                [&](auto& scorer) {
                  scorer.score(panels, n, mean ? &cone : nullptr, scores.data());
                });
  });
  return to_numpy(std::move(scores));
}

// n unit vectors (n x p).
nb::object draw_directions(Vector<double> mu, double kappa, std::size_t n, std::uint64_t seed, int threads,
                           bool portable) {
  Pulse pulse(heartbeat(nb::none()));
  const Kernels lanes = portable ? baseline_kernels() : kernels();
  const std::size_t p = mu.shape(0);
  std::vector<double> directions(n * p);
  unlocked([&] {
    Panels panels(n, p);
    draw_all(VonMisesFisher(mu.data(), p, kappa, lanes), n, seed, threads, pulse, panels);
    for (std::size_t i = 0; i < n; ++i) panels.copy(i, &directions[i * p]);
  });
  return to_numpy(std::move(directions), p);
}

// The concentration that is likeliest for n unit vectors with this sum.
double likeliest_kappa(Vector<double> sum, std::size_t n, bool newton) {
  return likeliest(std::vector<double>(sum.data(), sum.data() + sum.shape(0)), n, newton).kappa;
}

}  // namespace

void bind_cedt(nb::module_& m) {
  m.def("cross_entropy", &cross_entropy_at);
  m.def("score_planes", &score_planes, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  m.def("draw_directions", &draw_directions);
  m.def("mean_cosine", &mean_cosine);
  m.def("likeliest_kappa", &likeliest_kappa);
}

}  // namespace askew

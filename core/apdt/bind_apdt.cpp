// APDT's search at one node, and its perceptron by itself.
#include "apdt/alopex.hpp"
#include "bind.hpp"

namespace askew::apdt {

using namespace numeric;

namespace {

Patterns patterns_of(const Matrix& X, const Vector<std::int32_t>& label, const Vector<double>& weight,
                     const Vector<double>& samples, int n_classes) {
  need_size(label, X.shape(0), "label");
  need_size(weight, X.shape(0), "weight");
  need_size(samples, X.shape(0), "samples");
  need_below(label, static_cast<std::size_t>(std::max(n_classes, 0)), "label");
  return {X.shape(0), X.shape(1), X.data(), label.data(), weight.data(), samples.data(), n_classes};
}

// (weight of the patterns that are not separable, plane, corrections by each pattern)
nb::tuple perceptron(Matrix X, Vector<std::int32_t> label, Vector<double> weight, int n_classes,
                     const PerceptronRules& rules) {
  const Patterns patterns = patterns_of(X, label, weight, weight, n_classes);
  Interrupt interrupt(heartbeat(nb::none()));
  Perceptron machine(patterns, rules, interrupt);
  const double count = unlocked([&] {
    std::vector<std::uint32_t> everyone(patterns.n);
    for (std::size_t i = 0; i < patterns.n; ++i) everyone[i] = static_cast<std::uint32_t>(i);
    return machine.count(everyone);
  });
  return nb::make_tuple(count, to_numpy(std::move(machine.plane)), to_numpy(std::move(machine.updates)));
}

// (plane, score, score of every plane visited); the plane is empty if there is none. `counter` takes the place of the
// perceptron: called with the numbers of the patterns and whether more than "none" or "some" is asked.
nb::tuple alopex_at(Matrix X, Vector<std::int32_t> label, Vector<double> weight, Vector<double> samples, int n_classes,
                    AlopexRules rules, const PerceptronRules& perceptron, double min_samples_leaf,
                    double min_weight_leaf, std::uint64_t seed, nb::object counter) {
  const Patterns patterns = patterns_of(X, label, weight, samples, n_classes);
  rules.min_samples_leaf = min_samples_leaf, rules.min_weight_leaf = min_weight_leaf;
  Interrupt interrupt(heartbeat(nb::none()));
  AlopexResult found = unlocked([&] {
    if (!counter.is_none()) {
      const auto ask = [&](const std::vector<std::uint32_t>& members, bool number) {
        const Locked gil;
        return nb::cast<double>(counter(to_numpy(std::vector<std::uint32_t>(members)), number));
      };
      return alopex(patterns, rules, ask, seed, interrupt);
    }
    Perceptron machine(patterns, perceptron, interrupt);
    const auto count = [&](const std::vector<std::uint32_t>& members, bool number) {
      return machine.count(members, number);
    };
    return alopex(patterns, rules, count, seed, interrupt);
  });
  return nb::make_tuple(to_numpy(std::move(found.plane)), found.score, to_numpy(std::move(found.trace)));
}

}  // namespace

void bind_apdt(nb::module_& m) {
  bind_rules(m, "PerceptronRules", std::pair{"iterations", &PerceptronRules::iterations},
             std::pair{"passes", &PerceptronRules::passes}, std::pair{"rho", &PerceptronRules::rho});
  bind_rules(m, "AlopexRules", std::pair{"n_iterations", &AlopexRules::iterations},
             std::pair{"window", &AlopexRules::window}, std::pair{"step", &AlopexRules::step},
             std::pair{"final_step", &AlopexRules::final_step}, std::pair{"temperature", &AlopexRules::temperature},
             std::pair{"M", &AlopexRules::M});
  m.def("perceptron", &perceptron, nb::arg("X"), nb::arg("label"), nb::arg("weight"), nb::arg("n_classes"),
        nb::arg("rules"));
  m.def("alopex", &alopex_at, nb::arg("X"), nb::arg("label"), nb::arg("weight"), nb::arg("samples"),
        nb::arg("n_classes"), nb::arg("rules"), nb::kw_only(), nb::arg("perceptron"), nb::arg("min_samples_leaf"),
        nb::arg("min_weight_leaf"), nb::arg("seed"), nb::arg("counter").none());
}

}  // namespace askew::apdt

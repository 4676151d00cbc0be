// LMDT's training of the linear machine of one node.
#include "bind.hpp"
#include "lmdt/linear_machine.hpp"

namespace askew::lmdt {

using namespace numeric;

namespace {

// (weights: features x classes, corrections, passes, weight of the cases that are wrong)
nb::tuple thermal_training(Matrix y, Vector<std::int32_t> label, Vector<double> weight, bool whole_weights,
                           Matrix start, double beta, double factor, double decrement, double least_beta,
                           double epsilon, bool squared, std::size_t max_passes, std::uint64_t seed) {
  const std::size_t n = y.shape(0), p = y.shape(1), k = start.shape(1);
  need_size(label, n, "label");
  need_size(weight, n, "weight");
  need_size(start, p, "start");
  need_below(label, k, "label");
  const Cases cases{y.data(), label.data(), weight.data(), n, p, k, whole_weights};
  const ThermalRules rules{beta, factor, decrement, least_beta, epsilon, squared, max_passes};
  Interrupt interrupt(heartbeat(nb::none()));
  LinearMachineResult result = unlocked(
      [&] { return ThermalTraining(cases, rules, interrupt).run({start.data(), start.data() + p * k}, seed); });
  return nb::make_tuple(to_numpy(std::move(result.weights), k), result.corrections, result.passes, result.wrong);
}

}  // namespace

void bind_lmdt(nb::module_& m) {
  m.def("thermal_training", &thermal_training, nb::arg("y"), nb::arg("label"), nb::arg("weight"), nb::kw_only(),
        nb::arg("whole_weights"), nb::arg("start"), nb::arg("beta"), nb::arg("factor"), nb::arg("decrement"),
        nb::arg("least_beta"), nb::arg("epsilon"), nb::arg("squared"), nb::arg("max_passes"), nb::arg("seed"));
}

}  // namespace askew::lmdt

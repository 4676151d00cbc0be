// LMDT's training of the linear machine of one node.
#include "bind.hpp"
#include "lmdt/linear_machine.hpp"

namespace askew::lmdt {

using namespace numeric;

namespace {

LinearMachineResult thermal_training(Matrix y, Vector<std::int32_t> label, Vector<double> weight,
                                     const ThermalRules& rules, bool whole_weights, Matrix start, std::uint64_t seed) {
  const std::size_t n = y.shape(0), p = y.shape(1), k = start.shape(1);
  need_size(label, n, "label");
  need_size(weight, n, "weight");
  need_size(start, p, "start");
  need_below(label, k, "label");
  const Cases cases{y.data(), label.data(), weight.data(), n, p, k, whole_weights};
  Interrupt interrupt(heartbeat(nb::none()));
  LinearMachineResult result = unlocked(
      [&] { return ThermalTraining(cases, rules, interrupt).run({start.data(), start.data() + p * k}, seed); });
  result.n_classes = k;
  return result;
}

}  // namespace

void bind_lmdt(nb::module_& m) {
  bind_rules(m, "ThermalRules", std::pair{"beta", &ThermalRules::beta}, std::pair{"factor", &ThermalRules::factor},
             std::pair{"decrement", &ThermalRules::decrement}, std::pair{"least_beta", &ThermalRules::least_beta},
             std::pair{"epsilon", &ThermalRules::epsilon}, std::pair{"squared", &ThermalRules::squared},
             std::pair{"max_passes", &ThermalRules::max_passes});
  nb::class_<LinearMachineResult> machine(m, "LinearMachine");
  bind_field(machine, "weights", &LinearMachineResult::weights, &LinearMachineResult::n_classes);
  machine.def_ro("corrections", &LinearMachineResult::corrections)
      .def_ro("passes", &LinearMachineResult::passes)
      .def_ro("wrong", &LinearMachineResult::wrong);
  m.def("thermal_training", &thermal_training, nb::arg("y"), nb::arg("label"), nb::arg("weight"), nb::arg("rules"),
        nb::kw_only(), nb::arg("whole_weights"), nb::arg("start"), nb::arg("seed"));
}

}  // namespace askew::lmdt

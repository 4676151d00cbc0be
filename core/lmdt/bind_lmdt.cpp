// LMDT's training of the linear machine of one node.
#include "base/bind.hpp"
#include "lmdt/linear_machine.hpp"

namespace askew {
namespace {

// (weights: features x classes, corrections, passes, weight of the cases that are wrong)
nb::tuple thermal_training(Matrix y, Vector<std::int32_t> label, Vector<double> weight, bool whole, Matrix start,
                           double beta, double factor, double decrement, double least_beta, double epsilon,
                           bool squared, std::size_t max_passes, std::uint64_t seed) {
  const std::size_t n = y.shape(0), p = y.shape(1), k = start.shape(1);
  if (label.shape(0) != n || weight.shape(0) != n || start.shape(0) != p)
    throw std::invalid_argument("cases, classes, weights and the machine do not fit together");
  for (std::size_t i = 0; i < n; ++i)
    if (label.data()[i] < 0 || static_cast<std::size_t>(label.data()[i]) >= k)
      throw std::invalid_argument("a class is out of range");
  const Cases cases{y.data(), label.data(), weight.data(), n, p, k, whole};
  const ThermalRules rules{beta, factor, decrement, least_beta, epsilon, squared, max_passes};
  Pulse pulse(heartbeat(nb::none()));
  LinearMachineResult result = unlocked([&] {
    return ThermalTraining(cases, rules, pulse).run({start.data(), start.data() + p * k}, seed);
  });
  return nb::make_tuple(to_numpy(std::move(result.weights), k), result.corrections, result.passes, result.wrong);
}

}  // namespace

void bind_lmdt(nb::module_& m) { m.def("thermal_training", &thermal_training); }

}  // namespace askew

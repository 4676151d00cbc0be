// Prints a hash of what kernels of the core return on made data: to compare processors for which there is no Python at
// hand. `make portable-arm` compiles it for this processor and for aarch64, and runs the latter under qemu.
#include <cstdio>
#include <cstring>

#include "axis/presorted_growth.hpp"
#include "cedt/cross_entropy.hpp"
#include "hhcart/reflections.hpp"
#include "line/oc1_climb.hpp"
#include "score/node_data.hpp"

namespace {

using namespace askew::numeric;
using namespace askew::score;
using namespace askew::axis;
using namespace askew::cedt;
using namespace askew::hhcart;
using namespace askew::line;

constexpr std::size_t kRows = 400, kFeatures = 8;
constexpr int kClasses = 3;

struct Hash {
  std::uint64_t value = 1;
  template <class T>
  void add(const std::vector<T>& items) {
    for (const T& item : items) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &item, sizeof item);
      value = mix(value ^ bits) + kGolden;
    }
  }
  void print(const char* name) const { std::printf("%s %016llx\n", name, static_cast<unsigned long long>(value)); }
};

struct Data {
  std::vector<double> X, y, weight;
  std::vector<std::int32_t> label;
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> features;

  Data() : X(kRows * kFeatures), y(kRows), weight(kRows), label(kRows), rows(kRows), features(kFeatures) {
    Rng rng(7);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t f = 0; f < kFeatures; ++f) X[i * kFeatures + f] = rng.between(-1, 1);
      y[i] = X[i * kFeatures] + X[i * kFeatures + 1] + rng.between(-0.5, 0.5);
      label[i] = y[i] > 0.3 ? 2 : y[i] > -0.3;
      weight[i] = rng.between(0.1, 1.1);
    }
    std::iota(rows.begin(), rows.end(), 0u);
    std::iota(features.begin(), features.end(), std::int64_t{0});
  }
  Target classes() const { return {label.data(), nullptr, weight.data(), nullptr, kClasses}; }
  Target numbers() const { return {nullptr, y.data(), weight.data(), nullptr, 3}; }
};

template <class C>
void grow(const char* name, const Data& data, const Target& target) {
  Interrupt quiet(nullptr);
  const Limits limits{kInfinity, 2, 1, kInfinity, 0, 0, 0};
  PresortedGrower<CountSides<C>, C> grower(C{}, target, SortedColumns(data.X.data(), kRows, kFeatures, 1, quiet),
                                           limits, {}, kNone, 1, quiet);
  const GrownTree tree = grower.grow(0);
  Hash hash;
  hash.add(tree.feature), hash.add(tree.first_child);
  hash.add(tree.threshold), hash.add(tree.value), hash.add(tree.impurity);
  hash.print(name);
}

template <class C>
void climb(const char* name, const Data& data, const Target& target) {
  Interrupt quiet(nullptr);
  const NodeData node(target, data.X.data(), kFeatures, data.rows.data(), kRows, data.features.data(), kFeatures,
                      Scaling::standard);
  const CountSides<C> sides(C{}, node.local, node.local.everyone().data(), kRows);
  const ClimbRules rules{Order::sequential, 50, 5, false, 10, false, -1, kInfinity};
  std::vector<double> start(kFeatures + 1, 0.0);
  start[0] = 1;
  const Plane plane = climb_all(sides, node.local, node.matrix, rules, start, 20, {}, 3, 1, quiet);
  Hash hash;
  hash.add(plane.a), hash.add(std::vector<double>{plane.score});
  hash.print(name);
}

void directions(const Data& data) {
  Interrupt quiet(nullptr);
  std::vector<double> mu(kFeatures, 0.0), drawn(kFeatures);
  mu[1] = 1;
  Hash hash;
  for (const double kappa : {0.0, 5.0, 5000.0}) {
    Panels panels(100, kFeatures);
    draw_all(VonMisesFisher(mu.data(), kFeatures, kappa, kernels()), 100, 5, 1, quiet, panels);
    for (std::size_t i = 0; i < 100; ++i) panels.copy(i, drawn.data()), hash.add(drawn);
  }
  hash.print("CE-DT, directions");
  Hash principal;
  principal.add(principal_directions({data.X.data(), data.weight.data(), kRows, kFeatures}, 1e-12, false));
  principal.print("HHCART, principal directions");
}

}  // namespace

int main() {
  const Data data;
  grow<Gini>("CART, gini", data, data.classes());
  grow<Entropy>("CART, entropy", data, data.classes());
  grow<SquaredError>("CART, squared error", data, data.numbers());
  climb<Gini>("OC1, gini", data, data.classes());
  climb<Twoing>("OC1, twoing", data, data.classes());
  climb<SquaredError>("OC1, squared error", data, data.numbers());
  directions(data);
}

// Shapley values of trees.
#include "bind.hpp"
#include "explain/shapley.hpp"
#include "tree/bind_models.hpp"

namespace askew::explain {

using namespace numeric;
using namespace tree;

namespace {

// (values, their variances (rows x players * outputs), how many games of each row were sampled)
nb::tuple bound_shapley(const BoundTree& trees, Vector<std::uint32_t> root, Matrix value, Matrix X, Matrix background,
                        Vector<std::int64_t> player, std::size_t n_players, std::optional<BoundModels> models,
                        std::uint64_t most, std::size_t pairs, std::uint64_t seed, int threads, nb::object progress) {
  const std::size_t n = X.shape(0), d = X.shape(1), nodes = trees.kind.shape(0);
  need_below(root, nodes, "root");
  need_size(value, nodes, "value");
  need_size(player, d, "player");
  need_below(player, n_players, "player");
  need_below(trees.feature, d, "feature");
  if (background.shape(1) != d || background.shape(0) == 0)
    throw std::invalid_argument("'background' must have rows, with the columns of 'X'");
  if (models) models->check(nodes, d);
  if (models && models->value.shape(1) < value.shape(1))
    throw std::invalid_argument("'value' must not have more columns than the models have sums");
  std::vector<std::int64_t> start(n_players + 1), column(d);  // the columns of each player
  for (std::size_t c = 0; c < d; ++c) ++start[static_cast<std::size_t>(player.data()[c]) + 1];
  for (std::size_t p = 0; p < n_players; ++p) start[p + 1] += start[p];
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  for (std::size_t c = 0; c < d; ++c)
    column[static_cast<std::size_t>(next[static_cast<std::size_t>(player.data()[c])]++)] = static_cast<std::int64_t>(c);
  const LeafModels leaves = models ? models->view() : LeafModels{};
  const ExplainedTrees explained{trees.view(), value.data(), value.shape(1), models ? &leaves : nullptr};
  const Players players{n_players, start.data(), column.data(), player.data()};
  ShapleyFound found;
  Interrupt interrupt(heartbeat(progress));
  unlocked([&] {
    found = shapley(explained, root.data(), root.shape(0), players, X.data(), n, background.data(), background.shape(0),
                    d, {most, pairs, seed}, threads, interrupt);
  });
  const std::size_t width = n_players * value.shape(1);
  return nb::make_tuple(to_numpy(std::move(found.value), width), to_numpy(std::move(found.variance), width),
                        to_numpy(std::move(found.sampled)));
}

}  // namespace

void bind_explain(nb::module_& m) {
  m.def("shapley", &bound_shapley, nb::arg("trees"), nb::arg("root"), nb::arg("value"), nb::arg("X"),
        nb::arg("background"), nb::kw_only(), nb::arg("player"), nb::arg("n_players"), nb::arg("models").none(),
        nb::arg("most"), nb::arg("pairs"), nb::arg("seed"), nb::arg("threads"),
        nb::arg("progress").none() = nb::none());
}

}  // namespace askew::explain

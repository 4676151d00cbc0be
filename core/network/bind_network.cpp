// The AND/OR network of a tree: rows to regions, and the searches over what its units select.
#include "bind.hpp"
#include "network/rule_network.hpp"

namespace askew::network {

using namespace numeric;
using namespace tree;

namespace {

using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Selections = nb::ndarray<const std::uint64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

nb::object find(Vector<std::int8_t> kind, Vector<std::int64_t> n_children, Vector<std::int64_t> feature_start,
                Vector<std::int64_t> weight_start, Vector<std::int64_t> feature, Vector<double> weight,
                Vector<double> threshold, Vector<std::int64_t> region_start, Vector<std::int64_t> split,
                Vector<std::int64_t> side, Matrix X, int threads) {
  const std::size_t n_splits = kind.shape(0), n_conditions = split.shape(0);
  need_size(n_children, n_splits, "n_children");
  need_size(feature_start, n_splits + 1, "feature_start");
  need_size(weight_start, n_splits + 1, "weight_start");
  need_size(feature, static_cast<std::size_t>(feature_start.data()[n_splits]), "feature");
  need_size(weight, static_cast<std::size_t>(weight_start.data()[n_splits]), "weight");
  need_size(threshold, n_splits, "threshold");
  need_size(side, n_conditions, "side");
  need_below(split, n_splits, "split");
  need_below(feature, X.shape(1), "feature");
  need_below(region_start, n_conditions + 1, "region_start");
  if (region_start.shape(0) == 0)
    throw std::invalid_argument("'region_start' must have an entry more than there are regions");
  const TreeView splits{kind.shape(0),       kind.data(),    nullptr,       n_children.data(), feature_start.data(),
                        weight_start.data(), feature.data(), weight.data(), threshold.data()};
  const RegionsView regions{region_start.shape(0) - 1, region_start.data(), split.data(), side.data()};
  std::vector<std::int64_t> found(X.shape(0));
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] { find_regions(splits, regions, X.data(), X.shape(0), X.shape(1), found.data(), threads, interrupt); });
  return to_numpy(std::move(found));
}

// The gain of each network (network x unit x words of conditions).
nb::object gains(Words holds, Vector<double> gain, Selections networks, int threads) {
  const std::size_t n_cells = gain.shape(0), n_conditions = holds.shape(0);
  if (holds.shape(1) != words_for(n_cells) || networks.shape(2) != words_for(n_conditions))
    throw std::invalid_argument("a bitset has the wrong number of words");
  std::vector<double> found(networks.shape(0));
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] {
    network_gains(holds.data(), n_conditions, n_cells, Gains(gain.data(), n_cells), networks.data(), networks.shape(0),
                  networks.shape(1), found.data(), threads, interrupt);
  });
  return to_numpy(std::move(found));
}

// (probabilities (unit x condition), share of wrong answers in each pass)
nb::tuple automata(Words fulfilled, Vector<std::int64_t> cell, Vector<std::uint8_t> of_class, Vector<double> cumulative,
                   const AutomataRules& rules, Matrix initial, std::uint64_t seed, nb::object progress) {
  if (cell.shape(0) == 0) throw std::invalid_argument("the automata need patterns");
  need_size(of_class, cell.shape(0), "of_class");
  need_size(cumulative, cell.shape(0), "cumulative");
  need_below(cell, fulfilled.shape(0), "cell");
  const Lessons patterns{fulfilled.data(), cell.data(), of_class.data(), cumulative.data(), cell.shape(0)};
  const std::size_t n_units = initial.shape(0), n_conditions = initial.shape(1);
  if (fulfilled.shape(1) != words_for(n_conditions))
    throw std::invalid_argument("a bitset has the wrong number of words");
  Interrupt interrupt(heartbeat(progress));
  Automata team(patterns, initial.data(), n_units, n_conditions, rules, seed);
  std::vector<double> errors;
  unlocked([&] { errors = learn(team, rules, interrupt); });
  return nb::make_tuple(to_numpy(std::move(team.probability), n_conditions), to_numpy(std::move(errors)));
}

}  // namespace

void bind_network(nb::module_& m) {
  m.def("network_find", &find, nb::kw_only(), nb::arg("kind"), nb::arg("n_children"), nb::arg("feature_start"),
        nb::arg("weight_start"), nb::arg("feature"), nb::arg("weight"), nb::arg("threshold"), nb::arg("region_start"),
        nb::arg("split"), nb::arg("side"), nb::arg("X"), nb::arg("threads"));
  m.def("network_gains", &gains, nb::arg("holds"), nb::arg("gain"), nb::arg("networks"), nb::arg("threads"));
  bind_rules(m, "AutomataRules", std::pair{"rate", &AutomataRules::rate},
             std::pair{"tolerance", &AutomataRules::converged}, std::pair{"steps", &AutomataRules::steps},
             std::pair{"passes", &AutomataRules::passes});
  m.def("network_automata", &automata, nb::arg("fulfilled"), nb::arg("cell"), nb::arg("of_class"),
        nb::arg("cumulative"), nb::arg("rules"), nb::kw_only(), nb::arg("initial"), nb::arg("seed"),
        nb::arg("progress").none());
}

}  // namespace askew::network

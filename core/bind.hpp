// What the binding files of all methods share: arrays in, arrays out, the GIL released, Ctrl-C checked.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "numeric/parallel.hpp"
#include "score/sweep.hpp"
#include "tree/tree_walk.hpp"

namespace askew {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
const T* data_or_null(const std::optional<Vector<T>>& array) {
  return array ? array->data() : nullptr;
}

// Kernels trust sizes and row numbers: a binding checks them first.
template <class A>
void need_size(const A& array, std::size_t size, const char* name) {
  if (array.shape(0) != size)
    throw std::invalid_argument(std::string("'") + name + "' must have " + std::to_string(size) + " entries, got " +
                                std::to_string(array.shape(0)));
}
// Numbers of rows, or of columns, of a matrix: each below `end`.
template <class T>
void need_below(const Vector<T>& numbers, std::size_t end, const char* name) {
  for (std::size_t i = 0; i < numbers.shape(0); ++i)
    if (static_cast<std::uint64_t>(numbers.data()[i]) >= end)
      throw std::invalid_argument(std::string("'") + name + "' must be below " + std::to_string(end) + ", got " +
                                  std::to_string(numbers.data()[i]));
}

// A NumPy array that owns what the vector held.
template <class T>
nb::object to_numpy(std::vector<T>&& values, std::size_t columns = 0) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (columns == 0) return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), {kept->size()}, owner));
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), {kept->size() / columns, columns}, owner));
}

// A struct of rules as a class whose fields are keyword arguments: a call in Python reads like the rules of its method.
template <class R, class... T>
void bind_rules(nb::module_& m, const char* name, std::pair<const char*, T R::*>... fields) {
  nb::class_<R>(m, name).def(
      "__init__", [=](R* self, T... values) { new (self) R{}, ((self->*fields.second = values), ...); }, nb::kw_only(),
      nb::arg(fields.first)...);
}

// A field of what a kernel returns, as an attribute. An array is a view that keeps the whole alive; with `width`, a
// member that says how many columns it has, it is a matrix.
template <class R, class T, class... Base>
void bind_field(nb::class_<R, Base...>& type, const char* name, std::vector<T> R::* values) {
  type.def_prop_ro(name, [values](nb::handle_t<R> self) {
    std::vector<T>& own = nb::cast<R&>(self).*values;
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(own.data(), {own.size()}, self);
  });
}
template <class R, class T, class... Base>
void bind_field(nb::class_<R, Base...>& type, const char* name, std::vector<T> R::* values, std::size_t R::* width) {
  type.def_prop_ro(name, [values, width](nb::handle_t<R> self) {
    R& found = nb::cast<R&>(self);
    std::vector<T>& own = found.*values;
    return nb::ndarray<nb::numpy, T, nb::ndim<2>>(own.data(), {own.size() / (found.*width), found.*width}, self);
  });
}

// Asks Python for its lock. While the interpreter shuts down it ends every other thread that asks (pthread_exit), which
// would unwind C++ frames that must not be unwound and abort the process. Such a thread waits for the end of the
// process instead, as Python does itself from version 3.14 on.
template <class F>
auto ask_for_lock(F ask) {
  try {
    return ask();
  } catch (...) {  // Python throws nothing else
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

// Holds the GIL: for kernels that call Python.
class Locked {
 public:
  Locked() : state_(ask_for_lock([] { return PyGILState_Ensure(); })) {}
  Locked(const Locked&) = delete;
  ~Locked() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

// Releases the GIL while f runs.
template <class F>
auto unlocked(F f) {
  struct Unlocked {
    PyThreadState* state = PyEval_SaveThread();
    ~Unlocked() noexcept(false) {
      ask_for_lock([this] { PyEval_RestoreThread(state); });
    }
  } const release;
  return f();
}

// Set by another thread to stop the threads that check it.
struct StopFlag {
  std::atomic<bool> raised{false};
};
// The stop flag of this thread. Python delivers Ctrl-C to the main thread alone, which passes it on to its workers so.
inline thread_local const StopFlag* stop_flag = nullptr;

// Raises KeyboardInterrupt if the user, or the thread that waits for this one, wants it to stop; needs the GIL.
inline void check_interrupt() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (stop_flag != nullptr && stop_flag->raised.load()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
}

// Checks for Ctrl-C, and reports to `progress` (None, or a function of the share of the work that is done).
inline numeric::Heartbeat heartbeat(const nb::object& progress) {
  return [progress](double done) {
    const Locked gil;
    check_interrupt();
    if (!progress.is_none()) progress(done);
  };
}

// A fitted tree, or many that lie in the same arrays: keeps the arrays alive that `TreeView` points into.
struct BoundTree {
  Vector<std::int8_t> kind;
  Vector<std::int64_t> first_child, n_children, feature_start, weight_start, feature;
  Vector<double> weight, threshold;

  BoundTree(Vector<std::int8_t> kind_, Vector<std::int64_t> first_child_, Vector<std::int64_t> n_children_,
            Vector<std::int64_t> feature_start_, Vector<std::int64_t> weight_start_, Vector<std::int64_t> feature_,
            Vector<double> weight_, Vector<double> threshold_)
      : kind(kind_), first_child(first_child_), n_children(n_children_), feature_start(feature_start_),
        weight_start(weight_start_), feature(feature_), weight(weight_), threshold(threshold_) {
    need_size(first_child, kind.shape(0), "first_child");
    need_size(n_children, kind.shape(0), "n_children");
    need_size(feature_start, kind.shape(0) + 1, "feature_start");
    need_size(weight_start, kind.shape(0) + 1, "weight_start");
    need_size(threshold, kind.shape(0), "threshold");
    need_size(feature, static_cast<std::size_t>(feature_start.data()[kind.shape(0)]), "feature");
    need_size(weight, static_cast<std::size_t>(weight_start.data()[kind.shape(0)]), "weight");
  }
  tree::TreeView view() const {
    return {kind.shape(0),       kind.data(),    first_child.data(), n_children.data(), feature_start.data(),
            weight_start.data(), feature.data(), weight.data(),      threshold.data()};
  }
};

// What rows are labelled with and how much they count: keeps the arrays alive that `Target` points into. Either labels
// below k, or numbers, of which k = 3 moments are taken.
struct BoundTarget {
  std::optional<Vector<std::int32_t>> label;
  std::optional<Vector<double>> y, weight, multiplicity;
  int k;

  BoundTarget(std::optional<Vector<std::int32_t>> label_, std::optional<Vector<double>> y_,
              std::optional<Vector<double>> weight_, std::optional<Vector<double>> multiplicity_, int k_)
      : label(label_), y(y_), weight(weight_), multiplicity(multiplicity_), k(k_) {
    if (label.has_value() == y.has_value()) throw std::invalid_argument("a target has either 'label' or 'y'");
    if (y && k != 3) throw std::invalid_argument("'k' must be 3 for a target of numbers, got " + std::to_string(k));
    if (label) need_below(*label, static_cast<std::size_t>(std::max(k, 0)), "label");
    if (weight) need_size(*weight, n_rows(), "weight");
    if (multiplicity) need_size(*multiplicity, n_rows(), "multiplicity");
  }
  std::size_t n_rows() const { return label ? label->shape(0) : y->shape(0); }
  score::Target view() const {
    return {data_or_null(label), data_or_null(y), data_or_null(weight), data_or_null(multiplicity), k};
  }
};

// The node that a search is asked about: some rows of a table, what each child must have, how many threads there are.
// Sizes and row numbers are checked when it is made. Every search takes a criterion and one of these by position; all
// other arguments are keywords (nb::kw_only), so that a call in Python reads like the rules of its method.
struct BoundNode {
  BoundTarget bound;
  Matrix X;
  Vector<std::uint32_t> rows;
  double min_samples_leaf, min_weight_leaf;
  int threads;

  BoundNode(const BoundTarget& target, Matrix table, Vector<std::uint32_t> numbers, double samples, double weight,
            int n_threads)
      : bound(target), X(table), rows(numbers), min_samples_leaf(samples), min_weight_leaf(weight), threads(n_threads) {
    const std::size_t n = X.shape(0);
    if (bound.label) need_size(*bound.label, n, "label");
    if (bound.y) need_size(*bound.y, n, "y");
    if (bound.weight) need_size(*bound.weight, n, "weight");
    if (bound.multiplicity) need_size(*bound.multiplicity, n, "multiplicity");
    need_below(rows, n, "rows");
  }
  score::Target target() const { return bound.view(); }
  score::LeafLimits leaf() const { return {.min_samples = min_samples_leaf, .min_weight = min_weight_leaf}; }
};

// Columns of the node's table, and a plane over them: a weight for each, then the constant.
inline void need_plane(const BoundNode& node, const Vector<std::int64_t>& features, const Vector<double>& plane) {
  need_below(features, node.X.shape(1), "features");
  need_size(plane, features.shape(0) + 1, "start");
}

}  // namespace askew

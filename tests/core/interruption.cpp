// How a kernel is interrupted (core/numeric/parallel.hpp), on several threads. Ends with 0 if all is as it should be.
// `tests/core/test_interruption.py` compiles it, with the thread sanitizer where there is one.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "linear/leaf_models.hpp"
#include "linear/plane_directions.hpp"
#include "numeric/parallel.hpp"
#include "numeric/rng.hpp"

namespace {

using namespace askew;
using namespace askew::numeric;
using namespace askew::linear;

struct TestError : std::runtime_error {
  TestError() : std::runtime_error("interrupt") {}
};

void need(bool fulfilled, const char* what) {
  if (fulfilled) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

// Runs `work`, which never ends by itself, with an interrupt whose heartbeat throws.
template <class Work>
void expect_interrupted(const char* what, Work work) {
  const std::thread::id entering = std::this_thread::get_id();
  Interrupt interrupt([&](double) {
    need(std::this_thread::get_id() == entering, "the heartbeat is called on the entering thread alone");
    throw TestError();
  });
  bool thrown = false;
  try {
    work(interrupt);
  } catch (const TestError&) {
    thrown = true;
  }
  need(thrown, what);
}

void endless(Interrupt& interrupt) {
  for (;;) interrupt.check(0.5);
}

// What counts the tasks that were left, by an exception or not.
struct Leaving {
  std::atomic<int>& left;
  ~Leaving() { ++left; }
};

void interruption() {
  std::atomic<int> left{0};
  expect_interrupted("long tasks of every thread are left", [&](Interrupt& interrupt) {
    parallel_for(3, 3, interrupt, [&](std::size_t, std::size_t) {
      const Leaving leaving{left};
      endless(interrupt);
    });
  });
  need(left >= 1, "tasks were run");
  expect_interrupted("a worker is stopped while the entering thread waits", [&](Interrupt& interrupt) {
    parallel_for(2, 2, interrupt, [&](std::size_t, std::size_t thread) {
      if (thread > 0) endless(interrupt);
    });
    endless(interrupt);  // the entering thread may have been given both tasks
  });
  expect_interrupted("a task that has threads of its own is left", [&](Interrupt& interrupt) {
    parallel_for(2, 2, interrupt, [&](std::size_t, std::size_t) {
      parallel_for(2, 2, interrupt, [&](std::size_t, std::size_t) { endless(interrupt); });
      need(false, "after an interrupted loop nothing is run");
    });
  });
  expect_interrupted("the models of the nodes of a tree", [&](Interrupt& interrupt) {
    const std::int64_t parent[] = {-1, 0, 0, 0};
    NodeRows nodes;
    nodes.n_nodes = 4, nodes.parent = parent;
    models_of_nodes(nodes, 3, interrupt, [&](std::size_t node, const LeafModel*, int) {
      if (node > 0) endless(interrupt);
      return LeafModel();
    });
  });
}

// Fits on several threads that share an interrupt: the thread sanitizer looks at them.
void shared_pulse() {
  constexpr std::size_t n = 200, d = 3;
  Rng rng(1);
  std::vector<double> X(n * d), y(n), weight(n, 1.0);
  std::vector<std::uint32_t> rows(n);
  std::vector<std::int64_t> features(d);
  for (double& x : X) x = rng.uniform();
  for (std::size_t i = 0; i < n; ++i) y[i] = rng.uniform(), rows[i] = static_cast<std::uint32_t>(i);
  for (std::size_t j = 0; j < d; ++j) features[j] = static_cast<std::int64_t>(j);
  const Target target{nullptr, y.data(), weight.data(), nullptr, 3};
  thread_gate = 0;
  Interrupt interrupt([](double) {});
  const Standardised data(target, X.data(), d, rows.data(), n, features.data(), d, 3, interrupt);
  std::vector<std::vector<bool>> starts(6, std::vector<bool>(n));
  for (auto& start : starts)
    for (std::size_t i = 0; i < n; ++i) start[i] = rng.uniform() < 0.5;
  need(!plane_directions(data, FitTargets(target, rows.data(), data), {}, {}, starts, 3, interrupt).empty(),
       "directions");
}

}  // namespace

int main() {
  interruption();
  shared_pulse();
}

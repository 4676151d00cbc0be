// Stopping kernels from other threads, and the number of threads started, which tests read.
#include "bind.hpp"
#include "numeric/parallel.hpp"

namespace askew::numeric {
namespace {

double set_thread_gate(double nanoseconds) { return thread_gate.exchange(nanoseconds); }
std::uint64_t count_threads_started() { return threads_started.load(); }

}  // namespace

void bind_threads(nb::module_& m) {
  nb::class_<StopFlag>(m, "StopFlag").def(nb::init<>()).def("set", [](StopFlag& flag) { flag.raised.store(true); });
  m.def("listen_to", [](const StopFlag* flag) { stop_flag = flag; }, nb::arg("flag").none());
  m.def("check_interrupt", &check_interrupt);
  m.def("set_thread_gate", &set_thread_gate, nb::arg("nanoseconds"));
  m.def("threads_started", &count_threads_started);
}

}  // namespace askew::numeric

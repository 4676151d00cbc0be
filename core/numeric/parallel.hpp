// Threads over independent tasks, when they are worth starting, and how a kernel is interrupted. For every method.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace askew::numeric {

// Called now and then from the thread that entered the kernel, with what is done (0 to 1); throws to
// stop. `bind.hpp` sets it to ask Python for Ctrl-C and to report progress.
using Heartbeat = std::function<void(double done)>;

// Thrown on other threads once the heartbeat has thrown; parallel_for rethrows what the heartbeat threw.
struct Stopped {};

class Interrupt {
 public:
  explicit Interrupt(Heartbeat beat)
      : beat_(std::move(beat)), owner_(std::this_thread::get_id()), last_(Clock::now()) {}

  // Cheap to call often, on any thread. The thread that made it calls the heartbeat, at most ten times a second; the
  // others throw if the heartbeat has thrown. Without an argument, the last progress is reported again.
  void check(double done) {
    if (on_owner()) done_ = done;
    check();
  }
  void check() {
    if (!on_owner()) {
      if (stop_.load(std::memory_order_relaxed)) throw Stopped();
      return;
    }
    if (!beat_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    try {
      beat_(done_);
    } catch (...) {
      stop_.store(true);
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool on_owner() const { return std::this_thread::get_id() == owner_; }
  Heartbeat beat_;
  std::thread::id owner_;
  Clock::time_point last_;
  double done_ = 0;
  std::atomic<bool> stop_{false};
};

// The work, in nanoseconds, from which on threads are started: to start and join one takes some 20 000. Tests set it to
// 0, so that small data is worked on by several threads too, and look at how many were started.
inline std::atomic<double> thread_gate{100'000};
inline std::atomic<std::uint64_t> threads_started{0};

// Whether this much work is worth a thread. The nanoseconds of one step are a rough figure.
inline bool worth_threads(double nanoseconds, std::size_t steps, std::size_t times = 1) {
  return nanoseconds * static_cast<double>(steps) * static_cast<double>(times) >=
         thread_gate.load(std::memory_order_relaxed);
}
inline int threads_for(int threads, double nanoseconds, std::size_t steps, std::size_t times = 1) {
  return worth_threads(nanoseconds, steps, times) ? std::max(threads, 1) : 1;
}
constexpr double kSweepCost = 5;    // to sort a value and sweep over it
constexpr double kMeasureCost = 1;  // to read a value and find the scale of its column

// Threads that are joined whatever happens (std::jthread, which not every standard library has yet).
struct Pool {
  std::vector<std::thread> threads;
  Pool() = default;
  Pool(const Pool&) = delete;
  ~Pool() { join(); }
  void join() {
    for (auto& thread : threads)
      if (thread.joinable()) thread.join();
  }
};

// Address space that a thread gives back when it starts. Its first exception needs memory of the thread's own, and
// glibc ends the process if there is none: where even this much is not to be had, the thread is not started.
class ThreadReserve {
 public:
  ThreadReserve() = default;
  ThreadReserve(ThreadReserve&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  ~ThreadReserve() { release(); }
#if defined(__linux__)
  void acquire() {
    void* memory = ::mmap(nullptr, kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = memory;
  }
  void release() {
    if (void* memory = std::exchange(memory_, nullptr)) ::munmap(memory, kSize);
  }
#else
  void acquire() {}
  void release() {}
#endif

 private:
  static constexpr std::size_t kSize = 1 << 18;
  void* memory_ = nullptr;
};

// Runs task(i, thread) for i in [0, n) on at most `threads` threads. Which thread runs which task is
// left open: the caller reduces results by task number, so the answer is the same for every `threads`.
// The first exception is rethrown here, after every thread has been joined. Long tasks call interrupt.check()
// themselves.
template <class Task>
void parallel_for(std::size_t n, int threads, Interrupt& interrupt, Task task) {
  const auto n_threads = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), n);
  if (n_threads <= 1) {
    for (std::size_t i = 0; i < n; ++i) {
      interrupt.check();
      task(i, std::size_t{0});
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  bool stopped = false;  // the error is on the thread that made `interrupt`
  std::mutex guard;
  const auto note_exception = [&] {
    try {
      throw;
    } catch (const Stopped&) {
      stopped = true;
    } catch (...) {
      if (!error) error = std::current_exception();
    }
    failed.store(true);
  };
  const auto work = [&](std::size_t thread) {
    try {
      for (std::size_t i; !failed.load() && (i = next.fetch_add(1)) < n;) {
        interrupt.check();
        task(i, thread);
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      note_exception();
    }
  };
  std::condition_variable done;
  std::size_t running = 0;
  std::vector<ThreadReserve> reserves;
  const auto help = [&](std::size_t thread) {
    reserves[thread].release();
    static_cast<void>(std::uncaught_exceptions());  // sets up what exceptions need
    work(thread);
    const std::lock_guard lock(guard);
    --running;
    done.notify_one();
  };
  Pool pool;
  try {
    reserves.resize(n_threads);
    pool.threads.reserve(n_threads - 1);
    for (std::size_t t = 1; t < n_threads; ++t) {
      const std::lock_guard lock(guard);
      reserves[t].acquire();
      pool.threads.emplace_back(help, t);
      ++running;
      ++threads_started;
    }
  } catch (...) {
    // No more threads, or no memory for them: the ones that started, and this one, do the work.
  }
  work(0);
  {  // Others may work for long yet: Ctrl-C is checked while waiting for them.
    std::unique_lock lock(guard);
    while (!done.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      try {
        interrupt.check();
      } catch (...) {
        note_exception();
      }
    }
  }
  pool.join();
  if (error) std::rethrow_exception(error);
  if (stopped) throw Stopped();
}

}  // namespace askew::numeric

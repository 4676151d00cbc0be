// Threads over independent tasks, and a polite way to be interrupted.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace askew {

// Called now and then from the thread that entered the kernel, with what is done (0 to 1); throws to
// stop. `bind.cpp` sets it to ask Python for Ctrl-C and to report progress.
using Heartbeat = std::function<void(double done)>;

class Pulse {
 public:
  explicit Pulse(Heartbeat beat) : beat_(std::move(beat)), last_(Clock::now()) {}

  // Cheap to call often; beats at most ten times a second. Only the entering thread may call it. Without an
  // argument, what was done last is told again.
  void check() { check(done_); }
  void check(double done) {
    done_ = done;
    if (!beat_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    try {
      beat_(done);
    } catch (...) {
      stop_.store(true);
      throw;
    }
  }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  Heartbeat beat_;
  Clock::time_point last_;
  double done_ = 0;
  std::atomic<bool> stop_{false};
};

// Runs task(i, thread) for i in [0, n) on at most `threads` threads. Which thread runs which task is
// left open: the caller reduces results by task number, so the answer is the same for every `threads`.
// The first exception is rethrown here, after every thread has been joined.
template <class Task>
void parallel_for(std::size_t n, int threads, Pulse& pulse, Task task) {
  const auto n_threads = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), n);
  if (n_threads <= 1) {
    for (std::size_t i = 0; i < n; ++i) {
      pulse.check();
      task(i, std::size_t{0});
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  std::mutex guard;
  const auto work = [&](std::size_t thread) {
    try {
      for (std::size_t i; !failed.load() && !pulse.stopped() && (i = next.fetch_add(1)) < n;) {
        if (thread == 0) pulse.check();
        task(i, thread);
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!error) error = std::current_exception();
      failed.store(true);
    }
  };
  std::condition_variable done;
  std::size_t running = 0;
  std::vector<std::thread> pool;
  const auto help = [&](std::size_t thread) {
    work(thread);
    const std::lock_guard lock(guard);
    --running;
    done.notify_one();
  };
  try {
    for (std::size_t t = 1; t < n_threads; ++t) {
      const std::lock_guard lock(guard);
      pool.emplace_back(help, t);
      ++running;
    }
  } catch (const std::system_error&) {
    // No more threads to be had: the ones that started, and this one, do the work.
  }
  work(0);
  {  // Others may be at work for long yet: Ctrl-C is heard while they are waited for.
    std::unique_lock lock(guard);
    while (!done.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      try {
        pulse.check();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
  }
  for (auto& thread : pool) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace askew

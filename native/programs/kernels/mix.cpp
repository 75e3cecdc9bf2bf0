#include "kernels/mix.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <numeric>
#include <system_error>

#include "base/clock.hpp"
#include "kernels/mix_thread.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t chain_seed = 0x5eed;

using mix_threads = std::vector<std::unique_ptr<mix_thread>>;

// Sets the flag on destruction, so that threads created before an exception end as well.
class stop_at_exit {
 public:
  explicit stop_at_exit(std::atomic<bool>& stop) : stop_(stop) {}
  ~stop_at_exit() { stop_ = true; }
  stop_at_exit(const stop_at_exit&) = delete;
  stop_at_exit& operator=(const stop_at_exit&) = delete;
  stop_at_exit(stop_at_exit&&) = delete;
  stop_at_exit& operator=(stop_at_exit&&) = delete;

 private:
  std::atomic<bool>& stop_;
};

sigset_t block_ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // cannot fail with a valid set
  return signals;
}

// Waits for a signal; returns false if the deadline passes first.
bool signalled_before(const sigset_t& signals, std::uint64_t deadline_ns) {
  for (;;) {
    const std::uint64_t now_ns = monotonic_ns();
    const std::uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    const timespec timeout{.tv_sec = static_cast<std::time_t>(left_ns / 1'000'000'000U),
                           .tv_nsec = static_cast<long>(left_ns % 1'000'000'000U)};
    if (sigtimedwait(&signals, nullptr, &timeout) > 0) return true;
    if (errno != EINTR) return false;
  }
}

mix_snapshot read_all(const mix_threads& threads) {
  mix_snapshot snapshot;
  snapshot.time_ns = monotonic_ns();
  for (const auto& thread : threads) {
    const function_times times = thread->read();
    for (std::size_t i = 0; i < function_count; ++i) snapshot.function_ns[i] += times[i];
    snapshot.thread_ns.emplace_back(thread->name(),
                                    std::accumulate(times.begin(), times.end(), std::uint64_t{0}));
  }
  return snapshot;
}

// Reads all threads at nearly the same time. A read takes microseconds; if this thread is preempted
// in the middle, the read is repeated up to two times.
mix_snapshot snapshot_of(const mix_threads& threads) {
  constexpr std::uint64_t max_read_ns = 500'000;
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    mix_snapshot snapshot = read_all(threads);
    if (monotonic_ns() - snapshot.time_ns < max_read_ns || attempt == attempts) return snapshot;
  }
}

}  // namespace

void run_mix(const mix_options& options, const snapshot_sink& sink) {
  const sigset_t signals = block_ending_signals();
  std::vector<chain_node> ring(
      std::max<std::size_t>(2, options.working_set_bytes / sizeof(chain_node)));
  link_randomly(ring, chain_seed);
  std::atomic<bool> stop{false};
  mix_threads threads;
  const stop_at_exit stop_at_exit(stop);  // destroyed before the threads, which then end
  for (unsigned i = 0; i < options.threads; ++i) {
    const std::size_t start = ring.size() / options.threads * i;
    threads.push_back(std::make_unique<mix_thread>(i, &ring[start], stop));
  }
  const auto interval_ns = static_cast<std::uint64_t>(options.interval.count());
  const auto duration_ns = static_cast<std::uint64_t>(options.duration.count());
  const std::uint64_t end_ns = duration_ns == 0 ? UINT64_MAX : monotonic_ns() + duration_ns;
  std::uint64_t due_ns = monotonic_ns();
  bool running = sink(snapshot_of(threads));
  while (running) {
    due_ns = std::max(due_ns + interval_ns, monotonic_ns());
    if (signalled_before(signals, std::min(due_ns, end_ns)) || monotonic_ns() >= end_ns) break;
    running = sink(snapshot_of(threads));
  }
  stop = true;
  for (auto& thread : threads) thread->join();
  if (running) sink(snapshot_of(threads));
}

}  // namespace stallscope::kernels

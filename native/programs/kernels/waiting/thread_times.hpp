// The wall time of one thread by state, measured by the thread itself: the expected answer of a
// profiler of waits. A blocking call is enclosed in a timed_wait, which reads the clock, the CPU
// clock and /proc/thread-self/schedstat before and after it, 3 to 5 us together. Time on the CPU
// and in the run queue during the call does not count as waiting. Only the thread itself writes.
//
//   thread_times times;
//   times.begin("worker");  // on the thread
//   {
//     const timed_wait wait(times, wait_state::sleep);
//     clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
//   }
//   times.update();
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::kernels {

// States in which a thread waits, by the names of `stallscope waits`.
enum class wait_state : std::uint8_t {
  lock,
  condition,
  disk_read,
  disk_write,
  network,
  page_fault,
  sleep,
  throttled
};
inline constexpr std::size_t wait_states = 8;
inline constexpr std::array<const char*, wait_states> wait_state_names = {
    "lock", "condition", "disk_read", "disk_write", "network", "page_fault", "sleep", "throttled"};

// The account of a thread from its beginning up to a moment.
struct account_reading {
  std::uint64_t at_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t running_ns = 0;
  std::uint64_t run_queue_ns = 0;
  std::array<std::uint64_t, wait_states> waited_ns{};
  std::uint64_t rest_ns = 0;
};

class alignas(128) thread_times {
 public:
  // Names the calling thread and starts the measurement; has no effect after the first call.
  // Without schedstat, time in the run queue is zero. Throws nothing.
  void begin(const char* name) noexcept;
  // Includes the time up to now.
  void update() noexcept;
  // Counts waiting time outside timed_wait as time in this state: for threads that wait in one
  // place, too often to read clocks.
  void count_rest_as(wait_state state) noexcept { rest_state_ = static_cast<std::size_t>(state); }

  // Sets the part of the time in the run queue in which the thread's cgroup was throttled.
  void set_throttled_ns(std::uint64_t throttled_ns) noexcept { throttled_ns_ = throttled_ns; }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] pid_t tid() const noexcept { return tid_; }
  [[nodiscard]] std::uint64_t wall_ns() const noexcept { return now_.wall_ns - begin_.wall_ns; }
  [[nodiscard]] std::uint64_t running_ns() const noexcept { return now_.cpu_ns - begin_.cpu_ns; }
  [[nodiscard]] std::uint64_t run_queue_ns() const noexcept {
    const std::uint64_t queue_ns = now_.queue_ns - begin_.queue_ns;
    return queue_ns - std::min(queue_ns, throttled_ns_);
  }
  // Returns the waiting time in a state, including the rest if it was counted as this state.
  [[nodiscard]] std::uint64_t waited_ns(std::size_t state) const noexcept;
  // Wall time that is neither running, in the run queue nor a measured wait: stolen time, faults.
  [[nodiscard]] std::uint64_t rest_ns() const noexcept;
  // Iterations that the thread completed.
  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  void add_iterations(std::uint64_t done) noexcept { iterations_ += done; }
  // Number of timed waits.
  [[nodiscard]] std::uint64_t waits() const noexcept { return waits_; }
  // Returns the kept readings in time order, the first at the beginning and the last at the end.
  [[nodiscard]] std::vector<account_reading> readings() const;

 private:
  friend class timed_wait;
  static constexpr std::size_t no_state = wait_states;
  static constexpr std::size_t max_readings = 256;
  static constexpr std::uint64_t first_interval_ns = 10'000'000;

  struct clocks {
    std::uint64_t wall_ns = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t queue_ns = 0;
  };
  [[nodiscard]] clocks read() const noexcept;
  [[nodiscard]] clocks read_once() const noexcept;
  [[nodiscard]] std::uint64_t unmeasured_ns() const noexcept;
  // Sets the time of the account, and keeps a reading of it if the interval is over.
  void advance(const clocks& now) noexcept;
  [[nodiscard]] account_reading reading() const noexcept;

  std::string name_;
  std::atomic<pid_t> tid_ = 0;  // other threads may read it
  descriptor schedstat_;
  clocks begin_;
  clocks now_;
  std::array<std::uint64_t, wait_states> waited_ns_{};
  std::uint64_t throttled_ns_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t iterations_ = 0;
  std::size_t rest_state_ = no_state;
  std::vector<account_reading> readings_;
  std::uint64_t interval_ns_ = first_interval_ns;
};

// Measures a blocking call of the calling thread, from construction to destruction.
class timed_wait {
 public:
  timed_wait(thread_times& times, wait_state state) noexcept
      : times_(times), state_(static_cast<std::size_t>(state)), before_(times.read()) {}
  ~timed_wait();
  timed_wait(const timed_wait&) = delete;
  timed_wait& operator=(const timed_wait&) = delete;
  timed_wait(timed_wait&&) = delete;
  timed_wait& operator=(timed_wait&&) = delete;

 private:
  thread_times& times_;
  std::size_t state_;
  thread_times::clocks before_;
};

}  // namespace stallscope::kernels

#include "kernels/waiting/waiting_kernel.hpp"

#include <ctime>

#include "base/clock.hpp"
#include "kernels/work.hpp"

namespace stallscope::kernels {

std::uint64_t waiting_kernel::run(unsigned thread, std::uint64_t iterations,
                                  const std::atomic<bool>& stop) {
  thread_times& times = times_[thread];
  times.begin(name_of(thread));
  std::uint64_t done = 0;
  while (done < iterations && !stop && iterate(thread, stop)) ++done;
  iterations_[thread].value += done;
  times.add_iterations(done);
  times.update();
  return done;
}

std::uint64_t waiting_kernel::result() const {
  std::uint64_t sum = 0;
  for (const thread_word& done : iterations_) sum += done.value;
  return sum;
}

void compute_for(std::uint64_t cpu_ns) noexcept {
  constexpr std::uint64_t steps = 2000;
  const std::uint64_t end_ns = thread_cpu_ns() + cpu_ns;
  std::uint64_t value = 1;
  while (thread_cpu_ns() < end_ns) value = hot_arithmetic(steps, value);
}

void pause_for(std::uint64_t duration_ns, thread_times& times) noexcept {
  const timespec pause{.tv_sec = static_cast<std::time_t>(duration_ns / 1'000'000'000U),
                       .tv_nsec = static_cast<long>(duration_ns % 1'000'000'000U)};
  const timed_wait wait(times, wait_state::sleep);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
}

std::unique_lock<std::mutex> lock_timed(std::mutex& mutex, thread_times& times) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    const timed_wait wait(times, wait_state::lock);
    lock.lock();
  }
  return lock;
}

}  // namespace stallscope::kernels

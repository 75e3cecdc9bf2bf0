#include "kernels/waiting/thread_times.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>

#include "base/clock.hpp"

namespace stallscope::kernels {
namespace {

std::uint64_t difference(std::uint64_t whole, std::uint64_t part) noexcept {
  return whole > part ? whole - part : 0;
}

}  // namespace

void thread_times::begin(const char* name) noexcept {
  if (tid_ != 0) return;
  name_ = name;
  tid_ = static_cast<pid_t>(syscall(SYS_gettid));
  prctl(PR_SET_NAME, name);
  schedstat_.reset(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  readings_.reserve(max_readings);
  begin_ = now_ = read();
  readings_.push_back(reading());
}

void thread_times::update() noexcept { advance(read()); }

void thread_times::advance(const clocks& now) noexcept {
  now_ = now;
  // Before begin(), nothing is measured.
  if (readings_.empty() || now_.wall_ns < readings_.back().at_ns + interval_ns_) return;
  if (readings_.size() == max_readings) {  // keep every second one
    for (std::size_t i = 0; i < max_readings / 2; ++i) readings_[i] = readings_[2 * i];
    readings_.resize(max_readings / 2);
    interval_ns_ *= 2;
  }
  readings_.push_back(reading());
}

account_reading thread_times::reading() const noexcept {
  account_reading reading{.at_ns = now_.wall_ns,
                          .running_ns = running_ns(),
                          .run_queue_ns = run_queue_ns(),
                          .waited_ns = {},
                          .rest_ns = rest_ns()};
  for (std::size_t state = 0; state < wait_states; ++state)
    reading.waited_ns[state] = waited_ns(state);
  return reading;
}

std::vector<account_reading> thread_times::readings() const {
  auto readings = readings_;
  if (readings.empty() || readings.back().at_ns < now_.wall_ns) readings.push_back(reading());
  return readings;
}

thread_times::clocks thread_times::read() const noexcept {
  constexpr std::uint64_t longest_ns = 50'000;
  constexpr int attempts = 5;
  clocks values = read_once();
  for (int i = 1; i < attempts && monotonic_ns() - values.wall_ns > longest_ns; ++i) {
    values = read_once();  // the thread was preempted between two of the readings
  }
  return values;
}

thread_times::clocks thread_times::read_once() const noexcept {
  clocks values{.wall_ns = monotonic_ns(), .cpu_ns = thread_cpu_ns()};
  std::array<char, 80> text{};  // "run_ns queue_ns slices"
  const ssize_t size = schedstat_ ? pread(schedstat_.get(), text.data(), text.size(), 0) : 0;
  if (size <= 0) return values;
  const char* const end = text.data() + size;
  std::uint64_t run_ns = 0;
  const auto run = std::from_chars(text.data(), end, run_ns);
  if (run.ptr != end) std::from_chars(run.ptr + 1, end, values.queue_ns);
  return values;
}

std::uint64_t thread_times::unmeasured_ns() const noexcept {
  std::uint64_t known_ns = running_ns() + now_.queue_ns - begin_.queue_ns;
  for (const std::uint64_t waited_ns : waited_ns_) known_ns += waited_ns;
  return difference(wall_ns(), known_ns);
}

std::uint64_t thread_times::waited_ns(std::size_t state) const noexcept {
  const bool throttled = state == static_cast<std::size_t>(wait_state::throttled);
  return waited_ns_[state] + (throttled ? throttled_ns_ : 0) +
         (state == rest_state_ ? unmeasured_ns() : 0);
}

std::uint64_t thread_times::rest_ns() const noexcept {
  return rest_state_ == no_state ? unmeasured_ns() : 0;
}

timed_wait::~timed_wait() {
  const thread_times::clocks after = times_.read();
  const std::uint64_t not_waiting_ns =
      after.cpu_ns - before_.cpu_ns + after.queue_ns - before_.queue_ns;
  times_.waited_ns_[state_] += difference(after.wall_ns - before_.wall_ns, not_waiting_ns);
  ++times_.waits_;
  times_.advance(after);
}

}  // namespace stallscope::kernels

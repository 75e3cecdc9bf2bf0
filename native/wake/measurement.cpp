#include "wake/measurement.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <functional>
#include <memory>
#include <system_error>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "wake/answerers.hpp"

namespace stallscope::wake {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

int cpu_of(const plan& options, std::size_t place) {
  return options.cpus.empty() ? -1 : options.cpus[place % options.cpus.size()];
}

void sleep_until(std::uint64_t due_ns) {
  const timespec due{static_cast<time_t>(due_ns / second_ns),
                     static_cast<long>(due_ns % second_ns)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) == EINTR) {
  }
}

// Repeats `sample`, which returns ns, until the duration or the number of samples is reached.
measurement repeat(const plan& options, const std::function<std::uint64_t()>& sample) {
  measurement measured;
  const auto duration_ns = static_cast<std::uint64_t>(options.duration.count());
  const std::uint64_t warm_samples = options.max_samples / 10;
  const std::uint64_t begin = monotonic_ns();
  std::uint64_t recording_since = 0;
  for (std::uint64_t taken = 0, recorded = 0;;) {
    const std::uint64_t latency = sample();
    const std::uint64_t now = monotonic_ns();
    ++taken;
    const bool warming_up =
        taken <= warm_samples || (duration_ns != 0 && now - begin < duration_ns / 10);
    if (!warming_up) {
      if (recorded++ == 0) recording_since = now;
      measured.latencies.record(std::max<std::uint64_t>(latency, 1));
    }
    if (duration_ns != 0 && now - begin >= duration_ns) break;
    if (options.max_samples != 0 && recorded >= options.max_samples) break;
  }
  const std::uint64_t end = monotonic_ns();
  measured.elapsed = std::chrono::nanoseconds(recording_since == 0 ? 0 : end - recording_since);
  return measured;
}

std::uint64_t timer_sample(std::chrono::nanoseconds period) {
  const std::uint64_t due = monotonic_ns() + static_cast<std::uint64_t>(period.count());
  sleep_until(due);
  const std::uint64_t now = monotonic_ns();
  return now > due ? now - due : 0;
}

std::uint64_t request_sample(channel& first, std::chrono::nanoseconds think) {
  if (think.count() > 0) sleep_until(monotonic_ns() + static_cast<std::uint64_t>(think.count()));
  const std::uint64_t sent = monotonic_ns();
  first.round_trip();
  return monotonic_ns() - sent;
}

}  // namespace

measurement measure(const plan& options) {
  // The default slack lets the kernel delay a timer by 50 us.
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  // Try every CPU first: a process that cannot run on its CPU would leave its client waiting.
  for (std::size_t place = options.over ? options.processes : 1; place > 0; --place) {
    run_on(cpu_of(options, place - 1));
  }
  if (!options.over) return repeat(options, [&] { return timer_sample(options.think); });
  std::vector<std::unique_ptr<channel>> links;
  for (unsigned place = 1; place < options.processes; ++place) {
    links.push_back(open_channel(*options.over));
  }
  answerers others;
  for (std::size_t place = 0; place < links.size(); ++place) {
    channel* next = place + 1 < links.size() ? links[place + 1].get() : nullptr;
    others.start(*links[place], next, cpu_of(options, place + 1));
  }
  std::optional<std::chrono::milliseconds> most;
  if (options.duration.count() != 0) {
    most = std::chrono::ceil<std::chrono::milliseconds>(options.duration) + options.patience;
  }
  others.watch(*links.front(), most);
  try {
    return repeat(options, [&] { return request_sample(*links.front(), options.think); });
  } catch (const std::system_error&) {
    if (const char* reason = others.why_ended()) {
      throw failure(exit_code::unable, reason,
                    "run it again, and do not kill or stop its processes");
    }
    throw;
  }
}

}  // namespace stallscope::wake

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

int cpu_of(const plan& asked, std::size_t place) {
  return asked.cpus.empty() ? -1 : asked.cpus[place % asked.cpus.size()];
}

void sleep_until(std::uint64_t due_ns) {
  const timespec due{static_cast<time_t>(due_ns / second_ns),
                     static_cast<long>(due_ns % second_ns)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) == EINTR) {
  }
}

// Repeats one sample, which returns ns, until time or number ends it.
outcome repeat(const plan& asked, const std::function<std::uint64_t()>& sample) {
  outcome found;
  const auto whole = static_cast<std::uint64_t>(asked.duration.count());
  const std::uint64_t warm_samples = asked.most_samples / 10;
  const std::uint64_t begin = monotonic_ns();
  std::uint64_t told_from = 0;
  for (std::uint64_t taken = 0, told = 0;;) {
    const std::uint64_t latency = sample();
    const std::uint64_t now = monotonic_ns();
    ++taken;
    const bool warm = taken <= warm_samples || (whole != 0 && now - begin < whole / 10);
    if (!warm) {
      if (told++ == 0) told_from = now;
      found.latencies.record(std::max<std::uint64_t>(latency, 1));
    }
    if (whole != 0 && now - begin >= whole) break;
    if (asked.most_samples != 0 && told >= asked.most_samples) break;
  }
  const std::uint64_t end = monotonic_ns();
  found.elapsed = std::chrono::nanoseconds(told_from == 0 ? 0 : end - told_from);
  return found;
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
  first.ask();
  return monotonic_ns() - sent;
}

}  // namespace

outcome measure(const plan& asked) {
  // A timer may else be late by its slack of 50 us, on purpose.
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  // A process that could not have its CPU would leave its client waiting: each is tried first.
  for (std::size_t place = asked.over ? asked.processes : 1; place > 0; --place) {
    run_on(cpu_of(asked, place - 1));
  }
  if (!asked.over) return repeat(asked, [&] { return timer_sample(asked.think); });
  std::vector<std::unique_ptr<channel>> links;
  for (unsigned place = 1; place < asked.processes; ++place) {
    links.push_back(open_channel(*asked.over));
  }
  answerers others;
  for (std::size_t place = 0; place < links.size(); ++place) {
    channel* next = place + 1 < links.size() ? links[place + 1].get() : nullptr;
    others.start(*links[place], next, cpu_of(asked, place + 1));
  }
  std::optional<std::chrono::milliseconds> most;
  if (asked.duration.count() != 0) {
    most = std::chrono::ceil<std::chrono::milliseconds>(asked.duration) + asked.patience;
  }
  others.watch(*links.front(), most);
  try {
    return repeat(asked, [&] { return request_sample(*links.front(), asked.think); });
  } catch (const std::system_error&) {
    if (const char* why = others.why_ended()) {
      throw failure(exit_code::unable, why, "run it again; nothing may kill or stop its processes");
    }
    throw;
  }
}

}  // namespace stallscope::wake

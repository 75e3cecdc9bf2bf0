#include "kernels/mix.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <numeric>

using namespace stallscope::kernels;

namespace {

mix_options endless(unsigned threads) {
  return {.duration = std::chrono::nanoseconds(0),
          .interval = std::chrono::milliseconds(2),
          .threads = threads,
          .working_set_bytes = 1U << 16U};
}

std::vector<std::string> names_of(const mix_snapshot& snapshot) {
  std::vector<std::string> names;
  for (const auto& thread : snapshot.thread_ns) names.push_back(thread.first);
  return names;
}

bool everything_ran(const mix_snapshot& snapshot) {
  return std::all_of(snapshot.function_ns.begin(), snapshot.function_ns.end(),
                     [](std::uint64_t ns) { return ns > 0; });
}

}  // namespace

TEST_CASE("function times and thread times have the same sum, and times never decrease") {
  std::vector<mix_snapshot> snapshots;
  run_mix(endless(5), [&](const mix_snapshot& snapshot) {
    snapshots.push_back(snapshot);
    return !everything_ran(snapshot);
  });
  CHECK(names_of(snapshots.back()) ==
        std::vector<std::string>{"arithmetic", "pointers", "branches", "sleeper", "arithmetic-2"});
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    std::uint64_t threads_ns = 0;
    for (const auto& thread : snapshots[i].thread_ns) threads_ns += thread.second;
    const auto& functions = snapshots[i].function_ns;
    CHECK(threads_ns == std::accumulate(functions.begin(), functions.end(), std::uint64_t{0}));
    if (i == 0) continue;
    CHECK(snapshots[i].time_ns > snapshots[i - 1].time_ns);
    for (std::size_t f = 0; f < function_count; ++f) {
      CHECK(functions[f] >= snapshots[i - 1].function_ns[f]);
    }
  }
}

TEST_CASE("a signal ends the run with a last snapshot") {
  for (const int signal : {SIGINT, SIGTERM}) {
    int snapshots = 0;
    run_mix(endless(1), [&](const mix_snapshot&) {
      // Sent to this thread, in which run_mix() waits for the signal.
      if (++snapshots == 1) pthread_kill(pthread_self(), signal);
      return true;
    });
    CHECK(snapshots >= 2);
  }
}

TEST_CASE("the duration ends the run") {
  mix_options options = endless(2);
  options.duration = std::chrono::milliseconds(5);
  int snapshots = 0;
  run_mix(options, [&](const mix_snapshot&) { return ++snapshots > 0; });
  CHECK(snapshots >= 2);
}

#include "load/loader_saturation.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace stallscope::load {
namespace {

struct shares {
  double busy = 0;
  double run_delay = 0;
};

// The maximum over all threads.
shares greatest(std::span<const thread_account> threads) {
  shares largest;
  for (const thread_account& thread : threads) {
    if (thread.wall_ns == 0) continue;
    const auto wall = static_cast<double>(thread.wall_ns);
    const auto worked = thread.cpu_ns - std::min(thread.cpu_ns, thread.spin_ns);
    largest.busy = std::max(largest.busy, static_cast<double>(worked) / wall);
    largest.run_delay =
        std::max(largest.run_delay, static_cast<double>(thread.run_delay_ns.value_or(0)) / wall);
  }
  return largest;
}

std::string text(const char* format, double number) {
  char out[128];
  std::snprintf(out, sizeof out, format, number);
  return out;
}

}  // namespace

loader_saturation check_loader_saturation(std::span<const thread_account> threads,
                                          const measurements& all) {
  const shares largest = greatest(threads);
  const auto own_lag = static_cast<double>(all.own_lag.value_at_percentile(99));
  const auto latency = static_cast<double>(all.intended.value_at_percentile(99));
  const std::string busy = text("a thread was busy %.0f %% of the time", 100 * largest.busy);
  const std::string delay = text("waited for a CPU %.1f %% of the time", 100 * largest.run_delay);
  const std::string lag = text("p99 of the send lag of the loader is %.1f us", own_lag / 1000) +
                          text(" of a latency of %.1f us", latency / 1000);
  std::vector<std::string> reasons;
  if (largest.busy >= max_busy_share) reasons.push_back(busy);
  if (largest.run_delay >= max_run_delay_share) reasons.push_back("a thread " + delay);
  if (own_lag > max_own_lag_share * latency) reasons.push_back(lag);
  if (reasons.empty()) return {false, busy + " and " + delay + "; " + lag};
  std::string why = reasons.front();
  for (std::size_t i = 1; i < reasons.size(); ++i) why += "; " + reasons[i];
  return {true, why};
}

}  // namespace stallscope::load

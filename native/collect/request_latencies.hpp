// Counts the requests that ended, and those that took longer than each of some limits, from their
// marks. Requests that never end are forgotten when there are too many. Costs a look-up per mark.
// One thread.
//
//   request_latencies latencies{{5'000'000}};
//   latencies.note(mark, pid);
//   latencies.counts();   // {ended, longer than 5 ms}
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "requests/ring_reader.hpp"

namespace stallscope::collect {

class request_latencies {
 public:
  static constexpr std::size_t max_open = 65'536;

  explicit request_latencies(std::vector<std::uint64_t> limits_ns)
      : limits_ns_{std::move(limits_ns)}, counts_(limits_ns_.size() + 1) {}

  void note(const requests::request_mark& mark, pid_t pid) {
    if (limits_ns_.empty()) return;
    const auto key = mark.id ^ (static_cast<std::uint64_t>(pid) << 40U);
    if (mark.action == requests::mark_action::begin) {
      if (begins_ns_.size() >= max_open) begins_ns_.clear();
      begins_ns_[key] = mark.time_ns;
      return;
    }
    if (mark.action != requests::mark_action::end) return;
    const auto begin = begins_ns_.find(key);
    if (begin == begins_ns_.end()) return;
    const auto latency_ns = mark.time_ns > begin->second ? mark.time_ns - begin->second : 0;
    begins_ns_.erase(begin);
    ++counts_.front();
    for (std::size_t i = 0; i < limits_ns_.size(); ++i) {
      if (latency_ns > limits_ns_[i]) ++counts_[i + 1];
    }
  }

  // The requests that ended so far, then those above each limit. Empty without limits.
  [[nodiscard]] std::vector<std::uint64_t> counts() const {
    return limits_ns_.empty() ? std::vector<std::uint64_t>{} : counts_;
  }

 private:
  std::vector<std::uint64_t> limits_ns_;
  std::vector<std::uint64_t> counts_;
  std::unordered_map<std::uint64_t, std::uint64_t> begins_ns_;
};

}  // namespace stallscope::collect

#include "load/stall_log.hpp"

#include <algorithm>

namespace stallscope::load {

void stall_log::add(std::uint64_t from_ns, std::uint64_t to_ns) {
  from_ns = std::max(from_ns, last_ns_);
  if (from_ns >= to_ns) return;
  const std::uint64_t length_ns = to_ns - from_ns;
  total_ns_ += length_ns;
  last_ns_ = to_ns;
  if (kept_.size() == max_count) {
    const interval& before = kept_.back();
    from_ns -= before.to_ns - before.from_ns;
    kept_.back() = {from_ns, to_ns};
  } else if (!kept_.empty() && kept_.back().to_ns == from_ns) {
    kept_.back().to_ns = to_ns;
  } else {
    kept_.push_back({from_ns, to_ns});
  }
}

std::uint64_t stall_log::since(std::uint64_t time_ns) {
  while (!kept_.empty() && kept_.front().to_ns <= time_ns) {
    total_ns_ -= kept_.front().to_ns - kept_.front().from_ns;
    kept_.pop_front();
  }
  if (kept_.empty()) return 0;
  return total_ns_ - (std::max(time_ns, kept_.front().from_ns) - kept_.front().from_ns);
}

}  // namespace stallscope::load

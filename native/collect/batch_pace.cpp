#include "collect/batch_pace.hpp"

#include <algorithm>

namespace stallscope::collect {
namespace {

// The rest of the age is for the helper, which also waits for a CPU.
constexpr std::uint64_t pauses_per_age = 2;

}  // namespace

std::uint64_t batch_pace::pause_ns(std::uint64_t age_ns, std::size_t samples) noexcept {
  const auto longest = std::clamp(age_ns / pauses_per_age, shortest_pause_ns, longest_pause_ns);
  pause_ns_ = samples > full_batch ? std::max(pause_ns_ / 2, shortest_pause_ns) : 2 * pause_ns_;
  pause_ns_ = std::min(pause_ns_, longest);
  return pause_ns_;
}

}  // namespace stallscope::collect

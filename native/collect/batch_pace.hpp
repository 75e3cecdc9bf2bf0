// The interval at which the samples of runtimes are passed to their helper. A longer one costs
// fewer changes of context, which are most of the cost of a sample; a reader sets a limit by the
// age at which its samples are too old, and the helper has room for a limited number of samples.
// Costs a few instructions. One thread.
//
//   batch_pace pace;
//   sleep(pace.pause_ns(age_ns, count_of_samples_of_the_last_batch));
#pragma once

#include <cstddef>
#include <cstdint>

namespace stallscope::collect {

class batch_pace {
 public:
  static constexpr std::uint64_t shortest_pause_ns = 1'000'000;
  static constexpr std::uint64_t longest_pause_ns = 20'000'000;
  static constexpr std::size_t full_batch = 64;

  // `age_ns`: at which samples are too old.
  std::uint64_t pause_ns(std::uint64_t age_ns, std::size_t samples) noexcept;

 private:
  std::uint64_t pause_ns_ = shortest_pause_ns;
};

}  // namespace stallscope::collect

// What a storm is asked to be: rounds of a latency-sensitive reader beside a writer, through the
// I/O queue, each with its limit and shares. Read from JSON that anyone may have written: every
// number is bounded, every name checked. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disk/plan.hpp"
#include "ioqueue/cost.hpp"

namespace stallscope::storm {

struct stream_choice {
  unsigned depth = 1;  // 0: no such stream
  std::uint32_t block_bytes = 4096;
};

struct round {
  std::string id = {};
  std::optional<unsigned> limit = {};  // in requests; nothing: none
  std::optional<std::array<std::uint32_t, 2>> shares =
      {};  // reader's, writer's; nothing: one class
  stream_choice reader = {};
  stream_choice writer{.depth = 0, .block_bytes = 131'072};
  double warmup_s = 0;
  double duration_s = 1;
  std::uint64_t seed = 1;
};

struct plan {
  disk::plan disk;  // the target, how it runs, and as its points what the streams do
  std::optional<ioqueue::device_rates> rates;
  std::vector<round> rounds;
};

// Throws failure (usage), which names the member that is not as it must be.
plan read_plan(std::string_view json);

}  // namespace stallscope::storm

// The plan of a storm: rounds of a latency-sensitive reader beside a writer through the I/O queue,
// with a limit and shares per round. Read from untrusted JSON: every number is checked for its
// range and every name is validated. Any thread.
//
//   const plan plan = read_plan(text);
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

struct stream_settings {
  unsigned depth = 1;  // 0: no stream
  std::uint32_t block_bytes = 4096;
};

struct round {
  std::string id = {};
  std::optional<unsigned> limit = {};  // in requests; empty: no limit
  std::optional<std::array<std::uint32_t, 2>> shares =
      {};  // of reader and writer; empty: both share a class
  stream_settings reader = {};
  stream_settings writer{.depth = 0, .block_bytes = 131'072};
  double warmup_s = 0;
  double duration_s = 1;
  std::uint64_t seed = 1;
};

struct plan {
  disk::plan disk;  // target and settings; its points describe the streams
  std::optional<ioqueue::device_rates> rates;
  std::vector<round> rounds;
};

// Throws failure (usage) that names the invalid member.
plan read_plan(std::string_view json);

}  // namespace stallscope::storm

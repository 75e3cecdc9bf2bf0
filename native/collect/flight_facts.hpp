// What recording.json says about a recording of the last seconds before a trigger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stallscope::collect {

struct flight_trigger {
  std::uint64_t at_ns = 0;  // CLOCK_MONOTONIC
  std::string text;
};

struct flight_facts {
  std::uint64_t began_ns = 0;  // of the waiting
  std::uint64_t from_ns = 0;   // the recording is complete from here on
  std::uint64_t overwritten_samples = 0;
  std::uint64_t overwritten_bytes = 0;
  std::uint64_t side_records_dropped = 0;
  std::uint64_t definitions_dropped = 0;
  bool memory_limited = false;  // the limit of memory left less than the time requested
  std::optional<flight_trigger> trigger;
};

}  // namespace stallscope::collect

// Sums of the disk counters of all shards, for INFO and the metrics. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "server/shards/disk_counters.hpp"

namespace stallscope::server {

class shared_server;

enum class number_kind : std::uint8_t { counter, level };
// How the numbers of the shards are combined.
enum class number_merge : std::uint8_t { sum, largest, least };

struct disk_number {
  std::string_view name;
  number_kind kind;
  number_merge merge;
  std::string_view help;
  gauge disk_counters::*of;
};
struct disk_class_number {
  std::string_view name;
  number_kind kind;
  number_merge merge;
  std::string_view help;
  gauge disk_class_counters::*of;
};

[[nodiscard]] std::span<const disk_number> disk_numbers();
[[nodiscard]] std::span<const disk_class_number> disk_class_numbers();

[[nodiscard]] std::uint64_t total_of(const shared_server& server, const disk_number& number);
[[nodiscard]] std::uint64_t total_of(const shared_server& server, const disk_class_number& number,
                                     std::size_t io_class);

}  // namespace stallscope::server

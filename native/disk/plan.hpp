// What the disk engine is asked to do: a target and points to measure on it, one after the other.
// Read from JSON that anyone may have written: every number is bounded, every name checked. Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::disk {

enum class pattern { random, sequential };
enum class engine { uring, preadv2 };

// A device in virtual time: so many servers, each of which serves one request at a time.
struct simulated_device {
  unsigned servers = 1;
  std::uint64_t service_ns = 1'000'000;
  bool exponential = false;  // service times; else all the same
};

struct target {
  std::string path;       // for messages, and opened where no descriptor is given
  std::optional<int> fd;  // inherited, opened as it is to be used
  std::uint64_t offset = 0;
  std::uint64_t span_bytes = 0;
  bool writable = false;  // nothing is ever written to a target that is not
  std::optional<simulated_device> simulated;
};

struct point {
  std::string id;
  unsigned depth = 1;
  std::uint32_t block_bytes = 4096;
  disk::pattern pattern = disk::pattern::random;
  double read_share = 1;
  std::optional<double> rate_per_s;  // an open loop at this rate; else a closed loop
  double warmup_s = 0;
  double duration_s = 1;
  std::optional<std::uint64_t> most_requests;  // after the warm-up
  disk::engine engine = disk::engine::uring;
  unsigned batch = 1;      // completions that are waited for before the next requests are submitted
  bool registered = true;  // buffers and file
  std::uint64_t seed = 1;
};

struct plan {
  disk::target target;
  bool real_time = true;
  std::optional<int> cpu;
  std::string log;
  std::vector<point> points;
};

inline constexpr unsigned most_depth = 4096;
inline constexpr std::uint32_t most_block_bytes = 16U << 20U;
inline constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 30U;
inline constexpr std::size_t most_points = 10'000;
inline constexpr std::size_t most_plan_bytes = std::size_t{8} << 20U;

// Throws failure (usage), which names the member that is not as it must be.
plan read_plan(std::string_view json);

}  // namespace stallscope::disk

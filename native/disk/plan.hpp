// The measurement plan of the disk engine: a target and a list of points to measure in order. Read
// from untrusted JSON: every number is checked for its range and every name is validated. Any
// thread.
//
//   const plan plan = read_plan(text);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::disk {

enum class pattern { random, sequential };
enum class engine { uring, preadv2 };

// A device in virtual time with N servers; a server handles one request at a time.
struct simulated_device {
  unsigned servers = 1;
  std::uint64_t service_ns = 1'000'000;
  bool exponential = false;  // exponential or fixed service times
};

struct target {
  std::string path;       // for messages; opened if `fd` is empty
  std::optional<int> fd;  // inherited descriptor, used as it was opened
  std::uint64_t offset = 0;
  std::uint64_t span_bytes = 0;
  bool writable = false;  // writes are rejected unless set
  std::optional<simulated_device> simulated;
};

struct point {
  std::string id;
  unsigned depth = 1;
  std::uint32_t block_bytes = 4096;
  disk::pattern pattern = disk::pattern::random;
  double read_share = 1;
  std::optional<double> rate_per_s;  // open loop at this rate; closed loop if empty
  double warmup_s = 0;
  double duration_s = 1;
  std::optional<std::uint64_t> max_requests;  // after the warm-up
  disk::engine engine = disk::engine::uring;
  unsigned batch = 1;      // completions to wait for before the next submission
  bool registered = true;  // register buffers and file with io_uring
  std::uint64_t seed = 1;
};

struct plan {
  disk::target target;
  bool real_time = true;
  std::optional<int> cpu;
  std::string log;
  std::vector<point> points;
};

inline constexpr unsigned max_depth = 4096;
inline constexpr std::uint32_t max_block_bytes = 16U << 20U;
inline constexpr std::uint64_t max_buffer_bytes = std::uint64_t{1} << 30U;
inline constexpr std::size_t max_points = 10'000;
inline constexpr std::size_t max_plan_bytes = std::size_t{8} << 20U;

// Throws failure (usage) that names the invalid member.
plan read_plan(std::string_view json);

}  // namespace stallscope::disk

// Validated options of the loader; times in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stallscope::load {

inline constexpr std::uint64_t second_ns = 1'000'000'000;

enum class arrival_process { poisson, fixed };

// When requests are due. Closed loop: the next request of a connection is due `think_ns` after a
// reply. Open loop: requests are due at `rate_per_s`, whatever the target does.
struct schedule {
  std::optional<double> rate_per_s;  // nothing: closed loop
  arrival_process arrivals = arrival_process::poisson;
  std::uint64_t think_ns = 0;
  unsigned pipeline = 1;  // requests in flight per connection
  std::uint64_t warmup_ns = 0;
  std::uint64_t duration_ns = 10 * second_ns;  // measured time after the warm-up
  std::uint64_t max_requests = 0;              // limit of measured requests; 0: none
  std::uint64_t seed = 1;
};

// The requests: GET and SET of keys, ECHO of sequence numbers, or the contents of a file.
struct request_mix {
  std::uint64_t keys = 100'000;
  std::optional<double> zipf;  // exponent; nothing: uniform
  std::size_t min_value_bytes = 64;
  std::size_t max_value_bytes = 64;
  double read_share = 0.9;
  std::string request_file;
  bool check = false;
  bool fill = false;  // SET every key once before the warm-up
};

struct options {
  std::string target;
  std::string password_file;
  unsigned connections = 64;
  unsigned threads = 1;
  schedule when;
  request_mix what;
  std::uint64_t spin_ns = 50'000;  // busy-wait this long before a due time
  std::vector<int> cpus;           // assigned to threads round-robin; empty: not pinned
  std::string directory;
  int phases_fd = -1;  // to mark the measured time on; -1: none
};

}  // namespace stallscope::load

// What the loader is asked to do, checked and whole; times in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stallscope::load {

inline constexpr std::uint64_t second_ns = 1'000'000'000;

enum class arrival_process { poisson, fixed };

// When requests are due. Closed: a connection's next request is due `think_ns` after a reply.
// Open: requests are due when they arrive, at `rate_per_s`, whatever the target does.
struct schedule {
  std::optional<double> rate_per_s;  // nothing: closed loop
  arrival_process arrivals = arrival_process::poisson;
  std::uint64_t think_ns = 0;
  unsigned pipeline = 1;  // requests of one connection under way at a time
  std::uint64_t warmup_ns = 0;
  std::uint64_t duration_ns = 10 * second_ns;  // measured, after the warm-up
  std::uint64_t most_requests = 0;             // measured ones; 0: no limit
  std::uint64_t seed = 1;
};

// What is asked: GET or SET of a key, ECHO of sequence numbers, or the requests of a file.
struct request_mix {
  std::uint64_t keys = 100'000;
  std::optional<double> zipf;  // the exponent; nothing: all keys alike
  std::size_t least_value_bytes = 64;
  std::size_t most_value_bytes = 64;
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
  std::uint64_t spin_ns = 50'000;  // a wait for a due time spins so long before it
  std::vector<int> cpus;           // a thread each, in turn; empty: as the system decides
  std::string directory;
};

}  // namespace stallscope::load

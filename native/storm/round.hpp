// One round of a storm from end to end: reader and writer in closed loops through one queue over
// one device, by one thread, with what they met and where requests waited. Blocks until it is over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "disk/account_watch.hpp"
#include "disk/point_loop.hpp"
#include "storm/plan.hpp"
#include "storm/stream.hpp"

namespace stallscope::storm {

struct round_result {
  round asked;
  bool modelled = false;
  bool real_time = false;
  bool interrupted = false;
  std::uint64_t begin_ns = 0;  // of the window, by the clock of the round
  std::uint64_t end_ns = 0;
  std::optional<stream_counts> reader;
  std::optional<stream_counts> writer;
  double pending = 0;    // mean requests in our queue
  double in_flight = 0;  // mean requests below it
  std::uint64_t limit_hits = 0;
  std::optional<double> iowait_share;
  disk::thread_account account;

  [[nodiscard]] double seconds() const noexcept {
    return static_cast<double>(end_ns - begin_ns) / 1e9;
  }
  // Why the round is not to be trusted; empty where it is.
  [[nodiscard]] std::vector<std::string> failed() const;
};

// `fd` is not looked at where the target is simulated. Throws std::system_error where the kernel
// gives no ring or no memory.
round_result run_round(const plan& all, const round& asked, int fd, disk::run_control& control);

}  // namespace stallscope::storm

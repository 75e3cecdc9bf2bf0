// Runs one round of a storm: reader and writer in closed loops through one queue to one device, on
// one thread, with their latencies and the mean numbers of waiting requests. Blocks until the round
// is complete.
//
//   const round_result result = run_round(plan, plan.rounds[0], fd, control);
//   result.reader->total.values.value_at_percentile(99);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/phase_marks.hpp"
#include "disk/account_watch.hpp"
#include "disk/point_loop.hpp"
#include "storm/plan.hpp"
#include "storm/stream.hpp"

namespace stallscope::storm {

struct round_result {
  storm::round round;
  bool modelled = false;
  bool real_time = false;
  bool interrupted = false;
  std::uint64_t begin_ns = 0;  // of the window, by the round's clock
  std::uint64_t end_ns = 0;
  std::optional<stream_counts> reader;
  std::optional<stream_counts> writer;
  double pending = 0;    // mean number of requests in the queue
  double in_flight = 0;  // mean number of requests in the kernel and the device
  std::uint64_t limit_hits = 0;
  std::optional<double> iowait_share;
  disk::thread_account account;

  [[nodiscard]] double seconds() const noexcept {
    return static_cast<double>(end_ns - begin_ns) / 1e9;
  }
  // Reasons to reject the result; empty if it is valid.
  [[nodiscard]] std::vector<std::string> failed() const;
};

// `fd` is ignored if the target is simulated, as are the marks. Throws std::system_error if a ring
// or memory cannot be created.
round_result run_round(const plan& plan, const storm::round& round, int fd,
                       disk::run_control& control, const phase_marks& marks = phase_marks{-1});

}  // namespace stallscope::storm

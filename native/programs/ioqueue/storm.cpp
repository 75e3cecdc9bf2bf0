// `stallscope-ioqueue storm`: a latency-sensitive reader beside a writer, both in closed loops
// through the I/O queue. The plan is one JSON document on standard input, up to its end:
//
//   {"schema": "stallscope.io.storm/1",
//    "target": {"path": "...", "fd": N, "offset": 0, "span_bytes": N, "writable": true,
//               "simulated": {"servers": 8, "service_ns": 1000000, "service": "fixed"}},
//    "real_time": true, "cpu": N, "log": "reader.hlog",
//    "rates": {"read_iops": N, "read_bandwidth": N, "write_iops": N, "write_bandwidth": N},
//    "rounds": [{"id": "...", "limit": N, "shares": [100, 100],
//                "reader": {"depth": 1, "block_bytes": 4096},
//                "writer": {"depth": 0, "block_bytes": 131072},
//                "warmup_s": 0, "duration_s": 1, "seed": 1}]}
//
// target: as for `points` (points.cpp). Reader and writer access random blocks of the same span. A
// plan with a writer requires `writable`.
// rounds: run in the order of the plan. `limit` is the number of requests that the queue admits to
// the device; absent or null: no limit. `shares` are those of the reader's and the writer's class;
// absent or null: both share a class, first in, first out. A stream of depth 0 does not exist,
// which is the default for the writer. `rates`: as in io-properties.yaml, with bandwidths in bytes
// per second. The cost of a request then depends on its size and direction, and the limit is the
// cost of `limit` of the most expensive requests. Absent or null: every request costs 1. `log`: the
// reader's latencies, one interval per round. Absent or null members have the values above; limit,
// shares, rates, CPU, log and simulated device are then unset.
//
// Standard output has one JSON object per line:
//   begin     version, source ("measured", "modelled"), io_uring (null, or why it is unavailable:
//             then no storm runs), real_time (null, or why not), direct
//   progress  id, elapsed_s, requests; four per second
//   round     id, source, real_time, limit, shares, reader_depth, writer_depth, seconds,
//             reader, writer: null if absent, else {requests, bytes, iops, bytes_per_s,
//               errors {name: count}, latency_ns and delay_ns {min, mean, p50, p90, p99, p99.9,
//               p99.99, max} or null, histogram [[lowest_ns, highest_ns, count]...]}; latency is
//               from submission to the queue to completion, delay is the part in the queue,
//             pending: mean number of requests in the queue,
//             in_flight: mean number of requests in the kernel and the device,
//             limit_hits, iowait_share (of all CPUs' time, or null), cpu_s, cpu_delay_share,
//             interrupted, ok, failed [reasons]
//   end       interrupted
//   error     message, remedy, exit_code; the last line, instead of `end`
// SIGINT and SIGTERM end the current round, whose result is printed, and skip the remaining rounds.
#include "storm.hpp"

#include <chrono>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "disk/ring.hpp"
#include "disk/target_file.hpp"
#include "exchange.hpp"
#include "storm/document.hpp"

namespace stallscope::ioqueue {
namespace {

void log_round(histogram::interval_log& log, const storm::round_result& result,
               std::uint64_t start_ns) {
  if (!result.reader) return;
  log.append(std::chrono::nanoseconds(result.begin_ns - start_ns),
             std::chrono::nanoseconds(result.end_ns - result.begin_ns),
             result.reader->total.values);
}

}  // namespace

int storm(int phases_fd) {
  const storm::plan plan = storm::read_plan(read_input());
  disk::run_control& control = handle_stop_signals();
  disk::target_file file;
  const bool modelled = plan.disk.target.simulated.has_value();
  if (!modelled) file = disk::open_target(plan.disk);
  const std::uint64_t start_ns = monotonic_ns();
  auto log = open_log(plan.disk.log, start_ns);
  const std::string refusal = modelled ? "" : disk::uring_refusal();
  print_begin({.modelled = modelled,
               .real_time = plan.disk.real_time,
               .direct = file.direct,
               .uring_refusal = refusal});
  if (!refusal.empty()) {
    throw failure(exit_code::unable, "the storm requires io_uring: " + refusal,
                  "allow io_uring: check sysctl kernel.io_uring_disabled and the seccomp filter of "
                  "the container");
  }
  for (const storm::round& round : plan.rounds) {
    if (control.stop) break;
    const storm::round_result result = with_progress(round.id, control, [&] {
      return storm::run_round(plan, round, file.fd.get(), control, phase_marks{phases_fd});
    });
    print(storm::round_line(result));
    if (log) log_round(*log, result, modelled ? 0 : start_ns);
  }
  print_end(control);
  return static_cast<int>(exit_code::done);
}

}  // namespace stallscope::ioqueue

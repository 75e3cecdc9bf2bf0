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
// target: as for `points` (points.cpp). Reader and writer go to random blocks of the same span; a
// target that is written to has to be said to be writable.
// rounds: run one after the other, in the order of the plan. `limit` is how many requests the queue
// lets into the device; absent or null: all. `shares` are the reader's and the writer's, each
// having a class of its own; absent or null: both are in one class, first in, first out. A stream
// of depth 0 is not there, which is what a writer is unless it is named.
// `rates`, as in io-properties.yaml, bandwidths in bytes a second: requests then cost by size and
// direction, and the limit is on the cost of so many of the dearest requests. Absent or null: each
// request costs one.
// `log`: the reader's latencies, an interval a round. What is absent or null is as shown above;
// limit, shares, rates, CPU, log and simulated device: none.
//
// Standard output has one JSON object a line:
//   begin     version, source ("measured", "modelled"), io_uring (null, or why it is not to be
//             had: then there is no storm), real_time (null, or why not), direct
//   progress  id, elapsed_s, requests; four a second
//   round     id, source, real_time, limit, shares, reader_depth, writer_depth, seconds,
//             reader, writer: null where there is none, else {requests, bytes, iops, bytes_per_s,
//               errors {name: count}, latency_ns and delay_ns {min, mean, p50, p90, p99, p99.9,
//               p99.99, max} or null, histogram [[lowest_ns, highest_ns, count]...]}; latency is
//               from when a request was given to the queue to its end, delay what it waited there,
//             pending: mean number of requests that waited in our queue,
//             in_flight: mean number below it, in the kernel and the device,
//             limit_hits, iowait_share (of all CPUs' time, or null), cpu_s, cpu_delay_share,
//             interrupted, ok, failed [reasons]
//   end       interrupted
//   error     message, remedy, exit_code; the last line, in the place of `end`
// SIGINT and SIGTERM end the round in hand, which is kept and told, and those after it are not
// begun.
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

int storm() {
  const storm::plan plan = storm::read_plan(read_input());
  disk::run_control& control = listen_to_signals();
  disk::target_file file;
  const bool modelled = plan.disk.target.simulated.has_value();
  if (!modelled) file = disk::open_target(plan.disk);
  const std::uint64_t start_ns = monotonic_ns();
  auto log = open_log(plan.disk.log, start_ns);
  const std::string refusal = modelled ? "" : disk::uring_refusal();
  tell_begin({.modelled = modelled,
              .real_time = plan.disk.real_time,
              .direct = file.direct,
              .uring_refusal = refusal});
  if (!refusal.empty()) {
    throw failure(exit_code::unable, "no storm without io_uring: " + refusal,
                  "allow io_uring: sysctl kernel.io_uring_disabled, and the container's seccomp");
  }
  for (const storm::round& round : plan.rounds) {
    if (control.stop) break;
    const storm::round_result result = with_progress(
        round.id, control, [&] { return storm::run_round(plan, round, file.fd.get(), control); });
    print(storm::round_line(result));
    if (log) log_round(*log, result, modelled ? 0 : start_ns);
  }
  tell_end(control);
  return static_cast<int>(exit_code::done);
}

}  // namespace stallscope::ioqueue

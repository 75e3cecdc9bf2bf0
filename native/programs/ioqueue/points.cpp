// `stallscope-ioqueue points`: the plan is one JSON document on standard input, up to its end:
//
//   {"schema": "stallscope.io.plan/1",
//    "target": {"path": "...", "fd": N, "offset": 0, "span_bytes": N, "writable": false,
//               "simulated": {"servers": 8, "service_ns": 1000000, "service": "fixed"}},
//    "real_time": true, "cpu": N, "log": "points.hlog",
//    "points": [{"id": "...", "depth": 1, "block_bytes": 4096, "pattern": "random",
//                "read_share": 1.0, "rate_per_s": R, "warmup_s": 0, "duration_s": 1,
//                "most_requests": N, "engine": "uring", "batch": 1, "registered": true,
//                "seed": 1}]}
//
// target: `fd` is a descriptor inherited from the parent, used as it was opened. Without `fd`,
// `path` is opened for direct reads and cannot be written. `simulated` needs neither: it is a
// device in virtual time, whose results are modelled ("service" is "fixed" or "exponential").
// Writes are rejected unless `writable` is set. points: "pattern" is "random" or "sequential",
// "engine" is "uring" or "preadv2". `rate_per_s` selects an open loop, whose latency counts from
// the due time. The loop waits for `batch` completions before it submits again. Absent or null
// members have the values above; rate, count, log, CPU and simulated device are then unset.
//
// Standard output has one JSON object per line:
//   begin     version, io_uring (null, or why it is unavailable), real_time (null, or why not),
//             direct, source ("measured", "modelled")
//   progress  id, elapsed_s, requests; four per second
//   point     the point's result (see point_document.cpp), in the order of the plan
//   end       interrupted
//   error     message, remedy, exit_code; the last line, instead of `end`
// SIGINT and SIGTERM end the current point, whose result is printed, and skip the remaining points.
#include "points.hpp"
#include "base/json.hpp"

#include <chrono>
#include <string>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "disk/point_document.hpp"
#include "disk/point_run.hpp"
#include "disk/ring.hpp"
#include "disk/target_file.hpp"
#include "exchange.hpp"

namespace stallscope::ioqueue {
namespace {

void log_point(histogram::interval_log& log, const disk::measurements& measured,
               std::uint64_t start_ns) {
  histogram::histogram both = measured.reads.values;
  both.add(measured.writes.values);
  const std::uint64_t begin_ns = measured.begin_ns > start_ns ? measured.begin_ns - start_ns : 0;
  log.append(std::chrono::nanoseconds(begin_ns),
             std::chrono::nanoseconds(measured.end_ns - measured.begin_ns), both);
}

}  // namespace

int points() {
  const disk::plan plan = disk::read_plan(read_input());
  disk::run_control& control = handle_stop_signals();
  disk::target_file file;
  const bool modelled = plan.target.simulated.has_value();
  if (!modelled) file = disk::open_target(plan);
  const std::uint64_t start_ns = monotonic_ns();
  auto log = open_log(plan.log, start_ns);
  const disk::measurement_context context{
      .plan = plan, .fd = file.fd.get(), .uring_refusal = modelled ? "" : disk::uring_refusal()};
  print_begin({.modelled = modelled,
               .real_time = plan.real_time,
               .direct = file.direct,
               .uring_refusal = context.uring_refusal});
  for (const disk::point& point : plan.points) {
    if (control.stop) break;
    const disk::point_result result =
        with_progress(point.id, control, [&] { return disk::measure(context, point, control); });
    print(disk::point_line(result));
    if (log) log_point(*log, result.measured, modelled ? 0 : start_ns);
  }
  print_end(control);
  return static_cast<int>(exit_code::done);
}

}  // namespace stallscope::ioqueue

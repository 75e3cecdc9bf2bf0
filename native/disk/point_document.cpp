#include "disk/point_document.hpp"

#include <algorithm>
#include <cmath>

#include "disk/document_parts.hpp"

namespace stallscope::disk {
namespace {

using ordered = nlohmann::ordered_json;

constexpr double slices_per_s = 1e9 / slice_ns;

ordered or_null(std::optional<double> value) { return value ? ordered(*value) : ordered(nullptr); }

// Means over the requests whose submission was timed. The own CPU's part is the most it can be: any
// delay of the thread may have kept all that were in flight waiting.
ordered parts(const point_result& result) {
  const split_times& split = result.found.split;
  ordered found{
      {"queued", nullptr}, {"submitting", nullptr}, {"device", nullptr}, {"own_cpu", nullptr}};
  if (split.requests == 0) return found;
  const auto mean = [&](std::uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(split.requests);
  };
  found["queued"] = mean(split.queued_ns);
  if (result.used == engine::uring) found["submitting"] = mean(split.submitting_ns);
  double device_ns = mean(split.device_ns);
  if (const auto share = result.cpu_delay_share()) {
    const double own_ns = std::min(device_ns, *share * (device_ns + mean(split.submitting_ns)));
    found["own_cpu"] = own_ns;
    device_ns -= own_ns;
  }
  found["device"] = device_ns;
  return found;
}

ordered series(const measurements& found) {
  ordered list = ordered::array();
  // The last slice is cut off where the window ends: left out.
  const std::size_t whole = (found.end_ns - found.begin_ns) / slice_ns;
  for (std::size_t slice = 0; slice < whole; ++slice) {
    const std::uint64_t count = slice < found.series.size() ? found.series[slice] : 0;
    list.push_back(static_cast<double>(count) * slices_per_s);
  }
  return list;
}

}  // namespace

std::string point_line(const point_result& result) {
  const measurements& found = result.found;
  latencies both = found.reads;
  both.sum.add(found.writes.sum);
  both.values.add(found.writes.values);
  const std::vector<std::string> failed = result.failed();
  ordered line{{"kind", "point"}, {"id", result.asked.id}};
  line["source"] = result.modelled ? "modelled" : "measured";
  line["engine"] = result.modelled                ? "simulated"
                   : result.used == engine::uring ? "uring"
                                                  : "preadv2";
  line["registered"] = result.buffers_registered && result.file_registered;
  line["real_time"] = result.real_time;
  line["requests"] = found.requests();
  line["reads"] = found.reads.sum.count;
  line["writes"] = found.writes.sum.count;
  line["errors"] = error_counts(found.errors);
  line["bytes_read"] = found.reads.sum.count * result.asked.block_bytes;
  line["bytes_written"] = found.writes.sum.count * result.asked.block_bytes;
  line["seconds"] = found.seconds();
  line["iops"] = or_null(result.rate_achieved());
  line["latency_ns"] = latency_document(both);
  line["read_latency_ns"] = latency_document(found.reads);
  line["write_latency_ns"] = latency_document(found.writes);
  line["histogram"] = bucket_list(both.values);
  line["parts_ns"] = parts(result);
  const auto cpu_ns = result.modelled ? std::nullopt : result.account.cpu_ns;
  line["cpu_s"] = cpu_ns ? ordered(static_cast<double>(*cpu_ns) / 1e9) : ordered(nullptr);
  line["littles_law_error"] = or_null(result.littles_law_error());
  line["cpu_delay_share"] = or_null(result.cpu_delay_share());
  line["rate_asked"] = or_null(result.asked.rate_per_s);
  line["series"] = series(found);
  line["punts"] = result.account.punts ? ordered(*result.account.punts) : ordered(nullptr);
  line["notes"] = result.notes;
  line["interrupted"] = found.interrupted;
  line["ok"] = failed.empty();
  line["failed"] = failed;
  return line.dump(-1, ' ', false, ordered::error_handler_t::replace);
}

}  // namespace stallscope::disk

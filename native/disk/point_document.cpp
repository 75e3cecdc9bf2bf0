#include "disk/point_document.hpp"

#include <algorithm>
#include <cmath>

#include "disk/document_parts.hpp"

namespace stallscope::disk {
namespace {

constexpr double slices_per_s = 1e9 / slice_ns;

json or_null(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

// Means over the requests whose submission was timed. "own_cpu" is an upper bound: a delay of the
// thread may have delayed all requests in flight.
json parts(const point_result& result) {
  const split_times& split = result.measured.split;
  json document{
      {"queued", nullptr}, {"submitting", nullptr}, {"device", nullptr}, {"own_cpu", nullptr}};
  if (split.requests == 0) return document;
  const auto mean = [&](std::uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(split.requests);
  };
  document["queued"] = mean(split.queued_ns);
  if (result.used == engine::uring) document["submitting"] = mean(split.submitting_ns);
  double device_ns = mean(split.device_ns);
  if (const auto share = result.cpu_delay_share()) {
    const double own_ns = std::min(device_ns, *share * (device_ns + mean(split.submitting_ns)));
    document["own_cpu"] = own_ns;
    device_ns -= own_ns;
  }
  document["device"] = device_ns;
  return document;
}

json series(const measurements& measured) {
  json list = json::array();
  // The last slice is incomplete and is omitted.
  const std::size_t whole = (measured.end_ns - measured.begin_ns) / slice_ns;
  for (std::size_t slice = 0; slice < whole; ++slice) {
    const std::uint64_t count = slice < measured.series.size() ? measured.series[slice] : 0;
    list.push_back(static_cast<double>(count) * slices_per_s);
  }
  return list;
}

}  // namespace

std::string point_line(const point_result& result) {
  const measurements& measured = result.measured;
  latencies both = measured.reads;
  both.sum.add(measured.writes.sum);
  both.values.add(measured.writes.values);
  const std::vector<std::string> failed = result.failed();
  json line{{"kind", "point"}, {"id", result.settings.id}};
  line["source"] = result.modelled ? "modelled" : "measured";
  line["engine"] = result.modelled                ? "simulated"
                   : result.used == engine::uring ? "uring"
                                                  : "preadv2";
  line["registered"] = result.buffers_registered && result.file_registered;
  line["real_time"] = result.real_time;
  line["requests"] = measured.requests();
  line["reads"] = measured.reads.sum.count;
  line["writes"] = measured.writes.sum.count;
  line["errors"] = error_counts(measured.errors);
  line["bytes_read"] = measured.reads.sum.count * result.settings.block_bytes;
  line["bytes_written"] = measured.writes.sum.count * result.settings.block_bytes;
  line["seconds"] = measured.seconds();
  line["iops"] = or_null(result.rate_achieved());
  line["latency_ns"] = latency_document(both);
  line["read_latency_ns"] = latency_document(measured.reads);
  line["write_latency_ns"] = latency_document(measured.writes);
  line["histogram"] = bucket_list(both.values);
  line["parts_ns"] = parts(result);
  const auto cpu_ns = result.modelled ? std::nullopt : result.account.cpu_ns;
  line["cpu_s"] = cpu_ns ? json(static_cast<double>(*cpu_ns) / 1e9) : json(nullptr);
  line["littles_law_error"] = or_null(result.littles_law_error());
  line["cpu_delay_share"] = or_null(result.cpu_delay_share());
  line["rate_requested"] = or_null(result.settings.rate_per_s);
  line["series"] = series(measured);
  line["punts"] = result.account.punts ? json(*result.account.punts) : json(nullptr);
  line["notes"] = result.notes;
  line["interrupted"] = measured.interrupted;
  line["ok"] = failed.empty();
  line["failed"] = failed;
  return line.dump();
}

}  // namespace stallscope::disk

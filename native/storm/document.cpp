#include "storm/document.hpp"

#include "disk/document_parts.hpp"

namespace stallscope::storm {
namespace {

json or_null(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

json stream_document(const std::optional<stream_counts>& counts, double seconds) {
  if (!counts) return nullptr;
  const auto per_s = [&](std::uint64_t count) {
    return seconds > 0 ? json(static_cast<double>(count) / seconds) : json(nullptr);
  };
  return {{"requests", counts->total.sum.count},
          {"bytes", counts->bytes},
          {"iops", per_s(counts->total.sum.count)},
          {"bytes_per_s", per_s(counts->bytes)},
          {"errors", disk::error_counts(counts->errors)},
          {"latency_ns", disk::latency_document(counts->total)},
          {"delay_ns", disk::latency_document(counts->delay)},
          {"histogram", disk::bucket_list(counts->total.values)}};
}

}  // namespace

std::string round_line(const round_result& result) {
  const storm::round& round = result.round;
  const std::vector<std::string> failed = result.failed();
  json line{{"kind", "round"}, {"id", round.id}};
  line["source"] = result.modelled ? "modelled" : "measured";
  line["real_time"] = result.real_time;
  line["limit"] = round.limit ? json(*round.limit) : json(nullptr);
  line["shares"] = round.shares ? json(*round.shares) : json(nullptr);
  line["reader_depth"] = round.reader.depth;
  line["writer_depth"] = round.writer.depth;
  line["seconds"] = result.seconds();
  line["reader"] = stream_document(result.reader, result.seconds());
  line["writer"] = stream_document(result.writer, result.seconds());
  line["pending"] = result.pending;
  line["in_flight"] = result.in_flight;
  line["limit_hits"] = result.limit_hits;
  line["iowait_share"] = or_null(result.iowait_share);
  const auto cpu_ns = result.modelled ? std::nullopt : result.account.cpu_ns;
  line["cpu_s"] = cpu_ns ? json(static_cast<double>(*cpu_ns) / 1e9) : json(nullptr);
  line["cpu_delay_share"] = or_null(result.account.cpu_delay_share());
  line["interrupted"] = result.interrupted;
  line["ok"] = failed.empty();
  line["failed"] = failed;
  return line.dump();
}

}  // namespace stallscope::storm

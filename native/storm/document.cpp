#include "storm/document.hpp"

#include "disk/document_parts.hpp"

namespace stallscope::storm {
namespace {

using ordered = nlohmann::ordered_json;

ordered or_null(std::optional<double> value) { return value ? ordered(*value) : ordered(nullptr); }

ordered stream_document(const std::optional<stream_counts>& found, double seconds) {
  if (!found) return nullptr;
  const auto per_s = [&](std::uint64_t count) {
    return seconds > 0 ? ordered(static_cast<double>(count) / seconds) : ordered(nullptr);
  };
  return {{"requests", found->total.sum.count},
          {"bytes", found->bytes},
          {"iops", per_s(found->total.sum.count)},
          {"bytes_per_s", per_s(found->bytes)},
          {"errors", disk::error_counts(found->errors)},
          {"latency_ns", disk::latency_document(found->total)},
          {"delay_ns", disk::latency_document(found->delay)},
          {"histogram", disk::bucket_list(found->total.values)}};
}

}  // namespace

std::string round_line(const round_result& result) {
  const round& asked = result.asked;
  const std::vector<std::string> failed = result.failed();
  ordered line{{"kind", "round"}, {"id", asked.id}};
  line["source"] = result.modelled ? "modelled" : "measured";
  line["real_time"] = result.real_time;
  line["limit"] = asked.limit ? ordered(*asked.limit) : ordered(nullptr);
  line["shares"] = asked.shares ? ordered(*asked.shares) : ordered(nullptr);
  line["reader_depth"] = asked.reader.depth;
  line["writer_depth"] = asked.writer.depth;
  line["seconds"] = result.seconds();
  line["reader"] = stream_document(result.reader, result.seconds());
  line["writer"] = stream_document(result.writer, result.seconds());
  line["pending"] = result.pending;
  line["in_flight"] = result.in_flight;
  line["limit_hits"] = result.limit_hits;
  line["iowait_share"] = or_null(result.iowait_share);
  const auto cpu_ns = result.modelled ? std::nullopt : result.account.cpu_ns;
  line["cpu_s"] = cpu_ns ? ordered(static_cast<double>(*cpu_ns) / 1e9) : ordered(nullptr);
  line["cpu_delay_share"] = or_null(result.account.cpu_delay_share());
  line["interrupted"] = result.interrupted;
  line["ok"] = failed.empty();
  line["failed"] = failed;
  return line.dump(-1, ' ', false, ordered::error_handler_t::replace);
}

}  // namespace stallscope::storm

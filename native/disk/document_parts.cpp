#include "disk/document_parts.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace stallscope::disk {
json latency_document(const latencies& latency) {
  if (latency.sum.count == 0) return nullptr;
  json document{
      {"min", latency.sum.min_ns},
      {"mean", static_cast<double>(latency.sum.total_ns) / static_cast<double>(latency.sum.count)}};
  for (const auto& [name, percentile] :
       {std::pair{"p50", 50.0}, {"p90", 90.0}, {"p99", 99.0}, {"p99.9", 99.9}, {"p99.99", 99.99}}) {
    document[name] = std::min(latency.values.value_at_percentile(percentile), latency.sum.max_ns);
  }
  document["max"] = latency.sum.max_ns;
  return document;
}

json bucket_list(const histogram::histogram& values) {
  json list = json::array();
  const auto counts = values.counts();
  for (std::size_t index = 0; index < counts.size(); ++index) {
    if (counts[index] == 0) continue;
    list.push_back({values.lowest_at(index), values.highest_at(index), counts[index]});
  }
  return list;
}

json error_counts(const std::map<int, std::uint64_t>& by_errno) {
  json list = json::object();
  for (const auto& [number, count] : by_errno) {
    const char* name = ::strerrorname_np(number);
    list[name != nullptr ? name : std::to_string(number)] = count;
  }
  return list;
}

}  // namespace stallscope::disk

#include "collect/document_parts.hpp"

namespace stallscope::collect {

std::string dump_document(const json& document, int indent) { return document.dump(indent) + "\n"; }

json tool_part() { return {{"name", "stallscope-collect"}, {"version", STALLSCOPE_VERSION}}; }

json host_part(const host_description& host) {
  return {
      {"hostname", host.host_name},
      {"kernel_release", host.kernel_release},
      {"kernel_version", host.kernel_version},
      {"architecture", host.architecture},
      {"cpu_model", host.cpu_model},
      {"cpu_id", host.cpu_id},
      {"cpus_online", host.cpus_online},
      {"memory_bytes", host.memory_bytes},
      {"boot_id", host.boot_id},
      {"virtualization", host.virtualization.empty() ? json(nullptr) : json(host.virtualization)}};
}

json clocks_part(const start_facts& start, const end_facts& end) {
  return {{"samples", "CLOCK_MONOTONIC"},
          {"start_monotonic_ns", start.monotonic_ns},
          {"start_realtime_ns", start.realtime_ns},
          {"end_monotonic_ns", end.monotonic_ns != 0 ? json(end.monotonic_ns) : json(nullptr)}};
}

json files_part(const std::vector<file_entry>& files) {
  json list = json::array();
  for (const auto& file : files)
    list.push_back({{"name", file.name}, {"format", file.format}, {"bytes", file.bytes}});
  return list;
}

json warnings_part(const std::vector<warning>& warnings) {
  json list = json::array();
  for (const auto& item : warnings)
    list.push_back({{"code", item.code}, {"message", item.message}});
  return list;
}

json end_part(const end_facts& end) {
  json status = nullptr;
  if (end.target_status) {
    status = {{end.target_status->signalled ? "signalled" : "exited", end.target_status->number}};
  }
  return {{"reason", end.reason}, {"target_status", status}};
}

}  // namespace stallscope::collect

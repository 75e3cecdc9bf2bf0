#include "collect/document_parts.hpp"

namespace stallscope::collect {

std::string dump_document(const ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json tool_part() {
  return {{"name", "stallscope-collect"}, {"version", STALLSCOPE_VERSION}};
}

ordered_json host_part(const host_description& host) {
  return {{"hostname", host.host_name},
          {"kernel_release", host.kernel_release},
          {"kernel_version", host.kernel_version},
          {"architecture", host.architecture},
          {"cpu_model", host.cpu_model},
          {"cpu_id", host.cpu_id},
          {"cpus_online", host.cpus_online},
          {"memory_bytes", host.memory_bytes},
          {"boot_id", host.boot_id},
          {"virtualization", host.virtualization.empty() ? ordered_json(nullptr)
                                                         : ordered_json(host.virtualization)}};
}

ordered_json clocks_part(const start_facts& start, const end_facts& end) {
  return {{"samples", "CLOCK_MONOTONIC"},
          {"start_monotonic_ns", start.monotonic_ns},
          {"start_realtime_ns", start.realtime_ns},
          {"end_monotonic_ns",
           end.monotonic_ns != 0 ? ordered_json(end.monotonic_ns) : ordered_json(nullptr)}};
}

ordered_json files_part(const std::vector<file_entry>& files) {
  ordered_json list = ordered_json::array();
  for (const auto& file : files)
    list.push_back({{"name", file.name}, {"format", file.format}, {"bytes", file.bytes}});
  return list;
}

ordered_json warnings_part(const std::vector<warning>& warnings) {
  ordered_json list = ordered_json::array();
  for (const auto& item : warnings)
    list.push_back({{"code", item.code}, {"message", item.message}});
  return list;
}

ordered_json end_part(const end_facts& end) {
  ordered_json status = nullptr;
  if (end.target_status) {
    status = {{end.target_status->signalled ? "signalled" : "exited", end.target_status->number}};
  }
  return {{"reason", end.reason}, {"target_status", status}};
}

}  // namespace stallscope::collect

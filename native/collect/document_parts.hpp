// Parts of recording.json that all kinds of recordings share. Pure computation. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "collect/command.hpp"
#include "collect/features.hpp"

namespace stallscope::collect {

struct file_entry {
  std::string name;
  std::string format;
  std::uint64_t bytes = 0;
};

struct end_facts {
  std::string reason;  // empty while recording
  std::optional<exit_status> target_status;
  std::uint64_t monotonic_ns = 0;
};

// One instant on both clocks.
struct start_facts {
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
};

// Names of processes and files may hold any bytes: invalid UTF-8 is replaced.
std::string dump_document(const json& document, int indent);

json tool_part();
json host_part(const host_description& host);
json clocks_part(const start_facts& start, const end_facts& end);
json files_part(const std::vector<file_entry>& files);
json warnings_part(const std::vector<warning>& warnings);
json end_part(const end_facts& end);

}  // namespace stallscope::collect

// The texts of INFO and CONFIG GET, from the counters of the shards. Cost: a pass over the counters
// of all shards. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stallscope::server {

class shared_server;

// An empty list means all sections.
std::string info_text(const shared_server& server, std::span<const std::string_view> sections);
std::vector<std::pair<std::string, std::string>> settings_of(const shared_server& server);

}  // namespace stallscope::server

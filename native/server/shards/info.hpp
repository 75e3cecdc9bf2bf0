// What the server tells about itself in INFO and CONFIG GET, from the shards' counters. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stallscope::server {

class shared_server;

// No sections: all.
std::string info_text(const shared_server& server, std::span<const std::string_view> sections);
std::vector<std::pair<std::string, std::string>> settings_of(const shared_server& server);

}  // namespace stallscope::server

#include "server/shards/disk_access.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace stallscope::server {
namespace {

struct known_access {
  std::string_view name;
  disk_access access;
};

// All other commands may do both.
constexpr std::array known{
    known_access{"get", {.changes = false, .values = true}},
    known_access{"mget", {.changes = false, .values = true}},
    known_access{"strlen", {.changes = false, .values = true}},
    known_access{"exists", {.changes = false, .values = false}},
    known_access{"type", {.changes = false, .values = false}},
    known_access{"ttl", {.changes = false, .values = false}},
    known_access{"pttl", {.changes = false, .values = false}},
    known_access{"setnx", {.changes = true, .values = false}},
    known_access{"setex", {.changes = true, .values = false}},
    known_access{"psetex", {.changes = true, .values = false}},
    known_access{"mset", {.changes = true, .values = false}},
    known_access{"del", {.changes = true, .values = false}},
    known_access{"unlink", {.changes = true, .values = false}},
};

}  // namespace

disk_access access_of(const command& what, request_words words) {
  // With options, SET may return the old value.
  if (what.name == "set") return {.changes = true, .values = words.size() > 3};
  const auto* entry = std::ranges::find(known, what.name, &known_access::name);
  return entry == known.end() ? disk_access{} : entry->access;
}

}  // namespace stallscope::server

// Eviction policies of a keyspace that reaches its memory limit, with the names of redis.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace stallscope::store {

enum class eviction_policy : std::uint8_t {
  noeviction,      // reject writes
  allkeys_lru,     // evict the least recently used of a few sampled keys
  allkeys_random,  // evict any key
  volatile_lru,    // like allkeys-lru, among keys with an expiry
  volatile_ttl,    // evict the key that expires first among a few sampled keys with an expiry
};

inline constexpr std::array<std::string_view, 5> eviction_policy_names{
    "noeviction", "allkeys-lru", "allkeys-random", "volatile-lru", "volatile-ttl"};

std::optional<eviction_policy> eviction_policy_of(std::string_view name);
inline std::string_view name_of(eviction_policy policy) {
  return eviction_policy_names[static_cast<std::size_t>(policy)];
}

struct memory_limit {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  eviction_policy policy = eviction_policy::noeviction;
};

}  // namespace stallscope::store

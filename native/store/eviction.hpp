// What a keyspace does when its memory reaches the limit, by redis's names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace stallscope::store {

enum class eviction_policy : std::uint8_t {
  noeviction,      // writes are refused
  allkeys_lru,     // the longest unused of a few sampled keys goes
  allkeys_random,  // any key goes
  volatile_lru,    // as allkeys-lru among keys with an expiry
  volatile_ttl,    // of a few sampled keys with an expiry the one that expires first
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

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "long_tests.hpp"
#include "store/keyspace.hpp"

using namespace stallscope::store;

namespace {

constexpr std::int64_t filled_ms = 1'700'000'000'000;
constexpr std::size_t limit_bytes = 512 * 1024;

struct full_keyspace : keyspace {
  explicit full_keyspace(eviction_policy policy) : keyspace(hash_seed{1, 2}) {
    advance(filled_ms);
    set_limit({limit_bytes, policy});
  }
  // Whether there was room for the key.
  bool add(const std::string& key, std::size_t value_bytes = 100) {
    if (!make_room()) return false;
    set(key, std::string(value_bytes, 'v'));
    return true;
  }
};

}  // namespace

TEST_CASE("without eviction, writes are rejected at the limit and accepted below it") {
  full_keyspace keys(eviction_policy::noeviction);
  int stored = 0;
  while (keys.add(std::to_string(stored))) ++stored;
  CHECK(stored > 1000);
  CHECK(keys.memory_bytes() <= limit_bytes + 1000);
  CHECK(keys.size() == static_cast<std::size_t>(stored));
  CHECK(keys.counts().evicted == 0);
  for (int number = 0; number < stored / 2; ++number) keys.erase(std::to_string(number));
  CHECK(keys.add("again"));
}

TEST_CASE("with eviction, every write is accepted and memory stays at the limit") {
  for (const auto policy : {eviction_policy::allkeys_lru, eviction_policy::allkeys_random}) {
    full_keyspace keys(policy);
    std::size_t most = 0;
    const int writes = long_tests(10'000, 100'000);
    for (int number = 0; number < writes; ++number) {
      REQUIRE(keys.add(std::to_string(number), static_cast<std::size_t>(number * 37 % 700)));
      most = std::max(most, keys.memory_bytes());
    }
    CHECK(most <= limit_bytes + 1000);
    CHECK(keys.memory_bytes() > limit_bytes / 2);
    CHECK(keys.counts().evicted + keys.size() == static_cast<std::size_t>(writes));
  }
}

TEST_CASE("recently used keys are mostly kept") {
  full_keyspace keys(eviction_policy::allkeys_lru);
  std::int64_t now = filled_ms;
  for (int number = 0; number < 500; ++number) keys.add("used:" + std::to_string(number));
  for (int number = 0; number < 20'000; ++number) {
    now += 16;
    keys.advance(now);
    keys.get("used:" + std::to_string(number % 500));
    keys.add("unused:" + std::to_string(number));
  }
  int left = 0;
  for (int number = 0; number < 500; ++number) {
    left += keys.contains("used:" + std::to_string(number)) ? 1 : 0;
  }
  CHECK(left > 400);
}

TEST_CASE("volatile policies evict only keys with an expiry, then reject writes") {
  for (const auto policy : {eviction_policy::volatile_lru, eviction_policy::volatile_ttl}) {
    full_keyspace keys(policy);
    for (int number = 0; number < 100; ++number) keys.add("kept:" + std::to_string(number));
    for (int number = 0; number < 10'000; ++number) {
      REQUIRE(keys.add("brief:" + std::to_string(number)));
      keys.expire_at("brief:" + std::to_string(number), filled_ms + 1'000'000 - number);
    }
    for (int number = 0; number < 100; ++number) {
      REQUIRE(keys.contains("kept:" + std::to_string(number)));
    }
    int added = 0;
    while (keys.add("more:" + std::to_string(added))) ++added;
    CHECK(keys.volatile_size() == 0);
    CHECK(keys.size() == 100 + static_cast<std::size_t>(added));
  }
}

TEST_CASE("volatile-ttl evicts the keys that expire first") {
  full_keyspace keys(eviction_policy::volatile_ttl);
  for (int number = 0; number < 5'000; ++number) {
    keys.add(std::to_string(number));
    const bool soon = number % 2 == 0;
    keys.expire_at(std::to_string(number), filled_ms + (soon ? 1'000 : 1'000'000) + number);
  }
  int soon_left = 0;
  for (int number = 0; number < 5'000; number += 2) {
    soon_left += keys.contains(std::to_string(number)) ? 1 : 0;
  }
  CHECK(soon_left * 3 < static_cast<int>(keys.size()));
}

TEST_CASE("policies have the names of redis") {
  CHECK(eviction_policy_of("volatile-ttl") == eviction_policy::volatile_ttl);
  CHECK(name_of(eviction_policy::allkeys_lru) == "allkeys-lru");
  CHECK_FALSE(eviction_policy_of("allkeys_lru").has_value());
}

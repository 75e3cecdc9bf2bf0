#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "store/keyspace.hpp"

using namespace stallscope::store;

namespace {
constexpr std::int64_t start_ms = 1'700'000'000'000;

struct fresh_keyspace : keyspace {
  fresh_keyspace() : keyspace(hash_seed{11, 22}) { advance(start_ms); }
};
}  // namespace

TEST_CASE("set, get, replace by shorter and longer values, erase") {
  fresh_keyspace keys;
  CHECK_FALSE(keys.get("k").has_value());
  for (const std::size_t bytes : {3U, 0U, 100U, 5000U, 10U, 9U, 70'000U}) {
    const std::string value(bytes, 'v');
    keys.set("k", value);
    CHECK(keys.get("k") == value);
  }
  keys.set("", "empty name");
  CHECK(keys.get("") == "empty name");
  CHECK(keys.size() == 2);
  CHECK(keys.erase("k"));
  CHECK_FALSE(keys.erase("k"));
  CHECK(keys.counts().hits == 8);
  CHECK(keys.counts().misses == 1);
}

TEST_CASE("a range has the lowest live keys between two keys, in order") {
  fresh_keyspace keys;
  keys.advance(1000);
  for (int i = 0; i < 300; ++i) keys.set(std::to_string(i), "v" + std::to_string(i));
  keys.expire_at("12", 2000);
  keys.advance(3000);
  const auto names = [&](std::string_view first, std::string_view last, std::size_t limit) {
    std::string text;
    for (const auto& entry : keys.range(first, last, limit)) {
      text.append(entry.key).append(" ");
      CHECK(entry.value == "v" + std::string(entry.key));
    }
    return text;
  };
  CHECK(names("1", "12", 100) ==
        "1 10 100 101 102 103 104 105 106 107 108 109 11 110 111 112 113 114 115 "
        "116 117 118 119 ");
  CHECK(names("11", "130", 4) == "11 110 111 112 ");
  CHECK(names("", "\xff", 2) == "0 1 ");
  CHECK(names("5", "4", 10).empty());
  CHECK(keys.range("", "\xff", 1000).size() == 299);
}

TEST_CASE("a known hash is used during its lifetime only") {
  fresh_keyspace keys;
  const std::string name = "k";
  keys.set(name, "v");
  const auto hash = keys.prefetch(name);
  REQUIRE(hash);
  {
    const keyspace::known_hash expected(keys, name, hash);
    CHECK(keys.get(name) == "v");
    CHECK(keys.get("other") == std::nullopt);
    keys.set(name, "w");
    CHECK(keys.size() == 1);
  }
  {
    const keyspace::known_hash wrong(keys, name, *hash + 1);  // proves that the hash is used
    CHECK_FALSE(keys.contains(name));
    CHECK(keys.get(std::string(name)) == "w");
  }
  const keyspace::known_hash none(keys, name, std::nullopt);
  CHECK(keys.get(name) == "w");
  CHECK_FALSE(keys.prefetch(std::string(65, 'k')));
}

TEST_CASE("prefetching changes nothing, for existing, missing and long keys and during a resize") {
  fresh_keyspace keys;
  keys.prefetch("k");
  keys.prefetch("");
  CHECK(keys.memory_bytes() == fresh_keyspace().memory_bytes());
  const std::string longer(100'000, 'k');
  for (int i = 0; i < 5000; ++i) {
    keys.prefetch(std::to_string(i + 1));
    keys.set(std::to_string(i), "v");
    keys.prefetch(std::to_string(i));
    keys.prefetch(longer);
  }
  CHECK(keys.size() == 5000);
  CHECK(keys.counts().hits == 0);
  CHECK(keys.counts().misses == 0);
  for (int i = 0; i < 5000; ++i) CHECK(keys.get(std::to_string(i)) == "v");
}

TEST_CASE("an expired key is gone before a sweep") {
  fresh_keyspace keys;
  keys.set("k", "v");
  CHECK_FALSE(keys.expiry_ms("k").has_value());
  CHECK(keys.expire_at("k", start_ms + 100));
  CHECK(keys.expiry_ms("k") == start_ms + 100);
  keys.advance(start_ms + 99);
  CHECK(keys.get("k") == "v");
  keys.advance(start_ms + 100);
  CHECK_FALSE(keys.get("k").has_value());
  CHECK(keys.size() == 0);
  CHECK(keys.counts().expired == 1);
  CHECK_FALSE(keys.expire_at("k", start_ms + 500));
}

TEST_CASE("set() removes an expiry, set_keeping_expiry() keeps it") {
  fresh_keyspace keys;
  keys.set("k", "v");
  keys.expire_at("k", start_ms + 100);
  keys.set_keeping_expiry("k", std::string(500, 'x'));
  CHECK(keys.expiry_ms("k") == start_ms + 100);
  keys.set("k", "w");
  CHECK_FALSE(keys.expiry_ms("k").has_value());
  keys.expire_at("k", start_ms + 100);
  CHECK(keys.persist("k"));
  CHECK_FALSE(keys.persist("k"));
  CHECK(keys.volatile_size() == 0);
  CHECK(keys.expire_at("k", start_ms - 1));
  CHECK(keys.size() == 0);
}

TEST_CASE("sweeps find all expired keys, a bounded number at a time") {
  fresh_keyspace keys;
  for (int number = 0; number < 1000; ++number) {
    const std::string key = std::to_string(number);
    keys.set(key, key);
    if (number % 2 == 0) keys.expire_at(key, start_ms + 10 + number);
  }
  CHECK(keys.sweep(100) == 0);
  CHECK(keys.mean_ttl_ms() > 0);
  keys.advance(start_ms + 10 + 499);
  CHECK(keys.sweep(100) <= 100);
  for (int turn = 0; turn < 10; ++turn) keys.sweep(100);
  CHECK(keys.size() == 750);
  CHECK(keys.volatile_size() == 250);
  CHECK(keys.counts().expired == 250);
  keys.advance(start_ms + 5000);
  while (keys.sweep(64) > 0) continue;
  CHECK(keys.size() == 500);
  CHECK(keys.get("501") == "501");
}

TEST_CASE("memory use returns to the initial value") {
  fresh_keyspace keys;
  const std::size_t empty = keys.memory_bytes();
  for (int number = 0; number < 5000; ++number) {
    keys.set(std::to_string(number), std::string(static_cast<std::size_t>(number % 300), 'v'));
    keys.expire_at(std::to_string(number), start_ms + 1);
  }
  CHECK(keys.memory_bytes() > std::size_t{5000} * 150);
  SUBCASE("by expiry") {
    keys.advance(start_ms + 1);
    while (keys.sweep(100) > 0) continue;
    CHECK(keys.memory_bytes() < 64 * 1024);
  }
  SUBCASE("by clearing") {
    keys.clear();
    CHECK(keys.memory_bytes() == empty);
  }
  CHECK(keys.size() == 0);
}

TEST_CASE("a long mix of everything matches a plain map") {
  fresh_keyspace keys;
  struct value {
    std::string text;
    std::optional<std::int64_t> at;
  };
  std::map<std::string, value> model;
  std::mt19937 random(5);
  std::int64_t now = start_ms;
  for (int turn = 0; turn < 20'000; ++turn) {
    now += random() % 3;
    keys.advance(now);
    const std::string key = std::to_string(random() % 300);
    const auto known = model.find(key);
    if (known != model.end() && known->second.at && *known->second.at <= now) model.erase(known);
    const std::string text(random() % 200, static_cast<char>('a' + turn % 26));
    switch (random() % 7) {
      case 0:
        keys.set(key, text);
        model[key] = {text, std::nullopt};
        break;
      case 1:
        keys.set_keeping_expiry(key, text);
        model[key].text = text;
        break;
      case 2:
        REQUIRE(keys.erase(key) == (model.erase(key) > 0));
        break;
      case 3: {
        const std::int64_t at = now + 1 + random() % 200;
        REQUIRE(keys.expire_at(key, at) == model.contains(key));
        if (model.contains(key)) model[key].at = at;
        break;
      }
      case 4:
        keys.sweep(5);
        break;
      default:
        REQUIRE(keys.get(key).has_value() == model.contains(key));
        if (model.contains(key)) {
          REQUIRE(keys.get(key) == model[key].text);
          REQUIRE(keys.expiry_ms(key) == model[key].at);
        }
    }
  }
}

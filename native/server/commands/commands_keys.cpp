#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "resp/integer.hpp"
#include "server/commands/handlers.hpp"
#include "server/commands/text.hpp"

namespace stallscope::server::handlers {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

struct expire_conditions {
  bool without_expiry = false;  // NX
  bool with_expiry = false;     // XX
  bool later = false;           // GT
  bool earlier = false;         // LT
};

std::optional<expire_conditions> parse_conditions(request_words words, reply_writer& to) {
  expire_conditions conditions;
  for (const std::string_view word : words) {
    if (is_option(word, "nx")) {
      conditions.without_expiry = true;
    } else if (is_option(word, "xx")) {
      conditions.with_expiry = true;
    } else if (is_option(word, "gt")) {
      conditions.later = true;
    } else if (is_option(word, "lt")) {
      conditions.earlier = true;
    } else {
      to.error("ERR Unsupported option " + std::string(c_text(word, word.size())));
      return std::nullopt;
    }
  }
  if (conditions.without_expiry &&
      (conditions.with_expiry || conditions.later || conditions.earlier)) {
    to.error("ERR NX and XX, GT or LT options at the same time are not compatible");
    return std::nullopt;
  }
  if (conditions.later && conditions.earlier) {
    to.error("ERR GT and LT options at the same time are not compatible");
    return std::nullopt;
  }
  return conditions;
}

// No expiry counts as infinitely late.
bool hold(const expire_conditions& conditions, std::optional<std::int64_t> before_ms,
          std::int64_t at_ms) {
  if (conditions.without_expiry && before_ms) return false;
  if (conditions.with_expiry && !before_ms) return false;
  if (conditions.later && (!before_ms || at_ms <= *before_ms)) return false;
  return !(conditions.earlier && before_ms && at_ms >= *before_ms);
}

struct time_format {
  std::string_view command_name;
  std::int64_t unit_ms;
  bool relative;
};

void expire_as(const time_format& format, execution& on, request_words words, reply_writer& to) {
  store::keyspace& keys = *on.keys;
  const auto conditions = parse_conditions(words.subspan(3), to);
  if (!conditions) return;
  const auto amount = resp::to_integer(words[2]);
  if (!amount) {
    to.error(not_an_integer);
    return;
  }
  const std::int64_t from_ms = format.relative ? keys.now_ms() : 0;
  if (*amount > most / format.unit_ms || *amount < least / format.unit_ms ||
      *amount * format.unit_ms > most - from_ms) {
    to.error("ERR invalid expire time in '" + std::string(format.command_name) + "' command");
    return;
  }
  const std::int64_t at_ms = *amount * format.unit_ms + from_ms;
  const bool set =
      hold(*conditions, keys.expiry_ms(words[1]), at_ms) && keys.expire_at(words[1], at_ms);
  to.integer(set ? 1 : 0);
}

// In milliseconds; -2: the key does not exist, -1: it does not expire.
std::int64_t time_to_live(store::keyspace& keys, std::string_view key) {
  const auto at_ms = keys.expiry_ms(key);
  if (at_ms) return std::max<std::int64_t>(0, *at_ms - keys.now_ms());
  return keys.contains(key) ? -1 : -2;
}

}  // namespace

void del(execution& on, request_words words, reply_writer& to) {
  to.integer(std::count_if(words.begin() + 1, words.end(),
                           [&](std::string_view key) { return on.keys->erase(key); }));
}

void exists(execution& on, request_words words, reply_writer& to) {
  to.integer(std::count_if(words.begin() + 1, words.end(),
                           [&](std::string_view key) { return on.keys->contains(key); }));
}

void type(execution& on, request_words words, reply_writer& to) {
  to.simple(on.keys->contains(words[1]) ? "string" : "none");
}

void expire(execution& on, request_words words, reply_writer& to) {
  expire_as({"expire", 1000, true}, on, words, to);
}

void pexpire(execution& on, request_words words, reply_writer& to) {
  expire_as({"pexpire", 1, true}, on, words, to);
}

void expireat(execution& on, request_words words, reply_writer& to) {
  expire_as({"expireat", 1000, false}, on, words, to);
}

void pexpireat(execution& on, request_words words, reply_writer& to) {
  expire_as({"pexpireat", 1, false}, on, words, to);
}

void ttl(execution& on, request_words words, reply_writer& to) {
  const std::int64_t left_ms = time_to_live(*on.keys, words[1]);
  // Rounded to the nearest second without overflow at the end of the range.
  to.integer(left_ms < 0 ? left_ms : left_ms / 1000 + (left_ms % 1000 >= 500 ? 1 : 0));
}

void pttl(execution& on, request_words words, reply_writer& to) {
  to.integer(time_to_live(*on.keys, words[1]));
}

void persist(execution& on, request_words words, reply_writer& to) {
  to.integer(on.keys->persist(words[1]) ? 1 : 0);
}

void dbsize(execution& on, request_words /*words*/, reply_writer& to) {
  to.integer(static_cast<std::int64_t>(on.keys->size()));
}

void flush(execution& on, request_words words, reply_writer& to) {
  const bool is_valid =
      words.size() == 1 ||
      (words.size() == 2 && (is_option(words[1], "async") || is_option(words[1], "sync")));
  if (!is_valid) {
    to.error(syntax_error);
    return;
  }
  on.keys->clear();
  to.ok();
}

}  // namespace stallscope::server::handlers

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "resp/integer.hpp"
#include "server/commands/handlers.hpp"
#include "server/commands/text.hpp"

namespace stallscope::server::handlers {

namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

enum class expiry_kind : std::uint8_t { none, keep, ex, px, exat, pxat };

struct set_options {
  expiry_kind expiry = expiry_kind::none;
  std::string_view time;
  bool if_absent = false;
  bool if_present = false;
  bool give_old = false;
};

expiry_kind expiry_option(std::string_view word) {
  if (is_option(word, "ex")) return expiry_kind::ex;
  if (is_option(word, "px")) return expiry_kind::px;
  if (is_option(word, "exat")) return expiry_kind::exat;
  if (is_option(word, "pxat")) return expiry_kind::pxat;
  return is_option(word, "keepttl") ? expiry_kind::keep : expiry_kind::none;
}

// Returns nothing if options are contradictory or unknown.
std::optional<set_options> parse_set_options(request_words words) {
  set_options options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (is_option(words[at], "nx") && !options.if_present) {
      options.if_absent = true;
    } else if (is_option(words[at], "xx") && !options.if_absent) {
      options.if_present = true;
    } else if (is_option(words[at], "get")) {
      options.give_old = true;
    } else {
      const expiry_kind kind = expiry_option(words[at]);
      if (kind == expiry_kind::none) return std::nullopt;
      if (options.expiry != expiry_kind::none && options.expiry != kind) return std::nullopt;
      options.expiry = kind;
      if (kind == expiry_kind::keep) continue;
      if (++at == words.size()) return std::nullopt;
      options.time = words[at];
    }
  }
  return options;
}

// The expiry in Unix milliseconds. Writes an error and returns nothing if it is invalid.
std::optional<std::int64_t> expiry_time(expiry_kind kind, std::string_view time,
                                        std::string_view command_name, std::int64_t now_ms,
                                        reply_writer& to) {
  const auto amount = resp::to_integer(time);
  if (!amount) {
    to.error(not_an_integer);
    return std::nullopt;
  }
  const bool in_seconds = kind == expiry_kind::ex || kind == expiry_kind::exat;
  const bool relative = kind == expiry_kind::ex || kind == expiry_kind::px;
  const std::int64_t from = relative ? now_ms : 0;
  const bool fits = *amount > 0 && *amount <= (in_seconds ? highest / 1000 : highest) &&
                    *amount * (in_seconds ? 1000 : 1) <= highest - from;
  if (!fits) {
    to.error("ERR invalid expire time in '" + std::string(command_name) + "' command");
    return std::nullopt;
  }
  return *amount * (in_seconds ? 1000 : 1) + from;
}

void write_value(const std::optional<std::string_view>& value, reply_writer& to) {
  if (value) {
    to.bulk(*value);
  } else {
    to.null();
  }
}

void set_expiring(execution& on, request_words words, expiry_kind kind, std::string_view name,
                  reply_writer& to) {
  const auto at_ms = expiry_time(kind, words[2], name, on.keys->now_ms(), to);
  if (!at_ms) return;
  on.keys->set(words[1], words[3]);
  on.keys->expire_at(words[1], *at_ms);
  to.ok();
}

void add(execution& on, std::string_view key, std::int64_t difference, reply_writer& to) {
  const auto held = on.keys->get(key);
  const auto before = held ? resp::to_integer(*held) : 0;
  if (!before) {
    to.error(not_an_integer);
    return;
  }
  std::int64_t after = 0;
  if (__builtin_add_overflow(*before, difference, &after)) {
    to.error("ERR increment or decrement would overflow");
    return;
  }
  std::array<char, 24> digits{};
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), after).ptr;
  on.keys->set_keeping_expiry(key, {digits.data(), static_cast<std::size_t>(end - digits.data())});
  to.integer(after);
}

}  // namespace

void get(execution& on, request_words words, reply_writer& to) {
  write_value(on.keys->get(words[1]), to);
}

void set(execution& on, request_words words, reply_writer& to) {
  store::keyspace& keys = *on.keys;
  const std::string_view key = words[1];
  if (words.size() == 3) {
    keys.set(key, words[2]);
    to.ok();
    return;
  }
  const auto options = parse_set_options(words.subspan(3));
  if (!options) {
    to.error(syntax_error);
    return;
  }
  std::optional<std::int64_t> at_ms;
  if (options->expiry > expiry_kind::keep) {
    at_ms = expiry_time(options->expiry, options->time, "set", keys.now_ms(), to);
    if (!at_ms) return;
  }
  if (options->give_old) write_value(keys.get(key), to);
  const bool conditional = options->if_absent || options->if_present;
  if (conditional && keys.contains(key) != options->if_present) {
    if (!options->give_old) to.null();
    return;
  }
  if (options->expiry == expiry_kind::keep) {
    keys.set_keeping_expiry(key, words[2]);
  } else {
    keys.set(key, words[2]);
  }
  if (at_ms) keys.expire_at(key, *at_ms);
  if (!options->give_old) to.ok();
}

void setnx(execution& on, request_words words, reply_writer& to) {
  const bool there = on.keys->contains(words[1]);
  if (!there) on.keys->set(words[1], words[2]);
  to.integer(there ? 0 : 1);
}

void setex(execution& on, request_words words, reply_writer& to) {
  set_expiring(on, words, expiry_kind::ex, "setex", to);
}

void psetex(execution& on, request_words words, reply_writer& to) {
  set_expiring(on, words, expiry_kind::px, "psetex", to);
}

void mget(execution& on, request_words words, reply_writer& to) {
  to.array(words.size() - 1);
  for (const std::string_view key : words.subspan(1)) write_value(on.keys->get(key), to);
}

void mset(execution& on, request_words words, reply_writer& to) {
  for (std::size_t at = 1; at < words.size(); at += 2) on.keys->set(words[at], words[at + 1]);
  to.ok();
}

void strlen(execution& on, request_words words, reply_writer& to) {
  const auto value = on.keys->get(words[1]);
  to.integer(value ? static_cast<std::int64_t>(value->size()) : 0);
}

void incr(execution& on, request_words words, reply_writer& to) { add(on, words[1], 1, to); }

void decr(execution& on, request_words words, reply_writer& to) { add(on, words[1], -1, to); }

void incrby(execution& on, request_words words, reply_writer& to) {
  const auto difference = resp::to_integer(words[2]);
  if (difference) {
    add(on, words[1], *difference, to);
  } else {
    to.error(not_an_integer);
  }
}

void decrby(execution& on, request_words words, reply_writer& to) {
  const auto difference = resp::to_integer(words[2]);
  if (!difference) {
    to.error(not_an_integer);
  } else if (*difference == lowest) {
    to.error("ERR decrement would overflow");
  } else {
    add(on, words[1], -*difference, to);
  }
}

}  // namespace stallscope::server::handlers

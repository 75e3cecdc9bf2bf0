#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "server/commands/command.hpp"
#include "server/commands/handlers.hpp"
#include "server/commands/text.hpp"

namespace stallscope::server {

namespace {

using enum key_places;
using enum reply_merge;

// Subcommands are entries named "client|id". The entry of the container answers if no subcommand is
// given.
constexpr std::array table{
    // name, arity, keys, merge, every_shard, changes, needs_memory, before_password, run
    command{"get", 2, first, single, false, false, false, false, handlers::get},
    command{"set", -3, first, single, false, true, true, false, handlers::set},
    command{"setnx", 3, first, single, false, true, true, false, handlers::setnx},
    command{"setex", 4, first, single, false, true, true, false, handlers::setex},
    command{"psetex", 4, first, single, false, true, true, false, handlers::psetex},
    command{"mget", -2, every, ordered, false, false, false, false, handlers::mget},
    command{"mset", -3, every_second, all_ok, false, true, true, false, handlers::mset},
    command{"strlen", 2, first, single, false, false, false, false, handlers::strlen},
    command{"incr", 2, first, single, false, true, true, false, handlers::incr},
    command{"decr", 2, first, single, false, true, true, false, handlers::decr},
    command{"incrby", 3, first, single, false, true, true, false, handlers::incrby},
    command{"decrby", 3, first, single, false, true, true, false, handlers::decrby},
    command{"del", -2, every, sum, false, true, false, false, handlers::del},
    command{"unlink", -2, every, sum, false, true, false, false, handlers::del},
    command{"exists", -2, every, sum, false, false, false, false, handlers::exists},
    command{"type", 2, first, single, false, false, false, false, handlers::type},
    command{"expire", -3, first, single, false, true, false, false, handlers::expire},
    command{"pexpire", -3, first, single, false, true, false, false, handlers::pexpire},
    command{"expireat", -3, first, single, false, true, false, false, handlers::expireat},
    command{"pexpireat", -3, first, single, false, true, false, false, handlers::pexpireat},
    command{"ttl", 2, first, single, false, false, false, false, handlers::ttl},
    command{"pttl", 2, first, single, false, false, false, false, handlers::pttl},
    command{"persist", 2, first, single, false, true, false, false, handlers::persist},
    command{"range", 4, none, range, true, false, false, false, handlers::range},
    command{"dbsize", 1, none, sum, true, false, false, false, handlers::dbsize},
    command{"flushall", -1, none, all_ok, true, true, false, false, handlers::flush},
    command{"flushdb", -1, none, all_ok, true, true, false, false, handlers::flush},
    command{"compact", 1, none, all_ok, true, false, false, false, handlers::compact},
    command{"bgrewriteaof", 1, none, all_ok, true, false, false, false, handlers::compact},
    command{"ping", -1, none, single, false, false, false, false, handlers::ping},
    command{"echo", 2, none, single, false, false, false, false, handlers::echo},
    command{"hello", -1, none, single, false, false, false, true, handlers::hello},
    command{"auth", -2, none, single, false, false, false, true, handlers::auth},
    command{"select", 2, none, single, false, false, false, false, handlers::select},
    command{"quit", -1, none, single, false, false, false, true, handlers::quit},
    command{"reset", 1, none, single, false, false, false, true, handlers::reset},
    command{"info", -1, none, single, false, false, false, false, handlers::info},
    command{"client", -2, none, single, false, false, false, false, nullptr},
    command{"client|id", 2, none, single, false, false, false, false, handlers::client_id},
    command{"client|getname", 2, none, single, false, false, false, false,
            handlers::client_getname},
    command{"client|setname", 3, none, single, false, false, false, false,
            handlers::client_setname},
    command{"client|setinfo", 4, none, single, false, false, false, false,
            handlers::client_setinfo},
    command{"client|info", 2, none, single, false, false, false, false, handlers::client_info},
    command{"client|list", -2, none, single, false, false, false, false, handlers::client_list},
    command{"client|no-evict", 3, none, single, false, false, false, false,
            handlers::client_no_evict},
    command{"config", -2, none, single, false, false, false, false, nullptr},
    command{"config|get", -3, none, single, false, false, false, false, handlers::config_get},
    command{"command", -1, none, single, false, false, false, false, handlers::command_list_all},
    command{"command|count", 2, none, single, false, false, false, false, handlers::command_count},
    command{"command|docs", -2, none, single, false, false, false, false, handlers::command_docs},
    command{"command|info", -2, none, single, false, false, false, false, handlers::command_info},
    command{"command|list", -2, none, single, false, false, false, false, handlers::command_list},
};

// A lower-case name packed into two words for fast comparison.
struct folded_name {
  static constexpr std::size_t max_bytes = 16;
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  constexpr bool operator==(const folded_name&) const = default;

  // `name` has at most most_bytes.
  static constexpr folded_name of(std::string_view name) {
    folded_name folded;
    std::size_t at = 0;
    for (const char byte : name) {
      const auto bits = static_cast<std::uint64_t>(static_cast<unsigned char>(lower_case(byte)));
      (at < 8 ? folded.low : folded.high) |= bits << (at % 8 * 8);
      ++at;
    }
    return folded;
  }
};

// Maps names to table entries: open addressing, built at compile time.
class name_index {
 public:
  constexpr name_index() {
    for (std::size_t entry = 0; entry < table.size(); ++entry) {
      const folded_name name = folded_name::of(table[entry].name);
      std::size_t at = home(name);
      while (slots_[at].entry != empty) at = (at + 1) % size;
      slots_[at] = {name, static_cast<std::uint8_t>(entry)};
    }
  }

  constexpr const command* find(std::string_view name) const {
    if (name.size() > folded_name::max_bytes) return nullptr;
    const folded_name folded = folded_name::of(name);
    for (std::size_t at = home(folded); slots_[at].entry != empty; at = (at + 1) % size) {
      if (slots_[at].name == folded) return &table[slots_[at].entry];
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t size = 256;
  static constexpr std::uint8_t empty = 255;
  static_assert(table.size() < size / 2);

  struct slot {
    folded_name name;
    std::uint8_t entry = empty;
  };

  static constexpr std::size_t home(const folded_name& name) {
    return ((name.low ^ name.high * 31) * 0x9e3779b97f4a7c15U) >> 56U;
  }

  std::array<slot, size> slots_{};
};

constexpr name_index names;

std::string upper_case(std::string_view name) {
  std::string upper(name);
  for (char& byte : upper) byte = byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 32) : byte;
  return upper;
}

void refuse_unknown(request_words words, resp::reply_writer& to) {
  constexpr std::size_t shown_bytes = 128;
  std::string arguments;
  for (std::size_t at = 1; at < words.size() && arguments.size() < shown_bytes; ++at) {
    arguments += '\'';
    arguments += c_text(words[at], shown_bytes - (arguments.size() - 1));
    arguments += "' ";
  }
  to.error("ERR unknown command '" + std::string(c_text(words[0], shown_bytes)) +
           "', with args beginning with: " + arguments);
}

void refuse_subcommand(const command& container, std::string_view word, resp::reply_writer& to) {
  to.error("ERR unknown subcommand '" + std::string(c_text(word, 128)) + "'. Try " +
           upper_case(container.name) + " HELP.");
}

const command* find_subcommand(const command& container, std::string_view word) {
  std::array<char, folded_name::max_bytes> name{};
  const std::size_t bytes = container.name.size() + 1 + word.size();
  if (bytes > name.size()) return nullptr;
  auto end = std::copy(container.name.begin(), container.name.end(), name.begin());
  *end++ = '|';
  std::copy(word.begin(), word.end(), end);
  return names.find({name.data(), bytes});
}

constexpr bool is_container(const command& what) {
  return what.name == "client" || what.name == "config" || what.name == "command";
}

bool right_number_of_words(const command& what, std::size_t words) {
  const auto count = static_cast<std::ptrdiff_t>(words);
  if (what.keys == every_second && count % 2 == 0) return false;
  return what.arity > 0 ? count == what.arity : count >= -what.arity;
}

}  // namespace

std::span<const command> all_commands() { return table; }

const command* admit(request_words words, session& client, resp::reply_writer& to) {
  const command* what = names.find(words[0]);
  if (what == nullptr || what->is_subcommand()) {
    refuse_unknown(words, to);
    return nullptr;
  }
  if (what->keys == none && words.size() > 1 && is_container(*what)) {
    const command* subcommand = find_subcommand(*what, words[1]);
    if (subcommand == nullptr) refuse_subcommand(*what, words[1], to);
    if (subcommand == nullptr) return nullptr;
    what = subcommand;
  }
  if (!right_number_of_words(*what, words.size())) {
    to.error("ERR wrong number of arguments for '" + std::string(what->name) + "' command");
    return nullptr;
  }
  if (!client.authenticated && !what->before_password) {
    to.error("NOAUTH Authentication required.");
    return nullptr;
  }
  return what;
}

}  // namespace stallscope::server

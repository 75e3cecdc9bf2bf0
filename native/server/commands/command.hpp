// The commands that every path supports, with the replies and error texts of redis 7.0. A request
// passes three steps:
//
//   admit()  looks up the command, or writes why the request is rejected (unknown, wrong number
//            of words, not authenticated). Cost: a hash of the name, no allocation.
//   route    `keys` names the words that are keys. Without keys, the command runs on the thread of
//            its connection or, with every_shard, on all shards. Keys of several shards: see
//            shard_merge.hpp.
//   run()    makes room if the command may need memory, and always writes a reply.
//
// Commands with keys, or for every shard, run on the thread of the shard and do not see the
// session; the others run on the thread of the connection. The table is constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>

#include "resp/reply_writer.hpp"
#include "server/commands/session.hpp"
#include "store/keyspace.hpp"

namespace stallscope::server {

using request_words = std::span<const std::string_view>;

// The objects that a command may access; null if not available.
struct execution {
  store::keyspace* keys = nullptr;
  session* client = nullptr;
  server_view* server = nullptr;
};

enum class key_places : std::uint8_t { none, first, every, every_second };

// How the replies of several shards are combined.
enum class reply_merge : std::uint8_t {
  single,   // only one reply
  sum,      // sum of integers
  all_ok,   // first error, or OK
  ordered,  // array elements, in the order of the keys
  range,    // keys and values, in ascending order of the keys
};

struct command {
  std::string_view name;  // lower case; subcommands are "client|id"
  int arity;              // number of words including the name; negative: a minimum
  key_places keys;
  reply_merge merge;
  bool every_shard;   // without keys, runs on all shards
  bool changes;       // may change keys
  bool needs_memory;  // rejected if memory is full; implies `changes`
  bool before_password;
  void (*run)(execution& on, request_words words, resp::reply_writer& to);

  [[nodiscard]] constexpr bool uses_keys() const noexcept {
    return keys != key_places::none || every_shard;
  }
  // Commands with keys have no subcommands; the check is skipped for these frequent requests.
  [[nodiscard]] constexpr bool is_subcommand() const noexcept {
    return keys == key_places::none && name.find('|') != std::string_view::npos;
  }
  [[nodiscard]] constexpr bool reads_range() const noexcept { return merge == reply_merge::range; }
};

// Returns null if the request is rejected; the reply is then written. `words` is not empty.
const command* admit(request_words words, session& client, resp::reply_writer& to);

inline void run(const command& what, execution& on, request_words words, resp::reply_writer& to) {
  if (what.needs_memory && !on.keys->make_room()) {
    to.error("OOM command not allowed when used memory > 'maxmemory'.");
    return;
  }
  const std::size_t before = to.size();
  try {
    what.run(on, words, to);
  } catch (const std::bad_alloc&) {
    to.cut_back(before);
    to.error("OOM the system has no memory for this");
  }
}

std::span<const command> all_commands();

}  // namespace stallscope::server

// The commands that every path of the server knows, with redis 7.0's replies and texts of errors.
// For each request, in this order:
//   admit()  finds the command, or writes why the request is refused (unknown, wrong number of
//            words, no password yet); costs a hash of the name, no allocation.
//   where    it runs: `keys` says which words are keys. None: on the connection's own thread, or,
//   with
//            every_shard, on all of them. Keys of several shards: see shard_merge.hpp.
//   run()    makes room where the command may need memory, and answers, also where the system gives
//            no memory.
// Commands with keys, or for every shard, run on the thread of the shard and see no session; the
// others run on the thread of the connection. The table itself never changes.
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

// What a command runs on; null where it may not look.
struct execution {
  store::keyspace* keys = nullptr;
  session* client = nullptr;
  server_view* server = nullptr;
};

enum class key_places : std::uint8_t { none, first, every, every_second };

// How the replies of several shards become one.
enum class reply_merge : std::uint8_t {
  single,   // there is only one
  sum,      // integers, added
  all_ok,   // the first error, or OK
  ordered,  // an array's elements, each at the place of its key
};

struct command {
  std::string_view name;  // lower case; of a subcommand "client|id"
  int arity;              // words with the name; negative: at least so many
  key_places keys;
  reply_merge merge;
  bool every_shard;   // has no keys and concerns all shards
  bool needs_memory;  // refused when there is none
  bool before_password;
  void (*run)(execution& on, request_words words, resp::reply_writer& to);
};

// Null where the request is refused; the reply is then written. `words` are not empty.
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

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/commands/shard_merge.hpp"
#include "store/keyspace.hpp"

using namespace stallscope;
using namespace stallscope::server;

namespace {

// Any number of shards; the first letter of a key selects its shard.
class some_shards {
 public:
  explicit some_shards(std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
      shards_.push_back(std::make_unique<store::keyspace>(store::hash_seed{1, at}));
    }
  }

  std::string ask(const std::vector<std::string_view>& words, resp::protocol version) {
    resp::byte_buffer out;
    resp::reply_writer to(out, version);
    session client;
    const command* what = admit(words, client, to);
    if (what == nullptr) return std::string(out.view());
    std::vector<std::size_t> shard_of;
    for (const std::string_view key : keys_of(*what, words)) {
      shard_of.push_back(static_cast<std::size_t>(key[0]) % shards_.size());
    }
    auto parts = split_by_shard(*what, words, shard_of);
    for (std::size_t at = 0; what->every_shard && at < shards_.size(); ++at) {
      parts.push_back({at, words, {}});
    }
    std::vector<std::string> replies;
    for (const shard_part& part : parts) replies.push_back(run_part(*what, part, version));
    std::vector<part_reply> of_parts;
    for (std::size_t at = 0; at < parts.size(); ++at) {
      of_parts.push_back({parts[at].key_numbers, replies[at]});
    }
    merge_replies(*what, words, of_parts, to);
    return std::string(out.view());
  }

  store::keyspace& shard(std::size_t at) { return *shards_[at]; }

 private:
  std::string run_part(const command& what, const shard_part& part, resp::protocol version) {
    resp::byte_buffer out;
    resp::reply_writer to(out, version);
    execution on{shards_[part.shard].get(), nullptr, nullptr};
    run(what, on, part.words, to);
    return std::string(out.view());
  }

  std::vector<std::unique_ptr<store::keyspace>> shards_;
};

}  // namespace

TEST_CASE("several shards give the same replies as one shard") {
  const std::vector<std::vector<std::string_view>> requests{
      {"MSET", "a", "1", "b", "22", "c", "", "a", "\r\n$-1\r\n"},
      {"MGET", "a", "x", "c", "b", "a"},
      {"EXISTS", "a", "a", "b", "x"},
      {"DBSIZE"},
      {"GET", "a"},
      {"DEL", "c", "b", "x"},
      {"MGET", "c"},
      {"MSET", "a", "1", "b"},
      {"INCR", "n"},
      {"MSET", "k1", "one", "k2", "", "m", "\r\n$1\r\n", "j", "x"},
      {"RANGE", "a", "z", "100"},
      {"RANGE", "k1", "k2", "2"},
      {"RANGE", "", "z", "3"},
      {"RANGE", "z", "a", "3"},
      {"RANGE", "a", "z", "0"},
      {"RANGE", "a", "z", "many"},
      {"RANGE", "a", "z"},
      {"FLUSHALL", "NOW"},
      {"FLUSHALL"},
      {"DBSIZE"},
  };
  for (const auto version : {resp::protocol::resp2, resp::protocol::resp3}) {
    some_shards single(1);
    some_shards three(3);
    for (const auto& words : requests) {
      CAPTURE(words[0]);
      CHECK(three.ask(words, version) == single.ask(words, version));
    }
  }
}

TEST_CASE("an error of one shard is the reply to the whole request") {
  some_shards shards(2);
  shards.shard('b' % 2).set_limit({1, store::eviction_policy::noeviction});
  CHECK(shards.ask({"MSET", "a", "1", "b", "2"}, resp::protocol::resp2) ==
        "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
}

// Commands whose keys lie in several shards: what each shard is asked, and how the answers become
// one. Such a command is not atomic: between the shards' parts other clients' commands may run.
// Costs allocations for each part. One thread: the connection's.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "server/commands/command.hpp"

namespace stallscope::server {

struct shard_part {
  std::size_t shard;
  std::vector<std::string_view> words;   // the name, then this shard's keys (and their values)
  std::vector<std::size_t> key_numbers;  // of the whole request, in the order asked here
};

// `shard_of` each key, in the request's order; every shard that has a key gives one part.
std::vector<shard_part> split_by_shard(const command& what, request_words words,
                                       std::span<const std::size_t> shard_of);

// The keys among the words.
std::vector<std::string_view> keys_of(const command& what, request_words words);

struct part_reply {
  std::span<const std::size_t> key_numbers;  // empty for commands on every shard
  std::string_view bytes;                    // the shard's whole reply
};

void merge_replies(const command& what, std::span<const part_reply> parts, resp::reply_writer& to);

}  // namespace stallscope::server

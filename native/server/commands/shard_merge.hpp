// Splits commands with keys on several shards into parts, and merges the replies. Such a command is
// not atomic: commands of other clients may run between the parts. Cost: allocations per part.
// Thread: that of the connection.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "server/commands/command.hpp"

namespace stallscope::server {

struct shard_part {
  std::size_t shard;
  std::vector<std::string_view> words;   // the name, then the keys of this shard (and their values)
  std::vector<std::size_t> key_numbers;  // positions of the keys in the whole request
};

// `shard_of` is the shard of each key in request order; the result has one part per shard involved.
std::vector<shard_part> split_by_shard(const command& what, request_words words,
                                       std::span<const std::size_t> shard_of);

// The keys of a request.
std::vector<std::string_view> keys_of(const command& what, request_words words);

struct part_reply {
  std::span<const std::size_t> key_numbers;  // empty for every_shard commands
  std::string_view bytes;                    // the complete reply of the shard
};

// Limit of keys in the reply to RANGE.
inline constexpr std::size_t max_range_keys = 10'000;
// The limit in the words of RANGE; nothing if it is invalid.
std::optional<std::size_t> range_limit(request_words words);

void merge_replies(const command& what, request_words words, std::span<const part_reply> parts,
                   resp::reply_writer& to);

}  // namespace stallscope::server

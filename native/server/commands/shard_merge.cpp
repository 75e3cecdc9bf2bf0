#include "server/commands/shard_merge.hpp"

#include <algorithm>
#include <cstdint>

#include "resp/integer.hpp"

namespace stallscope::server {

namespace {

std::size_t words_a_key(const command& what) {
  return what.keys == key_places::every_second ? 2 : 1;
}

// Takes the first value of `bytes`: a bulk string, or a null of either version.
std::string_view first_value(std::string_view bytes) {
  const std::size_t head_bytes = bytes.find('\n') + 1;
  if (bytes[0] != '$') return bytes.substr(0, head_bytes);
  const auto length = resp::to_integer(bytes.substr(1, head_bytes - 3)).value_or(-1);
  return bytes.substr(0,
                      length < 0 ? head_bytes : head_bytes + static_cast<std::size_t>(length) + 2);
}

void merge_ordered(std::span<const part_reply> parts, resp::reply_writer& to) {
  std::size_t keys = 0;
  for (const part_reply& part : parts) keys += part.key_numbers.size();
  std::vector<std::string_view> values(keys);
  for (const part_reply& part : parts) {
    std::string_view left = part.bytes.substr(part.bytes.find('\n') + 1);
    for (const std::size_t number : part.key_numbers) {
      values[number] = first_value(left);
      left.remove_prefix(values[number].size());
    }
  }
  to.array(keys);
  for (const std::string_view value : values) to.raw(value);
}

void merge_sum(std::span<const part_reply> parts, resp::reply_writer& to) {
  std::int64_t sum = 0;
  for (const part_reply& part : parts) {
    sum += resp::to_integer(part.bytes.substr(1, part.bytes.size() - 3)).value_or(0);
  }
  to.integer(sum);
}

// A key in RESP, and the value behind it. Bulk strings.
struct encoded_entry {
  std::string_view key;    // without length and line ends
  std::string_view bytes;  // key and value as in the reply
};

// The entries of all parts; each part is in ascending order.
std::vector<encoded_entry> entries_of(std::span<const part_reply> parts) {
  std::vector<encoded_entry> entries;
  for (const part_reply& part : parts) {
    std::string_view left = part.bytes.substr(part.bytes.find('\n') + 1);
    while (!left.empty()) {
      const std::string_view key = first_value(left);
      const std::string_view value = first_value(left.substr(key.size()));
      const std::size_t head_bytes = key.find('\n') + 1;
      entries.push_back({key.substr(head_bytes, key.size() - head_bytes - 2),
                         left.substr(0, key.size() + value.size())});
      left.remove_prefix(entries.back().bytes.size());
    }
  }
  return entries;
}

void merge_range(std::span<const part_reply> parts, std::size_t limit, resp::reply_writer& to) {
  std::vector<encoded_entry> entries = entries_of(parts);
  std::ranges::sort(entries, {}, &encoded_entry::key);
  entries.resize(std::min(entries.size(), limit));
  to.array(2 * entries.size());
  for (const encoded_entry& entry : entries) to.raw(entry.bytes);
}

}  // namespace

std::vector<std::string_view> keys_of(const command& what, request_words words) {
  std::vector<std::string_view> keys;
  const std::size_t last = what.keys == key_places::first ? 2 : words.size();
  if (what.keys == key_places::none) return keys;
  for (std::size_t at = 1; at < last; at += words_a_key(what)) keys.push_back(words[at]);
  return keys;
}

std::vector<shard_part> split_by_shard(const command& what, request_words words,
                                       std::span<const std::size_t> shard_of) {
  std::vector<shard_part> parts;
  for (std::size_t number = 0; number < shard_of.size(); ++number) {
    const std::size_t shard = shard_of[number];
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const shard_part& part) { return part.shard == shard; });
    if (part == parts.end()) part = parts.insert(part, {shard, {words[0]}, {}});
    const auto key_words = words.subspan(1 + number * words_a_key(what), words_a_key(what));
    part->words.insert(part->words.end(), key_words.begin(), key_words.end());
    part->key_numbers.push_back(number);
  }
  return parts;
}

void merge_replies(const command& what, request_words words, std::span<const part_reply> parts,
                   resp::reply_writer& to) {
  const auto failed = std::find_if(parts.begin(), parts.end(), [](const part_reply& part) {
    return part.bytes.empty() || part.bytes[0] == '-';
  });
  if (failed != parts.end()) {
    to.raw(failed->bytes);
  } else if (what.merge == reply_merge::ordered) {
    merge_ordered(parts, to);
  } else if (what.merge == reply_merge::range) {
    merge_range(parts, range_limit(words).value_or(0), to);
  } else if (what.merge == reply_merge::sum) {
    merge_sum(parts, to);
  } else {
    to.raw(parts.front().bytes);
  }
}

}  // namespace stallscope::server

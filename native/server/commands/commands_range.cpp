#include <algorithm>
#include <cstdint>

#include "resp/integer.hpp"
#include "server/commands/handlers.hpp"
#include "server/commands/shard_merge.hpp"

namespace stallscope::server {

std::optional<std::size_t> range_limit(request_words words) {
  const auto limit = resp::to_integer(words[3]);
  if (!limit || *limit < 1 || *limit > static_cast<std::int64_t>(max_range_keys)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*limit);
}

namespace handlers {

// RANGE first last limit: the keys from `first` to `last`, both included, with their values.
void range(execution& on, request_words words, reply_writer& to) {
  const auto limit = range_limit(words);
  if (!limit) {
    to.error("ERR the limit of RANGE is an integer from 1 to " + std::to_string(max_range_keys));
    return;
  }
  const auto entries = on.keys->range(words[1], words[2], *limit);
  to.array(2 * entries.size());
  for (const store::key_and_value& entry : entries) {
    to.bulk(entry.key);
    to.bulk(entry.value);
  }
}

}  // namespace handlers

}  // namespace stallscope::server

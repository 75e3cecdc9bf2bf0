// Finds the shards of a request's keys, divides the request into a part per shard, and sends the
// parts.
//
//     const shard_index where = router.find(what, words, shards_of_keys);
//     if (where != home.index()) router.send(slot, where, shards_of_keys);
//
// Cost: a hash per key; with several shards, an allocation per part. Thread: that of the shard.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/commands/command.hpp"
#include "server/shards/request_slot.hpp"

namespace stallscope::server {

// Nothing if the keys belong to several shards.
using shard_index = std::optional<std::size_t>;

class shard_router {
 public:
  explicit shard_router(shard& home) : home_(home) {}

  // Writes the shard of each key to `shards_of_keys` if there are several shards and keys.
  [[nodiscard]] shard_index find(const command& what, request_words words,
                                 std::vector<std::size_t>& shards_of_keys) const;
  // Sends the request of the slot, or runs it if it is for this shard. `slot.what` and
  // `slot.version` are set. If this throws, no part was sent yet.
  void send(request_slot& slot, shard_index where, std::span<const std::size_t> shards_of_keys);
  // Cancels the reads of a request whose client disconnected. The slot finishes later, as usual.
  void cancel(request_slot& slot) noexcept;

 private:
  void send_whole(request_slot& slot, std::size_t to);
  void send_parts(request_slot& slot, std::span<const std::size_t> shards_of_keys);
  void send_part(request_slot& slot, remote_part& part, std::size_t to);
  void add_part(request_slot& slot, std::size_t shard);
  void cancel_part(request_slot& slot, remote_part& part) noexcept;

  shard& home_;
  std::vector<std::size_t> part_shards_;
};

}  // namespace stallscope::server

// A request in flight that cannot be answered where it was read: it is in a stage, on another
// shard, or behind such a request. Its connection links its slots in request order, so that replies
// keep that order. Slots are reused with their memory: a warm shard allocates nothing per request.
// One thread, except for a part that is on another shard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "resp/byte_buffer.hpp"
#include "server/commands/command.hpp"
#include "server/paths/path.hpp"
#include "server/shards/disk_executor.hpp"
#include "server/shards/shard_mailbox.hpp"

namespace stallscope::server {

class connection;
struct request_slot;

struct remote_part;

// Cancels a part on the shard that runs it. Sent after the part, on the same way.
class part_cancellation final : public mailbox_call {
 public:
  explicit part_cancellation(remote_part& part) : part_(part) {}
  [[nodiscard]] bool run_on_target(shard& there) override;
  void on_returned() override;

 private:
  remote_part& part_;
};

// The part of a request that runs on one shard.
// On a shard without memory, its reply is an error.
struct remote_part final : mailbox_call, disk_call {
  remote_part(request_slot& of, std::size_t reply_limit) : slot(of), reply(reply_limit) {}

  [[nodiscard]] bool run_on_target(shard& there) override;
  void on_returned() override;
  void disk_answered() noexcept override;
  void run(shard& there);  // on the keys of the shard in memory
  void refuse() noexcept;  // for lack of memory

  request_slot& slot;
  std::size_t target = 0;                   // the shard that it was sent to
  bool outstanding = false;                 // sent, and not returned; for the sender
  shard* disk_shard = nullptr;              // the shard that runs it, if on a disk
  std::vector<std::string_view> own_words;  // if they differ from those of the request
  std::vector<std::size_t> key_numbers;
  resp::byte_buffer reply;
  part_cancellation cancellation{*this};
};

// State that requests with local keys and without a path do not need; allocated on demand.
struct slot_extra {
  slot_extra(request_slot& of, std::size_t reply_limit)
      : path_reply(reply_limit), path_writer(path_reply), only(of, reply_limit) {}

  std::vector<std::string_view> many_words;
  resp::byte_buffer path_reply;  // separate: a step that throws may leave half a reply
  resp::reply_writer path_writer;
  remote_part only;  // without remote parts, its reply is that of the slot
  std::vector<std::unique_ptr<remote_part>> parts;
  std::vector<std::size_t> shards_of_keys;  // if they are several, between two stages
  remote_part* postponed = nullptr;         // the part of this shard, if it was postponed
};

// Kept small: hundreds are in flight and each is accessed several times.
struct request_slot final : request_call {
  // values of `shard`
  static constexpr std::uint32_t unknown_shard = UINT32_MAX;
  static constexpr std::uint32_t several_shards = UINT32_MAX - 1;

  connection* client = nullptr;
  request_slot* next = nullptr;
  const command* what = nullptr;
  std::uint32_t parts_left = 0;
  std::uint32_t shard = unknown_shard;  // of its keys
  resp::protocol version = resp::protocol::resp2;
  bool done = false;
  bool in_stages = false;      // in request_stages, or about to enter
  bool postponed = false;      // waits until the client reads its replies
  bool applies_next = false;   // it was postponed when it should have been applied
  bool has_own_reply = false;  // own_reply() is in use
  std::array<std::string_view, 3> inline_words;
  std::optional<std::uint64_t> key_hash;  // hash of the first key, if prefetched
  std::unique_ptr<slot_extra> extra;
  std::size_t reply_limit = 0;
  std::uint64_t mark = 0;  // of the request, if a recorder listens

  void leave_stages() noexcept;

  slot_extra& with_extra() {
    if (!extra) extra = std::make_unique<slot_extra>(*this, reply_limit);
    return *extra;
  }
  [[nodiscard]] resp::byte_buffer& own_reply() {
    has_own_reply = true;
    return with_extra().only.reply;
  }
  [[nodiscard]] std::size_t reply_bytes() const noexcept {
    return has_own_reply ? extra->only.reply.size() : 0;
  }
};

class slot_pool {
 public:
  // Slots carry the call states of this path; null: none.
  slot_pool(path* states_of, std::size_t reply_limit)
      : path_(states_of), reply_limit_(reply_limit) {}
  slot_pool(const slot_pool&) = delete;
  slot_pool& operator=(const slot_pool&) = delete;
  slot_pool(slot_pool&&) = delete;
  slot_pool& operator=(slot_pool&&) = delete;
  ~slot_pool();

  request_slot& take(connection& client, request_words words);
  void give_back(request_slot& slot) {
    if (kept_ >= max_kept || slot.extra) {
      release_with_extra(slot);
    } else {
      keep(slot);
    }
  }

 private:
  void keep(request_slot& slot) noexcept {
    slot.next = free_;
    free_ = &slot;
    ++kept_;
  }
  [[gnu::noinline]] void release_with_extra(request_slot& slot);
  [[gnu::noinline]] void add_one();
  [[gnu::noinline]] static void clear_error(request_slot& slot);
  static request_words keep_few(request_slot& slot, request_words words);
  [[gnu::noinline]] static request_words keep_many(request_slot& slot, request_words words);
  static bool clear(request_slot& slot);

  static constexpr std::size_t max_kept = 4096;
  static constexpr std::size_t kept_bytes = std::size_t{16} << 10U;
  static constexpr std::size_t kept_words = 1024;

  path* path_;
  std::size_t reply_limit_;
  request_slot* free_ = nullptr;  // free slots, the last released one first
  std::size_t kept_ = 0;          // number of free slots
};

}  // namespace stallscope::server

// A request under way that cannot be answered where it was read: it is in a stage, or on another
// shard, or behind one that is. Its connection keeps its slots in the order of the requests, so
// that the replies keep theirs. Slots are used again with their memory: a request allocates nothing
// once its shard is warm. One thread, but for a part that is on its way.
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
#include "server/shards/cross_mail.hpp"
#include "server/shards/disk_executor.hpp"

namespace stallscope::server {

class connection;
struct request_slot;

// What one other shard is asked for a request.
struct remote_part final : cross_call, disk_call {
  remote_part(request_slot& of, std::size_t reply_limit) : slot(of), reply(reply_limit) {}

  [[nodiscard]] bool run_there(shard& there) override;
  void come_back() override;
  void disk_answered() override;

  request_slot& slot;
  shard* disk_of = nullptr;                 // where it runs, if on a disk
  std::vector<std::string_view> own_words;  // where they are not the request's
  std::vector<std::size_t> key_numbers;
  resp::byte_buffer reply;
};

// What a request on the commands alone, with its keys here, does not need: made when it is.
struct slot_extra {
  slot_extra(request_slot& of, std::size_t reply_limit)
      : path_reply(reply_limit), path_writer(path_reply), only(of, reply_limit) {}

  std::vector<std::string_view> many_words;
  resp::byte_buffer path_reply;  // apart: a step that throws may have written half of it
  resp::reply_writer path_writer;
  remote_part only;  // its reply is the slot's own where no shard is asked
  std::vector<std::unique_ptr<remote_part>> parts;
};

// Small: hundreds are under way at once, and each is touched several times.
struct request_slot final : request_call {
  connection* client = nullptr;
  request_slot* next = nullptr;
  const command* what = nullptr;
  std::uint32_t parts_left = 0;
  bool done = false;
  bool postponed = false;  // its client does not read
  bool apart = false;      // something is, or will be, in own_reply()
  std::array<std::string_view, 3> few_words;
  std::optional<std::uint64_t> key_hash;  // of the first key, where it was expected
  std::unique_ptr<slot_extra> extra;
  std::size_t reply_limit = 0;

  slot_extra& with_extra() {
    if (!extra) extra = std::make_unique<slot_extra>(*this, reply_limit);
    return *extra;
  }
  [[nodiscard]] resp::byte_buffer& own_reply() {
    apart = true;
    return with_extra().only.reply;
  }
  [[nodiscard]] std::size_t reply_bytes() const noexcept {
    return apart ? extra->only.reply.size() : 0;
  }
};

class slot_pool {
 public:
  // Slots carry the states of this path's calls; null: none.
  slot_pool(path* states_of, std::size_t reply_limit)
      : path_(states_of), reply_limit_(reply_limit) {}
  slot_pool(const slot_pool&) = delete;
  slot_pool& operator=(const slot_pool&) = delete;
  slot_pool(slot_pool&&) = delete;
  slot_pool& operator=(slot_pool&&) = delete;
  ~slot_pool();

  request_slot& take(connection& client, request_words words);
  void give_back(request_slot& slot) {
    if (kept_ >= most_kept || slot.extra) {
      give_back_extra(slot);
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
  [[gnu::noinline]] void give_back_extra(request_slot& slot);
  [[gnu::noinline]] void add_one();
  [[gnu::noinline]] static void forget_error(request_slot& slot);
  static request_words keep_few(request_slot& slot, request_words words);
  [[gnu::noinline]] static request_words keep_many(request_slot& slot, request_words words);
  static bool clear(request_slot& slot);

  static constexpr std::size_t most_kept = 4096;
  static constexpr std::size_t kept_bytes = std::size_t{16} << 10U;
  static constexpr std::size_t kept_words = 1024;

  path* path_;
  std::size_t reply_limit_;
  request_slot* free_ = nullptr;  // the one given back last, and the others behind it
  std::size_t kept_ = 0;          // so many
};

}  // namespace stallscope::server

#include "server/shards/shard_router.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/commands/shard_merge.hpp"
#include "server/shards/executor.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {

shard_index shard_router::find(const command& what, request_words words,
                               std::vector<std::size_t>& shards_of_keys) const {
  const shared_server& server = home_.server();
  if (home_.options().cpus.size() == 1) return home_.index();
  switch (what.keys) {
    case key_places::none:
      return what.every_shard ? shard_index{} : home_.index();
    case key_places::first:
      return server.shard_of(words[1]);
    case key_places::every:
    case key_places::every_second:
      break;
  }
  shards_of_keys.clear();
  const std::size_t apart = what.keys == key_places::every ? 1 : 2;
  for (std::size_t i = 1; i < words.size(); i += apart) {
    shards_of_keys.push_back(server.shard_of(words[i]));
  }
  const bool all_one = std::ranges::all_of(
      shards_of_keys, [&](std::size_t at) { return at == shards_of_keys.front(); });
  return all_one ? shard_index{shards_of_keys.front()} : shard_index{};
}

// If this throws, no part was sent yet.
void shard_router::send(request_slot& slot, shard_index where,
                        std::span<const std::size_t> shards_of_keys) {
  if (where) {
    send_whole(slot, *where);
  } else {
    send_parts(slot, shards_of_keys);
  }
}

void shard_router::send_whole(request_slot& slot, std::size_t to) {
  slot_extra& extra = slot.with_extra();
  slot.has_own_reply = true;
  extra.only.words = slot.words;
  extra.only.version = slot.version;
  slot.parts_left = 1;
  if (slot.in_stages) slot.leave_stages();
  send_part(slot, extra.only, to);
}

// With stages or a disk, a part of this shard completes later, as if it ran on another shard.
void shard_router::send_part(request_slot& slot, remote_part& part, std::size_t to) {
  part.target = to;
  part.outstanding = true;
  if (to != home_.index()) {
    home_.counters().crossed.add(1);
    home_.mailbox().post(to, part);
  } else if (slot.in_stages && home_.disk() == nullptr) {
    home_.executor().stages()->apply(slot, &part);
  } else if (home_.disk() == nullptr) {
    part.run(home_);
    part.outstanding = false;
    --slot.parts_left;
  } else if (part.run_on_target(home_)) {
    part.outstanding = false;
    --slot.parts_left;
  }
}

void shard_router::cancel(request_slot& slot) noexcept {
  if (home_.disk() == nullptr || !slot.extra || slot.parts_left == 0) return;
  cancel_part(slot, slot.extra->only);
  for (const auto& part : slot.extra->parts) cancel_part(slot, *part);
}

void shard_router::cancel_part(request_slot& slot, remote_part& part) noexcept {
  if (!part.outstanding) return;
  if (part.target == home_.index()) {
    home_.disk()->cancel(part);
  } else {
    ++slot.parts_left;  // the slot stays until the cancellation has returned
    home_.mailbox().post(part.target, part.cancellation);
  }
}

void shard_router::send_parts(request_slot& slot, std::span<const std::size_t> shards_of_keys) {
  part_shards_.clear();
  if (slot.what->every_shard) {
    for (std::size_t at = 0; at < home_.options().cpus.size(); ++at) {
      add_part(slot, at);
      slot.extra->parts.back()->words = slot.words;
    }
  } else {
    for (shard_part& part : split_by_shard(*slot.what, slot.words, shards_of_keys)) {
      add_part(slot, part.shard);
      remote_part& made = *slot.extra->parts.back();
      made.own_words = std::move(part.words);
      made.key_numbers = std::move(part.key_numbers);
      made.words = made.own_words;
    }
  }
  // All parts exist before the first can return.
  slot.parts_left = static_cast<std::uint32_t>(slot.extra->parts.size());
  // With a part of this shard, the slot leaves the stages when that part is applied.
  const bool part_in_stages = home_.disk() == nullptr &&
                              std::ranges::find(part_shards_, home_.index()) != part_shards_.end();
  if (slot.in_stages && !part_in_stages) slot.leave_stages();
  for (std::size_t i = 0; i < slot.extra->parts.size(); ++i) {
    send_part(slot, *slot.extra->parts[i], part_shards_[i]);
  }
}

void shard_router::add_part(request_slot& slot, std::size_t shard) {
  slot.with_extra().parts.push_back(
      std::make_unique<remote_part>(slot, home_.options().limits.output_bytes));
  slot.extra->parts.back()->version = slot.version;
  part_shards_.push_back(shard);
}

}  // namespace stallscope::server

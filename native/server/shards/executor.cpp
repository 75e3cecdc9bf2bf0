#include "server/shards/executor.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "server/commands/shard_merge.hpp"
#include "server/shards/error_reply.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {

executor::executor(shard& home, std::unique_ptr<path> work, stages::stage_registry* registry)
    : home_(home),
      path_(std::move(work)),
      router_(home),
      slots_(path_.get(), home.options().limits.output_bytes),
      marker_(home.index()) {
  if (path_ != nullptr) steps_.assign(path_->steps().begin(), path_->steps().end());
  steps_.push_back({"execute", this, run_command_step});
  if (registry != nullptr) {
    runner_.emplace(steps_, *this, *registry);
    stages_.emplace(*registry, *this, home.disk());
  } else if (path_ != nullptr) {
    runner_.emplace(steps_, *this);
  }
}

void executor::submit(connection& client, request_words words) {
  home_.counters().requests.add(1);
  if (stallscope_requests_recorded()) [[unlikely]]
    marker_.begin(words);
  dispatch(client, words);
  marker_.end();  // if it was answered at once
}

request_slot& executor::take_slot(connection& client, request_words words) {
  request_slot& slot = slots_.take(client, words);
  slot.mark = marker_.take();
  return slot;
}

void executor::dispatch(connection& client, request_words words) {
  // Unauthenticated clients get the commands only, not the path.
  const bool bypass_path = !runner_ || !client.session().authenticated;
  if (bypass_path && client.idle()) {
    answer(client, words, nullptr);
    return;
  }
  const bool alone = !bypass_path && can_bypass_queues(client);
  if (alone && path_ == nullptr) {
    runner_->run_only_step([&]() noexcept { return answer_single(client, words); });
    return;
  }
  request_slot& slot = take_slot(client, words);
  client.append(slot);
  pause_request(slot.mark, "stages");
  if (bypass_path) {
    capture_error(slot, [&] { answer_slot(slot); });
    finished(slot);
  } else if (alone) {
    runner_->run_single(slot);
  } else {
    if (path_ == nullptr && words.size() > 1) slot.key_hash = home_.keys().prefetch(words[1]);
    if (runner_->submit(slot)) home_.loop().run_tasks_soon();
  }
}

// Whether no other request could join the batch of this one.
bool executor::can_bypass_queues(const connection& client) const {
  return client.has_single_request() && runner_->free() && home_.loop().has_no_pending_work();
}

// Returns false if there was no memory even for an error reply.
bool executor::answer_single(connection& client, request_words words) noexcept {
  try {
    answer(client, words, nullptr);
    return true;
  } catch (...) {
    client.close();
    return false;
  }
}

void executor::refuse(connection& client, std::string_view error) {
  home_.counters().errors.add(1);
  if (client.idle()) {
    resp::reply_writer(client.output()).error(error);
    return;
  }
  request_slot& slot = slots_.take(client, {});
  client.append(slot);
  resp::reply_writer(client.reply_of(slot)).error(error);
  client.finish(slot);
}

void executor::run_command_step(void* context, request_call& call) {
  auto& slot = static_cast<request_slot&>(call);
  if (slot.client->must_wait(slot)) {
    slot.client->postpone(slot);
  } else {
    static_cast<executor*>(context)->answer_slot(slot);
  }
}

// All steps have run; the request is done unless it waits, or other shards still work on it.
void executor::finished(request_call& call) noexcept {
  auto& slot = static_cast<request_slot&>(call);
  if (slot.postponed) return;
  if (slot.in_stages) {
    stages_->enter(slot);
    return;
  }
  if (slot.error && slot.parts_left == 0) reply_with_error(slot);
  if (slot.parts_left != 0) return;
  end_request(slot.mark);
  slot.client->finish(slot);
}

// Also used if the answering step was skipped.
void executor::reply_with_error(request_slot& slot) noexcept {
  if (slot.has_own_reply) slot.extra->only.reply.cut_back(0);
  try {
    answer_slot(slot);
  } catch (const std::bad_alloc&) {
    slot.client->close();
  }
}

void executor::answer_now(request_slot& slot) {
  if (std::exchange(slot.applies_next, false)) {
    apply_now(slot, slot.extra ? std::exchange(slot.extra->postponed, nullptr) : nullptr);
    return;
  }
  capture_error(slot, [&] { answer_slot(slot); });
  finished(slot);
}

void executor::abandon(request_slot& slot) noexcept {
  const bool applies_next = std::exchange(slot.applies_next, false);
  remote_part* const part =
      applies_next && slot.extra ? std::exchange(slot.extra->postponed, nullptr) : nullptr;
  if (part != nullptr) {
    part_applied(slot, *part);
  } else {
    slot.client->finish(slot);
  }
}

// A slot must be finished even if `work` throws: its connection waits for it.
template <typename Work>
void executor::capture_error(request_slot& slot, Work work) noexcept {
  try {
    work();
  } catch (...) {
    slot.error = std::current_exception();
  }
}

void executor::answer_slot(request_slot& slot) {
  continue_request(slot.mark);
  connection& client = *slot.client;
  if (client.ended()) return;
  if (!slot.error && !slot.claimed) {
    const std::string_view first_key = slot.key_hash ? slot.words[1] : std::string_view{};
    const store::keyspace::known_hash expected(home_.keys(), first_key, slot.key_hash);
    answer(client, slot.words, &slot);
    return;
  }
  resp::byte_buffer& out = client.reply_of(slot);
  const std::size_t before = out.size();
  if (slot.error) {
    append_error(slot.error, out);
  } else if (slot.extra->path_reply.overflowed()) {
    client.cut_off();
    return;
  } else {
    out.append(slot.extra->path_reply.view());
  }
  count_error(out, before);
}

bool executor::answer(connection& client, request_words words, request_slot* slot) {
  resp::byte_buffer& out = slot == nullptr ? client.output() : client.reply_of(*slot);
  const std::size_t before = out.size();
  try {
    if (!answer_here(client, words, slot, out)) return false;
  } catch (...) {
    out.cut_back(before);
    throw;
  }
  count_error(out, before);
  return true;
}

inline bool executor::answer_here(connection& client, request_words words, request_slot* slot,
                                  resp::byte_buffer& out) {
  resp::reply_writer to(out, client.session().version);
  const command* what = admit(words, client.session(), to);
  if (what == nullptr) return true;
  if (what->reads_range() && home_.disk() != nullptr) {
    to.error("ERR RANGE is not available while values are on a disk");
    return true;
  }
  if (slot != nullptr && needs_stages(client, *what)) {
    enter_stages(*slot, *what);
    return false;
  }
  const shard_index where = router_.find(*what, words, shards_of_keys_);
  if (where == home_.index() && !is_on_disk(*what)) {
    run_here(client, *what, words, client.session().version, out);
    return true;
  }
  if (slot == nullptr) {
    request_slot& made = take_slot(client, words);
    client.append(made);
    capture_error(made, [&] { send(made, *what, where); });
    finished(made);
  } else if (stages_ && where != home_.index()) {
    slot->shard = static_cast<std::uint32_t>(*where);
    enter_stages(*slot, *what);
  } else {
    send(*slot, *what, where);
  }
  return false;
}

void executor::send(request_slot& slot, const command& what, shard_index where) {
  slot.what = &what;
  slot.version = slot.client->session().version;
  pause_request(slot.mark, where == home_.index() ? "disk" : "shard");
  router_.send(slot, where, shards_of_keys_);
}

// Whether the request enters the stages wherever its keys are. Others do if their key is on another
// shard.
bool executor::needs_stages(const connection& client, const command& what) const {
  if (!stages_ || !what.uses_keys()) return false;
  const bool may_have_several_shards =
      what.keys != key_places::first && home_.options().cpus.size() > 1;
  return what.changes || what.reads_range() || may_have_several_shards ||
         client.requests_in_stages() != 0;
}

// The slot enters when its path has ended (finished()).
void executor::enter_stages(request_slot& slot, const command& what) {
  slot.what = &what;
  slot.version = slot.client->session().version;
  slot.in_stages = true;
  pause_request(slot.mark, "stages");
  slot.client->enter_stages();
}

void executor::find_shards(request_slot& slot) {
  if (slot.shard != request_slot::unknown_shard) return;
  const bool one_key = slot.what->keys == key_places::first;
  const bool one_shard = one_key || home_.options().cpus.size() == 1;
  auto& shards_of_keys = one_shard ? shards_of_keys_ : slot.with_extra().shards_of_keys;
  const shard_index where = router_.find(*slot.what, slot.words, shards_of_keys);
  slot.shard = where ? static_cast<std::uint32_t>(*where) : request_slot::several_shards;
}

void executor::hand_out(request_slot& slot) {
  if (slot.client->closed()) {
    slot.leave_stages();
    finished(slot);
    return;
  }
  const bool several = slot.shard == request_slot::several_shards;
  if (slot.shard == home_.index() && home_.disk() == nullptr) {
    stages_->apply(slot, nullptr);
    return;
  }
  pause_request(slot.mark, slot.shard == home_.index() ? "disk" : "shard");
  const auto where = several ? shard_index{} : shard_index{slot.shard};
  router_.send(slot, where, several ? slot.extra->shards_of_keys : shards_of_keys_);
  // A disk may have refused its only part.
  if (!slot.in_stages && slot.parts_left == 0) finished(slot);
}

void executor::apply(request_slot& slot, remote_part* part) noexcept {
  slot.leave_stages();
  if (!slot.client->must_wait(slot)) {
    apply_now(slot, part);
    return;
  }
  slot.applies_next = true;
  if (part != nullptr) slot.extra->postponed = part;
  slot.client->postpone(slot);
}

void executor::apply_now(request_slot& slot, remote_part* part) noexcept {
  continue_request(slot.mark);
  if (part != nullptr) {
    if (!slot.client->closed()) part->run(home_);
    part_applied(slot, *part);
    return;
  }
  try {
    run_whole(slot);
  } catch (...) {
    fail(slot, std::current_exception());
    return;
  }
  finished(slot);
}

void executor::run_whole(request_slot& slot) {
  connection& client = *slot.client;
  if (client.closed()) return;
  resp::byte_buffer& out = client.reply_of(slot);
  const std::size_t before = out.size();
  const std::string_view first_key = slot.key_hash ? slot.words[1] : std::string_view{};
  const store::keyspace::known_hash expected(home_.keys(), first_key, slot.key_hash);
  try {
    run_here(client, *slot.what, slot.words, slot.version, out);
  } catch (...) {
    out.cut_back(before);
    throw;
  }
  count_error(out, before);
}

void executor::part_applied(request_slot& slot, remote_part& part) noexcept {
  part.outstanding = false;
  part_finished(slot);
}

void executor::apply_remote(remote_part& part) {
  part.run(home_);
  send_back(part);
}

void executor::send_back(remote_part& part) noexcept { home_.mailbox().send_back(part); }

// The request has no reply yet and no part on another shard.
void executor::fail(request_slot& slot, const std::exception_ptr& thrown) noexcept {
  if (slot.in_stages) slot.leave_stages();
  if (!slot.client->closed()) {
    try {
      resp::byte_buffer& out = slot.client->reply_of(slot);
      const std::size_t before = out.size();
      append_error(thrown, out);
      count_error(out, before);
    } catch (const std::bad_alloc&) {
      slot.client->close();
    }
  }
  finished(slot);
}

bool executor::is_on_disk(const command& what) const {
  return home_.disk() != nullptr && what.uses_keys();
}

void executor::run_here(connection& client, const command& what, request_words words,
                        resp::protocol version, resp::byte_buffer& out) {
  execution on{.keys = &home_.keys(), .client = &client.session(), .server = &home_.server()};
  resp::reply_writer to(out, version);
  server::run(what, on, words, to);
  if (!what.uses_keys()) client.session_may_have_changed();
}

void executor::part_finished(request_slot& slot) {
  if (--slot.parts_left != 0) return;
  continue_request(slot.mark);
  if (!slot.error && !slot.client->closed()) capture_error(slot, [&] { merge_part_replies(slot); });
  finished(slot);
}

void executor::merge_part_replies(request_slot& slot) {
  const auto cut_short = [](const auto& part) { return part->reply.overflowed(); };
  if (std::ranges::any_of(slot.extra->parts, cut_short)) {
    slot.client->cut_off();  // the reply is incomplete
  } else if (!slot.extra->parts.empty()) {
    std::vector<part_reply> replies;
    for (const auto& part : slot.extra->parts) {
      replies.push_back({part->key_numbers, part->reply.view()});
    }
    resp::reply_writer to(slot.own_reply(), slot.extra->parts.front()->version);
    merge_replies(*slot.what, slot.words, replies, to);
  }
  count_error(slot.own_reply(), 0);
}

void executor::count_error(const resp::byte_buffer& out, std::size_t before) {
  const std::string_view reply = out.view();
  if (reply.size() > before && reply[before] == '-') home_.counters().errors.add(1);
}

}  // namespace stallscope::server

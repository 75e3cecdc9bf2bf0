#include "server/shards/executor.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "server/commands/shard_merge.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {

executor::executor(shard& home, std::unique_ptr<path> work, stages::stage_registry* registry)
    : home_(home), path_(std::move(work)), slots_(path_.get(), home.options().limits.output_bytes) {
  if (path_ != nullptr) steps_.assign(path_->steps().begin(), path_->steps().end());
  steps_.push_back({"execute", this, run_command_step});
  if (registry != nullptr) {
    runner_.emplace(steps_, *this, *registry);
  } else if (path_ != nullptr) {
    runner_.emplace(steps_, *this);
  }
}

void executor::submit(connection& client, request_words words) {
  home_.counters().requests.add(1);
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
  request_slot& slot = slots_.take(client, words);
  client.append(slot);
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
  if (slot.client->must_wait()) {
    slot.client->postpone(slot);
  } else {
    static_cast<executor*>(context)->answer_slot(slot);
  }
}

// All steps have run; the request is done unless other shards still work on it.
void executor::finished(request_call& call) noexcept {
  auto& slot = static_cast<request_slot&>(call);
  if (slot.postponed) return;
  if (slot.error && slot.parts_left == 0) reply_with_error(slot);
  if (slot.parts_left == 0) slot.client->finish(slot);
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
  capture_error(slot, [&] { answer_slot(slot); });
  finished(slot);
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
  connection& client = *slot.client;
  if (client.ended()) return;
  resp::byte_buffer& out = client.reply_of(slot);
  const std::size_t before = out.size();
  if (slot.error) {
    write_error(slot.error, out);
  } else if (slot.claimed) {
    if (slot.extra->path_reply.overflowed()) {
      client.cut_off();
      return;
    }
    out.append(slot.extra->path_reply.view());
  } else {
    const std::string_view first_key = slot.key_hash ? slot.words[1] : std::string_view{};
    const store::keyspace::known_hash expected(home_.keys(), first_key, slot.key_hash);
    try {
      answer(client, slot.words, &slot);
    } catch (...) {
      out.cut_back(before);
      throw;
    }
    return;
  }
  count_error(out, before);
}

void executor::write_error(const std::exception_ptr& thrown, resp::byte_buffer& out) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    resp::reply_writer(out).error("OOM the system has no memory for this");
  } catch (const std::exception& error) {
    resp::reply_writer(out).error(std::string("ERR ") + error.what());
  } catch (...) {
    resp::reply_writer(out).error("ERR the request could not be answered");
  }
}

bool executor::answer(connection& client, request_words words, request_slot* slot) {
  resp::byte_buffer& out = slot == nullptr ? client.output() : client.reply_of(*slot);
  const std::size_t before = out.size();
  resp::reply_writer to(out, client.session().version);
  const command* what = admit(words, client.session(), to);
  if (what != nullptr) {
    const shard_index where = target_shard_of(*what, words);
    if (where != home_.index() || is_on_disk(*what)) {
      if (slot != nullptr) {
        send_to(*slot, *what, where);
        return false;
      }
      request_slot& made = slots_.take(client, words);
      client.append(made);
      capture_error(made, [&] { send_to(made, *what, where); });
      finished(made);
      return false;
    }
    run_here(client, *what, words, out);
  }
  count_error(out, before);
  return true;
}

bool executor::is_on_disk(const command& what) const {
  return home_.disk() != nullptr && (what.keys != key_places::none || what.every_shard);
}

void executor::run_here(connection& client, const command& what, request_words words,
                        resp::byte_buffer& out) {
  execution on{.keys = &home_.keys(), .client = &client.session(), .server = &home_.server()};
  resp::reply_writer to(out, client.session().version);
  server::run(what, on, words, to);
  if (what.keys == key_places::none && !what.every_shard) client.session_may_have_changed();
}

executor::shard_index executor::target_shard_of(const command& what, request_words words) {
  shared_server& server = home_.server();
  const std::size_t shards = home_.options().cpus.size();
  if (shards == 1) return home_.index();
  switch (what.keys) {
    case key_places::none:
      return what.every_shard ? shard_index{} : home_.index();
    case key_places::first:
      return server.shard_of(words[1]);
    case key_places::every:
    case key_places::every_second:
      break;
  }
  shards_of_keys_.clear();
  const std::size_t apart = what.keys == key_places::every ? 1 : 2;
  for (std::size_t i = 1; i < words.size(); i += apart) {
    shards_of_keys_.push_back(server.shard_of(words[i]));
  }
  const bool all_one = std::ranges::all_of(
      shards_of_keys_, [&](std::size_t at) { return at == shards_of_keys_.front(); });
  return all_one ? shard_index{shards_of_keys_.front()} : shard_index{};
}

// If this throws, no part was sent yet.
void executor::send_to(request_slot& slot, const command& what, shard_index where) {
  slot.what = &what;
  if (where) {
    send(slot, *where);
  } else {
    send_parts(slot);
  }
}

void executor::send(request_slot& slot, std::size_t to) {
  slot_extra& extra = slot.with_extra();
  slot.has_own_reply = true;
  extra.only.words = slot.words;
  extra.only.version = slot.client->session().version;
  slot.parts_left = 1;
  send_part(slot, extra.only, to);
}

// With a disk, a part of this shard completes later, as if it ran on another shard.
void executor::send_part(request_slot& slot, remote_part& part, std::size_t to) {
  part.target = to;
  part.outstanding = true;
  if (to != home_.index()) {
    home_.counters().crossed.add(1);
    home_.mailbox().post(to, part);
  } else if (part.run_on_target(home_)) {
    part.outstanding = false;
    --slot.parts_left;
  }
}

void executor::cancel(request_slot& slot) noexcept {
  if (home_.disk() == nullptr || !slot.extra || slot.parts_left == 0) return;
  cancel_part(slot, slot.extra->only);
  for (const auto& part : slot.extra->parts) cancel_part(slot, *part);
}

void executor::cancel_part(request_slot& slot, remote_part& part) noexcept {
  if (!part.outstanding) return;
  if (part.target == home_.index()) {
    home_.disk()->cancel(part);
  } else {
    ++slot.parts_left;  // the slot stays until the cancellation has returned
    home_.mailbox().post(part.target, part.cancellation);
  }
}

void executor::send_parts(request_slot& slot) {
  part_shards_.clear();
  if (slot.what->every_shard) {
    for (std::size_t at = 0; at < home_.options().cpus.size(); ++at) {
      add_part(slot, at);
      slot.extra->parts.back()->words = slot.words;
    }
  } else {
    for (shard_part& part : split_by_shard(*slot.what, slot.words, shards_of_keys_)) {
      add_part(slot, part.shard);
      remote_part& made = *slot.extra->parts.back();
      made.own_words = std::move(part.words);
      made.key_numbers = std::move(part.key_numbers);
      made.words = made.own_words;
    }
  }
  // All parts exist before the first can return.
  slot.parts_left = static_cast<std::uint32_t>(slot.extra->parts.size());
  for (std::size_t i = 0; i < slot.extra->parts.size(); ++i) {
    send_part(slot, *slot.extra->parts[i], part_shards_[i]);
  }
}

void executor::add_part(request_slot& slot, std::size_t shard) {
  slot.with_extra().parts.push_back(
      std::make_unique<remote_part>(slot, home_.options().limits.output_bytes));
  slot.extra->parts.back()->version = slot.client->session().version;
  part_shards_.push_back(shard);
}

void executor::part_finished(request_slot& slot) {
  if (--slot.parts_left != 0) return;
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
    merge_replies(*slot.what, replies, to);
  }
  count_error(slot.own_reply(), 0);
}

void executor::count_error(const resp::byte_buffer& out, std::size_t before) {
  const std::string_view reply = out.view();
  if (reply.size() > before && reply[before] == '-') home_.counters().errors.add(1);
}

}  // namespace stallscope::server

#include "server/shards/request_slot.hpp"

#include <new>
#include <utility>

#include "server/shards/connection.hpp"
#include "server/shards/executor.hpp"
#include "server/shards/request_stages.hpp"
#include "server/shards/shard.hpp"

namespace stallscope::server {

bool remote_part::run_on_target(shard& there) {
  if (there.disk() != nullptr) {
    what = slot.what;
    reply_to = &reply;
    request_mark = slot.mark;
    disk_shard = &there;
    try {
      there.disk()->submit(*this);
      return false;
    } catch (const std::bad_alloc&) {
      refuse();
      return true;
    }
  }
  if (request_stages* stages = there.executor().stages(); stages != nullptr) {
    stages->receive(*this);
    return false;
  }
  run(there);
  return true;
}

void remote_part::run(shard& there) {
  resp::reply_writer to(reply, version);
  execution on{.keys = &there.keys()};
  server::run(*slot.what, on, words, to);
}

void remote_part::refuse() noexcept {
  reply.cut_back(0);
  resp::reply_writer(reply, version).error("OOM the system has no memory for this");
}

void remote_part::disk_answered() noexcept {
  if (&slot.client->home() == disk_shard) {
    on_returned();
  } else {
    disk_shard->mailbox().send_back(*this);
  }
}

void remote_part::on_returned() {
  outstanding = false;
  slot.client->home().executor().part_finished(slot);
}

bool part_cancellation::run_on_target(shard& there) {
  if (there.disk() != nullptr) there.disk()->cancel(part_);
  return true;
}

void part_cancellation::on_returned() {
  part_.slot.client->home().executor().part_finished(part_.slot);
}

void request_slot::leave_stages() noexcept {
  in_stages = false;
  client->leave_stages();
}

slot_pool::~slot_pool() {
  while (free_ != nullptr) delete std::exchange(free_, free_->next);
}

request_slot& slot_pool::take(connection& client, request_words words) {
  if (free_ == nullptr) add_one();
  request_slot& taken = *free_;
  taken.words =
      words.size() <= taken.inline_words.size() ? keep_few(taken, words) : keep_many(taken, words);
  free_ = taken.next;  // owned by its connection until it is given back
  --kept_;
  // The next request will follow, and its slot was last used hundreds of requests ago.
  __builtin_prefetch(free_, 1);
  taken.client = &client;
  if (path_ != nullptr) taken.reply->set_version(client.session().version);
  taken.key_hash.reset();
  if (taken.error) clear_error(taken);
  taken.claimed = false;
  taken.next = nullptr;
  taken.done = false;
  taken.shard = request_slot::unknown_shard;
  taken.mark = 0;
  return taken;
}

void slot_pool::add_one() {
  auto made = std::make_unique<request_slot>();
  made->reply_limit = reply_limit_;
  if (path_ != nullptr) {
    made->state = path_->make_state();
    made->reply = &made->with_extra().path_writer;
  }
  keep(*made.release());
}

request_words slot_pool::keep_few(request_slot& slot, request_words words) {
  auto* const inline_words = slot.inline_words.data();
  if (!words.empty()) inline_words[0] = words[0];
  if (words.size() > 1) inline_words[1] = words[1];
  if (words.size() > 2) inline_words[2] = words[2];
  return {slot.inline_words.data(), words.size()};
}

request_words slot_pool::keep_many(request_slot& slot, request_words words) {
  auto& many = slot.with_extra().many_words;
  many.assign(words.begin(), words.end());
  return many;
}

void slot_pool::release_with_extra(request_slot& slot) {
  if (kept_ >= max_kept || (slot.extra && !clear(slot))) {
    delete &slot;
  } else {
    keep(slot);
  }
}

void slot_pool::clear_error(request_slot& slot) { slot.error = nullptr; }

// Returns false if the slot grew too large to keep, or a reply overflowed, which is permanent.
bool slot_pool::clear(request_slot& slot) {
  slot_extra& extra = *slot.extra;
  if (extra.only.reply.overflowed() || extra.path_reply.overflowed()) return false;
  if (extra.only.reply.capacity() > kept_bytes || extra.path_reply.capacity() > kept_bytes ||
      extra.many_words.capacity() > kept_words) {
    return false;
  }
  extra.only.reply.cut_back(0);
  extra.path_reply.cut_back(0);
  extra.parts.clear();
  slot.has_own_reply = false;
  return true;
}

}  // namespace stallscope::server

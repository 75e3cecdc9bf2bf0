#include "server/shards/request_slot.hpp"

#include <algorithm>
#include <utility>

#include "server/shards/connection.hpp"
#include "server/shards/executor.hpp"
#include "server/shards/shard.hpp"

namespace stallscope::server {

bool remote_part::run_there(shard& there) {
  if (there.disk() != nullptr) {
    what = slot.what;
    reply_to = &reply;
    disk_of = &there;
    there.disk()->submit(*this);
    return false;
  }
  resp::reply_writer to(reply, version);
  execution on{.keys = &there.keys()};
  server::run(*slot.what, on, words, to);
  return true;
}

void remote_part::disk_answered() {
  if (&slot.client->home() == disk_of) {
    come_back();
  } else {
    disk_of->mail().send_back(*this);
  }
}

void remote_part::come_back() { slot.client->home().executor().part_came_back(slot); }

slot_pool::~slot_pool() {
  while (free_ != nullptr) delete std::exchange(free_, free_->next);
}

request_slot& slot_pool::take(connection& client, request_words words) {
  if (free_ == nullptr) add_one();
  request_slot& taken = *free_;
  taken.words =
      words.size() <= taken.few_words.size() ? keep_few(taken, words) : keep_many(taken, words);
  free_ = taken.next;  // its connection's until it is given back
  --kept_;
  // The next request is about to follow, and its slot was used hundreds of requests ago.
  __builtin_prefetch(free_, 1);
  taken.client = &client;
  if (path_ != nullptr) taken.reply->set_version(client.session().version);
  taken.key_hash.reset();
  if (taken.error) forget_error(taken);
  taken.taken = false;
  taken.next = nullptr;
  taken.done = false;
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
  for (std::size_t i = 0; i < words.size(); ++i) slot.few_words[i] = words[i];
  return {slot.few_words.data(), words.size()};
}

request_words slot_pool::keep_many(request_slot& slot, request_words words) {
  auto& many = slot.with_extra().many_words;
  many.assign(words.begin(), words.end());
  return many;
}

void slot_pool::give_back_extra(request_slot& slot) {
  if (kept_ >= most_kept || (slot.extra && !clear(slot))) {
    delete &slot;
  } else {
    keep(slot);
  }
}

void slot_pool::forget_error(request_slot& slot) { slot.error = nullptr; }

// False where it grew too large to be kept, or a reply went beyond its limit: that never ends.
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
  slot.apart = false;
  return true;
}

}  // namespace stallscope::server

#include "server/shards/cross_mail.hpp"

namespace stallscope::server {

mail_room::mail_room(std::size_t shards) : bells_(shards) {
  queues_.reserve(shards * shards);
  for (std::size_t i = 0; i < shards * shards; ++i) {
    const bool to_itself = i / shards == i % shards;
    queues_.push_back(to_itself ? nullptr : std::make_unique<queue>());
  }
}

cross_mail::cross_mail(mail_room& room, shard& owner, std::size_t index, reactor::reactor& loop,
                       listener& rung)
    : room_(room), owner_(owner), index_(index), loop_(loop), rung_(rung), out_(room.shards()) {
  loop_.watch(room_.bell(index_).fd(), EPOLLIN, *this);
}

void cross_mail::post(std::size_t to, cross_call& call) {
  call.home_ = index_;
  call.returning_ = false;
  send(to, call);
}

void cross_mail::send(std::size_t to, cross_call& call) {
  waiting_calls& waiting = out_[to];
  waiting.ring = true;
  if (waiting.first == nullptr && room_.between(index_, to).push(&call)) return;
  call.next_ = nullptr;
  (waiting.first == nullptr ? waiting.first : waiting.last->next_) = &call;
  waiting.last = &call;
}

bool cross_mail::send_waiting(std::size_t to) {
  waiting_calls& waiting = out_[to];
  while (waiting.first != nullptr) {
    // Read before the push: afterwards the call is the other thread's.
    cross_call* next = waiting.first->next_;
    if (!room_.between(index_, to).push(waiting.first)) return false;
    waiting.first = next;
  }
  return true;
}

void cross_mail::end_turn() {
  bool all_sent = true;
  for (std::size_t to = 0; to < out_.size(); ++to) {
    if (!out_[to].ring) continue;
    const bool sent = send_waiting(to);
    out_[to].ring = !sent;
    all_sent = all_sent && sent;
    room_.bell(to).ring();
  }
  // Tried again at once: the other is at work on a thousand calls.
  if (!all_sent && !scheduled_) {
    scheduled_ = true;
    loop_.schedule(*this);
  }
}

void cross_mail::on_events(std::uint32_t /*events*/) {
  room_.bell(index_).clear();
  for (std::size_t from = 0; from < room_.shards(); ++from) {
    if (from == index_) continue;
    cross_call* call = nullptr;
    while (room_.between(from, index_).pop(call)) take(*call);
  }
  rung_.bell_rang();
}

void cross_mail::take(cross_call& call) {
  if (call.returning_) {
    call.come_back();
    return;
  }
  if (call.run_there(owner_)) send_back(call);
}

void cross_mail::send_back(cross_call& done) {
  done.returning_ = true;
  send(done.home_, done);
}

}  // namespace stallscope::server

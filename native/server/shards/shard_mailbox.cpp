#include "server/shards/shard_mailbox.hpp"

namespace stallscope::server {

mailbox_queues::mailbox_queues(std::size_t shards) : wake_events_(shards) {
  queues_.reserve(shards * shards);
  for (std::size_t i = 0; i < shards * shards; ++i) {
    const bool to_itself = i / shards == i % shards;
    queues_.push_back(to_itself ? nullptr : std::make_unique<queue>());
  }
}

shard_mailbox::shard_mailbox(mailbox_queues& queues, shard& owner, std::size_t index,
                             reactor::reactor& loop, listener& on_wake_up)
    : queues_(queues),
      owner_(owner),
      index_(index),
      loop_(loop),
      listener_(on_wake_up),
      out_(queues.shards()) {
  loop_.watch(queues_.wake_event_of(index_).fd(), EPOLLIN, *this);
}

void shard_mailbox::post(std::size_t to, mailbox_call& call) {
  call.home_ = index_;
  call.returning_ = false;
  send(to, call);
}

void shard_mailbox::send(std::size_t to, mailbox_call& call) {
  waiting_calls& waiting = out_[to];
  waiting.must_wake = true;
  if (waiting.first == nullptr && queues_.between(index_, to).push(&call)) return;
  call.next_ = nullptr;
  (waiting.first == nullptr ? waiting.first : waiting.last->next_) = &call;
  waiting.last = &call;
}

bool shard_mailbox::send_waiting(std::size_t to) {
  waiting_calls& waiting = out_[to];
  while (waiting.first != nullptr) {
    // Read it before the push: after the push the other thread owns the call.
    mailbox_call* next = waiting.first->next_;
    if (!queues_.between(index_, to).push(waiting.first)) return false;
    waiting.first = next;
  }
  return true;
}

void shard_mailbox::end_turn() {
  bool all_sent = true;
  for (std::size_t to = 0; to < out_.size(); ++to) {
    if (!out_[to].must_wake) continue;
    const bool sent = send_waiting(to);
    out_[to].must_wake = !sent;
    all_sent = all_sent && sent;
    queues_.wake_event_of(to).signal();
  }
  // Retried in the next turn: the receiver is working through a thousand calls.
  if (!all_sent && !scheduled_) {
    scheduled_ = true;
    loop_.schedule(*this);
  }
}

void shard_mailbox::on_events(std::uint32_t /*events*/) {
  queues_.wake_event_of(index_).clear();
  for (std::size_t from = 0; from < queues_.shards(); ++from) {
    if (from == index_) continue;
    mailbox_call* call = nullptr;
    while (queues_.between(from, index_).pop(call)) take(*call);
  }
  listener_.mailbox_drained();
}

void shard_mailbox::take(mailbox_call& call) {
  if (call.returning_) {
    call.on_returned();
    return;
  }
  if (call.run_on_target(owner_)) send_back(call);
}

void shard_mailbox::send_back(mailbox_call& done) {
  done.returning_ = true;
  send(done.home_, done);
}

}  // namespace stallscope::server

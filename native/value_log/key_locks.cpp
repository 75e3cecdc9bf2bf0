#include "value_log/key_locks.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::value_log {

void key_locks::acquire(holder& requester) {
  if (!requester.whole) claim_keys(requester);
  if (barrier_ != nullptr) {
    blocked_.push(requester);
  } else {
    start(requester);
  }
}

void key_locks::claim_keys(holder& requester) {
  std::ranges::sort(requester.hashes);
  const auto last = std::unique(requester.hashes.begin(), requester.hashes.end());
  requester.hashes.erase(last, requester.hashes.end());
  requester.claims_.clear();
  requester.claims_.reserve(requester.hashes.size());
  try {
    for (const std::uint64_t hash : requester.hashes) {
      key_queue& of_key = queues_[hash];
      ++of_key.claims;
      requester.claims_.push_back({.of = &requester, .queue = &of_key});
    }
  } catch (...) {
    drop_claims(requester);
    throw;
  }
}

void key_locks::drop_claims(holder& requester) noexcept {
  for (std::size_t i = 0; i < requester.claims_.size(); ++i) {
    if (--requester.claims_[i].queue->claims == 0) queues_.erase(requester.hashes[i]);
  }
  requester.claims_.clear();
}

void key_locks::start(holder& requester) noexcept {
  if (requester.whole) {
    barrier_ = &requester;
    if (active_ == 0) requester.all_held();
    return;
  }
  ++active_;
  requester.pending_ = 0;
  for (holder::claim& claim : requester.claims_) {
    key_queue& of_key = *claim.queue;
    if (of_key.waiting.empty() && of_key.admits(requester)) {
      of_key.admit(requester);
    } else {
      of_key.waiting.push(claim);
      ++requester.pending_;
    }
  }
  if (requester.pending_ == 0) requester.all_held();
}

void key_locks::release(holder& done) noexcept {
  if (done.whole) {
    barrier_ = nullptr;
    linked_fifo<holder> later = std::exchange(blocked_, {});
    // Up to the next operation on all keys.
    while (holder* next = later.pop()) {
      if (barrier_ != nullptr) {
        blocked_.push(*next);
      } else {
        start(*next);
      }
    }
    return;
  }
  linked_fifo<holder> ready;
  for (const holder::claim& claim : done.claims_) release_key(*claim.queue, done, ready);
  drop_claims(done);
  --active_;
  while (holder* next = ready.pop()) next->all_held();
  if (active_ == 0 && barrier_ != nullptr) barrier_->all_held();
}

void key_locks::release_key(key_queue& of_key, const holder& done, linked_fifo<holder>& ready) {
  if (done.exclusive) {
    of_key.writer = false;
  } else {
    --of_key.readers;
  }
  while (!of_key.waiting.empty() && of_key.admits(*of_key.waiting.first()->of)) {
    holder& next = *of_key.waiting.pop()->of;
    of_key.admit(next);
    if (--next.pending_ == 0) ready.push(next);
  }
}

}  // namespace stallscope::value_log

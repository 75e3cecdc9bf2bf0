#include "value_log/key_locks.hpp"

#include <algorithm>

namespace stallscope::value_log {

void key_locks::acquire(holder& requester) {
  if (barrier_ != nullptr) {
    blocked_.push_back(&requester);
  } else if (requester.whole) {
    barrier_ = &requester;
    if (active_ == 0) requester.all_held();
  } else {
    acquire_keys(requester);
  }
}

void key_locks::acquire_keys(holder& requester) {
  ++active_;
  std::ranges::sort(requester.hashes);
  const auto last = std::unique(requester.hashes.begin(), requester.hashes.end());
  requester.hashes.erase(last, requester.hashes.end());
  requester.pending_ = 0;
  for (const std::uint64_t hash : requester.hashes) {
    key_queue& of_key = queues_[hash];
    if (of_key.waiting.empty() && of_key.admits(requester)) {
      of_key.admit(requester);
    } else {
      of_key.waiting.push_back(&requester);
      ++requester.pending_;
    }
  }
  if (requester.pending_ == 0) requester.all_held();
}

void key_locks::release(holder& done) {
  std::vector<holder*> ready;
  if (done.whole) {
    barrier_ = nullptr;
    std::deque<holder*> later;
    later.swap(blocked_);
    for (holder* ready_holder : later)
      acquire(*ready_holder);  // up to the next operation on all keys
    return;
  }
  for (const std::uint64_t hash : done.hashes) release_key(hash, done, ready);
  --active_;
  for (holder* ready_holder : ready) ready_holder->all_held();
  if (active_ == 0 && barrier_ != nullptr) barrier_->all_held();
}

void key_locks::release_key(std::uint64_t hash, const holder& done, std::vector<holder*>& ready) {
  const auto found = queues_.find(hash);
  key_queue& of_key = found->second;
  if (done.exclusive) {
    of_key.writer = false;
  } else {
    --of_key.readers;
  }
  std::size_t admitted = 0;
  while (admitted < of_key.waiting.size() && of_key.admits(*of_key.waiting[admitted])) {
    holder& next = *of_key.waiting[admitted++];
    of_key.admit(next);
    if (--next.pending_ == 0) ready.push_back(&next);
  }
  of_key.waiting.erase(of_key.waiting.begin(),
                       of_key.waiting.begin() + static_cast<std::ptrdiff_t>(admitted));
  if (of_key.waiting.empty() && !of_key.writer && of_key.readers == 0) queues_.erase(found);
}

}  // namespace stallscope::value_log

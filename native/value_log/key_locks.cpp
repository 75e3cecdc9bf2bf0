#include "value_log/key_locks.hpp"

#include <algorithm>

namespace stallscope::value_log {

void key_locks::acquire(holder& wanted) {
  if (barrier_ != nullptr) {
    held_back_.push_back(&wanted);
  } else if (wanted.whole) {
    barrier_ = &wanted;
    if (active_ == 0) wanted.all_held();
  } else {
    acquire_keys(wanted);
  }
}

void key_locks::acquire_keys(holder& wanted) {
  ++active_;
  std::ranges::sort(wanted.hashes);
  const auto last = std::unique(wanted.hashes.begin(), wanted.hashes.end());
  wanted.hashes.erase(last, wanted.hashes.end());
  wanted.missing_ = 0;
  for (const std::uint64_t hash : wanted.hashes) {
    line& of_key = lines_[hash];
    if (of_key.waiting.empty() && of_key.admits(wanted)) {
      of_key.admit(wanted);
    } else {
      of_key.waiting.push_back(&wanted);
      ++wanted.missing_;
    }
  }
  if (wanted.missing_ == 0) wanted.all_held();
}

void key_locks::release(holder& done) {
  std::vector<holder*> ready;
  if (done.whole) {
    barrier_ = nullptr;
    std::deque<holder*> later;
    later.swap(held_back_);
    for (holder* one : later) acquire(*one);  // up to the next one that needs all
    return;
  }
  for (const std::uint64_t hash : done.hashes) release_key(hash, done, ready);
  --active_;
  for (holder* one : ready) one->all_held();
  if (active_ == 0 && barrier_ != nullptr) barrier_->all_held();
}

void key_locks::release_key(std::uint64_t hash, const holder& done, std::vector<holder*>& ready) {
  const auto found = lines_.find(hash);
  line& of_key = found->second;
  if (done.exclusive) {
    of_key.writer = false;
  } else {
    --of_key.readers;
  }
  std::size_t admitted = 0;
  while (admitted < of_key.waiting.size() && of_key.admits(*of_key.waiting[admitted])) {
    holder& next = *of_key.waiting[admitted++];
    of_key.admit(next);
    if (--next.missing_ == 0) ready.push_back(&next);
  }
  of_key.waiting.erase(of_key.waiting.begin(),
                       of_key.waiting.begin() + static_cast<std::ptrdiff_t>(admitted));
  if (of_key.waiting.empty() && !of_key.writer && of_key.readers == 0) lines_.erase(found);
}

}  // namespace stallscope::value_log

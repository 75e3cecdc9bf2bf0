// The requests of a connection that are in flight, oldest first, linked through their slots, so
// that replies are sent in request order.
//
//   pipeline.append(slot);  // a request that cannot be answered yet
//
//   while (pipeline.first_done()) send_reply(pipeline.pop_first(bytes));
//
// A request is postponed if it is ready to be answered while the client does not read its replies.
//
// Cost: a few instructions per call, no allocation. Thread: that of the shard.
#pragma once

#include <algorithm>
#include <cstddef>

#include "server/shards/request_slot.hpp"

namespace stallscope::server {

class request_pipeline {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_first(const request_slot& slot) const noexcept { return first_ == &slot; }
  [[nodiscard]] bool first_done() const noexcept { return first_ != nullptr && first_->done; }
  [[nodiscard]] request_slot& first() const noexcept { return *first_; }

  void append(request_slot& slot) noexcept {
    (first_ == nullptr ? first_ : last_->next) = &slot;
    last_ = &slot;
    ++size_;
  }
  // Calls `visit` with every slot, oldest first; it must not add or remove any.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (request_slot* slot = first_; slot != nullptr; slot = slot->next) visit(*slot);
  }
  // Removes the first request. `reply_bytes` is the size of its reply if it was made elsewhere.
  request_slot& pop_first(std::size_t reply_bytes) noexcept {
    request_slot& oldest = *first_;
    remote_reply_bytes_ = std::max(reply_bytes, remote_reply_bytes_ - remote_reply_bytes_ / 8);
    first_ = oldest.next;
    --size_;
    return oldest;
  }

  // Bytes of replies that are complete but wait for an earlier request.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return waiting_bytes_; }
  void add_waiting(std::size_t bytes) noexcept { waiting_bytes_ += bytes; }
  void remove_waiting(std::size_t bytes) noexcept { waiting_bytes_ -= bytes; }

  // Estimate of the replies in flight. The size of a remote reply is unknown until it arrives, so
  // the estimate assumes the largest recent one.
  [[nodiscard]] std::size_t expected_reply_bytes() const noexcept {
    return size_ * remote_reply_bytes_;
  }

  [[nodiscard]] bool has_postponed() const noexcept { return postponed_ != 0; }
  void postpone(request_slot& slot) noexcept {
    slot.postponed = true;
    ++postponed_;
  }
  // The oldest postponed request, which then is no longer postponed. Requests before it may still
  // wait for other shards.
  request_slot& take_postponed() noexcept {
    request_slot& slot = first_postponed();
    slot.postponed = false;
    --postponed_;
    return slot;
  }
  [[nodiscard]] request_slot& first_postponed() const noexcept {
    request_slot* slot = first_;
    while (!slot->postponed) slot = slot->next;
    return *slot;
  }

 private:
  request_slot* first_ = nullptr;
  request_slot* last_ = nullptr;
  std::size_t size_ = 0;
  std::size_t postponed_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::size_t remote_reply_bytes_ = std::size_t{16} << 10U;
};

}  // namespace stallscope::server

// A queue in one piece of memory that begins at its front again when it was emptied, so that short
// queues stay in the same cache lines. Pushing and popping cost a few instructions; a queue that
// is never empty moves its entries to the front once they are the smaller half. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stallscope::stages {

template <typename Entry>
class call_queue {
 public:
  // Room for so many; more make it allocate.
  explicit call_queue(std::size_t room) : slots_(std::max<std::size_t>(room, 1)) {}

  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] bool empty() const noexcept { return end_ == begin_; }
  // Slots up to the last that is in use: a push is within the room while it is less than that.
  [[nodiscard]] std::size_t used() const noexcept { return end_; }

  void push(Entry added) {
    make_room();
    push_within_room(std::move(added));
  }
  void push_within_room(Entry added) { slots_[end_++] = std::move(added); }

  // For one push.
  void make_room() {
    if (end_ != slots_.size()) {
      return;
    }
    if (begin_ < size()) {
      slots_.resize(2 * slots_.size());
      return;
    }
    const auto at = [this](std::size_t i) {
      return slots_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::move(at(begin_), at(end_), slots_.begin());
    end_ -= begin_;
    begin_ = 0;
  }

  // Of a queue that is not empty. After the last pop in a row comes a settle().
  [[nodiscard]] Entry pop() { return std::move(slots_[begin_++]); }
  void settle() noexcept {
    if (begin_ == end_) {
      begin_ = end_ = 0;
    }
  }

 private:
  std::vector<Entry> slots_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace stallscope::stages

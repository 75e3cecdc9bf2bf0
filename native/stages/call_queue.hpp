// A FIFO in one contiguous array. It restarts at the front when it becomes empty, so that short
// queues stay in the same cache lines. A push or a pop is a few instructions. A queue that never
// becomes empty moves its entries to the front once they fill less than half of the array. One
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stallscope::stages {

template <typename Entry>
class call_queue {
 public:
  // Initial capacity; more entries allocate.
  explicit call_queue(std::size_t room) : slots_(std::max<std::size_t>(room, 1)) {}

  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] bool empty() const noexcept { return end_ == begin_; }
  // Slots up to the last used one. A push below the capacity does not allocate.
  [[nodiscard]] std::size_t used() const noexcept { return end_; }

  void push(Entry added) {
    make_room();
    push_within_room(std::move(added));
  }
  void push_within_room(Entry added) { slots_[end_++] = std::move(added); }

  // Makes room for one push.
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

  // The queue must not be empty. Call settle() after the last pop of a series.
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

// A FIFO in one contiguous array. It restarts at the front when it becomes empty, so that short
// queues stay in the same cache lines. A push or a pop is a few instructions. A queue that never
// becomes empty moves its entries to the front once they fill less than half of the array. One
// thread.
//
//     if (!queue.try_push(entry)) {          // the owner has something to do first
//       queue.push(entry);                   // never fails, may allocate
//       queue.open(limit);                   // the next pushes are try_push() again
//     }
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace stallscope::stages {

template <typename Entry>
class call_queue {
 public:
  // Initial capacity; more entries allocate. The queue is closed.
  explicit call_queue(std::size_t room) : slots_(std::max<std::size_t>(room, 1)) {
    begin_ = end_ = open_until_ = slots_.data();
  }
  call_queue(const call_queue&) = delete;
  call_queue& operator=(const call_queue&) = delete;
  call_queue(call_queue&&) = delete;
  call_queue& operator=(call_queue&&) = delete;
  ~call_queue() = default;

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(end_ - begin_);
  }
  [[nodiscard]] bool empty() const noexcept { return end_ == begin_; }

  // While the queue is open, try_push() succeeds up to the slot with this number, without an
  // allocation. `slots` is at most the capacity given at construction.
  void open(std::size_t slots) noexcept { open_until_ = slots_.data() + slots; }
  void close() noexcept { open_until_ = slots_.data(); }
  [[nodiscard]] bool try_push(Entry&& added) {
    Entry* const at = end_;
    if (at >= open_until_) return false;
    *at = std::move(added);
    end_ = at + 1;
    return true;
  }
  // Pushes whether the queue is open or not.
  void push(Entry added) {
    make_room();
    *end_++ = std::move(added);
  }

  // Removes the first entry. The queue must not be empty.
  [[nodiscard]] Entry pop() {
    Entry first = std::move(*begin_++);
    if (begin_ == end_) begin_ = end_ = slots_.data();
    return first;
  }
  // Removes the first entries, which stay in place until release_claimed(); pushes are possible
  // meanwhile, further claims and pops are not.
  [[nodiscard]] std::span<Entry> claim(std::size_t entries) noexcept {
    claimed_ = true;
    return {std::exchange(begin_, begin_ + entries), entries};
  }
  void release_claimed() noexcept {
    claimed_ = false;
    claimed_slots_ = {};
    if (begin_ == end_) begin_ = end_ = slots_.data();
  }

  [[nodiscard]] const Entry& front() const noexcept { return *begin_; }
  // Number of entries at the front, at most `max_count`, for which `holds` is true; it is false for
  // all entries behind the first for which it is false.
  template <typename Predicate>
  [[nodiscard]] std::size_t count_front(std::size_t max_count, Predicate holds) const {
    if (holds(begin_[max_count - 1])) return max_count;
    return static_cast<std::size_t>(std::partition_point(begin_, begin_ + max_count, holds) -
                                    begin_);
  }

 private:
  // Makes room for one push.
  void make_room() {
    if (end_ != slots_.data() + slots_.size()) return;
    const std::size_t held = size();
    const bool half_empty = begin_ - slots_.data() >= static_cast<std::ptrdiff_t>(held);
    if (claimed_ || !half_empty) {
      grow();
    } else {
      std::move(begin_, end_, slots_.data());
    }
    begin_ = slots_.data();
    end_ = begin_ + held;
  }

  // Moves the entries to the front of a larger array.
  void grow() {
    std::vector<Entry> larger(2 * slots_.size());
    std::move(begin_, end_, larger.data());
    open_until_ = larger.data() + (open_until_ - slots_.data());
    slots_.swap(larger);
    if (claimed_ && claimed_slots_.empty()) claimed_slots_ = std::move(larger);
  }

  std::vector<Entry> slots_;
  std::vector<Entry> claimed_slots_;  // the array before it grew, while it has claimed entries
  bool claimed_ = false;
  Entry* begin_;
  Entry* end_;
  Entry* open_until_;  // try_push() fails from this slot on
};

}  // namespace stallscope::stages

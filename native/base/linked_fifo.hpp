// A FIFO of objects that link themselves through a member `next`, so that it never allocates.
//
//   struct call { call* next = nullptr; };
//   linked_fifo<call> waiting;
//   waiting.push(made);
//   while (call* first = waiting.pop()) run(*first);
//
// An object is in at most one such list at a time; the list does not own it. One thread.
#pragma once

#include <utility>

namespace stallscope {

template <typename Linked>
class linked_fifo {
 public:
  linked_fifo() = default;
  linked_fifo(linked_fifo&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
  linked_fifo& operator=(linked_fifo&& other) noexcept {
    first_ = std::exchange(other.first_, nullptr);
    last_ = std::exchange(other.last_, nullptr);
    return *this;
  }
  linked_fifo(const linked_fifo&) = delete;
  linked_fifo& operator=(const linked_fifo&) = delete;
  ~linked_fifo() = default;

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  // Null if the list is empty.
  [[nodiscard]] Linked* first() const noexcept { return first_; }

  void push(Linked& added) noexcept {
    added.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &added;
    last_ = &added;
  }
  // Removes the first object; null if the list is empty.
  Linked* pop() noexcept {
    Linked* const removed = first_;
    if (removed != nullptr) first_ = removed->next;
    return removed;
  }

 private:
  Linked* first_ = nullptr;
  Linked* last_ = nullptr;
};

}  // namespace stallscope

// Bounds the memory of values that are being read from the disk. Operations that exceed it wait in
// order; none overtakes a waiting one, or a long value could wait forever beside short ones.
//
//   if (budget.admit(op)) load(op); else budget.wait(op);
//   budget.release(op.memory_bytes);       // after the operation
//
// Cost: a few instructions; a deque entry per waiting operation. Thread: that of the shard.
#pragma once

#include <cstdint>
#include <deque>

namespace stallscope::server {

// Operation has the member `memory_bytes`.
template <typename Operation>
class read_budget {
 public:
  explicit read_budget(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Whether the operation may start now. A single operation may exceed the limit.
  [[nodiscard]] bool admit(const Operation& operation) const {
    return operation.memory_bytes == 0 || (waiting_.empty() && fits(operation));
  }
  [[nodiscard]] bool fits(const Operation& operation) const {
    return used_bytes_ == 0 || used_bytes_ + operation.memory_bytes <= limit_bytes_;
  }
  void wait(Operation& operation) { waiting_.push_back(&operation); }
  // The first waiting operation, or null.
  [[nodiscard]] Operation* next() const { return waiting_.empty() ? nullptr : waiting_.front(); }
  void pop_next() { waiting_.pop_front(); }

  void take(std::uint64_t bytes) noexcept { used_bytes_ += bytes; }
  void release(std::uint64_t bytes) noexcept { used_bytes_ -= bytes; }

 private:
  std::uint64_t limit_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::deque<Operation*> waiting_;
};

}  // namespace stallscope::server

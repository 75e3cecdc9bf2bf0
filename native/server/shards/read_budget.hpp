// Bounds the memory of values that are being read from the disk. Operations that exceed it wait in
// order; none overtakes a waiting one, or a long value could wait forever beside short ones.
//
//   if (budget.admit(op)) load(op); else budget.wait(op);
//   budget.release(op.held_bytes);       // after the operation
//
// Cost: a few instructions, no allocation. Thread: that of the shard.
#pragma once

#include <cstdint>

#include "base/linked_fifo.hpp"

namespace stallscope::server {

// Operation has the members `needed_bytes` and `next`.
template <typename Operation>
class read_budget {
 public:
  explicit read_budget(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Whether the operation may start now. A single operation may exceed the limit.
  [[nodiscard]] bool admit(const Operation& operation) const noexcept {
    return operation.needed_bytes == 0 || (waiting_.empty() && fits(operation));
  }
  [[nodiscard]] bool fits(const Operation& operation) const noexcept {
    return used_bytes_ == 0 || used_bytes_ + operation.needed_bytes <= limit_bytes_;
  }
  void wait(Operation& operation) noexcept { waiting_.push(operation); }
  // The first waiting operation, or null.
  [[nodiscard]] Operation* first() const noexcept { return waiting_.first(); }
  void pop_first() noexcept { waiting_.pop(); }

  void take(std::uint64_t bytes) noexcept { used_bytes_ += bytes; }
  void release(std::uint64_t bytes) noexcept { used_bytes_ -= bytes; }

 private:
  std::uint64_t limit_bytes_;
  std::uint64_t used_bytes_ = 0;
  linked_fifo<Operation> waiting_;
};

}  // namespace stallscope::server

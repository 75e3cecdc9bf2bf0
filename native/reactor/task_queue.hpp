// A FIFO of tasks: a ring that doubles when it is full. A push or a pop is one store and one mask.
// One thread.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "reactor/task_scheduler.hpp"

namespace stallscope::reactor {

class task_queue {
 public:
  task_queue() : ring_(64) {}

  [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - first_; }

  void push(task& work) {
    if (size() == ring_.size()) grow(2 * size());
    ring_[end_++ & (ring_.size() - 1)] = &work;
  }
  // Makes room for this many tasks, so that push() needs no memory.
  void reserve(std::size_t tasks) {
    if (tasks > ring_.size()) grow(std::bit_ceil(tasks));
  }
  // The queue must not be empty.
  task& pop() noexcept { return *ring_[first_++ & (ring_.size() - 1)]; }

 private:
  void grow(std::size_t capacity) {
    std::vector<task*> larger(capacity);
    const std::size_t held = size();
    for (std::size_t i = 0; i < held; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
    end_ = held;
  }

  std::vector<task*> ring_;  // size: a power of two
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace stallscope::reactor

// A pool of operations with stable addresses. It grows to the largest number that was in flight at
// once, and never shrinks. One thread.
#pragma once

#include <deque>

#include "ioqueue/device.hpp"

namespace stallscope::ioqueue {

class operation_pool {
 public:
  operation& take() {
    if (free_ == nullptr) return all_.emplace_back();
    operation& reused = *free_;
    free_ = reused.next_;
    return reused;
  }
  void give_back(operation& unused) noexcept {
    unused.request_ = nullptr;
    unused.next_ = free_;
    free_ = &unused;
  }

 private:
  std::deque<operation> all_;
  operation* free_ = nullptr;
};

}  // namespace stallscope::ioqueue

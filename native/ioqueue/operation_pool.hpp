// Operations that stay where they are while in flight, and are used again: grows to as many as were
// ever in flight at once, and never shrinks.
#pragma once

#include <deque>

#include "ioqueue/device.hpp"

namespace stallscope::ioqueue {

class operation_pool {
 public:
  operation& take() {
    if (free_ == nullptr) return all_.emplace_back();
    operation& taken = *free_;
    free_ = taken.next_;
    return taken;
  }
  void give_back(operation& unused) noexcept {
    unused.of_ = nullptr;
    unused.next_ = free_;
    free_ = &unused;
  }

 private:
  std::deque<operation> all_;
  operation* free_ = nullptr;
};

}  // namespace stallscope::ioqueue

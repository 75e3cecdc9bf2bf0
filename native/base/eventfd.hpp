// An eventfd with which any thread wakes an event loop. signal() is a system call of about 0.3 us
// if no thread sleeps on it. Several signal() calls before a clear() count as one wake-up.
#pragma once

#include "base/descriptor.hpp"

namespace stallscope {

class wake_event {
 public:
  wake_event();  // throws std::system_error

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  void signal() const noexcept;  // any thread, also a signal handler
  void clear() const noexcept;   // called by the event loop

 private:
  descriptor fd_;
};

}  // namespace stallscope

// A bell that any thread rings and one loop hears: an eventfd. Ringing is a system call of some
// 0.3 us where nobody sleeps; rings that were not yet heard count once.
#pragma once

#include "base/descriptor.hpp"

namespace stallscope {

class eventfd_bell {
 public:
  eventfd_bell();  // throws std::system_error

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  void ring() const noexcept;   // any thread, also a signal handler
  void clear() const noexcept;  // by the thread that hears it

 private:
  descriptor fd_;
};

}  // namespace stallscope

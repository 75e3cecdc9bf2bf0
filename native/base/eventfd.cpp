#include "base/eventfd.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace stallscope {

wake_event::wake_event() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void wake_event::signal() const noexcept {
  const int before = errno;
  // A lost signal is a thread that sleeps forever. EAGAIN means that the counter would overflow;
  // the descriptor is readable then.
  constexpr int attempts = 3;
  for (int i = 0; i < attempts; ++i) {
    if (::eventfd_write(fd_.get(), 1) == 0) break;
  }
  errno = before;
}

void wake_event::clear() const noexcept {
  eventfd_t signals = 0;
  [[maybe_unused]] const int empty = ::eventfd_read(fd_.get(), &signals);
}

}  // namespace stallscope

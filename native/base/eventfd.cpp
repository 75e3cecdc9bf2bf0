#include "base/eventfd.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace stallscope {

eventfd_bell::eventfd_bell() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void eventfd_bell::ring() const noexcept {
  const int before = errno;
  // Fails only if the counter would overflow, and then the descriptor is readable anyway.
  [[maybe_unused]] const int refused = ::eventfd_write(fd_.get(), 1);
  errno = before;
}

void eventfd_bell::clear() const noexcept {
  eventfd_t rings = 0;
  [[maybe_unused]] const int empty = ::eventfd_read(fd_.get(), &rings);
}

}  // namespace stallscope

// RAII wrapper of an io_uring with the best setup for a single thread that submits and waits:
// completions are processed when the thread waits, and nothing interrupts it in between
// (IORING_SETUP_DEFER_TASKRUN, Linux 6.1). Belongs to the thread that created it.
//
//   ring ring{depth};
//   io_uring_sqe* entry = ::io_uring_get_sqe(ring.get());
#pragma once

#include <liburing.h>

#include <cerrno>
#include <string>

namespace stallscope::disk {

class ring {
 public:
  // Creates a ring with at least `entries` entries. Throws std::system_error if io_uring_setup
  // fails.
  explicit ring(unsigned entries);
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  ring(ring&&) = delete;
  ring& operator=(ring&&) = delete;
  ~ring();

  [[nodiscard]] io_uring* get() noexcept { return &ring_; }

 private:
  io_uring ring_{};
};

// True for an error of io_uring_enter that allows a retry.
[[nodiscard]] constexpr bool passing_error(int error) noexcept {
  return error == ETIME || error == EINTR || error == EAGAIN || error == EBUSY;
}

// Returns why this process cannot create a ring; empty if it can. Costs about 50 us.
std::string uring_refusal();

}  // namespace stallscope::disk

// An io_uring that closes itself, set up as this kernel does it best for one thread that submits
// and waits: completions are then taken up when it waits, and nothing interrupts it in between
// (IORING_SETUP_DEFER_TASKRUN, Linux 6.1). Belongs to the thread that made it.
#pragma once

#include <liburing.h>

#include <cerrno>
#include <string>

namespace stallscope::disk {

class ring {
 public:
  // At least so many entries. Throws std::system_error of io_uring_setup where the kernel gives
  // none.
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

// An error of io_uring_enter that says to come again later, not that the ring is broken.
[[nodiscard]] constexpr bool passing_error(int error) noexcept {
  return error == ETIME || error == EINTR || error == EAGAIN || error == EBUSY;
}

// Why this process gets no ring, in words; empty where it gets one. Some 50 us.
std::string uring_refusal();

}  // namespace stallscope::disk

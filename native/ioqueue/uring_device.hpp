// The device of a queue through io_uring. What the queue starts goes to the kernel with the next
// wait(), so that a turn of the loop is one system call. One thread: the one that made it.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "disk/ring.hpp"
#include "ioqueue/device.hpp"

namespace stallscope::ioqueue {

class uring_device final : public device {
 public:
  // Throws std::system_error where the kernel gives no ring.
  explicit uring_device(unsigned most_in_flight);

  // Memory that stays where it is, by whose place in the list transfers may name it (`buffer`);
  // once. False where the kernel refuses: then transfers name none.
  [[nodiscard]] bool enlist(std::span<const iovec> buffers) noexcept;

  [[nodiscard]] bool start(operation& begun) override;
  // Disks rarely let go of what they have; then it completes as it does.
  void cancel(operation& unwanted) noexcept override;

  // Hands over what was started and waits until something completes, a signal comes, or it is
  // `until` by CLOCK_MONOTONIC; completes what there is: how many.
  std::size_t wait(std::chrono::nanoseconds until);

 private:
  struct ending {
    operation* ended;
    int result;
  };

  disk::ring ring_;
  unsigned most_in_flight_;
  unsigned in_flight_ = 0;
  std::vector<ending> endings_;
};

}  // namespace stallscope::ioqueue

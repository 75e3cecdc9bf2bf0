// Requests through io_uring, by one thread alone: the one that made the channel. Buffers and file
// are registered where that is asked and allowed. Completions are taken up by the thread itself
// when it waits (IORING_SETUP_DEFER_TASKRUN, Linux 6.1), so that nothing interrupts it in between.
// A wait is one system call, which also submits; what the kernel does for a request is all else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "disk/buffers.hpp"
#include "disk/channel.hpp"
#include "disk/ring.hpp"

namespace stallscope::disk {

struct uring_choice {
  int fd = -1;
  unsigned depth = 1;
  std::uint32_t block_bytes = 4096;
  bool registered = true;
};

class uring_channel final : public channel {
 public:
  // Throws std::system_error of io_uring_setup where the kernel gives no ring.
  uring_channel(const uring_choice& chosen, buffers& memory);

  std::uint64_t now_ns() override;
  void prepare(const request& wanted) override;
  void submit() override;
  std::size_t wait(std::span<completion> done, unsigned least, std::uint64_t most_ns) override;

  [[nodiscard]] bool buffers_registered() const noexcept { return buffers_registered_; }
  [[nodiscard]] bool file_registered() const noexcept { return file_registered_; }

 private:
  void enlist();

  uring_choice chosen_;
  buffers& memory_;
  ring ring_;
  bool buffers_registered_ = false;
  bool file_registered_ = false;
};

}  // namespace stallscope::disk

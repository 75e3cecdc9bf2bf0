// Channel through io_uring, for the thread that created it. Registers buffers and file if requested
// and possible. The thread processes completions when it waits (IORING_SETUP_DEFER_TASKRUN, Linux
// 6.1), so that nothing interrupts it in between. wait() is one system call, which also submits;
// all other cost is the kernel's work for a request.
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

struct uring_settings {
  int fd = -1;
  unsigned depth = 1;
  std::uint32_t block_bytes = 4096;
  bool registered = true;
};

class uring_channel final : public channel {
 public:
  // Throws std::system_error if io_uring_setup fails.
  uring_channel(const uring_settings& settings, buffers& memory);

  std::uint64_t now_ns() override;
  void prepare(const disk::request& request) override;
  void submit() override;
  std::size_t wait(std::span<completion> done, unsigned min_count,
                   std::uint64_t timeout_ns) override;

  [[nodiscard]] bool buffers_registered() const noexcept { return buffers_registered_; }
  [[nodiscard]] bool file_registered() const noexcept { return file_registered_; }

 private:
  void register_resources();

  uring_settings settings_;
  buffers& memory_;
  ring ring_;
  bool buffers_registered_ = false;
  bool file_registered_ = false;
};

}  // namespace stallscope::disk

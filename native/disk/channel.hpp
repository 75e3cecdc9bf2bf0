// Where requests go in and completions come out, on a clock of its own: io_uring, system calls one
// at a time, or a device in virtual time. A virtual call for each request, some 2 ns. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stallscope::disk {

struct request {
  unsigned slot;  // of the depth's slots; comes back in the completion
  bool write;
  std::uint64_t offset;
};

struct completion {
  unsigned slot;
  std::int32_t result;  // bytes, or a negated errno
};

class channel {
 public:
  channel() = default;
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  channel(channel&&) = delete;
  channel& operator=(channel&&) = delete;
  virtual ~channel() = default;

  [[nodiscard]] virtual std::uint64_t now_ns() = 0;
  // Notes a request; it begins with submit() or wait().
  virtual void prepare(const request& wanted) = 0;
  // Hands over what was prepared, and waits for nothing but the hand-over.
  virtual void submit() = 0;
  // Hands over what was prepared, then waits for so many completions, though not longer than
  // `most_ns`, nor beyond a signal. Returns how many there were, which may be more than `least`,
  // and 0.
  virtual std::size_t wait(std::span<completion> done, unsigned least, std::uint64_t most_ns) = 0;
};

}  // namespace stallscope::disk

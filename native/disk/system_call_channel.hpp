// One request at a time, by preadv2 and pwritev2: the cheapest way at depth 1, and the one for the
// page cache, where a read is a copy. The request runs within wait(). One thread, but for
// leave_behind(). Being left costs a request 10 ns.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "disk/buffers.hpp"
#include "disk/channel.hpp"

namespace stallscope::disk {

class system_call_channel final : public channel {
 public:
  system_call_channel(int fd, std::uint32_t block_bytes, buffers& memory)
      : fd_{fd}, block_bytes_{block_bytes}, memory_{memory} {}

  std::uint64_t now_ns() override;
  void prepare(const request& wanted) override { wanted_ = wanted; }
  void submit() override {}
  std::size_t wait(std::span<completion> done, unsigned least, std::uint64_t most_ns) override;

  // From another thread: whether this one's is in a system call, which may never end, and is left
  // there. It never returns from wait() then, so that all it had is the caller's.
  bool leave_behind() noexcept;

 private:
  enum class where { ours, in_call, left };

  int fd_;
  std::uint32_t block_bytes_;
  buffers& memory_;
  std::optional<request> wanted_;
  std::atomic<where> where_{where::ours};
};

}  // namespace stallscope::disk

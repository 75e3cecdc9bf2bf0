// Channel with one request at a time by preadv2 and pwritev2: the cheapest path at depth 1, and the
// path for the page cache, whose reads are copies. The request runs inside wait(). One thread,
// except for abandon(), whose support costs 10 ns per request.
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
  void prepare(const disk::request& request) override { request_ = request; }
  void submit() override {}
  std::size_t wait(std::span<completion> done, unsigned min_count,
                   std::uint64_t timeout_ns) override;

  // Called by another thread. If the channel's thread is in a system call, which may never return,
  // abandons it there and returns true: wait() then never returns, and its data belong to the
  // caller.
  bool abandon() noexcept;

 private:
  enum class call_state { idle, in_call, abandoned };

  int fd_;
  std::uint32_t block_bytes_;
  buffers& memory_;
  std::optional<disk::request> request_;
  std::atomic<call_state> state_{call_state::idle};
};

}  // namespace stallscope::disk

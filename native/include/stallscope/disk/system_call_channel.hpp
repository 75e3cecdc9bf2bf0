// One request at a time, by preadv2 and pwritev2: the cheapest way at depth 1, and the one for the
// page cache, where a read is a copy. The request runs within wait(). One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "stallscope/disk/buffers.hpp"
#include "stallscope/disk/channel.hpp"

namespace stallscope::disk {

class system_call_channel final : public channel {
 public:
  system_call_channel(int fd, std::uint32_t block_bytes, buffers& memory)
      : fd_{fd}, block_bytes_{block_bytes}, memory_{memory} {}

  std::uint64_t now_ns() override;
  void prepare(const request& wanted) override { wanted_ = wanted; }
  void submit() override {}
  std::size_t wait(std::span<completion> done, unsigned least, std::uint64_t most_ns) override;

 private:
  int fd_;
  std::uint32_t block_bytes_;
  buffers& memory_;
  std::optional<request> wanted_;
};

}  // namespace stallscope::disk

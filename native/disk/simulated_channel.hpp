// The way to ioqueue's simulated device, whose answer is known, in virtual time: with depth N it
// does min(N, servers) / service requests a second. Its clock moves only when it is waited for; a
// request costs some 0.1 us. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "disk/channel.hpp"
#include "disk/plan.hpp"
#include "ioqueue/simulated_device.hpp"

namespace stallscope::disk {

class simulated_channel final : public channel, private ioqueue::completion_sink {
 public:
  simulated_channel(const simulated_device& device, const point& asked);

  std::uint64_t now_ns() override;
  void prepare(const request& wanted) override;
  void submit() override {}
  std::size_t wait(std::span<completion> done, unsigned least, std::uint64_t most_ns) override;

 private:
  void completed(ioqueue::operation& ended, std::int64_t result) override;

  ioqueue::virtual_time clock_;
  ioqueue::simulated_device device_;
  std::uint32_t block_bytes_;
  std::deque<ioqueue::operation> operations_;  // by slot; they stay where they are
  std::vector<completion> ended_;
};

}  // namespace stallscope::disk

// Channel to ioqueue's simulated device in virtual time, whose results are known: with depth N it
// completes min(N, servers) / service requests per second. The clock advances only in wait(). Costs
// about 0.1 us per request. One thread.
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
  simulated_channel(const simulated_device& device, const point& settings);

  std::uint64_t now_ns() override;
  void prepare(const disk::request& request) override;
  void submit() override {}
  std::size_t wait(std::span<completion> done, unsigned min_count,
                   std::uint64_t timeout_ns) override;

 private:
  void completed(ioqueue::operation& operation, std::int64_t result) override;

  ioqueue::virtual_time clock_;
  ioqueue::simulated_device device_;
  std::uint32_t block_bytes_;
  std::deque<ioqueue::operation> operations_;  // by slot; the addresses are stable
  std::vector<completion> completions_;
};

}  // namespace stallscope::disk

// Turns raw pages of all CPUs' trace buffers into completed requests: decodes the pages, merges the
// events of all CPUs in order of time, and pairs them. Costs about 0.3 us per event. One thread.
//
//   request_log log(layouts, page_bytes, disk_of_partition);
//   log.add_pages(cpu, pages);
//   log.settle(until_ns);
//   log.pairs().take_completed();
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "block_trace/event.hpp"
#include "block_trace/pairing.hpp"

namespace stallscope::block_trace {

class request_log {
 public:
  // `disks` maps the device number of a partition, which bios carry, to that of its disk. Throws
  // std::invalid_argument if `page_bytes` is less than 64.
  request_log(const std::vector<event_layout>& layouts, std::size_t page_bytes,
              std::unordered_map<std::uint32_t, std::uint32_t> disks);

  // Reads whole pages of a CPU in order; an incomplete page at the end is ignored.
  void add_pages(std::uint32_t cpu, std::span<const std::byte> pages);
  // Pairs all events up to this time. The pages of every CPU up to it must have been added.
  void settle(std::uint64_t until_ns);

  [[nodiscard]] pairing& pairs() noexcept { return pairs_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t losses() const noexcept {
    return losses_;
  }  // number of gaps, not of events

 private:
  struct cpu_events {
    std::deque<block_event> queued;
    std::uint64_t last_ns = 0;
  };
  void add_record(cpu_events& cpu, const ring_record& record);
  void add_loss(cpu_events& cpu, std::uint64_t t_ns);

  std::unordered_map<std::uint16_t, event_layout> layouts_;
  std::size_t page_bytes_;
  std::unordered_map<std::uint32_t, std::uint32_t> disks_;  // by partition
  std::map<std::uint32_t, cpu_events> cpus_;
  pairing pairs_;
  std::uint64_t events_ = 0;
  std::uint64_t losses_ = 0;
};

}  // namespace stallscope::block_trace

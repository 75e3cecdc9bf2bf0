// From raw pages of all CPUs' trace buffers to requests that completed: pages are read, events put
// in order of time over the CPUs, and paired. Belongs to one thread; some 0.3 us an event in all.
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
  // `page_bytes`: of the buffers' pages. Throws std::invalid_argument where it is less than 64.
  // `disks`: of partitions, whose own numbers bios have.
  request_log(const std::vector<event_layout>& layouts, std::size_t page_bytes,
              std::unordered_map<std::uint32_t, std::uint32_t> disks);

  // Reads whole pages of one CPU, in their order; what is left of a page at the end is passed over.
  void add_pages(std::uint32_t cpu, std::span<const std::byte> pages);
  // Pairs all events up to this time, before which every CPU's have been added.
  void settle(std::uint64_t until_ns);

  [[nodiscard]] pairing& pairs() noexcept { return pairs_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t losses() const noexcept { return losses_; }  // places, not events

 private:
  struct cpu_events {
    std::deque<block_event> waiting;
    std::uint64_t last_ns = 0;
  };
  void add_record(cpu_events& to, const ring_record& record);
  void add_loss(cpu_events& to, std::uint64_t t_ns);

  std::unordered_map<std::uint16_t, event_layout> layouts_;
  std::size_t page_bytes_;
  std::unordered_map<std::uint32_t, std::uint32_t> disks_;  // by partition
  std::map<std::uint32_t, cpu_events> cpus_;
  pairing pairs_;
  std::uint64_t events_ = 0;
  std::uint64_t losses_ = 0;
};

}  // namespace stallscope::block_trace

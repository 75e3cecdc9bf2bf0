#include "block_trace/request_log.hpp"

#include <stdexcept>
#include <tuple>
#include <utility>

namespace stallscope::block_trace {

request_log::request_log(const std::vector<event_layout>& layouts, std::size_t page_bytes,
                         std::unordered_map<std::uint32_t, std::uint32_t> disks)
    : page_bytes_(page_bytes), disks_(std::move(disks)) {
  if (page_bytes < 64) {
    throw std::invalid_argument("page size is less than 64 bytes");
  }
  for (const event_layout& layout : layouts) {
    layouts_.emplace(layout.number, layout);
  }
}

void request_log::add_pages(std::uint32_t cpu, std::span<const std::byte> pages) {
  cpu_events& events = cpus_[cpu];
  for (; pages.size() >= page_bytes_; pages = pages.subspan(page_bytes_)) {
    walk_page(
        pages.first(page_bytes_), [&](const ring_record& record) { add_record(events, record); },
        [&](std::uint64_t t_ns) { add_loss(events, t_ns); });
  }
}

void request_log::add_record(cpu_events& cpu, const ring_record& record) {
  ++events_;
  const auto layout = layouts_.find(record.number);
  block_event event;
  if (layout == layouts_.end() || !decode(record, layout->second, event)) {
    return;
  }
  if (const auto disk = disks_.find(event.device); disk != disks_.end()) {
    event.device = disk->second;
  }
  cpu.last_ns = event.t_ns;
  cpu.queued.push_back(event);
}

// Requests that were pending when the loss began, or began during it, cannot be trusted. Both ends
// of the loss therefore discard pending requests.
void request_log::add_loss(cpu_events& cpu, std::uint64_t t_ns) {
  ++losses_;
  for (const std::uint64_t at : {cpu.last_ns, t_ns}) {
    block_event loss;
    loss.t_ns = at;
    cpu.queued.push_back(loss);
  }
  cpu.last_ns = t_ns;
}

void request_log::settle(std::uint64_t until_ns) {
  while (true) {
    cpu_events* first = nullptr;
    for (auto& [cpu, events] : cpus_) {
      if (events.queued.empty() || events.queued.front().t_ns > until_ns) {
        continue;
      }
      const block_event& candidate = events.queued.front();
      if (first == nullptr ||
          std::tie(candidate.t_ns, candidate.kind) <
              std::tie(first->queued.front().t_ns, first->queued.front().kind)) {
        first = &events;
      }
    }
    if (first == nullptr) {
      return;
    }
    pairs_.add(first->queued.front());
    first->queued.pop_front();
  }
}

}  // namespace stallscope::block_trace

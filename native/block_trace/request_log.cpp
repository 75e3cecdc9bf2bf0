#include "block_trace/request_log.hpp"

#include <stdexcept>
#include <tuple>
#include <utility>

namespace stallscope::block_trace {

request_log::request_log(const std::vector<event_layout>& layouts, std::size_t page_bytes,
                         std::unordered_map<std::uint32_t, std::uint32_t> disks)
    : page_bytes_(page_bytes), disks_(std::move(disks)) {
  if (page_bytes < 64) {
    throw std::invalid_argument("pages of less than 64 bytes");
  }
  for (const event_layout& each : layouts) {
    layouts_.emplace(each.number, each);
  }
}

void request_log::add_pages(std::uint32_t cpu, std::span<const std::byte> pages) {
  cpu_events& to = cpus_[cpu];
  for (; pages.size() >= page_bytes_; pages = pages.subspan(page_bytes_)) {
    walk_page(
        pages.first(page_bytes_), [&](const ring_record& record) { add_record(to, record); },
        [&](std::uint64_t t_ns) { add_loss(to, t_ns); });
  }
}

void request_log::add_record(cpu_events& to, const ring_record& record) {
  ++events_;
  const auto layout = layouts_.find(record.number);
  block_event event;
  if (layout == layouts_.end() || !decode(record, layout->second, event)) {
    return;
  }
  if (const auto disk = disks_.find(event.device); disk != disks_.end()) {
    event.device = disk->second;
  }
  to.last_ns = event.t_ns;
  to.waiting.push_back(event);
}

// What was under way when the loss began is not trusted, nor what began during it.
void request_log::add_loss(cpu_events& to, std::uint64_t t_ns) {
  ++losses_;
  for (const std::uint64_t at : {to.last_ns, t_ns}) {
    block_event loss;
    loss.t_ns = at;
    to.waiting.push_back(loss);
  }
  to.last_ns = t_ns;
}

void request_log::settle(std::uint64_t until_ns) {
  while (true) {
    cpu_events* first = nullptr;
    for (auto& [cpu, events] : cpus_) {
      if (events.waiting.empty() || events.waiting.front().t_ns > until_ns) {
        continue;
      }
      const block_event& candidate = events.waiting.front();
      if (first == nullptr ||
          std::tie(candidate.t_ns, candidate.kind) <
              std::tie(first->waiting.front().t_ns, first->waiting.front().kind)) {
        first = &events;
      }
    }
    if (first == nullptr) {
      return;
    }
    pairs_.take(first->waiting.front());
    first->waiting.pop_front();
  }
}

}  // namespace stallscope::block_trace

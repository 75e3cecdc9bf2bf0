#include "disk/simulated_channel.hpp"

#include <algorithm>

namespace stallscope::disk {

simulated_channel::simulated_channel(const simulated_device& device, const point& asked)
    : device_{{.servers = device.servers,
               .service = std::chrono::nanoseconds(device.service_ns),
               .exponential = device.exponential,
               .seed = asked.seed},
              clock_},
      block_bytes_{asked.block_bytes} {
  for (unsigned slot = 0; slot < asked.depth; ++slot) {
    operations_.emplace_back(static_cast<ioqueue::completion_sink&>(*this)).device_mark = slot;
  }
}

std::uint64_t simulated_channel::now_ns() {
  return static_cast<std::uint64_t>(clock_.now().count());
}

void simulated_channel::prepare(const request& wanted) {
  ioqueue::operation& begun = operations_[wanted.slot];
  begun.piece.kind = wanted.write ? ioqueue::direction::write : ioqueue::direction::read;
  begun.piece.offset = wanted.offset;
  begun.piece.size_bytes = block_bytes_;
  (void)device_.start(begun);  // it always has room
}

void simulated_channel::completed(ioqueue::operation& ended, std::int64_t result) {
  ended_.push_back({static_cast<unsigned>(ended.device_mark), static_cast<std::int32_t>(result)});
}

std::size_t simulated_channel::wait(std::span<completion> done, unsigned least,
                                    std::uint64_t most_ns) {
  const auto until = clock_.now() + std::chrono::nanoseconds(most_ns);
  ended_.clear();
  while (device_.next_event() <= until &&
         (ended_.size() < least || device_.next_event() <= clock_.now())) {
    device_.step();
  }
  if (ended_.size() < least) clock_.move_to(until);
  std::copy(ended_.begin(), ended_.end(), done.begin());
  return ended_.size();
}

}  // namespace stallscope::disk

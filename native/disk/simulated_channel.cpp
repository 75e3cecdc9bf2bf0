#include "disk/simulated_channel.hpp"

#include <algorithm>

namespace stallscope::disk {

simulated_channel::simulated_channel(const simulated_device& device, const point& settings)
    : device_{{.servers = device.servers,
               .service = std::chrono::nanoseconds(device.service_ns),
               .exponential = device.exponential,
               .seed = settings.seed},
              clock_},
      block_bytes_{settings.block_bytes} {
  for (unsigned slot = 0; slot < settings.depth; ++slot) {
    operations_.emplace_back(static_cast<ioqueue::completion_sink&>(*this)).device_mark = slot;
  }
}

std::uint64_t simulated_channel::now_ns() {
  return static_cast<std::uint64_t>(clock_.now().count());
}

void simulated_channel::prepare(const disk::request& request) {
  ioqueue::operation& operation = operations_[request.slot];
  operation.piece.kind = request.write ? ioqueue::direction::write : ioqueue::direction::read;
  operation.piece.offset = request.offset;
  operation.piece.size_bytes = block_bytes_;
  (void)device_.start(operation);  // the simulated device always accepts
}

void simulated_channel::completed(ioqueue::operation& operation, std::int64_t result) {
  completions_.push_back(
      {static_cast<unsigned>(operation.device_mark), static_cast<std::int32_t>(result)});
}

std::size_t simulated_channel::wait(std::span<completion> done, unsigned min_count,
                                    std::uint64_t timeout_ns) {
  const auto until = clock_.now() + std::chrono::nanoseconds(timeout_ns);
  completions_.clear();
  while (device_.next_event() <= until &&
         (completions_.size() < min_count || device_.next_event() <= clock_.now())) {
    device_.step();
  }
  if (completions_.size() < min_count) clock_.move_to(until);
  std::copy(completions_.begin(), completions_.end(), done.begin());
  return completions_.size();
}

}  // namespace stallscope::disk

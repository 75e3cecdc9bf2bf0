#include "perf_events/ring.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "perf_events/open_event.hpp"

namespace stallscope::perf_events {
namespace {

constexpr std::size_t min_ring_bytes = std::size_t{64} << 10U;

std::system_error failed(int error, const std::string& call, int cpu) {
  return {error, std::generic_category(), call + " of the ring of CPU " + std::to_string(cpu)};
}

}  // namespace

ring::ring(int cpu, std::size_t data_bytes) : cpu_{cpu} {
  // An event of a task costs time at the switches of all tasks, one of a CPU does not.
  const auto attribute = ring_attribute(static_cast<std::uint32_t>(data_bytes / 4));
  auto opened = open_event(attribute, {-1, cpu, 0});
  if (!opened.fd) opened = open_event(attribute, {0, cpu, 0});
  if (!opened.fd) throw failed(opened.error, "perf_event_open", cpu);
  fd_ = std::move(opened.fd);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  mapping_bytes_ = page + data_bytes;
  mapping_ = ::mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (mapping_ == MAP_FAILED) throw failed(errno, "mmap", cpu);
  auto* control = static_cast<perf_event_mmap_page*>(mapping_);
  auto* bytes = static_cast<std::byte*>(mapping_) + page;
  view_ = ring_view{reinterpret_cast<std::uint64_t*>(&control->data_head),
                    reinterpret_cast<std::uint64_t*>(&control->data_tail),
                    {bytes, data_bytes}};
}

ring::ring(ring&& other) noexcept
    : cpu_{other.cpu_},
      fd_{std::move(other.fd_)},
      mapping_{std::exchange(other.mapping_, nullptr)},
      mapping_bytes_{other.mapping_bytes_},
      view_{other.view_} {}

ring::~ring() {
  if (mapping_ != nullptr && mapping_ != MAP_FAILED) ::munmap(mapping_, mapping_bytes_);
}

int ring::redirect(const descriptor& event) const noexcept {
  return ::ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, fd_.get()) == 0 ? 0 : errno;
}

std::vector<ring_view> ring_set::views() const {
  std::vector<ring_view> all;
  for (const auto& entry : rings) all.push_back(entry.view());
  return all;
}

ring_set open_rings(std::span<const int> cpus, std::size_t data_bytes) {
  while (true) {
    try {
      ring_set set;
      set.data_bytes = data_bytes;
      set.rings.reserve(cpus.size());
      for (const int cpu : cpus) set.rings.emplace_back(cpu, data_bytes);
      return set;
    } catch (const std::system_error& error) {
      const bool locked = error.code().value() == EPERM || error.code().value() == ENOMEM;
      if (!locked || data_bytes / 2 < min_ring_bytes) throw;
      data_bytes /= 2;
    }
  }
}

}  // namespace stallscope::perf_events

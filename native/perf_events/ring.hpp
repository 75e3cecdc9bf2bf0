// A ring buffer of a CPU that belongs to the collector and not to a target's event: a dummy event
// on this thread owns the mapping, and sampling events are redirected into it. So the exit of a
// target does not close the ring, and one mapping serves any number of events. Costs its size in
// locked memory. Open, poll and drain it on one thread.
//
//   ring_set set = open_rings(cpus, std::size_t{2} << 20U);
//   set.rings[0].redirect(event_fd);
#pragma once

#include <cstddef>
#include <span>
#include <system_error>
#include <vector>

#include "base/descriptor.hpp"
#include "perf_events/ring_view.hpp"

namespace stallscope::perf_events {

class ring {
 public:
  // Throws std::system_error; EPERM means that no more memory may be locked.
  ring(int cpu, std::size_t data_bytes);
  ring(ring&& other) noexcept;
  ring& operator=(ring&&) = delete;
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  ~ring();

  [[nodiscard]] int cpu() const noexcept { return cpu_; }
  [[nodiscard]] const descriptor& fd() const noexcept { return fd_; }
  [[nodiscard]] const ring_view& view() const noexcept { return view_; }

  // Redirects an event of the same CPU into this ring. Returns 0 or the kernel's errno.
  [[nodiscard]] int redirect(const descriptor& event) const noexcept;

 private:
  int cpu_;
  descriptor fd_;
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  ring_view view_;
};

struct ring_set {
  std::vector<ring> rings;
  [[nodiscard]] std::vector<ring_view> views() const;
  std::size_t data_bytes = 0;  // per ring; less than requested if the memory limit requires it
};

// Opens one ring per CPU. Halves the size while the limit of locked memory refuses it.
ring_set open_rings(std::span<const int> cpus, std::size_t data_bytes);

}  // namespace stallscope::perf_events

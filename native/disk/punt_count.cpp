#include "disk/punt_count.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "perf_events/cpu_list.hpp"
#include "perf_events/open_event.hpp"

namespace stallscope::disk {
namespace {

std::optional<std::uint64_t> tracepoint_id() {
  for (const char* root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::ifstream file{std::string{root} + "/events/io_uring/io_uring_queue_async_work/id"};
    std::uint64_t number = 0;
    if (file >> number) return number;
  }
  return std::nullopt;
}

descriptor open_counter(std::uint64_t number, int cpu, const std::string& filter) {
  perf_event_attr attribute{};
  attribute.size = perf_events::attribute_bytes;
  attribute.type = PERF_TYPE_TRACEPOINT;
  attribute.config = number;
  perf_events::open_result opened =
      perf_events::open_event(attribute, {.pid = -1, .cpu = cpu, .flags = PERF_FLAG_FD_CLOEXEC});
  if (opened.fd && ::ioctl(opened.fd.get(), PERF_EVENT_IOC_SET_FILTER, filter.c_str()) != 0) {
    opened.fd.reset();
  }
  return std::move(opened.fd);
}

}  // namespace

punt_count::punt_count() {
  const auto number = tracepoint_id();
  if (!number) return;
  const std::string filter = "common_pid == " + std::to_string(::gettid());
  for (const int cpu : perf_events::online_cpus()) {
    descriptor event = open_counter(*number, cpu, filter);
    if (!event) {
      events_.clear();
      return;
    }
    events_.push_back(std::move(event));
  }
}

std::optional<std::uint64_t> punt_count::read() const {
  if (events_.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const descriptor& event : events_) {
    std::uint64_t count = 0;
    if (::read(event.get(), &count, sizeof(count)) != sizeof(count)) return std::nullopt;
    sum += count;
  }
  return sum;
}

}  // namespace stallscope::disk

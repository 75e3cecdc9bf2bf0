#include "collect/cpu_wide_events.hpp"

#include <sys/ioctl.h>

#include <cerrno>
#include <utility>

namespace stallscope::collect {

cpu_wide_events::cpu_wide_events(std::span<const wait_event> events,
                                 std::span<const perf_events::ring> rings)
    : ids_(events.size()) {
  for (std::size_t i = 0; i < events.size() && error_ == 0; ++i) {
    for (const auto& ring : rings) {
      error_ = open(events[i], ring, ids_[i]);
      if (error_ != 0) break;
    }
  }
  if (error_ == 0) return;
  opened_.clear();
  for (auto& ids : ids_) ids.clear();
}

int cpu_wide_events::open(const wait_event& event, const perf_events::ring& target,
                          std::vector<std::uint64_t>& ids) {
  auto opened = perf_events::open_event(event.attribute, {-1, target.cpu()});
  if (!opened.fd) return opened.error;
  if (!event.filter.empty() &&
      ::ioctl(opened.fd.get(), PERF_EVENT_IOC_SET_FILTER, event.filter.c_str()) != 0)
    return errno;
  if (const int error = target.redirect(opened.fd); error != 0) return error;
  ids.push_back(perf_events::event_id(opened.fd));
  opened_.push_back(std::move(opened.fd));
  return 0;
}

void cpu_wide_events::enable() const {
  for (const auto& fd : opened_) ::ioctl(fd.get(), PERF_EVENT_IOC_ENABLE, 0);
}

void cpu_wide_events::disable() const {
  for (const auto& fd : opened_) ::ioctl(fd.get(), PERF_EVENT_IOC_DISABLE, 0);
}

}  // namespace stallscope::collect

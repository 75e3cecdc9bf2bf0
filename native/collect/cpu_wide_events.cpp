#include "collect/cpu_wide_events.hpp"

#include <sys/ioctl.h>

#include <cerrno>
#include <utility>

namespace stallscope::collect {

cpu_wide_events::cpu_wide_events(std::span<const wait_event> events,
                                 std::span<const perf_events::ring> rings)
    : ids_(events.size()) {
  for (const auto& ring : rings) {
    error_ = open_group(events, ring);
    if (error_ != 0) break;
  }
  if (error_ == 0) return;
  of_windows_.clear();
  others_.clear();
  leaders_.clear();
  for (auto& ids : ids_) ids.clear();
}

int cpu_wide_events::open_group(std::span<const wait_event> events,
                                const perf_events::ring& target) {
  int leader = -1;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& event = events[i];
    const bool alone = event.role == wait_role::cpu_samples;
    auto opened =
        perf_events::open_event(event.attribute, {-1, target.cpu(), 0, alone ? -1 : leader});
    if (!opened.fd) return opened.error;
    const int fd = opened.fd.get();
    if (!event.filter.empty() && ::ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event.filter.c_str()) != 0)
      return errno;
    if (const int error = target.redirect(opened.fd); error != 0) return error;
    ids_[i].push_back(perf_events::event_id(opened.fd));
    if (event.in_windows) of_windows_.push_back(fd);
    if (leader < 0) {
      leader = fd;
      leaders_.push_back(std::move(opened.fd));
    } else {
      others_.push_back(std::move(opened.fd));
    }
  }
  return 0;
}

void cpu_wide_events::enable() const {
  for (const auto& fd : leaders_) ::ioctl(fd.get(), PERF_EVENT_IOC_ENABLE, 0);
}

void cpu_wide_events::disable() const {
  for (const auto& fd : leaders_) ::ioctl(fd.get(), PERF_EVENT_IOC_DISABLE, 0);
}

void cpu_wide_events::start_windows() const {
  for (const int fd : of_windows_) ::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

}  // namespace stallscope::collect

#include "collect/cpu_wide_events.hpp"

#include <sys/ioctl.h>

#include <cerrno>
#include <utility>

namespace stallscope::collect {
namespace {

void control(const std::vector<descriptor>& events, unsigned long request) {
  for (const auto& fd : events) ::ioctl(fd.get(), request, 0);
}

}  // namespace

cpu_wide_events::cpu_wide_events(std::span<const wait_event> events,
                                 std::span<const perf_events::ring> rings)
    : events_{events.begin(), events.end()}, rings_{rings}, ids_(events.size()) {
  for (const auto& ring : rings) {
    error_ = open_on(ring);
    if (error_ != 0) break;
  }
  if (error_ == 0) return;
  every_switch_ = {};
  windows_ = {};
  cpu_samples_.clear();
  for (auto& ids : ids_) ids.clear();
}

int cpu_wide_events::open_on(const perf_events::ring& target) {
  int leader = -1;
  int leader_of_windows = -1;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const auto& event = events_[i];
    int& group_leader = event.in_windows ? leader_of_windows : leader;
    const bool is_alone = event.role == wait_role::cpu_samples;
    auto opened = perf_events::open_event(event.attribute,
                                          {-1, target.cpu(), 0, is_alone ? -1 : group_leader});
    if (!opened.fd) return opened.error;
    const int fd = opened.fd.get();
    if (!event.filter.empty() && ::ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event.filter.c_str()) != 0)
      return errno;
    if (const int error = target.redirect(opened.fd); error != 0) return error;
    ids_[i].push_back(perf_events::event_id(opened.fd));
    auto& group = event.in_windows ? windows_ : every_switch_;
    if (is_alone) {
      cpu_samples_.push_back(std::move(opened.fd));
    } else if (group_leader < 0) {
      group_leader = fd;
      group.leaders.push_back(std::move(opened.fd));
    } else {
      auto& place = event.role == wait_role::wake_ups ? group.wake_ups : group.members;
      place.push_back(std::move(opened.fd));
    }
  }
  return 0;
}

void cpu_wide_events::enable() const { control(every_switch_.leaders, PERF_EVENT_IOC_ENABLE); }

void cpu_wide_events::disable() const { control(every_switch_.leaders, PERF_EVENT_IOC_DISABLE); }

void cpu_wide_events::start_windows(between_windows kept) {
  disable();
  every_switch_ = {};
  closed_between_ = kept == between_windows::none;
  if (kept != between_windows::all) windows_.wake_ups.clear();
  if (closed_between_) close_windows();
  control(cpu_samples_, PERF_EVENT_IOC_ENABLE);
}

// If the leader of a group is closed first, its members continue as events in no group.
void cpu_wide_events::close_windows() {
  windows_.wake_ups.clear();
  windows_.members.clear();
  windows_.leaders.clear();
}

bool cpu_wide_events::reopen_on(std::size_t cpu_index, std::vector<event_aliases::alias>& opened) {
  const auto& target = rings_[cpu_index];
  int leader = -1;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const auto& event = events_[i];
    const bool is_leader = event.role == wait_role::switches;
    if (!event.in_windows || (!is_leader && event.role != wait_role::switch_samples)) continue;
    auto [fd, error] = perf_events::open_event(event.attribute, {-1, target.cpu(), 0, leader});
    if (!fd || target.redirect(fd) != 0) return false;
    opened.push_back({perf_events::event_id(fd), ids_[i][cpu_index]});
    if (is_leader) leader = fd.get();
    auto& place = is_leader ? windows_.leaders : windows_.members;
    place.push_back(std::move(fd));
  }
  return true;
}

bool cpu_wide_events::open_window() {
  bool complete = true;
  if (closed_between_) {
    std::vector<event_aliases::alias> opened;
    for (std::size_t i = 0; complete && i < rings_.size(); ++i) complete = reopen_on(i, opened);
    aliases_.add(opened);
  }
  if (complete) control(windows_.leaders, PERF_EVENT_IOC_ENABLE);
  return complete;
}

void cpu_wide_events::close_window() {
  control(windows_.leaders, PERF_EVENT_IOC_DISABLE);
  if (closed_between_) close_windows();
}

}  // namespace stallscope::collect

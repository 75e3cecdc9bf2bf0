#include "perf_events/event_group.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace stallscope::perf_events {

perf_event_attr counting_attribute(const event_spec& event, const counting& how, bool leads) {
  perf_event_attr attribute{};
  attribute.size = attribute_bytes;
  attribute.type = event.type;
  attribute.config = event.config;
  attribute.config1 = event.config1;
  attribute.config2 = event.config2;
  attribute.exclude_user = event.exclude_user;
  attribute.exclude_kernel = event.exclude_kernel || how.user_only;
  attribute.exclude_hv = attribute.exclude_kernel;
  attribute.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attribute.inherit = how.inherit;
  attribute.disabled = leads;
  attribute.enable_on_exec = leads && how.enable_on_exec;
  return attribute;
}

void group_reading::add(const group_reading& other) {
  enabled_ns += other.enabled_ns;
  running_ns += other.running_ns;
  values.resize(other.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
}

bool event_group::enable() const noexcept {
  return ::ioctl(events_.front().get(), PERF_EVENT_IOC_ENABLE, 0) == 0;
}

bool event_group::disable() const noexcept {
  return ::ioctl(events_.front().get(), PERF_EVENT_IOC_DISABLE, 0) == 0;
}

int event_group::read(group_reading& reading) const {
  std::vector<std::uint64_t> words(3 + events_.size());  // count, enabled, running, values
  const std::size_t bytes = words.size() * sizeof words.front();
  const auto got = ::read(events_.front().get(), words.data(), bytes);
  if (got < 0) return errno;
  if (static_cast<std::size_t>(got) != bytes || words[0] != events_.size()) return EIO;
  reading.enabled_ns = words[1];
  reading.running_ns = words[2];
  reading.values.assign(words.begin() + 3, words.end());
  return 0;
}

group_opening open_group(std::span<const event_spec> events, const counting& how,
                         const event_place& place) {
  group_opening opening;
  event_group group;
  for (std::size_t i = 0; i < events.size(); ++i) {
    event_place member = place;
    member.group_fd = i == 0 ? -1 : group.events_.front().get();
    auto opened = open_event(counting_attribute(events[i], how, i == 0), member);
    if (!opened.fd) {
      opening.error = opened.error;
      opening.refused = i;
      return opening;
    }
    group.events_.push_back(std::move(opened.fd));
  }
  opening.group.emplace(std::move(group));
  return opening;
}

}  // namespace stallscope::perf_events

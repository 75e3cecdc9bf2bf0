#include "perf_events/open_event.hpp"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

namespace stallscope::perf_events {

perf_event_attr sampling_attribute(const event_spec& event, const sampling& how) {
  perf_event_attr attribute{};
  attribute.size = attribute_bytes;
  attribute.type = event.type;
  attribute.config = event.config;
  attribute.config1 = event.config1;
  attribute.config2 = event.config2;
  attribute.precise_ip = event.precise & 3U;
  attribute.exclude_user = event.exclude_user;
  attribute.exclude_kernel = event.exclude_kernel || how.user_only;
  attribute.exclude_hv = attribute.exclude_kernel;
  attribute.exclude_callchain_kernel = attribute.exclude_kernel;
  if (how.period != 0) {
    attribute.sample_period = how.period;
  } else {
    attribute.freq = 1;
    attribute.sample_freq = how.frequency_hz;
  }
  attribute.sample_type = sample_fields;
  if (how.stack_bytes != 0) {
    attribute.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attribute.sample_regs_user = how.user_registers;
    attribute.sample_stack_user = how.stack_bytes;
    attribute.exclude_callchain_user = 1;  // otherwise perf shows the user frames twice
    attribute.mmap_data = 1;               // perf's unwinder locates tables by their mapping
  }
  attribute.sample_id_all = 1;
  attribute.sample_max_stack = how.max_stack;
  attribute.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                          PERF_FORMAT_ID | (how.count_lost ? format_lost : 0);
  if (how.read_group) {
    attribute.sample_type |= PERF_SAMPLE_READ;
    attribute.read_format |= PERF_FORMAT_GROUP;
  }
  attribute.inherit = how.inherit;
  attribute.mmap = 1;
  attribute.mmap2 = 1;
  attribute.build_id = how.build_ids;
  attribute.comm = 1;
  attribute.comm_exec = 1;
  attribute.task = 1;
  attribute.context_switch = how.context_switches;
  attribute.disabled = how.enable_on_exec;
  attribute.enable_on_exec = how.enable_on_exec;
  attribute.use_clockid = 1;
  attribute.clockid = CLOCK_MONOTONIC;
  attribute.watermark = how.wake_per_sample ? 0 : 1;
  if (how.wake_per_sample) {
    attribute.wakeup_events = 1;
  } else {
    attribute.wakeup_watermark = how.wakeup_bytes;
  }
  return attribute;
}

perf_event_attr member_attribute(const event_spec& event, const sampling& how) {
  sampling alike = how;
  alike.stack_bytes = 0;
  auto attribute = sampling_attribute(event, alike);
  attribute.freq = 0;
  attribute.sample_period = 0;
  attribute.precise_ip = 0;
  attribute.mmap = 0;
  attribute.mmap2 = 0;
  attribute.build_id = 0;
  attribute.comm = 0;
  attribute.comm_exec = 0;
  attribute.task = 0;
  attribute.context_switch = 0;
  attribute.disabled = 0;
  attribute.enable_on_exec = 0;
  return attribute;
}

perf_event_attr ring_attribute(std::uint32_t wakeup_bytes) {
  perf_event_attr attribute{};
  attribute.size = attribute_bytes;
  attribute.type = PERF_TYPE_SOFTWARE;
  attribute.config = PERF_COUNT_SW_DUMMY;
  attribute.exclude_kernel = 1;  // ordinary users may not count kernel code
  attribute.exclude_hv = 1;
  attribute.sample_type = sample_fields;
  attribute.sample_id_all = 1;
  attribute.use_clockid = 1;  // only events with the same clock can be redirected
  attribute.clockid = CLOCK_MONOTONIC;
  attribute.watermark = 1;
  attribute.wakeup_watermark = wakeup_bytes;
  return attribute;
}

open_result open_event(const perf_event_attr& attribute, const event_place& place) noexcept {
  open_result result;
  const auto fd = ::syscall(SYS_perf_event_open, &attribute, place.pid, place.cpu, place.group_fd,
                            place.flags | PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) {
    result.error = errno;
  } else {
    result.fd.reset(static_cast<int>(fd));
  }
  return result;
}

std::uint64_t event_id(const descriptor& fd) noexcept {
  std::uint64_t id = 0;
  return ::ioctl(fd.get(), PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

bool read_event(const descriptor& fd, event_reading& reading) noexcept {
  std::array<std::uint64_t, 5> words{};  // value, enabled, running, id, lost
  const auto got = ::read(fd.get(), words.data(), sizeof words);
  if (got < static_cast<ssize_t>(4 * sizeof(std::uint64_t))) return false;
  reading = {words[0], words[1], words[2], words[4], {}};
  return true;
}

bool read_group(const descriptor& fd, std::size_t size, std::size_t place, event_reading& reading) {
  constexpr std::size_t head = 3;  // number, enabled, running
  std::vector<std::uint64_t> words(head + 3 * size);
  const auto got = ::read(fd.get(), words.data(), words.size() * sizeof(std::uint64_t));
  if (got < 0 || words[0] != size) return false;
  // Per event: value, id and, since Linux 6.0, lost.
  const std::size_t words_per_event =
      (static_cast<std::size_t>(got) / sizeof(std::uint64_t) - head) / size;
  if (words_per_event < 2) return false;
  reading = {words[head + place * words_per_event],
             words[1],
             words[2],
             words_per_event > 2 ? words[head + place * words_per_event + 2] : 0,
             {}};
  for (std::size_t i = 0; i < size; ++i)
    if (i != place) reading.others.push_back(words[head + i * words_per_event]);
  return true;
}

}  // namespace stallscope::perf_events

// A group of events that the kernel schedules together and reads at once. Costs one descriptor per
// event; a read is one system call for any size. One thread.
//
//   auto opening = open_group(events, how, place);
//   if (!opening.group) report(opening.error);
//   group_reading reading;
//   opening.group->read(reading);
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/descriptor.hpp"
#include "perf_events/event_spec.hpp"
#include "perf_events/open_event.hpp"

namespace stallscope::perf_events {

struct counting {
  bool user_only = false;
  bool inherit = false;         // children count into their parent's event
  bool enable_on_exec = false;  // otherwise enabled by enable()
};

// The attribute of an event that counts without sampling. Only a leader starts disabled.
perf_event_attr counting_attribute(const event_spec& event, const counting& how, bool leads);

// Values since the group was opened. Differences of the times scale multiplexed counts: resetting
// an event would reset its value and not its times, so nothing is ever reset.
struct group_reading {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::vector<std::uint64_t> values;

  void add(const group_reading& other);
};

class event_group {
 public:
  // Starts counting, in children that inherited the group, too.
  [[nodiscard]] bool enable() const noexcept;
  // Stops counting, until enable(). Counts and times are kept.
  [[nodiscard]] bool disable() const noexcept;
  // Returns 0 or the errno of the read: ECHILD if a child inherited half of the group.
  [[nodiscard]] int read(group_reading& reading) const;
  [[nodiscard]] std::size_t size() const { return events_.size(); }

 private:
  friend struct group_opening open_group(std::span<const event_spec>, const counting&,
                                         const event_place&);
  std::vector<descriptor> events_;  // the leader first
};

struct group_opening {
  std::optional<event_group> group;
  int error = 0;            // the kernel's errno
  std::size_t refused = 0;  // index of the refused event
};

// Opens the events as one group with the first as its leader: all of them or none.
group_opening open_group(std::span<const event_spec> events, const counting& how,
                         const event_place& place);

}  // namespace stallscope::perf_events

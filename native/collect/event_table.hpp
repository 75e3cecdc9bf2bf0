// The open sampling events with their threads, CPUs and counts. Costs one descriptor and about 3 KB
// of kernel memory per event. One thread.
//
//   event_table events{{attribute}, rings.rings};
//   for (std::uint32_t i = 0; i < rings.rings.size(); ++i) events.open(tid, i);
//   events.enable_all();
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perf_events/open_event.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

// The events counted in the group of every sampled event.
struct group_attributes {
  std::vector<perf_event_attr> leading;    // at most one event, which leads the group
  std::vector<perf_event_attr> following;  // in the order of opening
  [[nodiscard]] std::size_t size() const { return leading.size() + following.size(); }
};

class event_table {
 public:
  struct slot {
    descriptor fd;
    std::vector<descriptor> others{};        // the rest of the group, in the order of opening
    std::vector<std::uint64_t> other_ids{};  // ids of `others`
    std::vector<descriptor> companions{};    // sampled events of their own, in no group
    std::vector<std::uint64_t> companion_ids{};
    std::uint64_t id = 0;
    pid_t tid = -1;
    std::uint32_t ring_index = 0;
    std::uint32_t attribute = 0;
  };

  // The rings must outlive the table. `companions` are opened with every event, for the same target
  // and into the same ring.
  event_table(std::vector<perf_event_attr> attributes, std::span<const perf_events::ring> rings,
              group_attributes group = {}, std::vector<perf_event_attr> companions = {})
      : attributes_{std::move(attributes)},
        group_{std::move(group)},
        companions_{std::move(companions)},
        rings_{rings} {}

  // Opens an event, with its group, on a ring's CPU, for a thread, for a cgroup (by flags) or for
  // all processes (pid -1). It writes into that ring. `attribute` is an index into the attributes.
  // Returns 0 or the kernel's errno.
  int open(pid_t pid, std::uint32_t ring_index, unsigned long flags = 0,
           std::uint32_t attribute = 0);

  // Returns the slot of the id of a sample or a switch; nullptr if the id is unknown.
  [[nodiscard]] const slot* find(std::uint64_t id) const;
  // The ids of an attribute's events.
  [[nodiscard]] std::vector<std::uint64_t> ids_of(std::uint32_t attribute) const;
  // The ids of a non-sampling event of the groups, by its index among the non-sampling events.
  [[nodiscard]] std::vector<std::uint64_t> ids_of_other(std::size_t place) const;
  [[nodiscard]] std::vector<std::uint64_t> ids_of_companion(std::size_t place) const;
  // Numbers increase in the order of opening.
  [[nodiscard]] std::size_t number_of(const slot& entry) const {
    return static_cast<std::size_t>(&entry - slots_.data());
  }
  [[nodiscard]] const slot& at(std::size_t number) const { return slots_[number]; }
  // Closes an event whose samples another event also takes.
  void close(std::size_t number);
  void close_all();
  // Closes all events and keeps their ids and their reading.
  void retire();

  void enable_all() const;
  void disable_all() const;
  // Returns the sum over all open events; nullopt if none could be read.
  [[nodiscard]] std::optional<perf_events::event_reading> read_all() const;

  [[nodiscard]] std::span<const perf_events::ring> rings() const { return rings_; }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  // A group counts as one event.
  [[nodiscard]] std::size_t open_count() const { return open_count_; }
  [[nodiscard]] std::size_t events_in_group() const { return 1 + group_.size(); }
  // The descriptors of a slot.
  [[nodiscard]] std::size_t events_per_slot() const {
    return events_in_group() + companions_.size();
  }

 private:
  void control_all(unsigned long request) const;
  [[nodiscard]] const descriptor& leader_of(const slot& entry) const {
    return group_.leading.empty() || entry.others.empty() ? entry.fd : entry.others.front();
  }

  std::vector<perf_event_attr> attributes_;
  group_attributes group_;
  std::vector<perf_event_attr> companions_;
  std::span<const perf_events::ring> rings_;
  std::vector<slot> slots_;
  std::size_t open_count_ = 0;
  std::optional<perf_events::event_reading> last_reading_;  // of retired events
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
};

}  // namespace stallscope::collect

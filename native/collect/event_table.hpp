// The sampling events that are open: which thread and CPU each is for, and what they counted.
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

// What is counted in the group of each sampled event.
struct group_attributes {
  std::vector<perf_event_attr> leading;    // one that leads in its place, or none
  std::vector<perf_event_attr> following;  // in their order
  [[nodiscard]] std::size_t size() const { return leading.size() + following.size(); }
};

class event_table {
 public:
  struct slot {
    descriptor fd;
    std::vector<descriptor> others{};        // of its group, in the order of opening
    std::vector<std::uint64_t> other_ids{};  // theirs
    std::uint64_t id = 0;
    pid_t tid = -1;
    std::uint32_t ring_index = 0;
    std::uint32_t attribute = 0;
  };

  // The rings must outlive the table.
  event_table(std::vector<perf_event_attr> attributes, std::span<const perf_events::ring> rings,
              group_attributes group = {})
      : attributes_{std::move(attributes)}, group_{std::move(group)}, rings_{rings} {}

  // Opens an event, with its group, for a thread (or, by flags, a cgroup; or all with pid -1) on a
  // ring's CPU, writing into that ring; 0 or the kernel's errno. The attribute is named by its
  // number.
  int open(pid_t pid, std::uint32_t ring_index, unsigned long flags = 0,
           std::uint32_t attribute = 0);

  // The slot of a sample's id; nullptr where it is none of ours.
  [[nodiscard]] const slot* find(std::uint64_t id) const;
  // The ids of an attribute's events.
  [[nodiscard]] std::vector<std::uint64_t> ids_of(std::uint32_t attribute) const;
  // The ids of an event of the groups, by its place among those that do not sample.
  [[nodiscard]] std::vector<std::uint64_t> ids_of_other(std::size_t place) const;
  // Later opened ones have higher numbers.
  [[nodiscard]] std::size_t number_of(const slot& which) const {
    return static_cast<std::size_t>(&which - slots_.data());
  }
  [[nodiscard]] const slot& at(std::size_t number) const { return slots_[number]; }
  // Closes an event whose samples another one also takes.
  void close(std::size_t number);
  void close_all();

  void enable_all() const;
  void disable_all() const;
  // The sum over all that are open; nothing where none could be read.
  [[nodiscard]] std::optional<perf_events::event_reading> read_all() const;

  [[nodiscard]] std::span<const perf_events::ring> rings() const { return rings_; }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  // Groups count as one.
  [[nodiscard]] std::size_t open_count() const { return open_count_; }
  [[nodiscard]] std::size_t events_in_group() const { return 1 + group_.size(); }

 private:
  [[nodiscard]] const descriptor& leader_of(const slot& which) const {
    return group_.leading.empty() || which.others.empty() ? which.fd : which.others.front();
  }

  std::vector<perf_event_attr> attributes_;
  group_attributes group_;
  std::span<const perf_events::ring> rings_;
  std::vector<slot> slots_;
  std::size_t open_count_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
};

}  // namespace stallscope::collect

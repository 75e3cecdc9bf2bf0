// Reads the owners of user-space locks while threads wait for them. A thread follows the rings and
// passes waits on futexes to a helper process, which reads the lock from the target's memory, then
// checks that the waiter still waits. The target is not stopped. The context-switches event needs
// wakeup_events = 1, so that a switch wakes the thread. Costs about 15 us of CPU time per wait, and
// at most a share of a CPU: beyond that, waits are not examined for a while. If a target switches
// often without waiting for locks, the rings are looked at every 20 ms only. The thread also
// signals when a ring is a quarter full, because every switch would end a wait for the rings. All
// functions belong to the drain's thread.
//
//   owner_reader owners{proc, rings, {.attribute = switches, .is_switch = has_switch_id}, filled};
//   owners.start();                                   // when the events are open
//   while (recording) { watch.wait(); owners.pass(lines); records.pass(); }
//   owners.finish(lines);
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/eventfd.hpp"
#include "base/failure.hpp"
#include "base/procfs.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

struct owner_source {
  perf_event_attr attribute{};  // of the context-switches event
  // Whether a sample with this identifier is of that event. Called from another thread.
  std::function<bool(std::uint64_t)> is_switch;
  double cpu_share = 0.03;  // of a CPU, which reading owners may take
};

class owner_reader {
 public:
  // The rings and the event must outlive the reader. Throws std::system_error.
  owner_reader(const procfs& proc, const perf_events::ring_set& rings, owner_source source,
               const wake_event& filled);
  owner_reader(const owner_reader&) = delete;
  owner_reader& operator=(const owner_reader&) = delete;
  owner_reader(owner_reader&&) = delete;
  owner_reader& operator=(owner_reader&&) = delete;
  ~owner_reader();

  // Starts the thread and the helper. Throws std::system_error.
  void start();
  // Appends `owner` lines of waits.jsonl, and replaces a helper that does not answer.
  void pass(std::string& lines);
  // Stops, and appends the last lines.
  void finish(std::string& lines);
  // Processes that were left out, waits that were not examined, helpers that did not end.
  [[nodiscard]] const std::vector<warning>& warnings() const;

 private:
  class implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace stallscope::collect

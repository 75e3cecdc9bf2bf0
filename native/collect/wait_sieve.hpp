// Keeps, of the records that concern all processes, those that concern the target: wake-ups of its
// threads and kernel locks that they wait for. Switches of other processes are kept, because they
// name the threads that ran while a thread of the target waited for a CPU. All other records are
// decided by another sieve, or kept. Costs a look-up per record. One thread: that of the drain.
//
//   wait_sieve sieve{attached_sieve, pids};
//   sieve.add_wake_ups(ids, pid_offset);
//   records.set_sieve(&sieve);
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collect/drain.hpp"
#include "collect/event_aliases.hpp"

namespace stallscope::collect {

// A set of process and thread numbers: a bit per number, at most 512 KiB.
class pid_set {
 public:
  void insert(pid_t pid);
  void erase(pid_t pid) noexcept;
  [[nodiscard]] bool contains(pid_t pid) const noexcept;

 private:
  std::vector<bool> bits_;
};

class wait_sieve : public sieve {
 public:
  // `inner` may be null and must outlive this object.
  explicit wait_sieve(sieve* inner) : inner_{inner} {}

  // A process of the target; its later threads and children follow from fork records.
  void add_process(pid_t pid) { processes_.insert(pid); }
  void add_thread(pid_t tid) { threads_.insert(tid); }
  // The raw data of these events hold the number of the woken thread at the offset.
  void add_wake_ups(std::span<const std::uint64_t> ids, std::uint32_t pid_offset);
  // From now on mappings, threads and their ends are recorded for all processes: drops those of
  // others.
  void filter_tasks() { tasks_filtered_ = true; }
  // Samples of other events are dropped from now on. If several programs sample context switches,
  // the kernel (6.1 to 6.18 at least) gives samples of one the identifier of another's event.
  void add_known(std::span<const std::uint64_t> ids) { known_.insert(ids.begin(), ids.end()); }
  // Records of events that were opened again get the identifiers that the header of the recording
  // names. The object must outlive this one.
  void set_aliases(const event_aliases* aliases) { aliases_ = aliases; }
  [[nodiscard]] std::optional<std::uint64_t> written_id(
      const perf_events::record_view& record) const override;
  // The number of samples dropped for their identifier.
  [[nodiscard]] std::uint64_t unknown_samples() const { return unknown_samples_; }
  // Events whose samples are kept for all threads.
  void add_events_of_all(std::span<const std::uint64_t> ids) {
    of_all_.insert(ids.begin(), ids.end());
  }
  // Events that concern the thread that ran.
  void add_events_of_runner(std::span<const std::uint64_t> ids);

  [[nodiscard]] bool watching() const override { return true; }
  void observe(const perf_events::record_view& record, std::size_t ring_index) override;
  void settle() override;
  [[nodiscard]] bool keep(const perf_events::record_view& record) const override;
  [[nodiscard]] bool of_target(const perf_events::record_view& record) const override;

 private:
  sieve* inner_;
  const event_aliases* aliases_ = nullptr;
  pid_set processes_;
  pid_set threads_;
  bool tasks_filtered_ = false;
  std::unordered_set<std::uint64_t> known_;  // empty: all
  mutable std::uint64_t unknown_samples_ = 0;
  std::unordered_set<std::uint64_t> of_all_;
  std::unordered_map<std::uint64_t, std::uint32_t> offsets_;  // by event; 0: concerns the runner
};

}  // namespace stallscope::collect

// A recording whose events are open: samples are taken, and the records of existing threads and
// mappings are written. Costs a descriptor and 3 KB of kernel memory per thread and CPU. One
// thread; the opened recording must outlive it. The destructor closes the events.
//
//   attached_recording attached{opened};
//   recording{attached, report}.run();
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collect/event_table.hpp"
#include "collect/opened_recording.hpp"
#include "collect/owner_session.hpp"
#include "collect/process_filter.hpp"
#include "collect/thread_attach.hpp"
#include "collect/wait_recording.hpp"

namespace stallscope::collect {

class attached_recording {
 public:
  // Throws failure if the kernel refuses the target, std::system_error if a write fails.
  explicit attached_recording(opened_recording& opened);
  attached_recording(const attached_recording&) = delete;
  attached_recording& operator=(const attached_recording&) = delete;
  attached_recording(attached_recording&&) = delete;
  attached_recording& operator=(attached_recording&&) = delete;
  ~attached_recording();

  [[nodiscard]] opened_recording& opened() { return *opened_; }
  [[nodiscard]] const event_table& events() const { return *events_; }
  // Whether the events belong to threads, and so are enabled on all CPUs but run on one at a time.
  [[nodiscard]] bool of_threads() const;
  [[nodiscard]] std::size_t duplicates_closed() const;
  // Null if waits are not recorded.
  [[nodiscard]] wait_recording* waits() { return waits_ ? &*waits_ : nullptr; }
  // Writes the owners of locks that were read; at the `end`, ends the reading.
  void write_lock_owners(bool end = false);

 private:
  using refuser = std::function<failure(int error, int cpu)>;
  void attach();
  [[nodiscard]] std::vector<perf_event_attr> companions() const;
  // The sieve of the attached events; null without one.
  [[nodiscard]] sieve* attached_sieve() const;
  void attach_threads();
  void attach_filtered();
  void attach_cpus();
  void attach_command();
  void keep_processes_of_filter();
  void open_table();
  [[nodiscard]] std::size_t table_budget() const;
  void open_on_all_cpus(pid_t pid, unsigned long flags, const refuser& refused);
  // The processes whose threads and mappings existed before the events were opened.
  std::vector<pid_t> existing_processes();
  void synthesize();

  opened_recording* opened_;
  std::optional<event_table> events_;
  std::unique_ptr<process_filter> filter_;
  std::unique_ptr<thread_attach> threads_;
  std::optional<wait_recording> waits_;
  std::optional<owner_session> owners_;
};

}  // namespace stallscope::collect

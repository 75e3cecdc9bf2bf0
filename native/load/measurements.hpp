// The measurements of one loader thread, and their handover to the reporting thread about once per
// second without blocking. Recording a reply costs four histogram increments.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "histogram/histogram.hpp"
#include "load/request_scheduler.hpp"
#include "load/sequence_check.hpp"

namespace stallscope::load {

// Errors by kind. At most 32 kinds are kept; further kinds count as "other".
class error_counts {
 public:
  void add(std::string_view kind, std::uint64_t times = 1);
  void add(const error_counts& others);
  [[nodiscard]] std::uint64_t total() const noexcept;
  [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& kinds() const noexcept {
    return kinds_;
  }

 private:
  std::map<std::string, std::uint64_t, std::less<>> kinds_;
};

// The kind of an error reply: its first word if in capitals, else "unnamed-error".
std::string_view error_kind(std::string_view text);

// Events in bursts: less than `gap_ns` passes from an event to the next one of its burst. A target
// that collects requests and answers them together has longer bursts of replies than of requests.
struct event_bursts {
  static constexpr std::uint64_t gap_ns = 50'000;

  std::uint64_t events = 0;
  std::uint64_t bursts = 0;

  void add(std::uint64_t before_ns, std::uint64_t now_ns) noexcept {
    ++events;
    bursts += now_ns - before_ns >= gap_ns;
  }
  void add(const event_bursts& other) noexcept {
    events += other.events;
    bursts += other.bursts;
  }
};

struct measurements {
  histogram::histogram intended;  // latency from the due time, ns
  histogram::histogram service;   // time from sending to the reply, ns
  histogram::histogram lag;       // time from the due time to sending, ns
  histogram::histogram own_lag;   // the part of `lag` that the loader caused, ns
  std::uint64_t requests = 0;     // replies without error to requests due in the measured time
  std::uint64_t answered = 0;     // replies in the measured time, whenever the request was due
  std::uint64_t nil = 0;
  event_bursts sent_bursts;   // of requests sent in the measured time
  event_bursts reply_bursts;  // of replies in the measured time
  error_counts errors;

  void record(const sent_request& request, std::uint64_t now_ns);
  void add(const measurements& other);
  void reset();
};

// Resource use and totals of one thread at the end of the run.
struct thread_account {
  std::uint64_t measured_ns = 0;  // measured time, up to the last reply if --requests ends the run
  std::uint64_t wall_ns = 0;  // including the wait for the last replies; contains the next three
  std::uint64_t cpu_ns = 0;
  std::uint64_t spin_ns = 0;                  // busy-waiting for due times
  std::optional<std::uint64_t> run_delay_ns;  // runnable but without a CPU
  std::uint64_t unanswered = 0;               // sent but not answered at the end
  std::uint64_t unsent = 0;                   // due but never sent
  std::uint64_t connections_lost = 0;
  std::uint64_t connections_open = 0;  // most at the same time in the measured time
  bool target_lost = false;
  check_counts check;
};

// Number of the last second of a run, independent of its index.
inline constexpr unsigned last_second = ~0U;

// Hands measurements from one loader thread to the reporter. Safe for these two threads.
class measurement_exchange {
 public:
  // `notice` is an eventfd that is signalled when something is available.
  explicit measurement_exchange(int notice);

  // Loader thread: hands over the measurements up to the end of `second` and receives an empty set.
  // If the reporter is far behind, returns the same set to continue with. Never blocks for long.
  std::unique_ptr<measurements> swap(std::unique_ptr<measurements> full, unsigned second);
  // The last measurements of the thread.
  void finish(std::unique_ptr<measurements> full, const thread_account& account);

  // Reporter: whether everything up to `second` has arrived; take() adds all of it to `into`.
  [[nodiscard]] bool has(unsigned second);
  void take(unsigned second, measurements& into);
  [[nodiscard]] std::optional<thread_account> account();

 private:
  struct entry {
    unsigned second;
    std::unique_ptr<measurements> values;
  };

  void notify() const noexcept;

  int notice_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<measurements>> empty_;
  std::deque<entry> full_;
  unsigned complete_to_ = 0;  // the first second that has not arrived
  std::optional<thread_account> account_;
};

}  // namespace stallscope::load

// What a thread of the loader found out in about a second, and how it is handed to the thread that
// reports, without waiting for it. Recording costs four increments of histograms a reply.
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

// How many errors of which kind; a target can name 32 kinds, all others are "other".
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

// The kind that an error reply names: its first word in capitals, else "unnamed-error".
std::string_view error_kind(std::string_view text);

struct measurements {
  histogram::histogram intended;  // latency from when the request was due, ns
  histogram::histogram service;   // from when it was sent
  histogram::histogram lag;       // from when it was due until it was sent
  histogram::histogram own_lag;   // of that, what the loader is to blame for
  std::uint64_t requests = 0;     // answered without an error, due in the measured time
  std::uint64_t answered = 0;     // answered in the measured time, whenever they were due
  std::uint64_t nil = 0;
  error_counts errors;

  void record(const sent_request& request, std::uint64_t now_ns);
  void add(const measurements& other);
  void reset();
};

// What a thread has to say about itself once it is done.
struct thread_account {
  std::uint64_t measured_ns =
      0;                      // the time that was measured, up to the last reply if requests end it
  std::uint64_t wall_ns = 0;  // with the wait for last replies; the next three are of it
  std::uint64_t cpu_ns = 0;
  std::uint64_t spin_ns = 0;                  // of it, waiting for a due time
  std::optional<std::uint64_t> run_delay_ns;  // runnable without a CPU
  std::uint64_t unanswered = 0;               // sent, without a reply when the run was over
  std::uint64_t unsent = 0;                   // due, never sent
  std::uint64_t connections_lost = 0;
  bool target_lost = false;
  check_counts check;
};

// The number of a run's last second, whichever it is.
inline constexpr unsigned last_second = ~0U;

// From one thread of the loader to the reporter; safe between these two.
class measurement_exchange {
 public:
  // `notice` is an eventfd that is written where something has come.
  explicit measurement_exchange(int notice);

  // The loader's side: gives what was measured up to that second's end and takes empty ones; where
  // the reporter is far behind it gets its own back, to go on with. Never waits for long.
  std::unique_ptr<measurements> swap(std::unique_ptr<measurements> full, unsigned second);
  // The last; nothing follows.
  void finish(std::unique_ptr<measurements> full, const thread_account& account);

  // The reporter's side. Whether all of that second has come; adds all up to it to `into`.
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
  unsigned complete_to_ = 0;  // the next second that has not come
  std::optional<thread_account> account_;
};

}  // namespace stallscope::load

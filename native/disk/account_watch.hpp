// CPU time and CPU delay of a measuring thread over the measurement window. Costs about 10 us at
// each end of the window. Used by the measuring thread.
#pragma once

#include <cstdint>
#include <optional>

#include "disk/point_loop.hpp"
#include "disk/punt_count.hpp"

namespace stallscope::disk {

// Times of the measuring threads within the window, summed over the threads.
struct thread_account {
  // CPU time of the process, including its kernel threads; empty if there was no window.
  std::optional<std::uint64_t> cpu_ns;
  std::optional<std::uint64_t> run_delay_ns;  // runnable without a CPU; empty if not counted
  std::uint64_t wall_ns = 0;
  std::optional<std::uint64_t>
      punts;  // requests that io_uring passed to workers; empty if not counted

  // Share of the time that the threads were runnable without a CPU; empty if not counted.
  [[nodiscard]] std::optional<double> cpu_delay_share() const {
    if (!run_delay_ns || wall_ns == 0) return std::nullopt;
    return static_cast<double>(*run_delay_ns) / static_cast<double>(wall_ns);
  }
};

class account_watch final : public window_watch {
 public:
  // Punts are counted only if `punts` is not null.
  explicit account_watch(const punt_count* punts = nullptr) : punts_{punts} {}

  void begin() override;
  void end() override;
  [[nodiscard]] const thread_account& account() const noexcept { return account_; }

 private:
  const punt_count* punts_;
  std::optional<std::uint64_t> punts_before_;
  thread_account account_;
  std::uint64_t cpu_ns_ = 0;
  std::optional<std::uint64_t> run_delay_ns_;
  std::uint64_t wall_ns_ = 0;
};

}  // namespace stallscope::disk

// A measuring thread's own clocks at both ends of a window: what it used and what it waited for a
// CPU. Some 10 us at each end; by that thread.
#pragma once

#include <cstdint>
#include <optional>

#include "disk/point_loop.hpp"
#include "disk/punt_count.hpp"

namespace stallscope::disk {

// What the measuring threads did within the window, summed over them.
struct thread_account {
  // The whole process's, threads of the kernel for it included; nothing of a window that never was.
  std::optional<std::uint64_t> cpu_ns;
  std::optional<std::uint64_t> run_delay_ns;  // runnable without a CPU; where it is counted
  std::uint64_t wall_ns = 0;
  std::optional<std::uint64_t> punts;  // requests that io_uring gave to workers, where it is told

  // Time that they were ready to run and did not; nothing where it is not counted.
  [[nodiscard]] std::optional<double> cpu_delay_share() const {
    if (!run_delay_ns || wall_ns == 0) return std::nullopt;
    return static_cast<double>(*run_delay_ns) / static_cast<double>(wall_ns);
  }
};

class account_watch final : public window_watch {
 public:
  // Punts are not counted where there is nothing to count them.
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

#include "kernels/waiting/condition_waits.hpp"

#include <array>
#include <chrono>
#include <condition_variable>

#include "base/clock.hpp"
#include "kernels/pinning.hpp"
#include "kernels/waiting/waiting_kernel.hpp"
#include "kernels/work.hpp"

namespace stallscope::kernels {
namespace {

constexpr auto longest_wait = std::chrono::milliseconds(50);

// Threads 0 and 1 pass a turn back and forth on one CPU, rate/2 turns per second each: thread 1
// returns its turn at once, so that thread 0 waits some 2 us, and thread 1 waits for the rest of
// the period. All other threads sleep 50 ms, then wait 150 ms for a condition. In the look-alike
// these sleep 1 ms at a time.
class short_and_long_waits_kernel : public waiting_kernel {
 public:
  explicit short_and_long_waits_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        period_ns_(static_cast<std::uint64_t>(2e9 / setting.rate_per_s)),
        cpus_(allowed_cpus()) {}

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"period_ns", period_ns_}};
  }

 private:
  static constexpr unsigned turns = 2;  // threads that pass the turn

  bool iterate(unsigned thread, const std::atomic<bool>& stop) override {
    if (thread >= turns) return wait_long(thread, stop);
    if (!placed_[thread]) place(thread);
    std::unique_lock<std::mutex> lock(mutex_);
    while (turn_ != thread) {
      if (stop) return false;
      passed_[thread].wait_for(lock, longest_wait);
    }
    if (thread == 0) {
      work_until(next_ns_);
      next_ns_ = std::max(next_ns_ + period_ns_, monotonic_ns());
    }
    turn_ = 1 - thread;
    lock.unlock();
    passed_[1 - thread].notify_one();
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    constexpr std::array names = {"short", "partner", "long"};
    return names[std::min<std::size_t>(thread, names.size() - 1)];
  }
  void place(unsigned thread) {
    placed_[thread] = true;
    times(thread).count_rest_as(wait_state::condition);
    if (cpus_.size() > 1 && allowed_cpus().size() == cpus_.size()) pin_to(cpus_.front());
  }
  void work_until(std::uint64_t end_ns) {
    constexpr std::uint64_t steps = 100;  // a quarter of a microsecond
    while (monotonic_ns() < end_ns) value_ = hot_arithmetic(steps, value_);
  }
  bool wait_long(unsigned thread, const std::atomic<bool>& stop) {
    if (look_alike_) {
      pause_for(ms, times(thread));
      return true;
    }
    pause_for(50 * ms, times(thread));
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock<std::mutex> lock(mutex);
    for (int i = 0; i < 3 && !stop; ++i) {
      const timed_wait wait(times(thread), wait_state::condition);
      never.wait_for(lock, longest_wait);
    }
    return true;
  }

  bool look_alike_;
  std::uint64_t period_ns_;
  std::vector<int> cpus_;
  std::array<bool, turns> placed_{};
  std::mutex mutex_;
  std::array<std::condition_variable, turns> passed_;
  unsigned turn_ = 0;  // under the mutex, as is what follows
  std::uint64_t next_ns_ = 0;
  std::uint64_t value_ = 1;
};

// Thread 0 computes 1 ms and makes one item; all other threads wait for it, and one takes it. A
// broadcast wakes all of them; the look-alike wakes one.
class condition_herd_kernel : public waiting_kernel {
 public:
  explicit condition_herd_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads), look_alike_(setting.look_alike) {}

  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    return {{"items_made", made_}, {"items_taken", taken_}, {"wake_ups", wake_ups_}};
  }

 private:
  bool iterate(unsigned thread, const std::atomic<bool>& stop) override {
    if (thread > 0) return take(thread, stop);
    // As many items as the other threads take in an iteration.
    for (unsigned i = 1; i < threads() && !stop; ++i) make();
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    return thread == 0 ? "producer" : "waiter";
  }
  void make() {
    compute_for(ms);
    {
      const auto lock = lock_timed(mutex_, times(0));
      ++items_;
      ++made_;
    }
    // It waits inside if a woken thread was preempted before it left.
    const timed_wait wait(times(0), wait_state::condition);
    if (look_alike_) {
      made_one_.notify_one();
    } else {
      made_one_.notify_all();
    }
  }
  bool take(unsigned thread, const std::atomic<bool>& stop) {
    auto lock = lock_timed(mutex_, times(thread));
    while (items_ == 0) {
      if (stop) return false;
      const timed_wait wait(times(thread), wait_state::condition);
      if (made_one_.wait_for(lock, longest_wait) == std::cv_status::no_timeout) ++wake_ups_;
    }
    --items_;
    ++taken_;
    return true;
  }

  bool look_alike_;
  std::mutex mutex_;
  std::condition_variable made_one_;
  unsigned items_ = 0;  // under the mutex, as is what follows
  std::uint64_t made_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t wake_ups_ = 0;
};

}  // namespace

std::unique_ptr<kernel_base> make_short_and_long_waits(const kernel_settings& setting) {
  return std::make_unique<short_and_long_waits_kernel>(setting);
}

std::unique_ptr<kernel_base> make_condition_herd(const kernel_settings& setting) {
  return std::make_unique<condition_herd_kernel>(setting);
}

}  // namespace stallscope::kernels

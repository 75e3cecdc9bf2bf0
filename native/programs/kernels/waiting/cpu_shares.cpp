#include "kernels/waiting/cpu_shares.hpp"

#include <chrono>
#include <condition_variable>

#include "base/clock.hpp"
#include "kernels/pinning.hpp"
#include "kernels/waiting/waiting_kernel.hpp"
#include "kernels/work.hpp"

namespace stallscope::kernels {
namespace {

// Three threads on one CPU, each with 10 ms of CPU time per iteration; all but the last also sleep
// 10 ms. The look-alike works 1 ms and sleeps 9 ms, so that the threads rarely wait for the CPU.
class states_kernel : public waiting_kernel {
 public:
  explicit states_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads), look_alike_(setting.look_alike), cpus_(allowed_cpus()) {}

 private:
  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    // With --cpus the runner has placed the threads already.
    if (cpus_.size() > 1 && allowed_cpus().size() == cpus_.size()) pin_to(cpus_.front());
    compute_for(look_alike_ ? ms : 10 * ms);
    const bool sleeps = look_alike_ || thread + 1 < threads();
    if (sleeps) pause_for(look_alike_ ? 9 * ms : 10 * ms, times(thread));
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    return thread + 1 < threads() ? "sleeping" : "computing";
  }

  bool look_alike_;
  std::vector<int> cpus_;
};

[[gnu::noinline]] std::uint64_t one_thread_runs(std::uint64_t steps, std::uint64_t value) {
  return hot_arithmetic(steps, value);
}
[[gnu::noinline]] std::uint64_t two_threads_run(std::uint64_t steps, std::uint64_t value) {
  return hot_arithmetic(steps, value);
}

// In the first half of the duration thread 0 computes in one_thread_runs and thread 1 waits; in the
// second half both compute in two_threads_run. By CPU time the shares are 1 to 2, by wall time 1 to
// 1. The look-alike has both threads compute in both halves: 1 to 1 by either.
class wall_halves_kernel : public waiting_kernel {
 public:
  explicit wall_halves_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        half_ns_(setting.duration_s > 0 ? static_cast<std::uint64_t>(setting.duration_s * 0.5e9)
                                        : 50 * ms),
        halves_(setting.threads) {}

  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    half_times sum;
    for (const half_times& half : halves_) {
      sum.first_cpu_ns += half.first_cpu_ns;
      sum.second_cpu_ns += half.second_cpu_ns;
      sum.second_begin_ns = std::max(sum.second_begin_ns, half.second_begin_ns);
      sum.end_ns = std::max(sum.end_ns, half.end_ns);
    }
    return {{"one_thread_runs_cpu_ns", sum.first_cpu_ns},
            {"two_threads_run_cpu_ns", sum.second_cpu_ns},
            {"one_thread_runs_wall_ns", sum.second_begin_ns - begin_ns_},
            {"two_threads_run_wall_ns", sum.end_ns - sum.second_begin_ns}};
  }

 private:
  struct alignas(128) half_times {
    std::uint64_t value = 1;
    std::uint64_t first_cpu_ns = 0;
    std::uint64_t second_cpu_ns = 0;
    std::uint64_t second_begin_ns = 0;
    std::uint64_t end_ns = 0;
  };
  static constexpr std::uint64_t steps = 500'000;  // about a millisecond

  bool iterate(unsigned thread, const std::atomic<bool>& stop) override {
    const std::uint64_t now_ns = monotonic_ns();
    std::uint64_t begin_ns = 0;
    if (begin_ns_.compare_exchange_strong(begin_ns, now_ns)) begin_ns = now_ns;
    const bool first = now_ns < begin_ns + half_ns_;
    half_times& half = halves_[thread];
    if (first && thread > 0 && !look_alike_) {
      wait_for_second_half(begin_ns + half_ns_, thread, stop);
      return !stop;
    }
    const std::uint64_t cpu_before_ns = thread_cpu_ns();
    half.value = first ? one_thread_runs(steps, half.value) : two_threads_run(steps, half.value);
    (first ? half.first_cpu_ns : half.second_cpu_ns) += thread_cpu_ns() - cpu_before_ns;
    half.end_ns = monotonic_ns();
    if (first) half.second_begin_ns = half.end_ns;
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    return thread == 0 ? "both-halves" : "second-half";
  }
  void wait_for_second_half(std::uint64_t until_ns, unsigned thread,
                            const std::atomic<bool>& stop) {
    std::unique_lock<std::mutex> lock(mutex_);
    const timed_wait wait(times(thread), wait_state::condition);
    for (std::uint64_t now_ns = monotonic_ns(); now_ns < until_ns && !stop;
         now_ns = monotonic_ns()) {
      const std::uint64_t left_ns = std::min(until_ns - now_ns, 50 * ms);
      second_half_.wait_for(lock, std::chrono::nanoseconds(left_ns));
    }
  }

  bool look_alike_;
  std::uint64_t half_ns_;
  std::atomic<std::uint64_t> begin_ns_{0};
  std::vector<half_times> halves_;
  std::mutex mutex_;
  std::condition_variable second_half_;
};

}  // namespace

std::unique_ptr<kernel_base> make_states(const kernel_settings& setting) {
  return std::make_unique<states_kernel>(setting);
}

std::unique_ptr<kernel_base> make_wall_halves(const kernel_settings& setting) {
  return std::make_unique<wall_halves_kernel>(setting);
}

}  // namespace stallscope::kernels

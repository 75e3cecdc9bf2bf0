#include "kernels/spin_convoy.hpp"

#include <sys/resource.h>

#include "kernels/lock_account.hpp"
#include "kernels/pinning.hpp"
#include "kernels/work.hpp"

namespace stallscope::kernels {
namespace {

// 0.1 to 0.2 ms: far longer than what the look-alike does under the lock.
constexpr std::uint64_t work_steps = 100'000;

void pause_briefly() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Involuntary switches of this thread: preemptions. A system call of 0.2 us.
std::uint64_t preemptions() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

class spin_convoy_kernel : public kernel_base {
 public:
  explicit spin_convoy_kernel(const kernel_settings& setting)
      : look_alike_(setting.look_alike),
        cpus_(allowed_cpus()),
        accounts_(setting.threads),
        states_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations,
                    const std::atomic<bool>& stop) override {
    place(thread);
    thread_state& own = states_[thread];
    const std::uint64_t preemptions_before = preemptions();
    std::uint64_t done = 0;
    for (; done < iterations; ++done) {
      if (look_alike_) own.value = hot_arithmetic(work_steps, own.value + 1);
      if (!lock(accounts_[thread], stop)) break;
      work_and_unlock(thread);
    }
    own.preemptions += preemptions() - preemptions_before;
    return done;
  }
  // Returns the number of critical sections, counted under the lock.
  [[nodiscard]] std::uint64_t result() const override { return sections_; }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    std::vector<kernel_parameter> values = account_of(accounts_, "steps_under_the_lock");
    thread_state sum;
    for (const thread_state& state : states_) {
      sum.preemptions += state.preemptions;
      sum.holder_preemptions += state.holder_preemptions;
      sum.held_while_preempted_ns += state.held_while_preempted_ns;
    }
    values.push_back({"preemptions", sum.preemptions});
    values.push_back({"holder_preemptions", sum.holder_preemptions});
    values.push_back({"held_ns_with_preemption", sum.held_while_preempted_ns});
    return values;
  }

 private:
  struct alignas(128) thread_state {
    bool placed = false;
    std::uint64_t value = 1;
    std::uint64_t preemptions = 0;              // whether or not the thread held the lock
    std::uint64_t holder_preemptions = 0;       // while it held the lock
    std::uint64_t held_while_preempted_ns = 0;  // critical sections with a preemption
  };

  // Two threads per CPU, so that a waiting thread can take the holder's CPU. With --cpus the runner
  // has placed the threads already.
  void place(unsigned thread) {
    thread_state& own = states_[thread];
    if (own.placed) return;
    own.placed = true;
    if (allowed_cpus().size() != cpus_.size()) return;
    const std::size_t used = std::min(cpus_.size(), (states_.size() + 1) / 2);
    pin_to(cpus_[thread % used]);
  }
  // Not inlined, so that a profile shows the spinning. False if the run ended meanwhile.
  [[gnu::noinline]] bool spin_until_taken(const std::atomic<bool>& stop) noexcept {
    do {
      while (taken_.load(std::memory_order_relaxed)) {
        if (stop.load(std::memory_order_relaxed)) return false;
        pause_briefly();
      }
    } while (taken_.exchange(true, std::memory_order_acquire));
    return true;
  }
  // False if the run ended meanwhile.
  [[nodiscard]] bool lock(lock_account& account, const std::atomic<bool>& stop) noexcept {
    if (taken_.exchange(true, std::memory_order_acquire)) {
      const std::uint64_t begin_ns = monotonic_ns();
      if (!spin_until_taken(stop)) return false;
      ++account.waits;
      account.wait_ns += monotonic_ns() - begin_ns;
    }
    ++account.acquisitions;
    return true;
  }
  void work_and_unlock(unsigned thread) noexcept {
    thread_state& own = states_[thread];
    lock_account& account = accounts_[thread];
    const std::uint64_t begin_ns = monotonic_ns();
    const std::uint64_t preemptions_before = preemptions();
    ++sections_;
    if (!look_alike_) {
      own.value = hot_arithmetic(work_steps, own.value + 1);
      account.steps += work_steps;
    }
    const std::uint64_t preempted = preemptions() - preemptions_before;
    const std::uint64_t held_ns = monotonic_ns() - begin_ns;
    taken_.store(false, std::memory_order_release);
    account.held_ns += held_ns;
    own.holder_preemptions += preempted;
    if (preempted > 0) own.held_while_preempted_ns += held_ns;
  }

  bool look_alike_;
  std::vector<int> cpus_;
  alignas(128) std::atomic<bool> taken_{false};
  alignas(128) std::uint64_t sections_ = 0;  // under the lock
  std::vector<lock_account> accounts_;
  std::vector<thread_state> states_;
};

}  // namespace

std::unique_ptr<kernel_base> make_spin_convoy(const kernel_settings& setting) {
  return std::make_unique<spin_convoy_kernel>(setting);
}

}  // namespace stallscope::kernels

#include "kernels/sharing.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <mutex>

#include "kernels/work.hpp"

namespace stallscope::kernels {
namespace {

// Every thread increments a private counter with atomic additions. The counters share cache lines;
// with padding they are 128 bytes apart, because prefetchers may load pairs of lines.
class false_sharing_kernel : public kernel_base {
 public:
  explicit false_sharing_kernel(const kernel_settings& setting)
      : stride_(setting.padded ? padded_stride : 1),
        lines_((setting.threads * stride_ + words_per_line - 1) / words_per_line) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    count(iterations, counter(thread));
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& line : lines_) {
      for (const auto& word : line.words) sum += word.load();
    }
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"counter_spacing_bytes", std::uint64_t{stride_ * sizeof(std::uint64_t)}}};
  }

 private:
  static constexpr std::size_t words_per_line = 16;
  static constexpr std::size_t padded_stride = 16;
  struct alignas(128) stream_line {
    std::array<std::atomic<std::uint64_t>, words_per_line> words{};
  };

  std::atomic<std::uint64_t>& counter(unsigned thread) {
    const std::size_t word = thread * stride_;
    return lines_[word / words_per_line].words[word % words_per_line];
  }
  [[gnu::noinline]] static void count(std::uint64_t iterations,
                                      std::atomic<std::uint64_t>& counter) {
    for (std::uint64_t i = 0; i < iterations; ++i) counter.fetch_add(1, std::memory_order_relaxed);
  }

  std::size_t stride_;
  std::vector<stream_line> lines_;
};

// All work runs under one mutex, so that all other threads wait.
class contended_mutex_kernel : public kernel_base {
 public:
  explicit contended_mutex_kernel(const kernel_settings& setting)
      : cured_(setting.cured), values_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    std::uint64_t& own = values_[thread].value;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (cured_) {
        own = hot_arithmetic(steps_held, own);
        continue;
      }
      const std::scoped_lock lock(mutex_);
      value_ = hot_arithmetic(steps_held, value_);
    }
    return iterations;
  }
  // Returns the value of the chain after the steps of all threads.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = value_;
    for (const auto& own : values_) sum += own.value;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"steps_under_the_lock", steps_held}};
  }

 private:
  static constexpr std::uint64_t steps_held = 1000;

  bool cured_;
  std::mutex mutex_;
  std::uint64_t value_ = 1;
  std::vector<thread_word> values_;  // by thread, if cured
};

// Sleeps while the word has this value, until a wake-up or for 50 ms. The time limit ensures that
// the thread notices the end of the run.
void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  const timespec timeout{.tv_sec = 0, .tv_nsec = 50'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &timeout, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word, int threads) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

// In a round, thread 0 adds one item and wakes all other threads. All wake, one takes the item, and
// the next round begins after all have tried. Cured: one thread wakes and takes it. An iteration is
// a round of a thread, also if it sleeps through it.
class thundering_herd_kernel : public kernel_base {
 public:
  explicit thundering_herd_kernel(const kernel_settings& setting)
      : cured_(setting.cured), herd_(setting.threads - 1), last_rounds_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations,
                    const std::atomic<bool>& stop) override {
    std::uint64_t rounds = 0;
    while (rounds < iterations) {
      const auto passed =
          thread == 0 ? wake_herd(stop) : try_take(thread, iterations - rounds, stop);
      if (passed == 0) break;
      rounds += passed;
    }
    return rounds;
  }
  // Returns the number of taken items.
  [[nodiscard]] std::uint64_t result() const override { return taken_.load(); }

 private:
  // Both return the number of rounds that have passed; 0 at the end.
  std::uint64_t wake_herd(const std::atomic<bool>& stop) {
    auto& unfinished = cured_ ? items_ : waking_;
    waking_.store(herd_);
    items_.store(1);
    round_.fetch_add(1);
    wake(round_, cured_ ? 1 : INT_MAX);
    while (const std::uint32_t left = unfinished.load()) {
      if (stop.load()) return 0;
      wait_while(unfinished, left);
    }
    return 1;
  }
  std::uint64_t try_take(unsigned thread, std::uint64_t most, const std::atomic<bool>& stop) {
    auto& last_round = last_rounds_[thread].value;
    const auto last = static_cast<std::uint32_t>(last_round);
    while (round_.load() == last) {
      if (stop.load()) return 0;
      wait_while(round_, last);
    }
    const auto passed = cured_ ? std::min<std::uint64_t>(round_.load() - last, most) : 1;
    last_round += passed;
    if (items_.exchange(0) == 1) {
      taken_.fetch_add(1);
      if (cured_) wake(items_, 1);
    }
    if (!cured_ && waking_.fetch_sub(1) == 1) wake(waking_, INT_MAX);
    return passed;
  }

  bool cured_;
  std::uint32_t herd_;
  std::vector<thread_word> last_rounds_;  // by thread: the last round in which it tried
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> waking_{0};  // threads of the herd that have not tried yet
  std::atomic<std::uint32_t> items_{0};
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace

std::unique_ptr<kernel_base> make_false_sharing(const kernel_settings& setting) {
  return std::make_unique<false_sharing_kernel>(setting);
}

std::unique_ptr<kernel_base> make_contended_mutex(const kernel_settings& setting) {
  return std::make_unique<contended_mutex_kernel>(setting);
}

std::unique_ptr<kernel_base> make_thundering_herd(const kernel_settings& setting) {
  return std::make_unique<thundering_herd_kernel>(setting);
}

}  // namespace stallscope::kernels

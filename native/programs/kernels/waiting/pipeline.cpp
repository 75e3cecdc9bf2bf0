#include "kernels/waiting/pipeline.hpp"

#include <array>
#include <chrono>
#include <condition_variable>

#include "kernels/waiting/waiting_kernel.hpp"

namespace stallscope::kernels {
namespace {

// A counter of items between two stages, at most `capacity`.
class bounded_queue {
 public:
  // Adds (+1) or removes (-1) an item when that is possible. Returns false if `stop` was set first.
  [[nodiscard]] bool change(int by, thread_times& times, const std::atomic<bool>& stop) {
    auto lock = lock_timed(mutex_, times);
    const auto possible = [&] { return by > 0 ? items_ < capacity : items_ > 0; };
    while (!possible()) {
      if (stop) return false;
      const timed_wait wait(times, wait_state::condition);
      changed_.wait_for(lock, std::chrono::milliseconds(50));
    }
    items_ += by;
    lock.unlock();
    changed_.notify_all();
    return true;
  }

 private:
  static constexpr int capacity = 4;

  std::mutex mutex_;
  std::condition_variable changed_;
  int items_ = 0;
};

// Three stages; the middle one computes ten times as long per item. In the look-alike the first
// stage is the slow one, and the middle stage is as loud: it sleeps and wakes several times per
// item, without delay for the others.
class pipeline_kernel : public waiting_kernel {
 public:
  explicit pipeline_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads), look_alike_(setting.look_alike), cured_(setting.cured) {}

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"fast_stage_ns", fast_ns}, {"slow_stage_ns", slow_ns}};
  }

 private:
  static constexpr std::uint64_t fast_ns = 200 * us;
  static constexpr std::uint64_t slow_ns = 2 * ms;
  static constexpr unsigned middle = 1;

  bool iterate(unsigned stage, const std::atomic<bool>& stop) override {
    if (stage > 0 && !queues_[stage - 1].change(-1, times(stage), stop)) return false;
    compute_for(stage == (look_alike_ ? 0 : middle) && !cured_ ? slow_ns : fast_ns);
    if (look_alike_ && stage == middle) {
      for (int i = 0; i < 2; ++i) pause_for(150 * us, times(stage));
    }
    return stage == queues_.size() || queues_[stage].change(1, times(stage), stop);
  }
  [[nodiscard]] const char* name_of(unsigned stage) const override {
    constexpr std::array names = {"first", "middle", "last"};
    return names[stage];
  }

  bool look_alike_;
  bool cured_;
  std::array<bounded_queue, 2> queues_;
};

}  // namespace

std::unique_ptr<kernel_base> make_pipeline_slow_middle(const kernel_settings& setting) {
  return std::make_unique<pipeline_kernel>(setting);
}

}  // namespace stallscope::kernels

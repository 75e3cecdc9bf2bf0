#include "kernels/waiting/lock_convoy.hpp"

#include <pthread.h>

#include <cerrno>
#include <system_error>

#include "kernels/waiting/waiting_kernel.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t convoy_held_ns = 200 * us;
constexpr std::uint64_t convoy_private_ns = 50 * us;

// A mutex that its holder hands to the longest waiter when it unlocks it: with priority inheritance
// the kernel makes the next owner. No running thread can take it first, so that every acquisition
// in a queue costs a switch. The same type without inheritance lets running threads take it.
class queue_mutex {
 public:
  explicit queue_mutex(bool hands_over) {
    pthread_mutexattr_t attribute;
    check(pthread_mutexattr_init(&attribute), "pthread_mutexattr_init");
    const int protocol = hands_over ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE;
    const int error = pthread_mutexattr_setprotocol(&attribute, protocol);
    const int created = error == 0 ? pthread_mutex_init(&mutex_, &attribute) : error;
    pthread_mutexattr_destroy(&attribute);
    check(created, "pthread_mutex_init");
  }
  ~queue_mutex() { pthread_mutex_destroy(&mutex_); }
  queue_mutex(const queue_mutex&) = delete;
  queue_mutex& operator=(const queue_mutex&) = delete;
  queue_mutex(queue_mutex&&) = delete;
  queue_mutex& operator=(queue_mutex&&) = delete;

  // Returns whether another thread held the mutex.
  bool lock() {
    const int error = pthread_mutex_trylock(&mutex_);
    if (error == 0) return false;
    if (error != EBUSY) check(error, "pthread_mutex_trylock");
    check(pthread_mutex_lock(&mutex_), "pthread_mutex_lock");
    return true;
  }
  void unlock() { check(pthread_mutex_unlock(&mutex_), "pthread_mutex_unlock"); }

 private:
  static void check(int error, const char* call) {
    if (error != 0) throw std::system_error(error, std::generic_category(), call);
  }

  pthread_mutex_t mutex_{};
};

// Each thread holds the mutex for 0.2 ms and works 50 us outside. In the look-alike it works as
// long, but outside of the mutex, and sleeps as long as the queue would take: as many switches.
class lock_convoy_kernel : public waiting_kernel {
 public:
  explicit lock_convoy_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        hands_over_(!setting.cured),
        mutex_(hands_over_),
        counts_(setting.threads) {}

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"held_ns", convoy_held_ns}, {"hands_over", hands_over_ ? "yes" : "no"}};
  }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    std::uint64_t acquisitions = 0;
    std::uint64_t waits = 0;
    for (const thread_counts& counts : counts_) {
      acquisitions += counts.acquisitions;
      waits += counts.waits;
    }
    return {{"acquisitions", acquisitions}, {"waits", waits}};
  }

 private:
  struct alignas(128) thread_counts {
    std::uint64_t acquisitions = 0;
    std::uint64_t waits = 0;  // acquisitions while another thread held the mutex
  };

  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    if (look_alike_) {
      compute_for(convoy_held_ns + convoy_private_ns);
      take(thread);
      mutex_.unlock();
      pause_for((threads() - 1) * convoy_held_ns, times(thread));
      return true;
    }
    take(thread);
    compute_for(convoy_held_ns);
    mutex_.unlock();
    compute_for(convoy_private_ns);
    return true;
  }
  void take(unsigned thread) {
    const timed_wait wait(times(thread), wait_state::lock);
    thread_counts& counts = counts_[thread];
    ++counts.acquisitions;
    if (mutex_.lock()) ++counts.waits;
  }
  [[nodiscard]] const char* name_of(unsigned) const override { return "worker"; }

  bool look_alike_;
  bool hands_over_;
  queue_mutex mutex_;
  std::vector<thread_counts> counts_;
};

}  // namespace

std::unique_ptr<kernel_base> make_lock_convoy(const kernel_settings& setting) {
  return std::make_unique<lock_convoy_kernel>(setting);
}

}  // namespace stallscope::kernels

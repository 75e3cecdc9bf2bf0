#include "kernels/waiting/lock_holders.hpp"

#include "base/clock.hpp"
#include "kernels/pinning.hpp"
#include "kernels/waiting/disk_file.hpp"
#include "kernels/waiting/waiting_kernel.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t held_ns = 9 * ms;
constexpr std::uint64_t released_ns = 1 * ms;
constexpr std::uint64_t writer_ns = 3 * ms;
constexpr std::uint64_t writer_pause_ns = 7 * ms;
constexpr std::uint64_t victim_held_ns = 20 * us;
constexpr std::uint64_t victim_private_ns = 100 * us;

// A mutex, and threads that take it for a short time each.
class lock_kernel : public waiting_kernel {
 protected:
  using waiting_kernel::waiting_kernel;

  // The iteration of a thread that waits for the lock.
  void take_briefly(unsigned thread) {
    {
      const auto lock = lock_timed(mutex_, times(thread));
      compute_for(victim_held_ns);
    }
    compute_for(victim_private_ns);
  }
  // Computes for 9 of 10 ms while holding the lock; if `outside`, before taking it.
  void hold_computing(unsigned thread, bool outside) {
    if (outside) compute_for(held_ns);
    {
      const auto lock = lock_timed(mutex_, times(thread));
      compute_for(outside ? victim_held_ns : held_ns);
    }
    pause_for(released_ns, times(thread));
  }

  std::mutex mutex_;
};

// Thread 0 computes while it holds the lock for 9 of 10 ms. The look-alike computes before it takes
// the lock, and its other threads sleep between two acquisitions.
class lock_hog_kernel : public lock_kernel {
 public:
  explicit lock_hog_kernel(const kernel_settings& setting)
      : lock_kernel(setting.threads), look_alike_(setting.look_alike), cured_(setting.cured) {}

 private:
  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    if (thread == 0) {
      hold_computing(thread, look_alike_ || cured_);
    } else {
      take_briefly(thread);
      if (look_alike_) pause_for(2 * ms, times(thread));
    }
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    return thread == 0 ? "hog" : "victim";
  }

  bool look_alike_;
  bool cured_;
};

// Thread 0 writes to a disk while it holds the lock. In the look-alike thread 0 computes under the
// lock, and the last thread writes to the disk 3 of 10 ms while nothing waits for it.
class lock_holder_on_slow_disk_kernel : public lock_kernel {
 public:
  explicit lock_holder_on_slow_disk_kernel(const kernel_settings& setting)
      : lock_kernel(setting.threads), look_alike_(setting.look_alike), file_(setting.path) {}

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"path", file_.path()}, {"direct", file_.direct() ? "yes" : "no"}};
  }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    return {{"writes", writes_}, {"write_ns", write_ns_}};
  }

 private:
  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    if (thread == 0 && look_alike_) {
      hold_computing(thread, false);
    } else if (thread == 0) {
      {
        const auto lock = lock_timed(mutex_, times(thread));
        write_for(held_ns, thread);
      }
      pause_for(released_ns, times(thread));
    } else if (look_alike_ && thread + 1 == threads()) {
      write_for(writer_ns, thread);
      pause_for(writer_pause_ns, times(thread));
    } else {
      take_briefly(thread);
    }
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    if (look_alike_ && thread + 1 == threads()) return "writer";
    return thread == 0 ? "holder" : "victim";
  }
  void write_for(std::uint64_t duration_ns, unsigned thread) {
    const std::uint64_t begin_ns = monotonic_ns();
    while (monotonic_ns() - begin_ns < duration_ns) {
      const timed_wait wait(times(thread), wait_state::disk_write);
      file_.write_block();
      ++writes_;
    }
    write_ns_ += monotonic_ns() - begin_ns;
  }

  bool look_alike_;
  disk_file file_;
  std::uint64_t writes_ = 0;  // by one thread
  std::uint64_t write_ns_ = 0;
};

// Thread 0 holds the lock for 9 of 10 ms, two threads wait for it, and all others sleep 200 ms
// at a time while nothing waits for them. The look-alike has no lock: all threads sleep.
class idle_sleeper_kernel : public lock_kernel {
 public:
  explicit idle_sleeper_kernel(const kernel_settings& setting)
      : lock_kernel(setting.threads), look_alike_(setting.look_alike) {}

 private:
  static constexpr unsigned last_victim = 2;

  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    if (look_alike_ || thread > last_victim) {
      pause_for(200 * ms, times(thread));
    } else if (thread == 0) {
      hold_computing(thread, false);
    } else {
      take_briefly(thread);
    }
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    if (thread > last_victim) return "sleeper";
    return thread == 0 ? "holder" : "victim";
  }

  bool look_alike_;
};

// Thread 0 computes while it holds the lock, on the CPU on which threads 1 and 2 compute without
// pause: it is preempted while others wait for the lock, for two thirds of the time. In the
// look-alike threads 1 and 2 compute for 0.1 of 5 ms.
class preempted_holder_kernel : public lock_kernel {
 public:
  explicit preempted_holder_kernel(const kernel_settings& setting)
      : lock_kernel(setting.threads), look_alike_(setting.look_alike), cpus_(allowed_cpus()) {}

 private:
  static constexpr unsigned last_rival = 2;

  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    // The others leave the CPU of the three to them.
    if (allowed_cpus().size() == cpus_.size() && cpus_.size() > 1)
      pin_to(thread <= last_rival ? cpus_.front() : cpus_.back());
    if (thread == 0) {
      hold_computing(thread, false);
    } else if (thread > last_rival) {
      take_briefly(thread);
    } else if (look_alike_) {
      compute_for(100 * us);
      pause_for(5 * ms, times(thread));
    } else {
      compute_for(5 * ms);
    }
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    if (thread > last_rival) return "victim";
    return thread == 0 ? "holder" : "rival";
  }

  bool look_alike_;
  std::vector<int> cpus_;
};

}  // namespace

std::unique_ptr<kernel_base> make_lock_hog(const kernel_settings& setting) {
  return std::make_unique<lock_hog_kernel>(setting);
}

std::unique_ptr<kernel_base> make_lock_holder_on_slow_disk(const kernel_settings& setting) {
  return std::make_unique<lock_holder_on_slow_disk_kernel>(setting);
}

std::unique_ptr<kernel_base> make_preempted_holder(const kernel_settings& setting) {
  return std::make_unique<preempted_holder_kernel>(setting);
}

std::unique_ptr<kernel_base> make_idle_sleeper(const kernel_settings& setting) {
  return std::make_unique<idle_sleeper_kernel>(setting);
}

}  // namespace stallscope::kernels

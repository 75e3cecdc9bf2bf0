#include "kernels/waiting/slow_requests.hpp"

#include <sys/mman.h>

#include <deque>

#include "base/clock.hpp"
#include "kernels/private_memory.hpp"
#include "kernels/waiting/disk_file.hpp"
#include "kernels/waiting/request_account.hpp"
#include "kernels/waiting/waiting_kernel.hpp"
#include "kernels/xorshift.hpp"
#include "requests/stallscope_request.h"

namespace stallscope::kernels {
namespace {

constexpr unsigned slow_every = 50;  // requests
constexpr std::uint64_t request_sleep_ns = 4 * ms;
constexpr std::uint64_t request_compute_ns = 100 * us;
// Longer than a request usually waits for a CPU on a busy machine.
constexpr std::uint64_t extra_ns = 16 * ms;
constexpr std::uint64_t lock_held_ns = 30 * ms;
constexpr std::uint64_t background_compute_ns = 1 * ms;
constexpr std::uint64_t background_pause_ns = 3 * ms;
constexpr std::size_t buffer_bytes = std::size_t{8} << 20U;
constexpr std::size_t page_bytes = 4096;

// The functions that a diagnosis must name.
[[gnu::noinline]] void flush_log(disk_file& file) {
  const std::uint64_t begin_ns = monotonic_ns();
  while (monotonic_ns() - begin_ns < extra_ns) file.write_block();
}

[[gnu::noinline]] void rebuild_index() { compute_for(extra_ns); }

// Without mmap and munmap, which would lock the memory of all threads.
[[gnu::noinline]] void grow_buffer(const private_memory& buffer) {
  const auto bytes = buffer.as<volatile unsigned char>();
  for (std::size_t at = 0; at < bytes.size(); at += page_bytes) bytes[at] = 1;
  buffer.drop_pages();
}

[[gnu::noinline]] void update_table(std::mutex& mutex, thread_times& times) {
  const auto lock = lock_timed(mutex, times);
  compute_for(10 * us);
}

// Requests on all threads but the first one. A derived class has the extra work.
class slow_requests_kernel : public waiting_kernel {
 public:
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    request_account all;
    for (const worker& measured : workers_) all.merge(measured.account);
    return all.parameters();
  }

 protected:
  explicit slow_requests_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        workers_(setting.threads) {}

  // Does the extra work and returns its time.
  virtual std::uint64_t extra(unsigned thread) = 0;
  // What the first thread does beside its computation, so that the extra work is slow.
  virtual void prepare_extra(unsigned thread) { pause_for(background_pause_ns, times(thread)); }

  [[nodiscard]] std::uint64_t waited_ns(unsigned thread, wait_state state) {
    return times(thread).waited_ns(static_cast<std::size_t>(state));
  }

 private:
  struct alignas(128) worker {
    request_account account;
    std::uint64_t requests = 0;
    std::uint64_t random = 88172645463325252;
  };

  bool iterate(unsigned thread, const std::atomic<bool>&) final {
    if (thread == 0) {
      compute_for(background_compute_ns);
      if (look_alike_) extra(thread);
      prepare_extra(thread);
      return true;
    }
    worker& own = workers_[thread];
    const std::uint64_t id = std::uint64_t{thread} << 32U | ++own.requests;
    const std::uint64_t begin_ns = monotonic_ns();
    stallscope_request_begin(id, "request");
    const std::uint64_t extra_work_ns = handle(thread, own);
    stallscope_request_end(id);
    own.account.add(monotonic_ns() - begin_ns, extra_work_ns);
    return true;
  }
  std::uint64_t handle(unsigned thread, worker& own) {
    std::uint64_t percent = 100;
    if (look_alike_) {
      own.random = xorshift64(own.random + thread);
      percent = 50 + own.random % 200;
    }
    compute_for(request_compute_ns * percent / 100);
    pause_for(request_sleep_ns * percent / 100, times(thread));
    const bool slow = (own.requests + std::uint64_t{7} * thread) % slow_every == 0;
    return slow && !look_alike_ ? extra(thread) : 0;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    return thread == 0 ? "background" : "worker";
  }

  bool look_alike_;
  std::vector<worker> workers_;
};

class slow_disk_kernel : public slow_requests_kernel {
 public:
  explicit slow_disk_kernel(const kernel_settings& setting) : slow_requests_kernel(setting) {
    for (unsigned i = 0; i < setting.threads; ++i) files_.emplace_back(setting.path);
  }

 private:
  std::uint64_t extra(unsigned thread) override {
    const std::uint64_t before_ns = waited_ns(thread, wait_state::disk_write);
    {
      const timed_wait wait(times(thread), wait_state::disk_write);
      flush_log(files_[thread]);
    }
    return waited_ns(thread, wait_state::disk_write) - before_ns;
  }

  std::deque<disk_file> files_;  // they do not move
};

class slow_lock_kernel : public slow_requests_kernel {
 public:
  explicit slow_lock_kernel(const kernel_settings& setting) : slow_requests_kernel(setting) {}

 private:
  std::uint64_t extra(unsigned thread) override {
    const std::uint64_t before_ns = waited_ns(thread, wait_state::lock);
    update_table(mutex_, times(thread));
    return waited_ns(thread, wait_state::lock) - before_ns;
  }
  // Holds the lock; in the look-alike, no request takes it.
  void prepare_extra(unsigned thread) override {
    const auto lock = lock_timed(mutex_, times(thread));
    pause_for(lock_held_ns, times(thread));
  }

  std::mutex mutex_;
};

class slow_compute_kernel : public slow_requests_kernel {
 public:
  explicit slow_compute_kernel(const kernel_settings& setting) : slow_requests_kernel(setting) {}

 private:
  std::uint64_t extra(unsigned) override {
    const std::uint64_t begin_ns = thread_cpu_ns();
    rebuild_index();
    return thread_cpu_ns() - begin_ns;
  }
};

class slow_memory_kernel : public slow_requests_kernel {
 public:
  explicit slow_memory_kernel(const kernel_settings& setting) : slow_requests_kernel(setting) {
    for (unsigned i = 0; i < setting.threads; ++i)
      buffers_.emplace_back(buffer_bytes, MADV_NOHUGEPAGE);
  }

 private:
  std::uint64_t extra(unsigned thread) override {
    const std::uint64_t begin_ns = thread_cpu_ns();
    while (thread_cpu_ns() - begin_ns < extra_ns) grow_buffer(buffers_[thread]);
    return thread_cpu_ns() - begin_ns;
  }

  std::deque<private_memory> buffers_;  // they do not move
};

}  // namespace

std::unique_ptr<kernel_base> make_slow_requests_disk(const kernel_settings& setting) {
  return std::make_unique<slow_disk_kernel>(setting);
}

std::unique_ptr<kernel_base> make_slow_requests_lock(const kernel_settings& setting) {
  return std::make_unique<slow_lock_kernel>(setting);
}

std::unique_ptr<kernel_base> make_slow_requests_compute(const kernel_settings& setting) {
  return std::make_unique<slow_compute_kernel>(setting);
}

std::unique_ptr<kernel_base> make_slow_requests_memory(const kernel_settings& setting) {
  return std::make_unique<slow_memory_kernel>(setting);
}

}  // namespace stallscope::kernels

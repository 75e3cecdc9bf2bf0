#include "kernels/runner.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>

#include "base/clock.hpp"
#include "kernels/pinning.hpp"

namespace stallscope::kernels {
namespace {

// The state shared by the threads of a run.
class kernel_run {
 public:
  kernel_run(const kernel_entry& entry, kernel_base& kernel, const run_options& options,
             std::atomic<bool>& stop)
      : per_call_(entry.iterations_per_call), kernel_(kernel), options_(options), stop_(stop) {}

  // Starts the duration.
  void begin() noexcept {
    if (options_.duration_ns != 0) end_ns_ = monotonic_ns() + options_.duration_ns;
  }
  // An exception in pin() or work() stops all threads; finish() rethrows it.
  void pin(unsigned thread) noexcept {
    try {
      if (!options_.cpus.empty()) pin_to(options_.cpus[thread % options_.cpus.size()]);
    } catch (...) {
      keep_error();
    }
  }
  // Runs all iterations of a thread.
  void work(unsigned thread) noexcept {
    try {
      done_ += count(thread);
    } catch (...) {
      keep_error();
    }
  }
  // Returns the iterations of all threads, which must have ended.
  [[nodiscard]] std::uint64_t finish() const {
    if (error_) std::rethrow_exception(error_);
    return done_;
  }

 private:
  void keep_error() noexcept {
    const std::scoped_lock lock(mutex_);
    error_ = std::current_exception();
    stop_ = true;
  }
  std::uint64_t count(unsigned thread) {
    std::uint64_t done = 0;
    std::uint64_t left = options_.iterations.value_or(UINT64_MAX);
    while (left > 0 && !stop_) {
      const std::uint64_t iterations = std::min(left, per_call_);
      done += kernel_.run(thread, iterations, stop_);
      left -= iterations;
      if (end_ns_ != UINT64_MAX && monotonic_ns() >= end_ns_) stop_ = true;
    }
    return done;
  }

  std::uint64_t per_call_;
  kernel_base& kernel_;
  const run_options& options_;
  std::atomic<bool>& stop_;
  std::uint64_t end_ns_ = UINT64_MAX;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

// The threads other than the calling thread. The constructor creates and pins them; begin() starts
// their work at the same time; the destructor joins them.
class worker_pool {
 public:
  worker_pool(kernel_run& run, unsigned count) {
    for (unsigned i = 1; i <= count; ++i) {
      auto worker = std::make_unique<worker_thread>(worker_thread{&run, this, i, {}});
      // pthread_create as in mix_thread, so that every frame up to the thread's entry has a frame
      // pointer.
      const int error = pthread_create(&worker->thread, nullptr, &worker_pool::enter, worker.get());
      if (error != 0) {
        join(start_gate::never);
        throw std::system_error(error, std::generic_category(),
                                "cannot create thread " + std::to_string(i) + ": pthread_create");
      }
      workers_.push_back(std::move(worker));
    }
    for (unsigned ready = ready_; ready != count; ready = ready_) ready_.wait(ready);
  }
  ~worker_pool() { join(start_gate::open); }
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;
  worker_pool(worker_pool&&) = delete;
  worker_pool& operator=(worker_pool&&) = delete;

  void begin() noexcept { open(start_gate::open); }

 private:
  enum class start_gate : std::uint8_t { closed, open, never };
  struct worker_thread {
    kernel_run* run;
    worker_pool* pool;
    unsigned index;
    pthread_t thread;
  };

  static void* enter(void* worker) {
    const auto& self = *static_cast<worker_thread*>(worker);
    self.run->pin(self.index);
    ++self.pool->ready_;
    self.pool->ready_.notify_one();
    self.pool->gate_.wait(start_gate::closed);
    if (self.pool->gate_ == start_gate::open) self.run->work(self.index);
    return nullptr;
  }
  void open(start_gate gate) noexcept {
    gate_ = gate;
    gate_.notify_all();
  }
  void join(start_gate gate) noexcept {
    open(gate);
    for (auto& worker : workers_) pthread_join(worker->thread, nullptr);
  }

  std::atomic<unsigned> ready_{0};
  std::atomic<start_gate> gate_{start_gate::closed};
  std::vector<std::unique_ptr<worker_thread>> workers_;
};

std::uint64_t to_ns(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000U;
}

// Returns the current counters of the process as a report since its start.
run_report read_counters() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.elapsed_ns = monotonic_ns(),
          .cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
          .user_ns = to_ns(usage.ru_utime),
          .system_ns = to_ns(usage.ru_stime),
          .minor_faults = static_cast<std::uint64_t>(usage.ru_minflt),
          .voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
          .involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

run_report difference(const run_report& before, const run_report& after) noexcept {
  return {.elapsed_ns = after.elapsed_ns - before.elapsed_ns,
          .cpu_ns = after.cpu_ns - before.cpu_ns,
          .user_ns = after.user_ns - before.user_ns,
          .system_ns = after.system_ns - before.system_ns,
          .minor_faults = after.minor_faults - before.minor_faults,
          .voluntary_switches = after.voluntary_switches - before.voluntary_switches,
          .involuntary_switches = after.involuntary_switches - before.involuntary_switches};
}

}  // namespace

run_report run_kernel(const kernel_entry& entry, unsigned threads, kernel_base& kernel,
                      const run_options& options, std::atomic<bool>& stop) {
  kernel_run run(entry, kernel, options, stop);
  run.pin(0);
  run_report before;
  {
    worker_pool workers(run, threads - 1);
    before = read_counters();
    run.begin();
    workers.begin();
    run.work(0);
  }
  run_report report = difference(before, read_counters());
  report.iterations = run.finish();
  report.result = kernel.result();
  return report;
}

}  // namespace stallscope::kernels

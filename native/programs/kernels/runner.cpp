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

// What the threads of one run share.
class Run {
 public:
  Run(const KernelEntry& entry, Kernel& kernel, const RunOptions& options, std::atomic<bool>& stop)
      : per_call_(entry.iterations_per_call), kernel_(kernel), options_(options), stop_(stop) {}

  // The duration counts from now on.
  void begin() noexcept {
    if (options_.duration_ns != 0) end_ns_ = monotonic_ns() + options_.duration_ns;
  }
  // An exception, here and in `work`, stops all threads and is kept for `finish`.
  void pin(unsigned thread) noexcept {
    try {
      if (!options_.cpus.empty()) pin_to(options_.cpus[thread % options_.cpus.size()]);
    } catch (...) {
      keep_error();
    }
  }
  // All of one thread's iterations.
  void work(unsigned thread) noexcept {
    try {
      done_ += count(thread);
    } catch (...) {
      keep_error();
    }
  }
  // The iterations of all threads, which have ended.
  [[nodiscard]] std::uint64_t finish() const {
    if (error_) std::rethrow_exception(error_);
    return done_;
  }

 private:
  void keep_error() noexcept {
    const std::scoped_lock held(mutex_);
    error_ = std::current_exception();
    stop_ = true;
  }
  std::uint64_t count(unsigned thread) {
    std::uint64_t done = 0;
    std::uint64_t left = options_.iterations.value_or(UINT64_MAX);
    while (left > 0 && !stop_) {
      const std::uint64_t wanted = std::min(left, per_call_);
      done += kernel_.run(thread, wanted, stop_);
      left -= wanted;
      if (end_ns_ != UINT64_MAX && monotonic_ns() >= end_ns_) stop_ = true;
    }
    return done;
  }

  std::uint64_t per_call_;
  Kernel& kernel_;
  const RunOptions& options_;
  std::atomic<bool>& stop_;
  std::uint64_t end_ns_ = UINT64_MAX;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

// The threads beside the calling one: all there and pinned when this is made, joined when it goes.
// They begin together.
class Workers {
 public:
  Workers(Run& run, unsigned count) {
    for (unsigned i = 1; i <= count; ++i) {
      auto worker = std::make_unique<Worker>(Worker{&run, this, i, {}});
      // pthread_create itself, as in MixThread: every frame up to the thread's entry has a frame
      // pointer then.
      const int error = pthread_create(&worker->thread, nullptr, &Workers::enter, worker.get());
      if (error != 0) {
        join(Gate::never);
        throw std::system_error(error, std::generic_category(),
                                "cannot create thread " + std::to_string(i) + ": pthread_create");
      }
      workers_.push_back(std::move(worker));
    }
    for (unsigned ready = ready_; ready != count; ready = ready_) ready_.wait(ready);
  }
  ~Workers() { join(Gate::open); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  Workers(Workers&&) = delete;
  Workers& operator=(Workers&&) = delete;

  void begin() noexcept { open(Gate::open); }

 private:
  enum class Gate : std::uint8_t { closed, open, never };
  struct Worker {
    Run* run;
    Workers* all;
    unsigned index;
    pthread_t thread;
  };

  static void* enter(void* worker) {
    const auto& self = *static_cast<Worker*>(worker);
    self.run->pin(self.index);
    ++self.all->ready_;
    self.all->ready_.notify_one();
    self.all->gate_.wait(Gate::closed);
    if (self.all->gate_ == Gate::open) self.run->work(self.index);
    return nullptr;
  }
  void open(Gate gate) noexcept {
    gate_ = gate;
    gate_.notify_all();
  }
  void join(Gate gate) noexcept {
    open(gate);
    for (auto& worker : workers_) pthread_join(worker->thread, nullptr);
  }

  std::atomic<unsigned> ready_{0};
  std::atomic<Gate> gate_{Gate::closed};
  std::vector<std::unique_ptr<Worker>> workers_;
};

std::uint64_t to_ns(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000U;
}

// The process's counters of this moment, as a report since its start.
RunReport read_counters() noexcept {
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

RunReport difference(const RunReport& before, const RunReport& after) noexcept {
  return {.elapsed_ns = after.elapsed_ns - before.elapsed_ns,
          .cpu_ns = after.cpu_ns - before.cpu_ns,
          .user_ns = after.user_ns - before.user_ns,
          .system_ns = after.system_ns - before.system_ns,
          .minor_faults = after.minor_faults - before.minor_faults,
          .voluntary_switches = after.voluntary_switches - before.voluntary_switches,
          .involuntary_switches = after.involuntary_switches - before.involuntary_switches};
}

}  // namespace

RunReport run_kernel(const KernelEntry& entry, unsigned threads, Kernel& kernel,
                     const RunOptions& options, std::atomic<bool>& stop) {
  Run run(entry, kernel, options, stop);
  run.pin(0);
  RunReport before;
  {
    Workers workers(run, threads - 1);
    before = read_counters();
    run.begin();
    workers.begin();
    run.work(0);
  }
  RunReport report = difference(before, read_counters());
  report.iterations = run.finish();
  report.result = kernel.result();
  return report;
}

}  // namespace stallscope::kernels

#include "disk/point_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "disk/account_watch.hpp"
#include "disk/buffers.hpp"
#include "disk/real_time.hpp"
#include "disk/simulated_channel.hpp"
#include "disk/system_call_channel.hpp"
#include "disk/uring_channel.hpp"

namespace stallscope::disk {
namespace {

// Index of a measuring thread and the number of threads of the point.
struct thread_share {
  unsigned index = 0;
  unsigned count = 1;
};

constexpr std::chrono::milliseconds stop_poll_interval{20};  // while threads measure
// After a stop request a thread that is not in a system call ends on its own within a tick.
constexpr std::chrono::seconds stop_grace{1};

// State of a measuring thread. `calls` and `loop` are set while the thread may block in a system
// call and can be abandoned there.
struct thread_state {
  system_call_channel* calls = nullptr;
  point_loop* loop = nullptr;
  bool ended = false;
};

class point_run {
 public:
  point_run(const measurement_context& context, const point& settings, run_control& control)
      : context_{context}, control_{control} {
    result_.settings = settings;
    result_.used = settings.engine;
  }

  point_result measure();

 private:
  void on_threads(unsigned count);
  std::vector<bool> wait_for_threads();
  [[nodiscard]] bool all_ended() const;
  void thread(thread_share share);
  void through(channel& channel, const point& settings, thread_share share, account_watch watch,
               system_call_channel* calls = nullptr);
  void modelled();

  const measurement_context& context_;
  run_control& control_;
  point_result result_;
  std::vector<measurements> measured_;
  std::vector<thread_account> accounts_;
  std::mutex mutex_;  // protects threads_
  std::condition_variable ended_;
  std::vector<thread_state> threads_;
};

point_result point_run::measure() {
  if (context_.plan.target.simulated) {
    modelled();
  } else {
    if (!context_.uring_refusal.empty()) result_.used = engine::preadv2;
    on_threads(result_.used == engine::uring ? 1 : result_.settings.depth);
  }
  result_.measured = std::move(measured_.front());
  result_.account = accounts_.front();
  for (std::size_t other = 1; other < measured_.size(); ++other) {
    result_.measured.add(measured_[other]);
    thread_account& sum = result_.account;
    sum.cpu_ns = std::max(sum.cpu_ns, accounts_[other].cpu_ns);
    sum.wall_ns += accounts_[other].wall_ns;
    if (!sum.run_delay_ns || !accounts_[other].run_delay_ns) {
      sum.run_delay_ns.reset();
    } else {
      *sum.run_delay_ns += *accounts_[other].run_delay_ns;
    }
  }
  return std::move(result_);
}

void point_run::modelled() {
  measured_.resize(1);
  accounts_.resize(1);
  result_.modelled = true;
  simulated_channel device{*context_.plan.target.simulated, result_.settings};
  window_watch none;
  measured_.front() =
      point_loop{device, result_.settings, {context_.plan.target, result_.settings}, control_}.run(
          none);
  accounts_.front().run_delay_ns.reset();
}

void point_run::on_threads(unsigned count) {
  if (count > max_threads) {
    result_.notes.push_back("depth " + std::to_string(count) +
                            " requires io_uring: threads support at most " +
                            std::to_string(max_threads));
    count = 0;
  }
  measured_.resize(std::max(count, 1U));
  accounts_.resize(measured_.size());
  threads_.resize(count);
  std::vector<std::exception_ptr> errors(count);
  std::vector<std::thread> threads;
  for (unsigned index = 0; index < count; ++index) {
    threads.emplace_back([&, index] {
      try {
        thread({.index = index, .count = count});
      } catch (...) {
        errors[index] = std::current_exception();
        control_.stop = true;
      }
      const std::lock_guard lock{mutex_};
      threads_[index].ended = true;
      ended_.notify_one();
    });
  }
  const std::vector<bool> abandoned = wait_for_threads();
  for (unsigned index = 0; index < count; ++index) {
    abandoned[index] ? threads[index].detach() : threads[index].join();
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

bool point_run::all_ended() const {
  return std::ranges::all_of(threads_, [](const thread_state& thread) { return thread.ended; });
}

// Returns when every thread has ended or was abandoned in a system call that does not return after
// a stop request. The measurements of abandoned threads are kept. Returns which were abandoned.
std::vector<bool> point_run::wait_for_threads() {
  std::vector<bool> abandoned(threads_.size());
  std::unique_lock lock{mutex_};
  while (!control_.stop.load() &&
         !ended_.wait_for(lock, stop_poll_interval, [&] { return all_ended(); })) {
  }
  if (ended_.wait_for(lock, stop_grace, [&] { return all_ended(); })) return abandoned;
  while (!all_ended()) {
    for (std::size_t index = 0; index < threads_.size(); ++index) {
      thread_state& state = threads_[index];
      if (state.ended || state.calls == nullptr || !state.calls->abandon()) continue;
      measured_[index] = state.loop->abandon(state.calls->now_ns());
      state.ended = abandoned[index] = true;
    }
    ended_.wait_for(lock, stop_poll_interval, [&] { return all_ended(); });
  }
  return abandoned;
}

void point_run::thread(thread_share share) {
  if (context_.plan.cpu) bind_to_cpu(*context_.plan.cpu);
  const bool real_time = context_.plan.real_time && !take_real_time();
  if (share.index == 0) result_.real_time = real_time;
  point settings = result_.settings;
  settings.depth /= share.count;
  settings.seed += share.index;
  if (settings.rate_per_s) *settings.rate_per_s /= share.count;
  if (settings.max_requests)
    *settings.max_requests = (*settings.max_requests + share.count - 1) / share.count;
  buffers memory{settings.depth, settings.block_bytes, settings.read_share < 1, settings.seed};
  if (result_.used == engine::preadv2) {
    system_call_channel calls{context_.fd, settings.block_bytes, memory};
    return through(calls, settings, share, account_watch{}, &calls);
  }
  uring_channel ring{{.fd = context_.fd,
                      .depth = settings.depth,
                      .block_bytes = settings.block_bytes,
                      .registered = settings.registered},
                     memory};
  result_.buffers_registered = ring.buffers_registered();
  result_.file_registered = ring.file_registered();
  if (settings.registered && !ring.buffers_registered()) {
    result_.notes.emplace_back("the buffers are not registered: the kernel limit is reached");
  }
  const punt_count punts;
  through(ring, settings, share, account_watch{&punts});
}

void point_run::through(channel& channel, const point& settings, thread_share share,
                        account_watch watch, system_call_channel* calls) {
  const double first_share = static_cast<double>(share.index) / share.count;
  point_loop loop{channel, settings, {context_.plan.target, settings, first_share}, control_};
  const auto publish = [&](system_call_channel* active_calls, point_loop* active_loop) {
    const std::lock_guard lock{mutex_};
    threads_[share.index].calls = active_calls;
    threads_[share.index].loop = active_loop;
  };
  publish(calls, &loop);
  measurements measured = loop.run(watch);
  publish(nullptr, nullptr);
  measured_[share.index] = std::move(measured);
  accounts_[share.index] = watch.account();
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

}  // namespace

std::optional<double> point_result::littles_law_error() const {
  if (settings.rate_per_s || measured.end_ns <= measured.begin_ns) return std::nullopt;
  const double wall_ns = static_cast<double>(measured.end_ns - measured.begin_ns);
  return std::abs(static_cast<double>(measured.outstanding_ns) / wall_ns / settings.depth - 1);
}

double point_result::idle_slot_ns() const {
  if (measured.requests() == 0) return 0;
  const double slots_ns = static_cast<double>(measured.end_ns - measured.begin_ns) * settings.depth;
  return (slots_ns - static_cast<double>(measured.outstanding_ns)) /
         static_cast<double>(measured.requests());
}

std::optional<double> point_result::cpu_delay_share() const { return account.cpu_delay_share(); }

std::optional<double> point_result::rate_achieved() const {
  const double seconds = measured.seconds();
  if (!(seconds > 0)) return std::nullopt;
  return static_cast<double>(measured.requests()) / seconds;
}

std::vector<std::string> point_result::failed() const {
  std::vector<std::string> reasons;
  if (measured.requests() == 0) reasons.emplace_back("no request completed");
  if (const auto count = measured.failed()) {
    reasons.push_back(std::to_string(count) + " requests failed");
  }
  const double idle_ns = idle_slot_ns();
  const bool is_own_work = idle_ns >= 0 && idle_ns <= own_work_ns;
  if (const auto error = littles_law_error();
      error && *error > max_littles_law_error && !is_own_work) {
    reasons.push_back("Little's law: the mean number in flight was " + percent(*error) +
                      " off the depth");
  }
  if (const auto share = cpu_delay_share(); share && *share > max_cpu_delay_share) {
    reasons.push_back("the measuring thread waited for a CPU " + percent(*share) + " of the time");
  }
  if (settings.rate_per_s && rate_achieved().value_or(0) < min_rate_share * *settings.rate_per_s) {
    reasons.emplace_back("the requested rate was not reached");
  }
  return reasons;
}

point_result measure(const measurement_context& context, const point& settings,
                     run_control& control) {
  return point_run{context, settings, control}.measure();
}

}  // namespace stallscope::disk

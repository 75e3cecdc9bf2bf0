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

// One of a point's threads: which one of how many.
struct part {
  unsigned index = 0;
  unsigned of = 1;
};

constexpr std::chrono::milliseconds look_every{20};  // for a stop, while threads measure
// After a stop a thread that is not in a system call ends by itself within a tick.
constexpr std::chrono::seconds patience{1};

// Where a thread is: what it measures with while it may be left in a system call.
struct seat {
  system_call_channel* calls = nullptr;
  point_loop* loop = nullptr;
  bool ended = false;
};

class point_run {
 public:
  point_run(const surroundings& around, const point& asked, run_control& control)
      : around_{around}, control_{control} {
    result_.asked = asked;
    result_.used = asked.engine;
  }

  point_result measure();

 private:
  void on_threads(unsigned count);
  std::vector<bool> wait_for_threads();
  [[nodiscard]] bool all_ended() const;
  void thread(part mine);
  void through(channel& channel, const point& asked, part mine, account_watch watch,
               system_call_channel* leavable = nullptr);
  void modelled();

  const surroundings& around_;
  run_control& control_;
  point_result result_;
  std::vector<measurements> found_;
  std::vector<thread_account> accounts_;
  std::mutex mutex_;  // of the seats
  std::condition_variable ended_;
  std::vector<seat> seats_;
};

point_result point_run::measure() {
  if (around_.asked.target.simulated) {
    modelled();
  } else {
    if (!around_.uring_refusal.empty()) result_.used = engine::preadv2;
    on_threads(result_.used == engine::uring ? 1 : result_.asked.depth);
  }
  result_.found = std::move(found_.front());
  result_.account = accounts_.front();
  for (std::size_t other = 1; other < found_.size(); ++other) {
    result_.found.add(found_[other]);
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
  found_.resize(1);
  accounts_.resize(1);
  result_.modelled = true;
  simulated_channel device{*around_.asked.target.simulated, result_.asked};
  window_watch none;
  found_.front() =
      point_loop{device, result_.asked, {around_.asked.target, result_.asked}, control_}.run(none);
  accounts_.front().run_delay_ns.reset();
}

void point_run::on_threads(unsigned count) {
  if (count > most_threads) {
    result_.notes.push_back("depth " + std::to_string(count) + " takes io_uring: threads keep " +
                            std::to_string(most_threads) + " at most");
    count = 0;
  }
  found_.resize(std::max(count, 1U));
  accounts_.resize(found_.size());
  seats_.resize(count);
  std::vector<std::exception_ptr> errors(count);
  std::vector<std::thread> threads;
  for (unsigned index = 0; index < count; ++index) {
    threads.emplace_back([&, index] {
      try {
        thread({.index = index, .of = count});
      } catch (...) {
        errors[index] = std::current_exception();
        control_.stop = true;
      }
      const std::lock_guard lock{mutex_};
      seats_[index].ended = true;
      ended_.notify_one();
    });
  }
  const std::vector<bool> left = wait_for_threads();
  for (unsigned index = 0; index < count; ++index) {
    left[index] ? threads[index].detach() : threads[index].join();
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

bool point_run::all_ended() const {
  return std::ranges::all_of(seats_, [](const seat& one) { return one.ended; });
}

// Returns once all have ended, or were left in system calls that do not end after a stop: what
// those measured is taken from them.
std::vector<bool> point_run::wait_for_threads() {
  std::vector<bool> left(seats_.size());
  std::unique_lock lock{mutex_};
  while (!control_.stop.load() && !ended_.wait_for(lock, look_every, [&] { return all_ended(); })) {
  }
  if (ended_.wait_for(lock, patience, [&] { return all_ended(); })) return left;
  while (!all_ended()) {
    for (std::size_t index = 0; index < seats_.size(); ++index) {
      seat& one = seats_[index];
      if (one.ended || one.calls == nullptr || !one.calls->leave_behind()) continue;
      found_[index] = one.loop->taken_over(one.calls->now_ns());
      one.ended = left[index] = true;
    }
    ended_.wait_for(lock, look_every, [&] { return all_ended(); });
  }
  return left;
}

void point_run::thread(part mine) {
  if (around_.asked.cpu) bind_to_cpu(*around_.asked.cpu);
  const bool real_time = around_.asked.real_time && !take_real_time();
  if (mine.index == 0) result_.real_time = real_time;
  point asked = result_.asked;
  asked.depth /= mine.of;
  asked.seed += mine.index;
  if (asked.rate_per_s) *asked.rate_per_s /= mine.of;
  if (asked.most_requests) *asked.most_requests = (*asked.most_requests + mine.of - 1) / mine.of;
  buffers memory{asked.depth, asked.block_bytes, asked.read_share < 1, asked.seed};
  if (result_.used == engine::preadv2) {
    system_call_channel calls{around_.fd, asked.block_bytes, memory};
    return through(calls, asked, mine, account_watch{}, &calls);
  }
  uring_channel ring{{.fd = around_.fd,
                      .depth = asked.depth,
                      .block_bytes = asked.block_bytes,
                      .registered = asked.registered},
                     memory};
  result_.buffers_registered = ring.buffers_registered();
  result_.file_registered = ring.file_registered();
  if (asked.registered && !ring.buffers_registered()) {
    result_.notes.emplace_back("the buffers are not registered: the kernel allows no more of them");
  }
  const punt_count punts;
  through(ring, asked, mine, account_watch{&punts});
}

void point_run::through(channel& channel, const point& asked, part mine, account_watch watch,
                        system_call_channel* leavable) {
  const double first_share = static_cast<double>(mine.index) / mine.of;
  point_loop loop{channel, asked, {around_.asked.target, asked, first_share}, control_};
  const auto sit = [&](system_call_channel* calls, point_loop* measures) {
    const std::lock_guard lock{mutex_};
    seats_[mine.index].calls = calls;
    seats_[mine.index].loop = measures;
  };
  sit(leavable, &loop);
  measurements found = loop.run(watch);
  sit(nullptr, nullptr);
  found_[mine.index] = std::move(found);
  accounts_[mine.index] = watch.account();
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

}  // namespace

std::optional<double> point_result::littles_law_error() const {
  if (asked.rate_per_s || found.end_ns <= found.begin_ns) return std::nullopt;
  const double wall_ns = static_cast<double>(found.end_ns - found.begin_ns);
  return std::abs(static_cast<double>(found.outstanding_ns) / wall_ns / asked.depth - 1);
}

double point_result::empty_between_ns() const {
  if (found.requests() == 0) return 0;
  const double places_ns = static_cast<double>(found.end_ns - found.begin_ns) * asked.depth;
  return (places_ns - static_cast<double>(found.outstanding_ns)) /
         static_cast<double>(found.requests());
}

std::optional<double> point_result::cpu_delay_share() const { return account.cpu_delay_share(); }

std::optional<double> point_result::rate_achieved() const {
  const double seconds = found.seconds();
  if (!(seconds > 0)) return std::nullopt;
  return static_cast<double>(found.requests()) / seconds;
}

std::vector<std::string> point_result::failed() const {
  std::vector<std::string> reasons;
  if (found.requests() == 0) reasons.emplace_back("no request was done");
  if (const auto count = found.failed()) {
    reasons.push_back(std::to_string(count) + " requests failed");
  }
  const double empty_ns = empty_between_ns();
  const bool is_own_work = empty_ns >= 0 && empty_ns <= own_work_ns;
  if (const auto error = littles_law_error();
      error && *error > most_littles_law_error && !is_own_work) {
    reasons.push_back("Little's law: the mean number in flight was " + percent(*error) +
                      " off the depth");
  }
  if (const auto share = cpu_delay_share(); share && *share > most_cpu_delay_share) {
    reasons.push_back("our own thread waited for a CPU " + percent(*share) + " of the time");
  }
  if (asked.rate_per_s && rate_achieved().value_or(0) < least_rate_share * *asked.rate_per_s) {
    reasons.emplace_back("the requested rate was not reached");
  }
  return reasons;
}

point_result measure(const surroundings& around, const point& asked, run_control& control) {
  return point_run{around, asked, control}.measure();
}

}  // namespace stallscope::disk

#include "collect/owner_helper.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "reader_process/short_slice.hpp"

namespace stallscope::collect {
namespace {

using namespace std::chrono_literals;

constexpr const char* owner_helper_name = "stallscope-lock";
constexpr std::size_t max_owner_replacements = 8;
// Owners change: a later reading often has the name of another thread.
constexpr std::uint64_t latest_reading_ns = 2'000'000;
constexpr std::uint64_t longest_owner_read_ns = 500'000'000;
// A helper that waits for a CPU is late, but not blocked.
constexpr std::uint64_t longest_owner_turn_ns = 10'000'000'000;
constexpr timespec longest_sleep{0, 100'000'000};

void wait_for_notices(owner_channel& channel) {
  channel.asleep.store(1);
  if (channel.waits.empty() && !channel.activity.stop.load())
    ::syscall(SYS_futex, &channel.asleep, FUTEX_WAIT, 1, &longest_sleep, nullptr, 0);
  channel.asleep.store(0);
}

}  // namespace

void serve_owners(const procfs& proc, owner_channel& channel) {
  reader_process::request_short_slice();
  const pid_t parent = ::getppid();
  while (!channel.activity.stop.load() && ::getppid() == parent) {
    while (const auto wait = channel.waits.take()) {
      if (monotonic_ns() > wait->time_ns + latest_reading_ns) {
        ++channel.late;
        continue;
      }
      channel.activity.begin(wait->pid, monotonic_ns());
      owner_reading reading{*wait, monotonic_ns(), {}};
      reading.owner = read_lock_owner(proc, *wait);
      channel.activity.end();
      if (!channel.readings.put(reading)) ++channel.late;
    }
    wait_for_notices(channel);
  }
}

owner_helper::owner_helper(const procfs& proc) : proc_{proc}, exclusions_{proc} { start(); }

void owner_helper::start() {
  auto memory = std::make_unique<reader_process::shared_memory<owner_channel>>();
  auto& channel = **memory;
  child_ = reader_process::child_process{{.name = owner_helper_name},
                                         [this, &channel] { serve_owners(proc_, channel); }};
  memory_ = std::move(memory);
  channel_ = &channel;
}

void owner_helper::note(const futex_wait& wait) {
  if (exclusions_.any() && exclusions_.contains(wait.pid)) return;
  const std::scoped_lock lock{mutex_};
  if (!channel_->waits.put(wait)) ++dropped_;
  has_notices_ = true;
}

void owner_helper::wake() {
  const std::scoped_lock lock{mutex_};
  if (!std::exchange(has_notices_, false)) return;
  if (channel_->asleep.exchange(0) != 0)
    ::syscall(SYS_futex, &channel_->asleep, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void owner_helper::supervise(std::uint64_t now_ns) {
  std::erase_if(ending_, [](auto& process) { return !process.running(); });
  if (replaced_ > max_owner_replacements) return;
  const auto& activity = channel_->activity;
  const pid_t process = activity.pid.load(std::memory_order_acquire);
  if (!child_.running()) return replace(process);
  const auto since_ns = activity.since_ns.load(std::memory_order_relaxed);
  if (process == 0 || now_ns < since_ns + longest_owner_read_ns) return;
  if (child_.state() == 'R' && now_ns < since_ns + longest_owner_turn_ns) return;
  if (activity.pid.load() == process && activity.since_ns.load() == since_ns) replace(process);
}

void owner_helper::replace(pid_t process) {
  if (process != 0) {
    exclusions_.add(process);
    warnings_.push_back(
        {"lock-owners-left-out", "owners of locks of process " + std::to_string(process) +
                                     " are not known: reads of its memory do not return"});
  }
  const std::scoped_lock lock{mutex_};
  child_.end({});
  ending_.push_back(std::exchange(child_, {}));
  dropped_ += channel_->late.load();
  if (++replaced_ <= max_owner_replacements) {
    try {
      return start();
    } catch (const std::system_error&) {
      replaced_ = max_owner_replacements + 1;
    }
  }
  channel_->late = 0;
  warnings_.push_back({"lock-owners-stopped",
                       "further owners of locks are not known: helper processes were replaced too "
                       "often"});
}

std::optional<owner_reading> owner_helper::take() { return channel_->readings.take(); }

void owner_helper::finish() {
  channel_->activity.stop.store(true);
  has_notices_ = true;
  wake();
  child_.wait(100ms);
  ending_.push_back(std::exchange(child_, {}));
  for (auto& process : ending_) {
    if (process.end(50ms)) continue;
    warnings_.push_back({"helper-abandoned", "the helper process " + std::to_string(process.pid()) +
                                                 " did not end after SIGKILL, because it waits for "
                                                 "the memory of a process; it holds no file of "
                                                 "the recording"});
  }
  ending_.clear();
}

}  // namespace stallscope::collect

#include "collect/runtime_session.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <span>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "collect/runtime_kinds.hpp"
#include "collect/sample_pace.hpp"
#include "managed_frames/frames_text.hpp"
#include "reader_process/short_slice.hpp"

namespace stallscope::collect {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t runtime_write_pause_ns = 200'000'000;
constexpr std::uint64_t runtime_supervision_pause_ns = 50'000'000;
// Readers with this limit read frames that change with each call of the program.
constexpr std::uint64_t interpreter_age_ns = 2'000'000;
// Interval at which samples are passed on while no process is read: at first, and after a program
// was started, a runtime may begin to run; later that is unlikely.
constexpr std::uint64_t searching_pause_ns = 20'000'000;
constexpr std::uint64_t idle_pause_ns = 500'000'000;
constexpr int rounds_until_idle = 500;  // 10 s
constexpr std::uint64_t runtime_max_replacements = 16;
constexpr auto runtime_wait_for_helper = 300ms;
constexpr auto runtime_wait_after_kill = 200ms;

std::string why_runtime_left_out(const reader_process::helper_fault& fault) {
  const auto process = "process " + std::to_string(fault.process);
  return process + (fault.helper_ended
                        ? " is left out of the frames of runtimes: the helper that read it ended, "
                          "for example because it needed too much memory"
                        : " is left out of the frames of runtimes: reads of its memory or files "
                          "do not return");
}

}  // namespace

runtime_session::runtime_session(const procfs& proc, const perf_events::ring_set& rings,
                                 output_directory& output, std::uint64_t period_ns)
    : proc_{proc},
      output_{&output},
      period_ns_{period_ns},
      exclusions_{proc},
      stop_{::eventfd(0, EFD_CLOEXEC)} {
  if (!stop_) throw std::system_error(errno, std::generic_category(), "eventfd");
  const runtime_forwarder::hooks hooks{
      [this](const perf_events::record_view& record) { return selects(record); },
      [this] {
        auto* slot = this->slot();
        if (helper_ && slot == nullptr) ++dropped_samples_;
        return slot;
      },
      [this] {
        helper_->channel().commit();
        has_samples_ = true;
        ++passed_;
      },
      [this](pid_t pid) { forget(pid); }, &shared_->ends};
  for (const auto& ring : rings.rings)
    forwarders_.push_back(std::make_unique<runtime_forwarder>(ring.view(), hooks));
}

runtime_session::~runtime_session() { stop_thread(); }

void runtime_session::start(const process_filter* filter) {
  filter_ = filter;
  start_helper();
  if (filter == nullptr) thread_ = std::thread{[this] { follow(); }};
}

void runtime_session::start_helper() {
  const managed_frames::runtime_watch::position position{generation_, runtime_max_replacements + 1};
  helper_ = std::make_unique<managed_frames::walk_helper>(
      managed_frames::helper_options{proc_, runtime_kinds(), position}, *shared_);
}

std::uint64_t runtime_session::next_pause_ns() {
  const std::scoped_lock lock{mutex_};
  const auto age_ns = helper_ ? helper_->channel().sample_age_ns() : 0;
  if (age_ns != 0) {
    idle_rounds_ = 0;
    const auto samples = std::exchange(passed_, 0);
    return age_ns <= interpreter_age_ns ? until_next_sample_ns() : pace_.pause_ns(age_ns, samples);
  }
  return ++idle_rounds_ > rounds_until_idle ? idle_pause_ns : searching_pause_ns;
}

std::uint64_t runtime_session::next_pass_ns() {
  if (filter_ == nullptr || !helper_ || helper_->channel().sample_age_ns() == 0) return 0;
  return next_pause_ns();
}

std::uint64_t runtime_session::until_next_sample_ns() const {
  const auto now_ns = monotonic_ns();
  auto pause_ns = sample_pace::longest_pause_ns;
  for (const auto& forwarder : forwarders_) {
    sample_pace pace{period_ns_};
    pace.note(forwarder->newest_ns());
    pause_ns = std::min(pause_ns, pace.pause_ns(now_ns));
  }
  return pause_ns;
}

bool runtime_session::selects(const perf_events::record_view& record) {
  const perf_events::sample_fields_view fields{record};
  return fields.pid > 0 && shared_->verdicts.interesting(fields.pid, fields.time_ns) &&
         (filter_ == nullptr || filter_->keep(record)) && !exclusions_.contains(fields.pid);
}

managed_frames::sample_slot* runtime_session::slot() {
  return helper_ ? helper_->channel().next() : nullptr;
}

// Another program runs under the pid, or will. Most processes that end were never examined.
void runtime_session::forget(pid_t pid) {
  idle_rounds_ = 0;
  exclusions_.forget(pid);
  if (!shared_->verdicts.known(pid)) return;
  if (auto* slot = this->slot()) {
    slot->pid = pid;
    slot->tid = 0;
    helper_->channel().commit();
    has_samples_ = true;
  }
}

void runtime_session::forward() {
  const std::scoped_lock lock{mutex_};
  for (const auto& forwarder : forwarders_) forwarder->forward();
  if (has_samples_ && helper_) helper_->wake();
  has_samples_ = false;
}

void runtime_session::follow() {
  ::prctl(PR_SET_TIMERSLACK, 1);
  reader_process::request_short_slice();
  pollfd stopped{stop_.get(), POLLIN, 0};
  while (stopped.revents == 0) {
    forward();
    const timespec interval{0, static_cast<long>(next_pause_ns())};
    ::ppoll(&stopped, 1, &interval, nullptr);
  }
}

void runtime_session::stop_thread() {
  if (!thread_.joinable()) return;
  const std::uint64_t increment = 1;
  while (::write(stop_.get(), &increment, sizeof increment) < 0 && errno == EINTR) {
  }
  thread_.join();
}

void runtime_session::pass() {
  if (filter_ != nullptr) forward();
  const auto now_ns = monotonic_ns();
  if (now_ns >= supervised_ns_ + runtime_supervision_pause_ns) {
    supervised_ns_ = now_ns;
    std::erase_if(ending_, [](auto& ending) { return !ending.process.running(); });
    const auto fault = helper_ ? helper_->check(now_ns) : std::nullopt;
    if (fault) replace_helper(*fault);
  }
  if (!helper_) return;
  if (helper_->channel().lines.half_full() || now_ns >= written_ns_ + runtime_write_pause_ns) {
    written_ns_ = now_ns;
    std::string text;
    helper_->take_text(text);
    write(text);
  }
}

void runtime_session::replace_helper(const reader_process::helper_fault& fault) {
  if (fault.process != 0) {
    exclusions_.add(fault.process);
    warnings_.push_back({"runtime-process-left-out", why_runtime_left_out(fault)});
  }
  std::string text;
  const std::scoped_lock lock{mutex_};
  helper_->take_text(text);
  write(text);
  dropped_samples_ += helper_->channel().dropped();
  ending_.push_back({helper_->take_process(), fault.process});
  ending_.back().process.end({});
  helper_.reset();
  if (++generation_ > runtime_max_replacements) {
    warnings_.push_back({"runtime-frames-stopped",
                         "frames of runtimes are not read any more: helper processes were replaced "
                         "too often"});
    return;
  }
  try {
    start_helper();
  } catch (const std::system_error& error) {
    warnings_.push_back({"runtime-frames-stopped",
                         std::string{"frames of runtimes are not read any more: "} + error.what()});
  }
}

std::optional<file_entry> runtime_session::finish() {
  if (filter_ != nullptr) forward();
  stop_thread();
  if (helper_) {
    helper_->channel().request_stop();
    helper_->wait(runtime_wait_for_helper);
    // At a time in the far future, an unfinished read counts as blocked.
    const auto fault = helper_->check(~std::uint64_t{0} >> 1U);
    std::string text;
    helper_->take_text(text);
    write(text);
    dropped_samples_ += helper_->channel().dropped();
    ending_.push_back({helper_->take_process(), fault ? fault->process : 0});
    helper_.reset();
  }
  for (auto& ending : ending_) {
    if (!ending.process.end(runtime_wait_after_kill)) warn_of_abandoned(ending);
  }
  ending_.clear();
  if (dropped_samples_ != 0)
    warnings_.push_back({"runtime-samples-dropped", "frames of runtimes were not read for " +
                                                        std::to_string(dropped_samples_) +
                                                        " samples: the helper process was behind"});
  if (!file_) return std::nullopt;
  return file_entry{"runtimes.jsonl", "managed-frames", file_->size_bytes()};
}

void runtime_session::write(std::string_view text) {
  if (text.empty()) return;
  if (!file_) {
    file_.emplace(output_->create("runtimes.jsonl"), "runtimes.jsonl");
    std::string header;
    managed_frames::put_header(header);
    file_->append(std::as_bytes(std::span{header}));
    file_->divert(sink_);
  }
  file_->append(std::as_bytes(std::span{text}));
}

void runtime_session::divert(append_sink* sink) {
  sink_ = sink;
  if (file_) file_->divert(sink);
}

void runtime_session::warn_of_abandoned(const ending_process& ending) {
  warnings_.push_back(
      {"helper-abandoned",
       "the helper process " + std::to_string(ending.process.pid()) +
           " did not end after SIGKILL, because it waits for the memory or the files of process " +
           std::to_string(ending.target) +
           "; it holds no file of the recording, and ends when that process ends"});
}

}  // namespace stallscope::collect

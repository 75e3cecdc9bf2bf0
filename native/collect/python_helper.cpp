#include "collect/python_helper.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::collect {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_replacements = 16;
constexpr auto wait_after_kill = 200ms;
// For helpers that were replaced: they were killed some time ago.
constexpr auto wait_for_replaced = 20ms;

std::string why_left_out(const reader_process::helper_fault& fault) {
  const auto process = "process " + std::to_string(fault.process);
  if (fault.helper_ended)
    return process +
           " is left out of the Python frames: the helper that read it ended, for "
           "example because it needed too much memory";
  return process + " is left out of the Python frames: reads of its memory or files do not return";
}

}  // namespace

python_helper::python_helper(python_helper_context& context, std::size_t index, int cpu)
    : context_{&context}, index_{index}, cpu_{cpu} {
  start();
}

// Helpers never use the same ids for stacks and code: each has its own position.
void python_helper::start() {
  const auto count = context_->helper_count;
  const python_frames::watch_index position{index_ + generation_ * count,
                                            count * (max_replacements + 1)};
  helper_ = std::make_unique<python_frames::frame_helper>(
      python_frames::helper_options{context_->proc, position, cpu_}, *context_->shared);
}

void python_helper::note(const python_frames::sample_notice& sample) {
  if (sample.pid <= 0 || !context_->shared->verdicts.interesting(sample.pid, sample.time_ns) ||
      context_->exclusions.contains(sample.pid))
    return;
  const std::scoped_lock lock{mutex_};
  if (!helper_) return;
  if (!helper_->note(sample)) ++earlier_counts_.late;
  has_notices_ = true;
}

void python_helper::forget(pid_t pid) {
  const std::scoped_lock lock{mutex_};
  if (helper_) helper_->forget(pid);
  has_notices_ = true;
}

void python_helper::wake() {
  const std::scoped_lock lock{mutex_};
  if (has_notices_ && helper_) helper_->wake();
  has_notices_ = false;
}

void python_helper::supervise(std::uint64_t now_ns) {
  std::erase_if(ending_, [](auto& ending) { return !ending.process.running(); });
  if (!helper_) return;
  if (const auto fault = helper_->check(now_ns)) replace(*fault);
}

void python_helper::replace(const reader_process::helper_fault& fault) {
  if (fault.process != 0) {
    context_->exclusions.add(fault.process);
    context_->warnings.push_back({"python-process-left-out", why_left_out(fault)});
  }
  const std::scoped_lock lock{mutex_};
  helper_->take_text(earlier_text_);
  earlier_counts_ += helper_->counts();
  ending_.push_back({helper_->take_process(), fault.process});
  ending_.back().process.end({});
  helper_.reset();
  if (++context_->replaced > max_replacements) {
    context_->warnings.push_back({"python-frames-stopped",
                                  "a CPU has no Python frames any more: helper processes were "
                                  "replaced too often"});
    return;
  }
  ++generation_;
  try {
    start();
  } catch (const std::system_error& error) {
    context_->warnings.push_back(
        {"python-frames-stopped",
         std::string{"a CPU has no Python frames any more: "} + error.what()});
  }
}

void python_helper::take_text(std::string& text) {
  const std::scoped_lock lock{mutex_};
  text += std::exchange(earlier_text_, {});
  if (helper_) helper_->take_text(text);
}

bool python_helper::has_much_text() {
  const std::scoped_lock lock{mutex_};
  return helper_ && helper_->has_much_text();
}

bool python_helper::reads_any() {
  const std::scoped_lock lock{mutex_};
  return helper_ && helper_->reads_any();
}

python_frames::read_counts python_helper::counts() {
  const std::scoped_lock lock{mutex_};
  auto sum = earlier_counts_;
  if (helper_) sum += helper_->counts();
  return sum;
}

void python_helper::request_stop() {
  const std::scoped_lock lock{mutex_};
  if (helper_) helper_->request_stop();
}

void python_helper::finish(std::chrono::steady_clock::time_point deadline, std::string& text) {
  for (auto& ending : ending_) {
    if (!ending.process.end(wait_for_replaced)) warn_of_abandoned(ending);
  }
  ending_.clear();
  if (helper_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    helper_->wait(std::max(left, 0ms));
    // At a time in the far future, an unfinished read counts as blocked.
    const auto fault = helper_->check(~std::uint64_t{0} >> 1U);
    const pid_t target = fault ? fault->process : 0;
    text += std::exchange(earlier_text_, {});
    helper_->take_text(text);
    earlier_counts_ += helper_->counts();
    ending_process ending{helper_->take_process(), target};
    helper_.reset();
    if (!ending.process.end(wait_after_kill)) warn_of_abandoned(ending);
  }
}

void python_helper::warn_of_abandoned(const ending_process& ending) {
  context_->warnings.push_back(
      {"helper-abandoned",
       "the helper process " + std::to_string(ending.process.pid()) +
           " did not end after SIGKILL, because it waits for the memory or the files of process " +
           std::to_string(ending.target) +
           "; it holds no file of the recording, and ends when that process ends"});
}

}  // namespace stallscope::collect

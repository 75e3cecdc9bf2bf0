#include "collect/python_recording.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <span>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "reader_process/short_slice.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t write_pause_ns = 200'000'000;
// A reading thread wakes at this interval without a sample, in case a wake-up was lost.
constexpr int longest_round_ms = 100;
// Interval at which samples are examined while no process is read.
constexpr int unfollowed_round_ms = 20;

// Share of samples beyond the budget that is worth a warning.
constexpr double reported_share = 0.01;
constexpr std::uint64_t supervision_pause_ns = 50'000'000;
// At the end, for all helpers together. A healthy helper ends within a millisecond.
constexpr std::chrono::milliseconds wait_for_helpers{300};

}  // namespace

python_recording::python_recording(const procfs& proc, const perf_events::ring_set& rings,
                                   sample_file file,
                                   const std::function<bool(const perf_events::record_view&)>& keep)
    : rings_{&rings},
      keep_{keep},
      context_{proc},
      stop_{::eventfd(0, EFD_CLOEXEC)},
      file_{std::move(file)} {
  if (!stop_) throw std::system_error(errno, std::generic_category(), "eventfd");
  std::string header;
  python_frames::put_header(header);
  file_.append(std::as_bytes(std::span{header}));
}

python_recording::~python_recording() { stop_threads(); }

void python_recording::add_reader(std::size_t ring, python_helper& helper) {
  readers_.push_back(std::make_unique<python_reader>(
      helper, rings_->rings[ring].view(),
      python_reader::hooks{keep_, [this](pid_t pid) { forget(pid); }}));
}

void python_recording::start_threads() {
  const auto count = rings_->rings.size();
  context_.helper_count = count;
  for (std::size_t i = 0; i < count; ++i)
    helpers_.push_back(std::make_unique<python_helper>(context_, i, rings_->rings[i].cpu()));
  for (std::size_t i = 0; i < count; ++i) add_reader(i, *helpers_[i]);
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { follow_cpu(i); });
}

void python_recording::start_single() {
  helpers_.push_back(std::make_unique<python_helper>(context_, 0, -1));
  for (std::size_t i = 0; i < rings_->rings.size(); ++i) add_reader(i, *helpers_.front());
}

// Another program runs under the pid, or will. Most processes that end were never examined.
void python_recording::forget(pid_t pid) {
  context_.exclusions.forget(pid);
  if (!context_.shared->verdicts.known(pid)) return;
  for (const auto& helper : helpers_) helper->forget(pid);
}

void python_recording::follow_cpu(std::size_t index) {
  const auto& ring = rings_->rings[index];
  reader_process::move_to_cpu(ring.cpu());
  reader_process::request_short_slice();
  std::array<pollfd, 2> waited{{{stop_.get(), POLLIN, 0}, {ring.fd().get(), POLLIN, 0}}};
  bool reading = false;
  while (waited[0].revents == 0) {
    readers_[index]->forward_samples();
    const bool reads_now = helpers_[index]->reads_any();
    if (reads_now != reading) reading_threads_ += reads_now ? 1 : -1;
    reading = reads_now;
    // Samples of other programs than CPython wake no thread.
    const bool follow = reading_threads_ > 0;
    ::poll(waited.data(), follow ? 2 : 1, follow ? longest_round_ms : unfollowed_round_ms);
  }
}

void python_recording::stop_threads() {
  if (threads_.empty()) return;
  const std::uint64_t increment = 1;
  while (::write(stop_.get(), &increment, sizeof increment) < 0 && errno == EINTR) {
  }
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void python_recording::supervise(std::uint64_t now_ns) {
  supervised_ns_ = now_ns;
  for (const auto& helper : helpers_) helper->supervise(now_ns);
}

void python_recording::pass() {
  if (threads_.empty()) {
    for (const auto& reader : readers_) reader->forward_samples();
  }
  const auto now_ns = monotonic_ns();
  if (now_ns >= supervised_ns_ + supervision_pause_ns) supervise(now_ns);
  const bool much_text = std::any_of(helpers_.begin(), helpers_.end(),
                                     [](const auto& helper) { return helper->has_much_text(); });
  if (much_text || now_ns >= written_ns_ + write_pause_ns) write();
}

bool python_recording::waits_for_samples() const {
  return threads_.empty() && std::any_of(helpers_.begin(), helpers_.end(),
                                         [](const auto& helper) { return helper->reads_any(); });
}

void python_recording::finish() {
  stop_threads();
  for (const auto& helper : helpers_) helper->request_stop();
  const auto deadline = std::chrono::steady_clock::now() + wait_for_helpers;
  python_frames::read_counts sum;
  std::string last;
  for (const auto& helper : helpers_) {
    helper->finish(deadline, last);
    sum += helper->counts();
  }
  python_frames::put_counts(last, sum);
  if (static_cast<double>(sum.over_budget) > reported_share * static_cast<double>(sum.read)) {
    context_.warnings.push_back(
        {"python-frames-limited", std::to_string(sum.over_budget) +
                                      " samples have no Python frames, because reading them took "
                                      "more CPU time than allowed; sample less often (-F)"});
  }
  file_.append(std::as_bytes(std::span{last}));
}

void python_recording::write() {
  written_ns_ = monotonic_ns();
  std::string text;
  for (const auto& helper : helpers_) helper->take_text(text);
  if (!text.empty()) file_.append(std::as_bytes(std::span{text}));
}

}  // namespace stallscope::collect

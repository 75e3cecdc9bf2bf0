#include "collect/python_recording.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "base/clock.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t write_pause_ns = 200'000'000;
// A reading thread wakes at this interval without a sample, in case a wake-up was lost.
constexpr int longest_round_ms = 100;
// Interval of the check for processes to read, while there are none.
constexpr int unfollowed_round_ms = 20;

// The thread must run at once on the CPU of the sample, ahead of the sampled thread.
void take_cpu(int cpu) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<unsigned>(cpu), &only);
  ::sched_setaffinity(0, sizeof only, &only);
  ::setpriority(PRIO_PROCESS, 0, -20);  // fails for ordinary users: the thread then runs later
}

}  // namespace

python_recording::python_recording(const procfs& proc, const perf_events::ring_set& rings,
                                   sample_file file,
                                   const std::function<bool(const perf_events::record_view&)>& keep)
    : rings_{&rings}, stop_{::eventfd(0, EFD_CLOEXEC)}, file_{std::move(file)} {
  if (!stop_) throw std::system_error(errno, std::generic_category(), "eventfd");
  const auto gone = [this](pid_t pid) {
    for (const auto& reader : readers_) reader->forget(pid);
  };
  const auto count = rings.rings.size();
  for (std::size_t i = 0; i < count; ++i) {
    readers_.push_back(
        std::make_unique<python_reader>(python_frames::process_watch{proc, {i, count}},
                                        rings.rings[i].view(), python_reader::hooks{keep, gone}));
  }
  std::string header;
  python_frames::put_header(header);
  file_.append(std::as_bytes(std::span{header}));
}

python_recording::~python_recording() { stop_threads(); }

void python_recording::start_threads() {
  for (std::size_t i = 0; i < readers_.size(); ++i)
    threads_.emplace_back([this, i] { read_on_cpu(i); });
}

void python_recording::read_on_cpu(std::size_t index) {
  const auto& ring = rings_->rings[index];
  take_cpu(ring.cpu());
  std::array<pollfd, 2> waited{{{stop_.get(), POLLIN, 0}, {ring.fd().get(), POLLIN, 0}}};
  bool reading = false;
  while (waited[0].revents == 0) {
    readers_[index]->look();
    const bool reads_now = readers_[index]->reading();
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

void python_recording::pass() {
  if (threads_.empty()) {
    for (const auto& reader : readers_) reader->look();
  }
  if (monotonic_ns() >= written_ns_ + write_pause_ns) write();
}

bool python_recording::waits_for_samples() const {
  return threads_.empty() && std::any_of(readers_.begin(), readers_.end(),
                                         [](const auto& reader) { return reader->reading(); });
}

void python_recording::finish() {
  stop_threads();
  write();
  python_frames::read_counts sum;
  for (const auto& reader : readers_) sum += reader->counts();
  std::string last;
  python_frames::put_counts(last, sum);
  file_.append(std::as_bytes(std::span{last}));
}

void python_recording::write() {
  written_ns_ = monotonic_ns();
  for (const auto& reader : readers_) {
    const auto text = reader->take_text();
    if (!text.empty()) file_.append(std::as_bytes(std::span{text}));
  }
}

}  // namespace stallscope::collect

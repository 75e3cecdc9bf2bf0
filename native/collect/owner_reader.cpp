#include "collect/owner_reader.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "collect/futex_wait.hpp"
#include "collect/owner_helper.hpp"
#include "reader_process/short_slice.hpp"

namespace stallscope::collect {
namespace {

constexpr int longest_owner_round_ms = 20;
constexpr int pause_ms = 10;
constexpr int pause_while_filling_ms = 1;
constexpr std::uint64_t owner_supervision_pause_ns = 50'000'000;
// Allowed at once. Used is the CPU time of this thread and, as estimated per wait, of the helper.
constexpr std::uint64_t owner_burst_ns = 10'000'000;
constexpr std::uint64_t helper_ns_per_wait = 15'000;
constexpr double useless_share = 0.002;
constexpr int useless_pause_ms = 20;
constexpr std::uint64_t between_judgements_ns = 500'000'000;

void put_line(std::string& lines, const owner_reading& reading) {
  const auto& [wait, read_ns, owner] = reading;
  const auto late_ns = read_ns > wait.time_ns ? read_ns - wait.time_ns : 0;
  lines += R"({"type":"owner","at_ns":)" + std::to_string(read_ns);
  lines += R"(,"late_ns":)" + std::to_string(late_ns);
  lines += R"(,"pid":)" + std::to_string(wait.pid);
  lines += R"(,"waiter":)" + std::to_string(wait.tid);
  lines += R"(,"address":)" + std::to_string(wait.address);
  lines += R"(,"kind":")" + std::string{name_of(owner.kind)};
  lines += R"(","owner_tid":)" + (owner.owner == 0 ? "null" : std::to_string(owner.owner));
  lines += R"(,"reason":")" + std::string{text_of(owner.reason)} + "\"}\n";
}

}  // namespace

class owner_reader::implementation {
 public:
  implementation(const procfs& proc, const perf_events::ring_set& rings, owner_source source,
                 const wake_event& filled)
      : proc_{proc},
        rings_{&rings},
        source_{std::move(source)},
        filled_{&filled},
        stop_{::eventfd(0, EFD_CLOEXEC)} {
    if (!stop_) throw std::system_error(errno, std::generic_category(), "eventfd");
    for (const auto& ring : rings.rings) seen_.push_back(ring.view().head());
  }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;
  implementation(implementation&&) = delete;
  implementation& operator=(implementation&&) = delete;
  ~implementation() { stop(); }

  void start() {
    helper_ = std::make_unique<owner_helper>(proc_);
    thread_ = std::thread{[this] { follow_rings(); }};
  }

  void pass(std::string& lines) {
    if (!helper_) return;
    const auto now_ns = monotonic_ns();
    if (now_ns >= supervised_ns_ + owner_supervision_pause_ns) {
      supervised_ns_ = now_ns;
      helper_->supervise(now_ns);
    }
    while (const auto reading = helper_->take()) put_line(lines, *reading);
  }

  void finish(std::string& lines) {
    stop();
    if (!helper_) return;
    while (const auto reading = helper_->take()) put_line(lines, *reading);
    helper_->finish();
    warnings_ = helper_->warnings();
    const auto dropped = helper_->dropped() + skipped_.load();
    if (dropped != 0) {
      warnings_.push_back({"lock-owners-limited",
                           "the owners of locks were not read for " + std::to_string(dropped) +
                               " waits or periods, because reading them took more CPU time than "
                               "allowed or came too late"});
    }
    helper_.reset();
  }

  [[nodiscard]] const std::vector<warning>& warnings() const { return warnings_; }

 private:
  void stop() {
    if (!thread_.joinable()) return;
    const std::uint64_t increment = 1;
    while (::write(stop_.get(), &increment, sizeof increment) < 0 && errno == EINTR) {
    }
    thread_.join();
  }

  void follow_rings() {
    reader_process::request_short_slice();
    std::vector<pollfd> waited{{stop_.get(), POLLIN, 0}};
    for (const auto& ring : rings_->rings) waited.push_back({ring.fd().get(), POLLIN, 0});
    const auto begin_ns = monotonic_ns();
    judged_ns_ = begin_ns;
    while (waited[0].revents == 0) {
      for (std::size_t i = 0; i < rings_->rings.size(); ++i) forward(i);
      helper_->wake();
      signal_fill();
      judge_use();
      if (useless_) {
        ::poll(waited.data(), 1, useless_pause_ms);
        continue;
      }
      const auto elapsed = static_cast<double>(monotonic_ns() - begin_ns);
      const auto allowed = static_cast<std::uint64_t>(source_.cpu_share * elapsed) + owner_burst_ns;
      const auto used = thread_cpu_ns() + notices_ * helper_ns_per_wait;
      if (used <= allowed) {
        ::poll(waited.data(), waited.size(), longest_owner_round_ms);
      } else {
        pause(waited);
        skip();
      }
    }
  }

  // Waits without looking at records, only at how full the rings are.
  void pause(std::vector<pollfd>& waited) {
    for (int passed_ms = 0; passed_ms < pause_ms && waited[0].revents == 0;) {
      const int next_ms = signal_fill() ? pause_while_filling_ms : pause_ms - passed_ms;
      ::poll(waited.data(), 1, next_ms);
      passed_ms += next_ms;
    }
  }

  // Returns whether a ring is a quarter full. Then the signal wakes the drain; it is sent again
  // only after the drain has released records.
  bool signal_fill() {
    std::uint64_t released = 0;
    bool fills = false;
    for (const auto& ring : rings_->rings) {
      const auto tail = ring.view().tail();
      released += tail;
      fills = fills || 4 * (ring.view().head() - tail) > rings_->data_bytes;
    }
    if (fills && released != released_at_signal_) {
      released_at_signal_ = released;
      filled_->signal();
    }
    return fills;
  }

  // A target that switches often and never waits for a lock would pay for nothing. The first wait
  // for a lock after such a time is read too late, the others are not.
  void judge_use() {
    const auto now_ns = monotonic_ns();
    if (notices_ != judged_notices_) {
      useless_ = false;
    } else if (now_ns >= judged_ns_ + between_judgements_ns) {
      const auto used = static_cast<double>(thread_cpu_ns() - judged_used_ns_);
      useless_ = useless_ || used > useless_share * static_cast<double>(now_ns - judged_ns_);
    } else {
      return;
    }
    judged_notices_ = notices_;
    judged_ns_ = now_ns;
    judged_used_ns_ = thread_cpu_ns();
  }

  // Passes over the records of a pause: their owners would be read too late.
  void skip() {
    ++skipped_;
    for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] = rings_->rings[i].view().head();
  }

  // The drain may release records meanwhile, and the kernel may then overwrite them. What was read
  // of such a record is discarded.
  void forward(std::size_t index) {
    const auto& ring = rings_->rings[index].view();
    auto& seen = seen_[index];
    const auto head = ring.head();
    while (seen < head) {
      seen = std::max(seen, ring.tail());
      if (seen >= head) break;
      const perf_events::record_view record{ring, seen};
      const auto size = record.size();
      if (ring.tail() > seen) continue;
      if (size < sizeof(perf_event_header) || record.end() > head) break;
      if (record.type() == PERF_RECORD_SAMPLE && source_.is_switch(record.u64(8))) {
        const auto wait = futex_wait_of(record, source_.attribute);
        if (wait && may_have_owner(*wait) && ring.tail() <= seen) {
          helper_->note(*wait);
          ++notices_;
        }
      }
      seen += size;
    }
  }

  procfs proc_;
  const perf_events::ring_set* rings_;
  owner_source source_;
  const wake_event* filled_;
  std::uint64_t released_at_signal_ = UINT64_MAX;  // bytes of all rings
  descriptor stop_;
  std::vector<std::uint64_t> seen_;
  std::unique_ptr<owner_helper> helper_;
  std::thread thread_;
  std::uint64_t notices_ = 0;
  bool useless_ = false;  // many switches, no waits for locks
  std::uint64_t judged_notices_ = 0;
  std::uint64_t judged_ns_ = 0;
  std::uint64_t judged_used_ns_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::uint64_t supervised_ns_ = 0;
  std::vector<warning> warnings_;
};

owner_reader::owner_reader(const procfs& proc, const perf_events::ring_set& rings,
                           owner_source source, const wake_event& filled)
    : implementation_{std::make_unique<implementation>(proc, rings, std::move(source), filled)} {}

owner_reader::~owner_reader() = default;

void owner_reader::start() { implementation_->start(); }

void owner_reader::pass(std::string& lines) { implementation_->pass(lines); }

void owner_reader::finish(std::string& lines) { implementation_->finish(lines); }

const std::vector<warning>& owner_reader::warnings() const { return implementation_->warnings(); }

}  // namespace stallscope::collect

#include "storm/round.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "disk/point_run.hpp"
#include "disk/real_time.hpp"
#include "ioqueue/simulated_device.hpp"
#include "ioqueue/uring_device.hpp"
#include "storm/iowait.hpp"

namespace stallscope::storm {
namespace {

using std::chrono::nanoseconds;

constexpr std::uint64_t most_errors = 1000;  // then a round is hopeless

// A device with its clock: how the loop waits for it.
class below {
 public:
  below() = default;
  below(const below&) = delete;
  below& operator=(const below&) = delete;
  below(below&&) = delete;
  below& operator=(below&&) = delete;
  virtual ~below() = default;
  [[nodiscard]] virtual ioqueue::device& device() = 0;
  [[nodiscard]] virtual const ioqueue::time_source& clock() const = 0;
  // Until something completes, at most until then.
  virtual void wait(nanoseconds until) = 0;
  // Saves the kernel from finding the memory's pages again for each request.
  virtual bool enlist(std::span<const iovec> /*buffers*/) { return false; }
};

class kernel_below final : public below {
 public:
  explicit kernel_below(unsigned most_in_flight) : device_{most_in_flight} {}
  ioqueue::device& device() override { return device_; }
  [[nodiscard]] const ioqueue::time_source& clock() const override { return clock_; }
  void wait(nanoseconds until) override { device_.wait(until); }
  bool enlist(std::span<const iovec> buffers) override { return device_.register_buffers(buffers); }

 private:
  ioqueue::monotonic_time clock_;
  ioqueue::uring_device device_;
};

class simulated_below final : public below {
 public:
  simulated_below(const disk::simulated_device& asked, std::uint64_t seed)
      : device_{{.servers = asked.servers,
                 .service = nanoseconds(asked.service_ns),
                 .exponential = asked.exponential,
                 .seed = seed},
                clock_} {}
  ioqueue::device& device() override { return device_; }
  [[nodiscard]] const ioqueue::time_source& clock() const override { return clock_; }
  void wait(nanoseconds until) override {
    if (device_.next_event() > until) return clock_.move_to(std::max(clock_.now(), until));
    do device_.step();
    while (device_.next_event() <= clock_.now());
  }

 private:
  ioqueue::virtual_time clock_;
  ioqueue::simulated_device device_;
};

std::unique_ptr<below> device_of(const plan& all, const round& asked) {
  if (all.disk.target.simulated) {
    return std::make_unique<simulated_below>(*all.disk.target.simulated, asked.seed);
  }
  return std::make_unique<kernel_below>(asked.reader.depth + asked.writer.depth);
}

// A limit is in requests: with costs by rates, in the dearest that there are.
ioqueue::queue_settings settings_of(const plan& all, const round& asked) {
  ioqueue::queue_settings settings{
      .costs = all.rates ? ioqueue::cost_from_rates(*all.rates) : ioqueue::each_costs_one(),
      .split_bytes = 0};
  if (asked.limit) {
    const auto& costs = settings.costs;
    settings.limit =
        *asked.limit * std::max(costs.of(ioqueue::direction::read, asked.reader.block_bytes),
                                costs.of(ioqueue::direction::write, asked.writer.block_bytes));
  }
  return settings;
}

class storm_run {
 public:
  storm_run(const plan& all, const round& asked, int fd, disk::run_control& control);
  round_result run();

 private:
  void add_classes();
  void enlist_memory();
  void until(nanoseconds end);
  void measure();
  void note_queue(nanoseconds passed);
  [[nodiscard]] bool hopeless() const;
  void drain();
  [[nodiscard]] nanoseconds now() const { return below_->clock().now(); }

  disk::run_control& control_;
  std::unique_ptr<below> below_;
  ioqueue::queue line_;
  std::vector<ioqueue::class_id> classes_;
  std::optional<stream> reader_;
  std::optional<stream> writer_;
  round_result result_;
};

storm_run::storm_run(const plan& all, const round& asked, int fd, disk::run_control& control)
    : control_{control},
      below_{device_of(all, asked)},
      line_{below_->device(), below_->clock(), settings_of(all, asked)} {
  result_.asked = asked;
  result_.modelled = all.disk.target.simulated.has_value();
  add_classes();
  const auto choice = [&](ioqueue::direction way, const stream_choice& chosen) {
    return stream::choice{.way = way,
                          .depth = chosen.depth,
                          .block_bytes = chosen.block_bytes,
                          .file = fd,
                          .seed = 2 * asked.seed + static_cast<std::uint64_t>(way),
                          .with_memory = !result_.modelled};
  };
  if (asked.reader.depth > 0) {
    reader_.emplace(line_, classes_.front(), below_->clock(), all.disk.target,
                    choice(ioqueue::direction::read, asked.reader));
  }
  if (asked.writer.depth > 0) {
    writer_.emplace(line_, classes_.back(), below_->clock(), all.disk.target,
                    choice(ioqueue::direction::write, asked.writer));
  }
  enlist_memory();
}

void storm_run::enlist_memory() {
  std::vector<iovec> buffers;
  std::vector<stream*> owners;
  for (std::optional<stream>* one : {&reader_, &writer_}) {
    if (!*one || (*one)->memory().empty()) continue;
    const auto memory = (*one)->memory();
    buffers.push_back({.iov_base = memory.data(), .iov_len = memory.size()});
    owners.push_back(&**one);
  }
  if (buffers.empty() || !below_->enlist(buffers)) return;
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i]->use_buffer(static_cast<int>(i));
}

void storm_run::add_classes() {
  const round& asked = result_.asked;
  const std::size_t most = asked.reader.depth + asked.writer.depth;
  if (!asked.shares) {
    classes_.push_back(line_.add_class({.name = "all", .most_queued = most}));
    return;
  }
  classes_.push_back(
      line_.add_class({.name = "reader", .shares = (*asked.shares)[0], .most_queued = most}));
  classes_.push_back(
      line_.add_class({.name = "writer", .shares = (*asked.shares)[1], .most_queued = most}));
}

bool storm_run::hopeless() const {
  return (reader_ && reader_->counts().failed() > most_errors) ||
         (writer_ && writer_->counts().failed() > most_errors);
}

void storm_run::until(nanoseconds end) {
  while (now() < end && !control_.stop.load(std::memory_order_relaxed) && !hopeless()) {
    line_.dispatch();
    below_->wait(std::min(end, line_.next_wake()));
    control_.requests.store((reader_ ? reader_->ended() : 0) + (writer_ ? writer_->ended() : 0),
                            std::memory_order_relaxed);
  }
}

round_result storm_run::run() {
  const auto of_s = [](double seconds) { return nanoseconds(std::llround(seconds * 1e9)); };
  // The reader is there first: the storm comes upon it.
  if (reader_) reader_->start();
  if (writer_) writer_->start();
  until(now() + of_s(result_.asked.warmup_s));
  measure();
  result_.interrupted = control_.stop.load(std::memory_order_relaxed);
  if (reader_) result_.reader = reader_->counts();
  if (writer_) result_.writer = writer_->counts();
  drain();
  return std::move(result_);
}

void storm_run::measure() {
  disk::account_watch account;
  line_.reset_metrics();
  if (reader_) reader_->begin_window();
  if (writer_) writer_->begin_window();
  const auto ticks = read_cpu_ticks();
  account.begin();
  const auto begun = now();
  until(begun + nanoseconds(std::llround(result_.asked.duration_s * 1e9)));
  const auto ended = now();
  account.end();
  result_.account = account.account();
  if (!result_.modelled) result_.iowait_share = iowait_share(ticks, read_cpu_ticks());
  if (result_.modelled) result_.account.run_delay_ns.reset();
  result_.begin_ns = static_cast<std::uint64_t>(begun.count());
  result_.end_ns = static_cast<std::uint64_t>(ended.count());
  if (ended > begun) note_queue(ended - begun);
}

void storm_run::note_queue(nanoseconds passed) {
  for (const ioqueue::class_id number : classes_) {
    const ioqueue::class_metrics& counted = line_.metrics(number);
    result_.pending += static_cast<double>(counted.queued_ns) / static_cast<double>(passed.count());
    result_.in_flight +=
        static_cast<double>(counted.executing_ns) / static_cast<double>(passed.count());
    result_.limit_hits += counted.limit_hits;
  }
}

// The kernel has our memory until every request ended.
void storm_run::drain() {
  if (reader_) reader_->stop();
  if (writer_) writer_->stop();
  while ((reader_ && reader_->outstanding() > 0) || (writer_ && writer_->outstanding() > 0)) {
    line_.dispatch();
    below_->wait(now() + std::chrono::seconds{1});
  }
}

}  // namespace

std::vector<std::string> round_result::failed() const {
  std::vector<std::string> reasons;
  const auto look = [&](const std::optional<stream_counts>& of, const std::string& name) {
    if (!of) return;
    if (of->total.sum.count == 0) reasons.push_back("no request of the " + name + " was done");
    if (const auto count = of->failed(); count > 0) {
      reasons.push_back(std::to_string(count) + " requests of the " + name + " failed");
    }
  };
  look(reader, "reader");
  look(writer, "writer");
  const auto share = account.cpu_delay_share();
  if (share && *share > disk::most_cpu_delay_share) {
    reasons.push_back("our own thread waited for a CPU " + std::to_string(*share * 100) +
                      " % of the time");
  }
  return reasons;
}

round_result run_round(const plan& all, const round& asked, int fd, disk::run_control& control) {
  if (all.disk.cpu) disk::bind_to_cpu(*all.disk.cpu);
  const bool real_time =
      all.disk.real_time && !all.disk.target.simulated && !disk::take_real_time();
  round_result result = storm_run{all, asked, fd, control}.run();
  result.real_time = real_time;
  return result;
}

}  // namespace stallscope::storm

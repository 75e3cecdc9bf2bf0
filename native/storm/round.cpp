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

constexpr std::uint64_t max_errors = 1000;  // a round ends after this many

// A device with its clock and its wait.
class backend {
 public:
  backend() = default;
  backend(const backend&) = delete;
  backend& operator=(const backend&) = delete;
  backend(backend&&) = delete;
  backend& operator=(backend&&) = delete;
  virtual ~backend() = default;
  [[nodiscard]] virtual ioqueue::device& device() = 0;
  [[nodiscard]] virtual const ioqueue::time_source& clock() const = 0;
  // Waits for a completion, at most until `until`.
  virtual void wait(nanoseconds until) = 0;
  // Registers the memory, so that the kernel does not map its pages for every request.
  virtual bool register_buffers(std::span<const iovec> /*buffers*/) { return false; }
};

class kernel_backend final : public backend {
 public:
  explicit kernel_backend(unsigned max_in_flight) : device_{max_in_flight} {}
  ioqueue::device& device() override { return device_; }
  [[nodiscard]] const ioqueue::time_source& clock() const override { return clock_; }
  void wait(nanoseconds until) override { device_.wait(until); }
  bool register_buffers(std::span<const iovec> buffers) override {
    return device_.register_buffers(buffers);
  }

 private:
  ioqueue::monotonic_time clock_;
  ioqueue::uring_device device_;
};

class simulated_backend final : public backend {
 public:
  simulated_backend(const disk::simulated_device& settings, std::uint64_t seed)
      : device_{{.servers = settings.servers,
                 .service = nanoseconds(settings.service_ns),
                 .exponential = settings.exponential,
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

std::unique_ptr<backend> device_of(const storm::plan& plan, const storm::round& round) {
  if (plan.disk.target.simulated) {
    return std::make_unique<simulated_backend>(*plan.disk.target.simulated, round.seed);
  }
  return std::make_unique<kernel_backend>(round.reader.depth + round.writer.depth);
}

// The limit counts requests. With costs from rates, it counts the most expensive requests.
ioqueue::queue_settings settings_of(const storm::plan& plan, const storm::round& round) {
  ioqueue::queue_settings settings{
      .costs = plan.rates ? ioqueue::cost_from_rates(*plan.rates) : ioqueue::each_costs_one(),
      .split_bytes = 0};
  if (round.limit) {
    const auto& costs = settings.costs;
    settings.limit =
        *round.limit * std::max(costs.of(ioqueue::direction::read, round.reader.block_bytes),
                                costs.of(ioqueue::direction::write, round.writer.block_bytes));
  }
  return settings;
}

class storm_run {
 public:
  storm_run(const storm::plan& plan, const storm::round& round, int fd, disk::run_control& control,
            const phase_marks& marks);
  round_result run();

 private:
  void add_classes();
  void register_memory();
  void run_until(nanoseconds end);
  void mark(nanoseconds from, nanoseconds until) const;
  void measure();
  void record_queue(nanoseconds passed);
  [[nodiscard]] bool has_too_many_errors() const;
  void drain();
  [[nodiscard]] nanoseconds now() const { return backend_->clock().now(); }

  disk::run_control& control_;
  phase_marks marks_;
  std::unique_ptr<backend> backend_;
  ioqueue::queue queue_;
  std::vector<ioqueue::class_id> classes_;
  std::optional<stream> reader_;
  std::optional<stream> writer_;
  round_result result_;
};

storm_run::storm_run(const storm::plan& plan, const storm::round& round, int fd,
                     disk::run_control& control, const phase_marks& marks)
    : control_{control},
      marks_{marks},
      backend_{device_of(plan, round)},
      queue_{backend_->device(), backend_->clock(), settings_of(plan, round)} {
  result_.round = round;
  result_.modelled = plan.disk.target.simulated.has_value();
  if (result_.modelled) marks_ = phase_marks{-1};  // its time is not the counters'
  add_classes();
  const auto settings = [&](ioqueue::direction kind, const stream_settings& stream_settings) {
    return stream::settings{.kind = kind,
                            .depth = stream_settings.depth,
                            .block_bytes = stream_settings.block_bytes,
                            .file = fd,
                            .seed = 2 * round.seed + static_cast<std::uint64_t>(kind),
                            .with_memory = !result_.modelled};
  };
  if (round.reader.depth > 0) {
    reader_.emplace(queue_, classes_.front(), backend_->clock(), plan.disk.target,
                    settings(ioqueue::direction::read, round.reader));
  }
  if (round.writer.depth > 0) {
    writer_.emplace(queue_, classes_.back(), backend_->clock(), plan.disk.target,
                    settings(ioqueue::direction::write, round.writer));
  }
  register_memory();
}

void storm_run::register_memory() {
  std::vector<iovec> buffers;
  std::vector<stream*> owners;
  for (std::optional<stream>* slot : {&reader_, &writer_}) {
    if (!*slot || (*slot)->memory().empty()) continue;
    const auto memory = (*slot)->memory();
    buffers.push_back({.iov_base = memory.data(), .iov_len = memory.size()});
    owners.push_back(&**slot);
  }
  if (buffers.empty() || !backend_->register_buffers(buffers)) return;
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i]->use_buffer(static_cast<int>(i));
}

void storm_run::add_classes() {
  const storm::round& round = result_.round;
  const std::size_t max_queued = round.reader.depth + round.writer.depth;
  if (!round.shares) {
    classes_.push_back(queue_.add_class({.name = "all", .max_queued = max_queued}));
    return;
  }
  classes_.push_back(
      queue_.add_class({.name = "reader", .shares = (*round.shares)[0], .max_queued = max_queued}));
  classes_.push_back(
      queue_.add_class({.name = "writer", .shares = (*round.shares)[1], .max_queued = max_queued}));
}

bool storm_run::has_too_many_errors() const {
  return (reader_ && reader_->counts().failed() > max_errors) ||
         (writer_ && writer_->counts().failed() > max_errors);
}

void storm_run::run_until(nanoseconds end) {
  while (now() < end && !control_.stop.load(std::memory_order_relaxed) && !has_too_many_errors()) {
    queue_.dispatch();
    backend_->wait(std::min(end, queue_.next_wake()));
    control_.requests.store((reader_ ? reader_->ended() : 0) + (writer_ ? writer_->ended() : 0),
                            std::memory_order_relaxed);
  }
}

// Announces the measured time.
void storm_run::mark(nanoseconds from, nanoseconds until) const {
  marks_.start(static_cast<std::uint64_t>(from.count()));
  marks_.stop(static_cast<std::uint64_t>(until.count()));
}

round_result storm_run::run() {
  const auto to_ns = [](double seconds) { return nanoseconds(std::llround(seconds * 1e9)); };
  // The reader starts before the writer.
  if (reader_) reader_->start();
  if (writer_) writer_->start();
  const auto measured_from = now() + to_ns(result_.round.warmup_s);
  mark(measured_from, measured_from + to_ns(result_.round.duration_s));
  run_until(measured_from);
  measure();
  result_.interrupted = control_.stop.load(std::memory_order_relaxed);
  if (reader_) result_.reader = reader_->counts();
  if (writer_) result_.writer = writer_->counts();
  drain();
  return std::move(result_);
}

void storm_run::measure() {
  disk::account_watch account;
  const auto ticks = read_cpu_ticks();
  account.begin();
  if (reader_) reader_->begin_window();
  if (writer_) writer_->begin_window();
  // Last, because all this takes a millisecond, in which requests would count without time.
  queue_.reset_metrics();
  const auto begun = now();
  run_until(begun + nanoseconds(std::llround(result_.round.duration_s * 1e9)));
  const auto ended = now();
  marks_.stop(static_cast<std::uint64_t>(ended.count()));
  if (ended > begun) record_queue(ended - begun);
  account.end();
  result_.account = account.account();
  if (!result_.modelled) result_.iowait_share = iowait_share(ticks, read_cpu_ticks());
  if (result_.modelled) result_.account.run_delay_ns.reset();
  result_.begin_ns = static_cast<std::uint64_t>(begun.count());
  result_.end_ns = static_cast<std::uint64_t>(ended.count());
}

void storm_run::record_queue(nanoseconds passed) {
  for (const ioqueue::class_id id : classes_) {
    const ioqueue::class_metrics& metrics = queue_.metrics(id);
    result_.pending += static_cast<double>(metrics.queued_ns) / static_cast<double>(passed.count());
    result_.in_flight +=
        static_cast<double>(metrics.executing_ns) / static_cast<double>(passed.count());
    result_.limit_hits += metrics.limit_hits;
  }
}

// The kernel uses the memory until every request has completed.
void storm_run::drain() {
  if (reader_) reader_->stop();
  if (writer_) writer_->stop();
  while ((reader_ && reader_->outstanding() > 0) || (writer_ && writer_->outstanding() > 0)) {
    queue_.dispatch();
    backend_->wait(now() + std::chrono::seconds{1});
  }
}

}  // namespace

std::vector<std::string> round_result::failed() const {
  std::vector<std::string> reasons;
  const auto check = [&](const std::optional<stream_counts>& counts, const std::string& name) {
    if (!counts) return;
    if (counts->total.sum.count == 0) reasons.push_back("no request of the " + name + " completed");
    if (const auto count = counts->failed(); count > 0) {
      reasons.push_back(std::to_string(count) + " requests of the " + name + " failed");
    }
  };
  check(reader, "reader");
  check(writer, "writer");
  const auto share = account.cpu_delay_share();
  if (share && *share > disk::max_cpu_delay_share) {
    reasons.push_back("the measuring thread waited for a CPU " + std::to_string(*share * 100) +
                      " % of the time");
  }
  return reasons;
}

round_result run_round(const storm::plan& plan, const storm::round& round, int fd,
                       disk::run_control& control, const phase_marks& marks) {
  if (plan.disk.cpu) disk::bind_to_cpu(*plan.disk.cpu);
  const bool real_time =
      plan.disk.real_time && !plan.disk.target.simulated && !disk::take_real_time();
  round_result result = storm_run{plan, round, fd, control, marks}.run();
  result.real_time = real_time;
  return result;
}

}  // namespace stallscope::storm

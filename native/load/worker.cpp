#include "load/worker.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "base/run_delay.hpp"

namespace stallscope::load {
namespace {

constexpr unsigned max_sends_per_round = 256;  // before the next look at received data
constexpr std::uint64_t worker_patience_ns = second_ns;
// Only a reply that never arrives is lost; after a pause of the machine it is late.
constexpr std::uint64_t checking_patience_ns = 5 * second_ns;
constexpr std::uint64_t patience_stopped_ns = second_ns / 2;
// without a connection, or without a reply to SET
constexpr std::uint64_t target_lost_ns = 2 * second_ns;
constexpr unsigned fill_pipeline = 16;
constexpr std::uint64_t key_seed = 0x9e3779b97f4a7c15U;  // distinct from the seeds of the arrivals

std::unique_ptr<request_source> source_of(const load_plan& plan, unsigned index) {
  if (plan.file) {
    return std::make_unique<file_requests>(plan.file,
                                           index * (plan.file->size() / plan.settings.threads));
  }
  return std::make_unique<key_requests>(plan.settings.what,
                                        (plan.settings.when.seed + index) ^ key_seed);
}

// Connections are divided as evenly as possible.
unsigned connections_of(const options& settings, unsigned index) {
  return settings.connections / settings.threads +
         (index < settings.connections % settings.threads);
}

}  // namespace

worker::worker(const load_plan& plan, unsigned index, measurement_exchange& exchange)
    : plan_{plan},
      index_{index},
      exchange_{exchange},
      pool_{plan.target, plan.password, connections_of(plan.settings, index), *this},
      source_{source_of(plan, index)},
      values_{std::make_unique<measurements>()} {
  const unsigned connections = connections_of(plan.settings, index);
  for (unsigned i = 0; plan.settings.what.check && i < connections; ++i) {
    checks_.emplace_back(plan.run_name + "-" + std::to_string(index) + "-" + std::to_string(i));
  }
}

void worker::stop() noexcept {
  stopped_ = true;
  pool_.wake();
}

bool worker::prepare() {
  if (!pool_.open_all()) return false;
  if (plan_.settings.what.fill) fill();
  return !stopped_;
}

// Runs a separate closed loop; errors count as errors of the run.
void worker::fill() {
  const auto& settings = plan_.settings;
  const std::uint64_t keys =
      settings.what.keys / settings.threads + (index_ < settings.what.keys % settings.threads);
  if (keys == 0) return;
  auto later = std::exchange(
      source_,
      std::make_unique<fill_requests>(settings.what, settings.when.seed, index_, settings.threads));
  pool_.refresh_now();
  schedule once;
  once.pipeline = std::max(settings.when.pipeline, fill_pipeline);
  once.duration_ns = never_ns / 2;
  once.max_requests = keys;
  begin(once, pool_.now_ns());
  loop();
  if (!stopped_ && (scheduler_->under_way() != 0 || account_.target_lost)) {
    throw failure{exit_code::target_failed,
                  "the target " + plan_.settings.target + " did not reply to a SET of --fill",
                  "see the messages of the target"};
  }
  source_ = std::move(later);
}

void worker::run(std::uint64_t start_ns) {
  measuring_ = true;
  begin(plan_.settings.when, start_ns);
  loop();
  finish_account();
  exchange_.finish(std::move(values_), account_);
}

void worker::begin(const schedule& plan, std::uint64_t start_ns) {
  if (!stopped_) give_up_ns_ = never_ns;
  const unsigned connections = connections_of(plan_.settings, index_);
  last_reply_ns_ = start_ns;
  scheduler_.emplace(plan, connections, start_ns, index_, measuring_ ? plan_.settings.threads : 1);
  for (unsigned i = 0; i < connections; ++i) {
    if (pool_.is_up(i)) scheduler_->connection_up(i, start_ns);
  }
}

void worker::loop() {
  pool_.refresh_now();
  const std::uint64_t spin_ns = plan_.settings.spin_ns;
  while (!scheduler_->finished(pool_.now_ns()) && pool_.now_ns() < give_up_ns_) {
    const std::uint64_t due = scheduler_->next_due_ns();
    const std::uint64_t other = next_event_ns();
    pool_.turn(std::min(due, other), due <= other ? spin_ns : 0);
    if (measuring_) publish_seconds();
    check_end();
  }
}

// Ends the run if it was stopped or the target is gone, and bounds the wait for replies.
void worker::check_end() {
  const std::uint64_t now = pool_.now_ns();
  const std::uint64_t connect_timeout_ns =
      checks_.empty() ? worker_patience_ns : checking_patience_ns;
  if (pool_.up() != 0) {
    all_down_ns_ = never_ns;
  } else if (all_down_ns_ == never_ns) {
    all_down_ns_ = now;
  } else if (now - all_down_ns_ > target_lost_ns) {
    account_.target_lost = true;
    scheduler_->end_at(now);
    give_up_ns_ = now;
  }
  if (stopped_ && scheduler_->end_ns() > now) {
    scheduler_->end_at(now);
    scheduler_->stop_sending();
    give_up_ns_ = now + patience_stopped_ns;
  }
  if (give_up_ns_ == never_ns && scheduler_->end_ns() <= now) {
    give_up_ns_ = scheduler_->end_ns() + worker_patience_ns;
  }
  if (!measuring_ && now > last_reply_ns_ + target_lost_ns) give_up_ns_ = now;
  // With --requests there is no time limit while replies arrive.
  if (!stopped_ && scheduler_->limit_reached()) give_up_ns_ = last_reply_ns_ + connect_timeout_ns;
  // The time limit applies to the backlog that is still being sent, not to requests in flight.
  if (!stopped_ && measuring_ && now >= give_up_ns_) {
    scheduler_->stop_sending();
    give_up_ns_ = std::max(give_up_ns_, last_reply_ns_ + connect_timeout_ns);
  }
}

std::uint64_t worker::next_event_ns() const noexcept {
  std::uint64_t next = std::min(scheduler_->end_ns(), give_up_ns_);
  if (scheduler_->end_ns() <= pool_.now_ns()) next = give_up_ns_;
  if (!measuring_) return next;
  const std::uint64_t from = scheduler_->measured_from_ns();
  if (!account_begun_ns_) return std::min(next, from);
  return std::min(next, from + (second_ + 1) * second_ns);
}

void worker::connection_up(unsigned connection) {
  account_.connections_open = std::max<std::uint64_t>(account_.connections_open, pool_.up());
  if (scheduler_) scheduler_->connection_up(connection, pool_.now_ns());
}

void worker::connection_down(unsigned connection, std::string_view why) {
  if (!scheduler_) return;
  ++account_.connections_lost;
  const std::size_t lost = scheduler_->connection_down(connection);
  if (!checks_.empty()) checks_[connection].forget();
  count_error(why, in_measured_time(), lost);
}

void worker::replied(unsigned connection, const reply_parser& reply) {
  const std::uint64_t now = pool_.now_ns();
  if (in_measured_time()) values_->reply_bursts.add(last_reply_ns_, now);
  last_reply_ns_ = now;
  const auto request = scheduler_ ? scheduler_->answered(connection, now) : std::nullopt;
  if (!checks_.empty() && measuring_) {
    reply.is_error() ? checks_[connection].answered_otherwise()
                     : checks_[connection].received(reply.text());
  }
  if (!request) {
    count_error("unasked-reply", true);
    return;
  }
  if (reply.is_error()) {
    count_error(error_kind(reply.text()), request->measured || !measuring_);
    return;
  }
  if (!measuring_) return;
  values_->answered += in_measured_time();
  if (!request->measured) return;
  values_->nil += reply.is_nil();
  values_->record(*request, now);
}

void worker::event_done() {
  if (!scheduler_) return;
  for (unsigned i = 0; i < max_sends_per_round; ++i) {
    const auto connection = scheduler_->take(pool_.now_ns());
    if (!connection) break;
    append(*connection);
  }
  for (const unsigned connection : dirty_) pool_.flush(connection);
  dirty_.clear();
}

void worker::stalled(std::uint64_t from_ns, std::uint64_t to_ns) {
  if (scheduler_) scheduler_->stalled(from_ns, to_ns);
}

void worker::append(unsigned connection) {
  if (in_measured_time()) values_->sent_bursts.add(last_send_ns_, pool_.now_ns());
  last_send_ns_ = pool_.now_ns();
  std::string& out = pool_.out(connection);
  if (!checks_.empty() && measuring_) {
    append_request(out, {"ECHO", checks_[connection].next_token()});
  } else {
    source_->append_next(out);
  }
  if (dirty_.empty() || dirty_.back() != connection) dirty_.push_back(connection);
}

void worker::count_error(std::string_view kind, bool measured, std::uint64_t times) {
  if (measured) values_->errors.add(kind, times);
}

bool worker::in_measured_time() const noexcept {
  return measuring_ && pool_.now_ns() >= scheduler_->measured_from_ns() &&
         pool_.now_ns() < scheduler_->end_ns();
}

void worker::publish_seconds() {
  const std::uint64_t now = pool_.now_ns();
  const std::uint64_t from = scheduler_->measured_from_ns();
  if (!account_begun_ns_ && now >= from) begin_account();
  if (now < from + (second_ + 1) * second_ns || now >= scheduler_->end_ns()) return;
  second_ = static_cast<unsigned>((now - from) / second_ns);
  values_ = exchange_.swap(std::move(values_), second_ - 1);
}

void worker::begin_account() {
  account_begun_ns_ = pool_.now_ns();
  account_.connections_open = pool_.up();
  account_.cpu_ns = thread_cpu_ns();
  account_.spin_ns = pool_.spin_ns();
  account_.run_delay_ns = thread_run_delay_ns();
}

void worker::finish_account() {
  account_.unanswered = scheduler_->under_way();
  account_.unsent = scheduler_->take_unsent();
  for (sequence_check& check : checks_) {
    check.give_up();
    account_.check.add(check.counts());
  }
  if (!account_begun_ns_) {
    account_.run_delay_ns = std::nullopt;
    return;
  }
  const std::uint64_t now = pool_.now_ns();
  const std::uint64_t end = scheduler_->limit_reached() ? now : std::min(now, scheduler_->end_ns());
  const std::uint64_t from = scheduler_->measured_from_ns();
  account_.measured_ns = end > from ? end - from : 0;
  account_.wall_ns = now - *account_begun_ns_;
  account_.cpu_ns = thread_cpu_ns() - account_.cpu_ns;
  account_.spin_ns = pool_.spin_ns() - account_.spin_ns;
  const auto delay = thread_run_delay_ns();
  account_.run_delay_ns = delay && account_.run_delay_ns
                              ? std::optional(*delay - *account_.run_delay_ns)
                              : std::nullopt;
}

}  // namespace stallscope::load

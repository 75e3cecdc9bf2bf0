#include "load/worker.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "base/run_delay.hpp"

namespace stallscope::load {
namespace {

constexpr unsigned sent_at_a_time = 256;  // then what came is looked at first
constexpr std::uint64_t worker_patience_ns = second_ns;
// Only a reply that never comes is lost: that of a machine which stood still for a moment is late.
constexpr std::uint64_t checking_patience_ns = 5 * second_ns;
constexpr std::uint64_t patience_stopped_ns = second_ns / 2;
constexpr std::uint64_t target_lost_ns = 2 * second_ns;  // without a connection, or a SET's reply
constexpr unsigned fill_pipeline = 16;
constexpr std::uint64_t key_seed = 0x9e3779b97f4a7c15U;  // apart from the arrivals' seeds

std::unique_ptr<request_source> source_of(const load_plan& plan, unsigned index) {
  if (plan.file) {
    return std::make_unique<file_requests>(plan.file,
                                           index * (plan.file->size() / plan.asked.threads));
  }
  return std::make_unique<key_requests>(plan.asked.what, (plan.asked.when.seed + index) ^ key_seed);
}

// Connections of all threads are shared out as evenly as they can be.
unsigned connections_of(const options& asked, unsigned index) {
  return asked.connections / asked.threads + (index < asked.connections % asked.threads);
}

}  // namespace

worker::worker(const load_plan& plan, unsigned index, measurement_exchange& exchange)
    : plan_{plan},
      index_{index},
      exchange_{exchange},
      pool_{plan.target, plan.password, connections_of(plan.asked, index), *this},
      source_{source_of(plan, index)},
      values_{std::make_unique<measurements>()} {
  const unsigned connections = connections_of(plan.asked, index);
  for (unsigned i = 0; plan.asked.what.check && i < connections; ++i) {
    checks_.emplace_back(plan.run_name + "-" + std::to_string(index) + "-" + std::to_string(i));
  }
}

void worker::stop() noexcept {
  stopped_ = true;
  pool_.wake();
}

bool worker::prepare() {
  if (!pool_.open_all()) return false;
  if (plan_.asked.what.fill) fill();
  return !stopped_;
}

// A closed loop of its own; what is answered with an error is told with the errors of the run.
void worker::fill() {
  const auto& asked = plan_.asked;
  const std::uint64_t keys =
      asked.what.keys / asked.threads + (index_ < asked.what.keys % asked.threads);
  if (keys == 0) return;
  auto later = std::exchange(
      source_, std::make_unique<fill_requests>(asked.what, asked.when.seed, index_, asked.threads));
  pool_.refresh_now();
  schedule once;
  once.pipeline = std::max(asked.when.pipeline, fill_pipeline);
  once.duration_ns = never_ns / 2;
  once.most_requests = keys;
  begin(once, pool_.now_ns());
  loop();
  if (!stopped_ && (scheduler_->under_way() != 0 || account_.target_lost)) {
    throw failure{exit_code::target_failed,
                  "the target " + plan_.asked.target + " left a SET of --fill without a reply",
                  "see its own messages"};
  }
  source_ = std::move(later);
}

void worker::run(std::uint64_t start_ns) {
  measuring_ = true;
  begin(plan_.asked.when, start_ns);
  loop();
  finish_account();
  exchange_.finish(std::move(values_), account_);
}

void worker::begin(const schedule& plan, std::uint64_t start_ns) {
  if (!stopped_) give_up_ns_ = never_ns;
  const unsigned connections = connections_of(plan_.asked, index_);
  last_reply_ns_ = start_ns;
  scheduler_.emplace(plan, connections, start_ns, index_, measuring_ ? plan_.asked.threads : 1);
  for (unsigned i = 0; i < connections; ++i) {
    if (pool_.is_up(i)) scheduler_->connection_up(i, start_ns);
  }
}

void worker::loop() {
  pool_.refresh_now();
  const std::uint64_t spin_ns = plan_.asked.spin_ns;
  while (!scheduler_->finished(pool_.now_ns()) && pool_.now_ns() < give_up_ns_) {
    const std::uint64_t due = scheduler_->next_due_ns();
    const std::uint64_t other = next_event_ns();
    pool_.turn(std::min(due, other), due <= other ? spin_ns : 0);
    if (measuring_) publish_seconds();
    look_for_end();
  }
}

// Ends the run where it was stopped or the target is gone, and waits for replies so long only.
void worker::look_for_end() {
  const std::uint64_t now = pool_.now_ns();
  const std::uint64_t patience_ns = checks_.empty() ? worker_patience_ns : checking_patience_ns;
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
  // A number of requests that ends the run may take its time, as long as replies come.
  if (!stopped_ && scheduler_->limit_reached()) give_up_ns_ = last_reply_ns_ + patience_ns;
  // Time is up for a backlog that is still being sent, not for what is under way and answered.
  if (!stopped_ && measuring_ && now >= give_up_ns_) {
    scheduler_->stop_sending();
    give_up_ns_ = std::max(give_up_ns_, last_reply_ns_ + patience_ns);
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
  if (scheduler_) scheduler_->connection_up(connection, pool_.now_ns());
}

void worker::connection_down(unsigned connection, std::string_view why) {
  if (!scheduler_) return;
  ++account_.connections_lost;
  const std::size_t lost = scheduler_->connection_down(connection);
  if (!checks_.empty()) checks_[connection].forget();
  note_error(why, in_measured_time(), lost);
}

void worker::replied(unsigned connection, const reply_parser& reply) {
  const std::uint64_t now = pool_.now_ns();
  last_reply_ns_ = now;
  const auto request = scheduler_ ? scheduler_->answered(connection, now) : std::nullopt;
  if (!checks_.empty() && measuring_) {
    reply.is_error() ? checks_[connection].answered_otherwise()
                     : checks_[connection].received(reply.text());
  }
  if (!request) {
    note_error("unasked-reply", true);
    return;
  }
  if (reply.is_error()) {
    note_error(error_kind(reply.text()), request->measured || !measuring_);
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
  for (unsigned i = 0; i < sent_at_a_time; ++i) {
    const auto connection = scheduler_->take(pool_.now_ns());
    if (!connection) break;
    append(*connection);
  }
  for (const unsigned connection : dirty_) pool_.flush(connection);
  dirty_.clear();
}

void worker::was_absent(std::uint64_t from_ns, std::uint64_t to_ns) {
  if (scheduler_) scheduler_->was_absent(from_ns, to_ns);
}

void worker::append(unsigned connection) {
  std::string& out = pool_.out(connection);
  if (!checks_.empty() && measuring_) {
    append_request(out, {"ECHO", checks_[connection].next_token()});
  } else {
    source_->append_next(out);
  }
  if (dirty_.empty() || dirty_.back() != connection) dirty_.push_back(connection);
}

void worker::note_error(std::string_view kind, bool measured, std::uint64_t times) {
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

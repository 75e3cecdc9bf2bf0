#include "server/shards/connection.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "server/shards/executor.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {
namespace {

resp::request_limits parser_limits(const client_limits& limits) {
  return {.bulk_bytes = limits.request_bytes, .request_bytes = limits.request_bytes};
}

}  // namespace

connection::connection(shard& home, descriptor socket, const server::session& start)
    : home_(home),
      socket_(std::move(socket)),
      session_(start),
      reader_(parser_limits(home.options().limits)),
      interest_(EPOLLIN) {
  reader_.set_authenticated(session_.authenticated);
  home_.loop().watch(socket_.get(), interest_, *this);
  home_.counters().connections_opened.add(1);
}

connection::~connection() {
  if (!closed_) leave();
  home_.account(accounted_bytes_, 0);
}

void connection::on_events(std::uint32_t events) {
  close_on_bad_alloc([&] { handle_events(events); });
}

void connection::run() {
  close_on_bad_alloc([&] { resume_requests(); });
}

// If memory for its requests runs out, only this client is affected.
template <typename Work>
void connection::close_on_bad_alloc(Work work) noexcept {
  try {
    work();
  } catch (const std::bad_alloc&) {
    home_.report_lost_client("out of memory");
    close();
  }
}

void connection::handle_events(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush();
  if (closed_) return;
  if ((events & EPOLLIN) != 0) {
    read();
  } else if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    close();
  }
}

resp::byte_buffer& connection::output() { return sender_.buffer(home_.outputs()); }

void connection::session_may_have_changed() {
  reader_.set_authenticated(session_.authenticated);
  home_.server().clients().update(session_);
}

void connection::finish(request_slot& slot) {
  slot.done = true;
  if (pipeline_.is_first(slot) && !slot.has_own_reply) {
    release_first(0);
    if (pipeline_.first_done()) move_finished();
  } else {
    pipeline_.add_waiting(slot.reply_bytes());
    move_finished();
  }
  if (closed_) return;
  home_.mark_dirty(*this);
  if (home_.options().write == write_policy::eager) flush();
  // Within parse_requests(), its loop resumes on its own.
  if (!parsing_ && (pipeline_.empty() || pipeline_.has_postponed())) resume();
}

inline void connection::release_first(std::size_t reply_bytes) {
  home_.executor().give_back(pipeline_.pop_first(reply_bytes));
}

void connection::move_finished() {
  while (pipeline_.first_done()) {
    request_slot& oldest = pipeline_.first();
    const std::size_t bytes = oldest.reply_bytes();
    if (oldest.has_own_reply && !closed_ && !move_reply_to_output(oldest)) break;
    pipeline_.remove_waiting(bytes);
    release_first(bytes);
  }
}

// Returns false if the reply has to wait because the client does not read its replies.
bool connection::move_reply_to_output(request_slot& oldest) {
  const resp::byte_buffer& reply = oldest.own_reply();
  if (!reply.empty() && !output_fits()) return false;
  if (closed_) return true;
  output().append(reply.view());
  if (reply.overflowed()) cut_off();
  return true;
}

void connection::answer_postponed() {
  move_finished();
  while (pipeline_.has_postponed() && !closed_ && reply_fits(pipeline_.first_postponed())) {
    home_.executor().answer_now(pipeline_.take_postponed());
  }
}

void connection::read() {
  if (sender_.write_shutdown()) {
    discard_input();
  } else if (!pipeline_.empty()) {
    // The words of requests in flight are in the buffer.
    reader_.pause();
    update_interest();
  } else if (receive()) {
    parse_requests();
  }
}

// Returns whether bytes were received. Closes the connection if the socket failed.
bool connection::receive() {
  switch (reader_.receive(socket_.get(), home_.inputs(), home_.counters())) {
    case request_reader::received::bytes:
      return true;
    case request_reader::received::nothing:
      break;
    case request_reader::received::end:
      update_interest();
      home_.mark_dirty(*this);
      break;
    case request_reader::received::failed:
      close();
      break;
  }
  release_buffers();
  return false;
}

void connection::discard_input() {
  char dropped[4096];
  const ssize_t bytes = ::recv(socket_.get(), dropped, sizeof dropped, 0);
  if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR)) close();
}

bool connection::may_parse() {
  if (ended() || reader_.protocol_error() || !reader_.has_input()) return false;
  if (pipeline_.size() >= (session_.authenticated ? home_.options().limits.pipeline : 1)) {
    return false;
  }
  return pipeline_.expected_reply_bytes() <= reply_sender::throttle_bytes && replies_fit() &&
         !closed_;
}

bool connection::output_fits_after_flush() {
  if (!sender_.throttled()) flush();
  if (closed_ || !sender_.above_limit()) return true;
  if (sender_.throttle()) home_.counters().throttled.add(1);
  update_interest();
  return false;
}

void connection::parse_requests() {
  reader_.begin_parsing();
  parsing_ = true;
  while (may_parse()) {
    const resp::parse_status status = reader_.parse();
    if (status == resp::parse_status::incomplete) break;
    handle_parsed(status);
  }
  parsing_ = false;
  if (closed_) return;
  reader_.end_parsing();
  account();
  home_.mark_dirty(*this);
}

void connection::handle_parsed(resp::parse_status status) {
  if (status == resp::parse_status::request) {
    home_.executor().submit(*this, reader_.words());
    if (home_.options().write == write_policy::eager && !closed_) flush();
  } else if (status == resp::parse_status::error) {
    // Earlier requests are still answered.
    home_.executor().refuse(*this, "ERR " + reader_.error());
  }
}

void connection::flush() {
  if (closed_) return;
  if (sender_.overflowed()) {
    cut_off();
  } else if (sender_.send(socket_.get(), home_.loop().now(), home_.counters())) {
    after_flush();
  } else {
    close();
  }
}

void connection::after_flush() {
  if (sender_.end_throttle()) resume();
  if (finished_serving() && sender_.empty() && pipeline_.empty()) {
    if (!shutting_down_ || reader_.ended()) {
      close();
      return;
    }
    // If the socket were closed with unread bytes, the client could lose its last replies.
    sender_.shut_down(socket_.get());
  }
  release_buffers();
  update_interest();
}

// Whether no further request of this client will be served.
bool connection::finished_serving() const {
  return session_.closing || reader_.protocol_error() ||
         ((reader_.ended() || shutting_down_) && reader_.needs_input());
}

void connection::resume() {
  if (reader_.resume()) update_interest();
  if ((reader_.needs_input() && pipeline_.empty()) || scheduled_) return;
  scheduled_ = true;
  home_.loop().schedule(*this);
}

void connection::resume_requests() {
  scheduled_ = false;
  if (closed_) {
    while (pipeline_.has_postponed()) home_.executor().abandon(pipeline_.take_postponed());
    move_finished();
    return;
  }
  answer_postponed();
  if (closed_) return;
  if (pipeline_.empty() && reader_.resume()) update_interest();
  parse_requests();
}

void connection::release_buffers() {
  sender_.release(home_.outputs());
  if (pipeline_.empty()) reader_.release(home_.inputs());
  account();
}

void connection::account() {
  const std::size_t bytes =
      reader_.memory_bytes() + sender_.memory_bytes() + pipeline_.waiting_bytes();
  const std::size_t before = std::exchange(accounted_bytes_, bytes);
  // Closes the client with the most buffered bytes, which may be another one.
  if (bytes != before && !home_.account(before, bytes) && bytes > before) home_.cut_off_largest();
}

void connection::update_interest() {
  const bool reads =
      sender_.write_shutdown() || !(sender_.throttled() || reader_.paused() || reader_.ended() ||
                                    session_.closing || reader_.protocol_error() || shutting_down_);
  const std::uint32_t events = (reads ? EPOLLIN : 0U) | (sender_.blocked() ? EPOLLOUT : 0U);
  if (events == interest_ || closed_) return;
  interest_ = events;
  try {
    home_.loop().change(socket_.get(), events, *this);
  } catch (const std::system_error& error) {
    home_.report_lost_client(error.what());
    close();
  }
}

// Requests that have arrived are still answered.
void connection::begin_shutdown() {
  close_on_bad_alloc([&] { answer_arrived(); });
}

void connection::answer_arrived() {
  if (closed_) return;
  if (pipeline_.empty() && !sender_.throttled() && !reader_.ended() && receive()) parse_requests();
  if (closed_) return;
  shutting_down_ = true;
  update_interest();
  home_.mark_dirty(*this);
}

void connection::cut_off() {
  if (closed_) return;
  home_.counters().cut_off.add(1);
  close();
}

void connection::close() noexcept {
  if (closed_) return;
  leave();
  if (pipeline_.empty()) return;
  pipeline_.for_each([this](request_slot& slot) { home_.executor().router().cancel(slot); });
  if (scheduled_) return;
  scheduled_ = true;  // drops the postponed requests
  home_.loop().schedule(*this);
}

void connection::leave() noexcept {
  closed_ = true;
  home_.loop().unwatch(socket_.get(), *this);
  socket_.reset();
  home_.counters().connections_closed.add(1);
  home_.server().clients().remove(session_.id);
  home_.server().leave();
  home_.closed(*this);
  sender_.drop();
  if (pipeline_.empty()) reader_.drop();  // otherwise it contains words of requests in flight
  account();
}

void connection::check_stalled(std::chrono::nanoseconds longest) {
  if (!closed_ && sender_.stalled(home_.loop().now(), longest)) cut_off();
}

}  // namespace stallscope::server

#include "server/shards/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "server/shards/executor.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {
namespace {

// One reading: some hundreds of small requests, so that no client keeps the others waiting.
constexpr std::size_t read_bytes = std::size_t{16} << 10U;
// Replies beyond this are sent before further requests are taken; are they not, none is taken.
constexpr std::size_t throttle_bytes = std::size_t{256} << 10U;

resp::request_limits parser_limits(const client_limits& limits) {
  return {.bulk_bytes = limits.request_bytes, .request_bytes = limits.request_bytes};
}

}  // namespace

connection::connection(shard& home, descriptor socket, const server::session& start)
    : home_(home),
      socket_(std::move(socket)),
      session_(start),
      parser_(parser_limits(home.options().limits)),
      interest_(EPOLLIN) {
  parser_.set_authenticated(session_.authenticated);
  home_.loop().watch(socket_.get(), interest_, *this);
  home_.counters().connections_opened.add(1);
}

void connection::on_events(std::uint32_t events) {
  close_on_bad_alloc([&] { answer_events(events); });
}

void connection::run() {
  close_on_bad_alloc([&] { resume_requests(); });
}

// Where the system gives no memory for its requests, this client alone bears it.
template <typename Work>
void connection::close_on_bad_alloc(Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    close();
  }
}

void connection::answer_events(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush();
  if (closed_) return;
  if ((events & EPOLLIN) != 0) {
    read();
  } else if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    close();
  }
}

resp::byte_buffer& connection::output() {
  if (!output_) output_ = home_.outputs().take();
  return *output_;
}

void connection::session_may_have_changed() {
  parser_.set_authenticated(session_.authenticated);
  home_.server().clients().update(session_);
}

void connection::append(request_slot& slot) {
  (first_ == nullptr ? first_ : last_->next) = &slot;
  last_ = &slot;
  ++in_flight_;
}

void connection::finish(request_slot& slot) {
  slot.done = true;
  if (&slot == first_ && !slot.has_own_reply) {
    release_first(0);
    if (first_ != nullptr && first_->done) move_finished();
  } else {
    waiting_bytes_ += slot.reply_bytes();
    move_finished();
  }
  if (closed_) return;
  home_.mark_dirty(*this);
  if (home_.options().write == write_policy::eager) flush();
  // Whoever is taking requests goes on by itself.
  if (!parsing_ && (in_flight_ == 0 || postponed_ != 0)) resume();
}

// The oldest request under way is answered; what it had in a reply of its own is taken.
inline void connection::release_first(std::size_t reply_bytes) {
  request_slot& oldest = *first_;
  foreign_reply_bytes_ = std::max(reply_bytes, foreign_reply_bytes_ - foreign_reply_bytes_ / 8);
  first_ = oldest.next;
  --in_flight_;
  home_.executor().give_back(oldest);
}

void connection::move_finished() {
  while (first_ != nullptr && first_->done) {
    request_slot& oldest = *first_;
    const std::size_t bytes = oldest.reply_bytes();
    if (oldest.has_own_reply && !closed_ && !move_reply_to_output(oldest)) break;
    waiting_bytes_ -= bytes;
    release_first(bytes);
  }
}

// A reply made elsewhere goes to the output, if the client takes its replies; false: not now.
bool connection::move_reply_to_output(request_slot& oldest) {
  const resp::byte_buffer& reply = oldest.own_reply();
  if (!reply.empty() && !output_fits()) return false;
  if (closed_) return true;
  output().append(reply.view());
  if (reply.overflowed()) cut_off();
  return true;
}

bool connection::must_wait() { return !closed_ && (postponed_ != 0 || !replies_fit()); }

void connection::postpone(request_slot& slot) {
  slot.postponed = true;
  ++postponed_;
}

// The oldest first; some may be behind requests that other shards still answer.
request_slot& connection::oldest_postponed() {
  request_slot* slot = first_;
  while (!slot->postponed) slot = slot->next;
  slot->postponed = false;
  --postponed_;
  return *slot;
}

void connection::answer_postponed() {
  move_finished();
  while (postponed_ != 0 && !closed_ && replies_fit()) {
    home_.executor().answer_now(oldest_postponed());
  }
}

void connection::read() {
  if (write_shutdown_) {
    discard_input();
  } else if (in_flight_ != 0) {
    // Their words lie in the buffer that would be read into.
    read_paused_ = true;
    update_interest();
  } else if (receive()) {
    parse_requests();
  }
}

// False at the end of the input, and of the connection.
bool connection::receive() {
  const std::span<char> room = input_room();
  if (room.empty()) {
    close();
    return false;
  }
  const ssize_t got = ::recv(socket_.get(), room.data(), room.size(), 0);
  if (got > 0) {
    input_->commit(static_cast<std::size_t>(got));
    home_.counters().bytes_read.add(static_cast<std::uint64_t>(got));
    return true;
  }
  if (got == 0) {
    end_input();
  } else if (errno != EAGAIN && errno != EINTR) {
    close();
  }
  give_back_buffers();
  return false;
}

std::span<char> connection::input_room() {
  if (!input_) input_ = home_.inputs().take();
  // A long request's memory grows with what has come of it, not with what was announced.
  const std::size_t held = input_->size();
  const std::size_t expected = std::max(parser_.bytes_expected(), held) - held;
  const std::size_t wanted = std::max(read_bytes, std::min(expected, held));
  return input_->room(held == 0 ? read_bytes : wanted);
}

void connection::end_input() {
  input_ended_ = true;
  update_interest();
  home_.mark_dirty(*this);
}

void connection::discard_input() {
  char dropped[4096];
  const ssize_t got = ::recv(socket_.get(), dropped, sizeof dropped, 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close();
}

bool connection::may_parse() {
  if (ended() || protocol_error_ || !input_ || input_->empty()) return false;
  if (in_flight_ >= (session_.authenticated ? home_.options().limits.pipeline : 1)) return false;
  return remote_replies_fit() && replies_fit() && !closed_;
}

// Neither replies nor those that wait for an earlier one are too many.
bool connection::replies_fit() { return waiting_bytes_ <= throttle_bytes && output_fits(); }

// How large replies of other shards are shows only when they come: as many are asked for at once as
// would fit were they like the latest.
bool connection::remote_replies_fit() const {
  return in_flight_ * foreign_reply_bytes_ <= throttle_bytes;
}

// Whether the client takes its replies fast enough; else it is told no more until it did.
bool connection::output_fits() {
  if (!output_ || output_->size() <= throttle_bytes) return true;
  if (!throttled_) flush();
  if (closed_ || !output_ || output_->size() <= throttle_bytes) return true;
  if (!throttled_) home_.counters().throttled.add(1);
  throttled_ = true;
  update_interest();
  return false;
}

void connection::parse_requests() {
  needs_input_ = false;
  parsing_ = true;
  while (may_parse()) {
    const resp::parse_status status = parser_.parse(input_->content());
    if (status == resp::parse_status::incomplete) {
      needs_input_ = true;
      break;
    }
    handle_parsed(status);
  }
  parsing_ = false;
  if (closed_) return;
  if (!input_ || input_->empty()) needs_input_ = true;
  account();
  home_.mark_dirty(*this);
}

void connection::handle_parsed(resp::parse_status status) {
  // The bytes stay where they are until more are read.
  input_->consume(parser_.consumed());
  if (status == resp::parse_status::request) {
    home_.executor().submit(*this, parser_.words());
    if (home_.options().write == write_policy::eager && !closed_) flush();
  } else if (status == resp::parse_status::error) {
    home_.executor().refuse(*this, "ERR " + parser_.error());
    protocol_error_ = true;  // what came before is still answered
  }
}

bool connection::send_some() {
  const std::string_view bytes = output_->view();
  const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN) close();
    blocked_ = true;
    return false;
  }
  if (sent > 0) last_taken_ = home_.loop().now();
  output_->consume(static_cast<std::size_t>(sent));
  home_.counters().bytes_written.add(static_cast<std::uint64_t>(sent));
  blocked_ = static_cast<std::size_t>(sent) < bytes.size();
  return !blocked_;
}

void connection::flush() {
  if (closed_) return;
  if (output_ && output_->overflowed()) {
    cut_off();
    return;
  }
  if (output_ && !output_->empty() && !blocked_) last_taken_ = home_.loop().now();
  blocked_ = false;
  while (output_ && !output_->empty() && send_some()) {
  }
  if (!closed_) after_flush();
}

void connection::after_flush() {
  const bool all_sent = !output_ || output_->empty();
  if (throttled_ && (all_sent || output_->size() <= throttle_bytes / 2)) {
    throttled_ = false;
    resume();
  }
  const bool over =
      session_.closing || protocol_error_ || ((input_ended_ || shutting_down_) && needs_input_);
  if (over && all_sent && in_flight_ == 0) {
    if (!shutting_down_ || input_ended_) {
      close();
      return;
    }
    // Closed with bytes unread, the client might lose its last replies.
    if (!write_shutdown_) ::shutdown(socket_.get(), SHUT_WR);
    write_shutdown_ = true;
  }
  give_back_buffers();
  update_interest();
}

void connection::resume() {
  if (read_paused_) {
    read_paused_ = false;
    update_interest();
  }
  if ((needs_input_ && in_flight_ == 0) || scheduled_) return;
  scheduled_ = true;
  home_.loop().schedule(*this);
}

void connection::resume_requests() {
  scheduled_ = false;
  if (closed_) {
    while (postponed_ != 0) finish(oldest_postponed());
    move_finished();
    return;
  }
  answer_postponed();
  if (closed_) return;
  if (in_flight_ == 0 && read_paused_) {
    read_paused_ = false;
    update_interest();
  }
  parse_requests();
}

void connection::give_back_buffers() {
  if (output_ && output_->empty()) home_.outputs().give_back(std::exchange(output_, nullptr));
  if (input_ && input_->empty() && in_flight_ == 0) {
    home_.inputs().give_back(std::exchange(input_, nullptr));
    parser_.release_word_memory();
  }
  account();
}

void connection::account() {
  const std::size_t bytes = (input_ ? input_->capacity() : 0) +
                            (output_ ? output_->capacity() : 0) + waiting_bytes_ +
                            parser_.memory_bytes();
  const std::size_t before = std::exchange(accounted_bytes_, bytes);
  // Not this client, which may hold little, but the one that holds most.
  if (bytes != before && !home_.account(before, bytes) && bytes > before) home_.cut_off_largest();
}

void connection::update_interest() {
  const bool reads =
      write_shutdown_ || !(throttled_ || read_paused_ || input_ended_ || session_.closing ||
                           protocol_error_ || (shutting_down_ && !write_shutdown_));
  const std::uint32_t wanted = (reads ? EPOLLIN : 0U) | (blocked_ ? EPOLLOUT : 0U);
  if (wanted == interest_ || closed_) return;
  interest_ = wanted;
  home_.loop().change(socket_.get(), wanted, *this);
}

}  // namespace stallscope::server

// One client: a reader that parses its requests, a pipeline of the requests in flight, and a sender
// of the replies. The connection passes requests to the executor, keeps replies in request order,
// and sends them once per turn.
//
//   connection client(home, std::move(socket), session);   // registers with the loop of `home`
//   client.append(slot);                                    // by the executor: in flight
//   client.finish(slot);                                    // answered
//
// All buffers are bounded. Requests are not parsed while `limits.pipeline` of them are in flight or
// while many replies wait for the client; reading then stops, so that the client blocks too. A
// client that exceeds its limits nevertheless is disconnected.
//
// Cost: one recv and one send per turn; no allocation per request. Thread: that of its shard. A
// closed connection is kept until none of its slots is in flight.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/descriptor.hpp"
#include "reactor/reactor.hpp"
#include "server/commands/session.hpp"
#include "server/shards/reply_sender.hpp"
#include "server/shards/request_pipeline.hpp"
#include "server/shards/request_reader.hpp"
#include "server/shards/request_slot.hpp"

namespace stallscope::server {

class connection final : public reactor::event_handler, private reactor::task {
 public:
  connection(shard& home, descriptor socket, const session& start);
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  connection(connection&&) = delete;
  connection& operator=(connection&&) = delete;
  ~connection();

  void on_events(std::uint32_t events) override;

  // For the executor.
  [[nodiscard]] server::session& session() noexcept { return session_; }
  [[nodiscard]] bool idle() const noexcept { return pipeline_.empty(); }
  // Whether the current request is the only unanswered one that the client has sent.
  [[nodiscard]] bool has_single_request() const noexcept {
    return pipeline_.empty() && !reader_.has_input();
  }
  [[nodiscard]] bool ended() const noexcept { return closed_ || session_.closing; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] resp::byte_buffer& output();
  // Where the reply of the slot goes: the output, if no earlier request is in flight.
  [[nodiscard]] resp::byte_buffer& reply_of(request_slot& slot) {
    return pipeline_.is_first(slot) ? output() : slot.own_reply();
  }
  // Called after a command that may have named or authenticated the client.
  void session_may_have_changed();
  [[nodiscard]] shard& home() noexcept { return home_; }
  void append(request_slot& slot) { pipeline_.append(slot); }
  // Number of its requests in request_stages: later ones must not overtake them.
  [[nodiscard]] std::size_t requests_in_stages() const noexcept { return requests_in_stages_; }
  void enter_stages() noexcept { ++requests_in_stages_; }
  void leave_stages() noexcept { --requests_in_stages_; }
  void finish(request_slot& slot);
  // Whether a request must be postponed until the client has read more of its replies.
  [[nodiscard]] bool must_wait(const request_slot& slot) {
    return !closed_ && (pipeline_.has_postponed() || !reply_fits(slot));
  }
  void postpone(request_slot& slot) { pipeline_.postpone(slot); }

  // For the shard.
  void flush();  // sends what the socket accepts
  void begin_shutdown();
  void close() noexcept;
  void cut_off();  // closes a client that exceeded a limit or stalled
  void check_stalled(std::chrono::nanoseconds longest);
  [[nodiscard]] bool removable() const noexcept {
    return closed_ && pipeline_.empty() && !scheduled_ && !in_dirty;
  }
  [[nodiscard]] std::size_t accounted_bytes() const noexcept {
    return closed_ ? 0 : accounted_bytes_;
  }
  std::size_t place = 0;  // index in the list of the shard
  bool in_dirty = false;  // in the list of connections to flush

 private:
  void run() override;
  template <typename Work>
  void close_on_bad_alloc(Work work) noexcept;
  void handle_events(std::uint32_t events);
  void resume_requests();
  void answer_arrived();
  void read();
  bool receive();
  void discard_input();
  void parse_requests();
  [[nodiscard]] bool may_parse();
  // Replies that are complete wait for the first request, so it does not wait for them.
  [[nodiscard]] bool reply_fits(const request_slot& slot) {
    return pipeline_.is_first(slot) ? output_fits() : replies_fit();
  }
  // Whether both the unsent replies and those that wait for an earlier request are within the
  // limit.
  [[nodiscard]] bool replies_fit() {
    return pipeline_.waiting_bytes() <= reply_sender::throttle_bytes && output_fits();
  }
  // Whether the client reads its replies fast enough. If not, throttles the connection.
  [[nodiscard]] bool output_fits() { return !sender_.above_limit() || output_fits_after_flush(); }
  [[nodiscard]] bool output_fits_after_flush();
  void handle_parsed(resp::parse_status status);
  void release_first(std::size_t reply_bytes);
  [[gnu::noinline]] void move_finished();
  bool move_reply_to_output(request_slot& oldest);
  void answer_postponed();
  void after_flush();
  [[nodiscard]] bool finished_serving() const;
  void resume();
  void release_buffers();
  void leave() noexcept;
  void account();
  void update_interest();

  shard& home_;
  descriptor socket_;
  server::session session_;
  request_reader reader_;
  request_pipeline pipeline_;
  reply_sender sender_;
  std::size_t accounted_bytes_ = 0;
  std::size_t requests_in_stages_ = 0;
  std::uint32_t interest_ = 0;
  bool parsing_ = false;  // in parse_requests()
  bool scheduled_ = false;
  bool shutting_down_ = false;
  bool closed_ = false;
};

}  // namespace stallscope::server

// One client: reads its requests, hands them to the executor, keeps the replies in the requests'
// order, and writes them once a turn. Holds buffers only while they have bytes in them.
//
// Nothing is buffered without end. Requests are not parsed while `limits.pipeline` are under way or
// while many replies wait for the client to take them; then nothing is read, so that the client's
// own writes stop. What goes beyond its limits all the same is closed.
//
// Belongs to its shard's thread. It stays after its end until no slot of its is under way.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/descriptor.hpp"
#include "reactor/reactor.hpp"
#include "resp/request_parser.hpp"
#include "server/commands/session.hpp"
#include "server/shards/buffer_pool.hpp"
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
  [[nodiscard]] bool idle() const noexcept { return in_flight_ == 0; }
  // Whether the request being taken is all that the client has asked for and not been answered.
  [[nodiscard]] bool has_single_request() const noexcept {
    return in_flight_ == 0 && input_->empty();
  }
  [[nodiscard]] bool ended() const noexcept { return closed_ || session_.closing; }
  [[nodiscard]] resp::byte_buffer& output();
  // Where the slot's reply goes: the output, if no earlier request is under way.
  [[nodiscard]] resp::byte_buffer& reply_of(request_slot& slot) {
    return first_ == &slot ? output() : slot.own_reply();
  }
  // A command ran that may have named the client, or let it in.
  void session_may_have_changed();
  [[nodiscard]] shard& home() noexcept { return home_; }
  void append(request_slot& slot);
  void finish(request_slot& slot);
  // Whether a request is to wait until the client has taken more of its replies; then postpone it.
  [[nodiscard]] bool must_wait();
  void postpone(request_slot& slot);

  // For the shard.
  void flush();  // writes what it can
  void begin_shutdown();
  void close();
  void cut_off();  // closes it for its size, or for taking nothing
  void check_stalled(std::chrono::nanoseconds longest);
  [[nodiscard]] bool removable() const noexcept {
    return closed_ && in_flight_ == 0 && !scheduled_ && !in_dirty;
  }
  [[nodiscard]] std::size_t accounted_bytes() const noexcept {
    return closed_ ? 0 : accounted_bytes_;
  }
  std::size_t place = 0;  // among the shard's connections
  bool in_dirty = false;  // in the shard's list of those to flush

 private:
  void run() override;
  template <typename Work>
  void close_on_bad_alloc(Work work);
  void answer_events(std::uint32_t events);
  void resume_requests();  // takes up requests again
  void read();
  void discard_input();
  bool receive();
  void end_input();
  [[nodiscard]] std::span<char> input_room();
  void parse_requests();
  [[nodiscard]] bool may_parse();
  [[nodiscard]] bool replies_fit();
  [[nodiscard]] bool remote_replies_fit() const;
  [[nodiscard]] bool output_fits();
  void release_first(std::size_t reply_bytes);
  [[gnu::noinline]] void move_finished();
  bool move_reply_to_output(request_slot& oldest);
  request_slot& oldest_postponed();
  void answer_postponed();
  void handle_parsed(resp::parse_status status);
  bool send_some();
  void after_flush();
  void resume();
  void give_back_buffers();
  void account();
  void update_interest();

  shard& home_;
  descriptor socket_;
  server::session session_;
  resp::request_parser parser_;
  buffer_pool::buffer input_;
  buffer_pool::buffer output_;
  request_slot* first_ = nullptr;  // the oldest request under way
  request_slot* last_ = nullptr;
  std::size_t in_flight_ = 0;
  std::size_t postponed_ = 0;      // of these, to be answered once the client reads
  std::size_t waiting_bytes_ = 0;  // of replies made, behind a request under way
  std::size_t foreign_reply_bytes_ = std::size_t{16} << 10U;  // of late, at most
  std::size_t accounted_bytes_ = 0;
  std::chrono::nanoseconds last_taken_{};  // when the client last took some of its replies
  std::uint32_t interest_ = 0;
  bool blocked_ = false;         // the socket takes no more for now
  bool throttled_ = false;       // too many replies wait
  bool parsing_ = false;         // requests, from the input
  bool read_paused_ = false;     // bytes wait to be read until the requests under way are done
  bool needs_input_ = true;      // the input holds no whole request
  bool protocol_error_ = false;  // what came cannot be understood: it is the last
  bool input_ended_ = false;
  bool shutting_down_ = false;
  bool write_shutdown_ = false;  // our side is shut; what still comes is dropped
  bool closed_ = false;
  bool scheduled_ = false;
};

}  // namespace stallscope::server

// Channels over which a process wakes another with a request and waits for the reply. Requests and
// replies are empty. Cost: one or two system calls per request or reply on each side. Create a
// channel before fork(), so that both processes have it; each process uses one end and blocks in
// it.
//
//   const auto link = open_channel(transport::futex);
//   link->round_trip();                           // client
//   link->await_request(); link->reply();         // server
#pragma once

#include <memory>
#include <string_view>

namespace stallscope::wake {

class channel {
 public:
  channel() = default;
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  channel(channel&&) = delete;
  channel& operator=(channel&&) = delete;
  virtual ~channel() = default;

  // The client's end: sends a request and sleeps until its reply.
  virtual void round_trip() = 0;
  // The server's end: sleeps until a request arrives, then sends the reply. All three throw
  // std::system_error if the other end is closed.
  virtual void await_request() = 0;
  virtual void reply() = 0;

  // Ends the client's wait: round_trip() throws, now or at its next call. For any thread of the
  // client's process.
  virtual void cancel() = 0;
};

enum class transport { futex, pipe, unix_socket, tcp };

// Throws std::invalid_argument if the name is not futex, pipe, unix or tcp.
transport transport_of(std::string_view name);

// TCP uses loopback. Throws std::system_error.
std::unique_ptr<channel> open_channel(transport kind);

}  // namespace stallscope::wake

// Ways in which one process wakes another with a request and waits for its reply. A request or
// reply costs a system call or two on each side and carries nothing. Each end belongs to one
// process, which blocks in it; made before fork(), so that both have it.
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
  virtual void ask() = 0;
  // The server's end: sleeps until a request comes; then the reply to it. Throws std::system_error
  // where the other end is gone, as all do.
  virtual void await_request() = 0;
  virtual void reply() = 0;

  // Ends the client's wait: its ask() throws, now or when it is called next. The client's process
  // calls it, from any thread.
  virtual void abandon() = 0;
};

enum class transport { futex, pipe, unix_socket, tcp };

// std::invalid_argument for any other name than futex, pipe, unix and tcp.
transport transport_of(std::string_view name);

// TCP is over loopback. Throws std::system_error where the kernel refuses.
std::unique_ptr<channel> open_channel(transport kind);

}  // namespace stallscope::wake

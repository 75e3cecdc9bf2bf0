// Two connected TCP sockets of the loopback interface, for messages of one byte. A receive waits at
// most 50 ms at a time, so that a thread notices the end of a run. Each end is used by one thread.
//
//   const loopback_connection connection;
//   connection.client().send();                   // on the client's thread
//   connection.server().receive(times, stop);     // on the server's thread
#pragma once

#include <atomic>

#include "base/descriptor.hpp"
#include "kernels/waiting/thread_times.hpp"

namespace stallscope::kernels {

class loopback_socket {
 public:
  explicit loopback_socket(descriptor socket);

  // Throws std::system_error if the connection failed.
  void send() const;
  // Waits for a message. Returns false if `stop` was set first or the peer closed the connection.
  [[nodiscard]] bool receive(thread_times& times, const std::atomic<bool>& stop) const;
  // Receives a message if there is one.
  [[nodiscard]] bool receive_now() const;
  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

 private:
  descriptor socket_;
};

struct loopback_connection {
  // Throws std::system_error.
  loopback_connection();

  loopback_socket client;
  loopback_socket server;

 private:
  explicit loopback_connection(descriptor listener);
};

}  // namespace stallscope::kernels

// A front end between clients and a server on this host: what a client sends goes to the server
// over a connection that belongs to this client, and back. So a request wakes three processes in a
// chain. It listens on loopback, on a free port. One thread serves all connections and sleeps in
// epoll_wait; a request and its reply cost three system calls each. A direction holds at most 16
// KiB: if a peer does not read, the other is not read either. At the process's limit of
// descriptors, clients wait until another one leaves.
//
//   front_end relay(7379);
//   std::printf("%d\n", relay.port());
//   relay.serve();                      // until request_stop() and a signal, or an error
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/descriptor.hpp"

struct epoll_event;

namespace stallscope::wake {

class front_end {
 public:
  // Throws std::system_error if the kernel refuses the listening socket.
  explicit front_end(std::uint16_t server_port);
  front_end(const front_end&) = delete;
  front_end& operator=(const front_end&) = delete;
  front_end(front_end&&) = delete;
  front_end& operator=(front_end&&) = delete;
  ~front_end();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  // Serves until stop_requested() is true after a wake-up, which a signal causes. Throws
  // std::system_error if epoll fails. A failing connection is closed, with its connection to the
  // server.
  void serve();

 private:
  struct direction;
  struct pair;

  void accept_all();
  void stop_listening();
  void listen_again();
  void add(descriptor client);
  // Both are false if the pair is finished or failed.
  [[nodiscard]] static bool advance(pair& both, const epoll_event& event);
  [[nodiscard]] static bool move(direction& from_to, bool ends);
  void watch(const descriptor& socket, std::uint32_t events);

  std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  descriptor listener_;
  descriptor epoll_;
  bool listening_ = true;
  std::unordered_map<int, std::shared_ptr<pair>> pairs_;  // by each of its two sockets
};

}  // namespace stallscope::wake

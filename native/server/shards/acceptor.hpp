// Takes new clients and deals them out to the shards in turn. Where descriptors have run out, a
// reserved one is given up to take the client and close it, so that the client learns it and the
// loop does not spin; then none is taken for a moment.
//
// Lives on the first shard's thread.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "reactor/reactor.hpp"

namespace stallscope::server {

class shard;
class shared_server;

class acceptor final : private reactor::event_handler, private reactor::timer {
 public:
  acceptor(shared_server& server, shard& home, int listening);
  acceptor(const acceptor&) = delete;
  acceptor& operator=(const acceptor&) = delete;
  acceptor(acceptor&&) = delete;
  acceptor& operator=(acceptor&&) = delete;
  ~acceptor();

  // Takes no more.
  void stop();

 private:
  void on_events(std::uint32_t events) override;
  void fire() override;
  bool accept_one();
  void deal(descriptor socket, const sockaddr_storage& from);
  void accept_failed(int error);
  void pause();

  shared_server& server_;
  shard& home_;
  int listening_;
  descriptor reserve_;
  std::size_t next_shard_ = 0;
  bool watching_ = false;
  bool paused_ = false;
};

}  // namespace stallscope::server

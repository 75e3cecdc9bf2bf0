// Accepts new clients and distributes them over the shards round-robin. If the process runs out of
// descriptors, a reserved one is released to accept and close the client, so that the client gets
// an answer and the loop does not spin; then accepting pauses for 100 ms.
//
// Thread: that of the first shard.
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

  // Stops accepting.
  void stop();

 private:
  void on_events(std::uint32_t events) override;
  void fire() override;
  bool accept_next();
  void assign_to_shard(descriptor socket, const sockaddr_storage& from);
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

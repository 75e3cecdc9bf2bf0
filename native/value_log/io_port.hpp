// What the log asks of the disk, and by what name its work is told apart: queries are the clients'
// reads and writes, compaction is our own. Behind the port is the I/O queue (disk_port.hpp); tests
// complete requests by hand, and let them fail.
//
// One thread: io_done() comes on the thread that submitted, never from within submit().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ioqueue/request.hpp"

namespace stallscope::value_log {

enum class io_class : std::uint8_t { queries, compaction };
inline constexpr std::array<std::string_view, 2> io_class_names{"queries", "compaction"};

// Stays in place, as does its memory, until it is done.
class io_request : public ioqueue::request {
 public:
  io_class of = io_class::queries;

  void reads(int file, std::uint64_t offset, std::span<std::byte> memory) {
    io = {.kind = ioqueue::direction::read,
              .file = file,
              .offset = offset,
              .memory = memory.data(),
              .size_bytes = memory.size()};
  }
  void writes(int file, std::uint64_t offset, std::span<std::byte> memory) {
    reads(file, offset, memory);
    io.kind = ioqueue::direction::write;
  }

  // Bytes read or written, or a negative errno. It may submit further requests, this one too.
  virtual void io_done(std::int64_t result) = 0;

 protected:
  ~io_request() = default;

 private:
  void settled(ioqueue::outcome /*how*/, std::int64_t result) final { io_done(result); }
};

class io_port {
 public:
  io_port() = default;
  io_port(const io_port&) = delete;
  io_port& operator=(const io_port&) = delete;
  io_port(io_port&&) = delete;
  io_port& operator=(io_port&&) = delete;

  virtual void submit(io_request& request) = 0;
  // What the file's writes so far left to be made durable; past the queue.
  virtual void sync(int file, io_request& request) = 0;

 protected:
  ~io_port() = default;
};

}  // namespace stallscope::value_log

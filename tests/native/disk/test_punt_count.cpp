#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>

#include "base/descriptor.hpp"
#include "disk/punt_count.hpp"
#include "disk/ring.hpp"

namespace stallscope::disk {
namespace {

void read_through(ring& with, int fd, unsigned char flags) {
  std::array<char, 16> memory{};
  io_uring_sqe* entry = ::io_uring_get_sqe(with.get());
  ::io_uring_prep_read(entry, fd, memory.data(), memory.size(), 0);
  entry->flags |= flags;
  REQUIRE(::io_uring_submit(with.get()) == 1);
  io_uring_cqe* done = nullptr;
  REQUIRE(::io_uring_wait_cqe(with.get(), &done) == 0);
  ::io_uring_cqe_seen(with.get(), done);
}

TEST_CASE("requests that go to worker threads are counted, others are not") {
  if (!uring_refusal().empty()) return;
  ring with{4};
  const descriptor file{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  REQUIRE(file);
  read_through(with, file.get(), 0);  // may go to a worker: the file need not be in memory
  const punt_count punts;
  const auto before = punts.read();
  if (!before) return;  // it takes root
  read_through(with, file.get(), 0);
  CHECK(punts.read() == *before);
  for (int i = 0; i < 3; ++i) read_through(with, file.get(), IOSQE_ASYNC);
  CHECK(punts.read() == *before + 3);
}

}  // namespace
}  // namespace stallscope::disk

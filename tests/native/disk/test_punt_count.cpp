#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>

#include "base/descriptor.hpp"
#include "disk/punt_count.hpp"
#include "disk/ring.hpp"

namespace stallscope::disk {
namespace {

void read_through(ring& ring, int fd, unsigned char flags) {
  std::array<char, 16> memory{};
  io_uring_sqe* entry = ::io_uring_get_sqe(ring.get());
  ::io_uring_prep_read(entry, fd, memory.data(), memory.size(), 0);
  entry->flags |= flags;
  REQUIRE(::io_uring_submit(ring.get()) == 1);
  io_uring_cqe* done = nullptr;
  REQUIRE(::io_uring_wait_cqe(ring.get(), &done) == 0);
  ::io_uring_cqe_seen(ring.get(), done);
}

TEST_CASE("only requests that go to worker threads are counted") {
  if (!uring_refusal().empty()) return;
  ring ring{4};
  const descriptor file{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  REQUIRE(file);
  read_through(ring, file.get(), 0);  // may go to a worker if the file is not cached
  const punt_count punts;
  const auto before = punts.read();
  if (!before) return;  // requires root
  read_through(ring, file.get(), 0);
  CHECK(punts.read() == *before);
  for (int i = 0; i < 3; ++i) read_through(ring, file.get(), IOSQE_ASYNC);
  CHECK(punts.read() == *before + 3);
}

}  // namespace
}  // namespace stallscope::disk

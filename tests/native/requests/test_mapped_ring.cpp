#include "requests/mapped_ring.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "requests/stallscope_request.h"

using namespace stallscope;
using namespace stallscope::requests;

namespace {

std::vector<mapped_ring> own_rings() {
  return rings_of(::getpid(), [](std::uint64_t) { return false; }).rings;
}

// A descriptor with the name of a ring and other content.
descriptor false_ring(std::size_t bytes, int seals) {
  descriptor fd{::memfd_create("stallscope-requests", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  REQUIRE(::ftruncate(fd.get(), static_cast<off_t>(bytes)) == 0);
  REQUIRE(::fcntl(fd.get(), F_ADD_SEALS, seals) == 0);
  return fd;
}

}  // namespace

TEST_CASE("marks of all threads of a process are read from its ring") {
  const auto rings = own_rings();
  REQUIRE(rings.size() == 1);
  CHECK_FALSE(stallscope_requests_recorded());
  stallscope_request_begin(1, "unheard");
  ring_reader reader{rings.front().memory(), 0};
  reader.listen_until(monotonic_ns() + 60'000'000'000);
  CHECK(stallscope_requests_recorded());
  constexpr std::uint64_t per_thread = 1'000;
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      for (std::uint64_t i = 0; i < per_thread; ++i) {
        stallscope_request_begin(thread << 32U | i, "a name that is longer than 32 bytes, and cut");
        stallscope_request_end(thread << 32U | i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<std::uint64_t> ids;
  reader.read(monotonic_ns(), [&](const request_mark& mark) {
    CHECK(mark.tid != 0);
    if (mark.action == mark_action::begin) CHECK(mark.name_bytes == 32);
    ids.push_back(mark.id);
  });
  CHECK(ids.size() == 4 * 2 * per_thread);
  std::sort(ids.begin(), ids.end());
  CHECK(std::unique(ids.begin(), ids.end()) - ids.begin() == 4 * per_thread);
  CHECK(reader.lost() == 0);
}

TEST_CASE("marks stop after the time of a recorder that was killed") {
  const auto rings = own_rings();
  auto* const ring = reinterpret_cast<stallscope_request_ring*>(rings.front().memory().data());
  __atomic_store_n(&ring->listen_until_ns, monotonic_ns() - 1, __ATOMIC_RELAXED);
  const auto before = __atomic_load_n(&ring->written, __ATOMIC_RELAXED);
  stallscope_request_begin(1, "late");
  CHECK_FALSE(stallscope_requests_recorded());
  CHECK(__atomic_load_n(&ring->written, __ATOMIC_RELAXED) == before);
}

TEST_CASE("a child writes into its own ring") {
  const auto rings = own_rings();
  ring_reader reader{rings.front().memory(), 0};
  reader.listen_until(monotonic_ns() + 60'000'000'000);
  reader.read(monotonic_ns(), [](const request_mark&) {});
  const pid_t child = ::fork();
  if (child == 0) {
    stallscope_request_begin(77, "of the child");
    ::_exit(own_rings().size() == 2 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  reader.read(monotonic_ns(), [](const request_mark& mark) { CHECK(mark.id != 77); });
}

TEST_CASE("a memfd that is too small, not sealed or of another format is refused") {
  const auto search = [] { return rings_of(::getpid(), [](std::uint64_t) { return false; }); };
  CHECK_FALSE(search().refused);
  for (const auto& [bytes, seals] : {std::pair<std::size_t, int>{4096, F_SEAL_SHRINK},
                                     {ring_bytes, F_SEAL_GROW},
                                     {ring_bytes, F_SEAL_SHRINK}}) {
    const auto other = false_ring(bytes, seals);
    const auto result = search();
    CHECK(result.refused);
    CHECK(result.rings.size() == 1);
  }
}

TEST_CASE("a file whose name looks like a ring is not opened") {
  const auto path = std::string{"/tmp/memfd:stallscope-requests-"} + std::to_string(::getpid());
  const descriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  REQUIRE(file);
  ::unlink(path.c_str());
  const auto search = rings_of(::getpid(), [](std::uint64_t) { return false; });
  CHECK(search.rings.size() == 1);
  CHECK_FALSE(search.refused);
}

TEST_CASE("a process that has ended has no rings") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const auto search = rings_of(child, [](std::uint64_t) { return false; });
  CHECK(search.rings.empty());
  CHECK(search.error != 0);
}

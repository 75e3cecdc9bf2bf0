#include "reader_process/child_process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/descriptor.hpp"
#include "reader_process/shared_memory.hpp"

namespace stallscope::reader_process {
namespace {

using namespace std::chrono_literals;

constexpr auto generous = 20s;

}  // namespace

TEST_CASE("a child shares memory with its parent, and ends with its body") {
  const shared_memory<std::atomic<int>> value;
  child_process child{{.name = "child"}, [&] { value->store(7); }};
  CHECK(child.wait(generous));
  CHECK_FALSE(child.running());
  CHECK(value->load() == 7);
}

TEST_CASE("a child holds no descriptor except the one that it keeps") {
  std::array<int, 2> sockets{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0);
  const descriptor ours{sockets[0]};
  const descriptor theirs{sockets[1]};
  const descriptor other{::open("/dev/null", O_RDONLY)};
  const shared_memory<std::atomic<int>> open_count;
  const shared_memory<std::atomic<bool>> kept;
  child_process child{{.name = "child", .kept_descriptor = theirs.get()}, [&] {
                        int count = 0;
                        for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0;
                        open_count->store(count);
                        kept->store(::fcntl(theirs.get(), F_GETFD) >= 0);
                      }};
  CHECK(child.wait(generous));
  CHECK(open_count->load() == 1);
  CHECK(kept->load());
}

TEST_CASE("a child that waits is killed") {
  child_process child{{.name = "child"}, [] {
                        while (true) ::pause();
                      }};
  CHECK(child.running());
  CHECK_FALSE(child.wait(0ms));
  CHECK(child.end(generous));
  CHECK(child.pid() == 0);
}

TEST_CASE("a child that needs more memory than its limit ends") {
  child_process child{{.name = "child", .memory_bytes = std::uint64_t{64} << 20U}, [] {
                        void* block = ::operator new (std::size_t{512} << 20U, std::nothrow);
                        if (block == nullptr) throw std::bad_alloc();
                        while (true) ::pause();
                      }};
  CHECK(child.wait(generous));
}

TEST_CASE("an exception ends the child and not the parent") {
  child_process child{{.name = "child"}, [] { throw std::runtime_error("bad input"); }};
  CHECK(child.wait(generous));
}

TEST_CASE("the end of an object kills its child") {
  pid_t pid = 0;
  {
    child_process child{{.name = "child"}, [] {
                          while (true) ::pause();
                        }};
    pid = child.pid();
  }
  CHECK_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid) + "/exe"));
}

}  // namespace stallscope::reader_process

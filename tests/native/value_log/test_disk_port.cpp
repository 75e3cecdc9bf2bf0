#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "collect/scratch.hpp"
#include "value_log/aligned_memory.hpp"
#include "value_log/disk_port.hpp"

using namespace stallscope::value_log;
using stallscope::descriptor;
using stallscope::reactor::reactor;
using stallscope::test::scratch;

namespace {

namespace fs = std::filesystem;

constexpr int patience = 2000;  // turns of at most 10 ms

struct port_request final : io_request {
  std::int64_t result = 1;
  int times = 0;
  void io_done(std::int64_t ended) noexcept override {
    result = ended;
    ++times;
  }
};

struct port_fixture {
  explicit port_fixture(const fs::path& path, const disk_port_settings& settings = {})
      : file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)), port(loop, settings) {}

  // Whether all requests completed in time.
  template <typename requests>
  bool wait_for(const requests& pending) {
    for (int turns = 0; turns < patience; ++turns) {
      if (std::ranges::all_of(pending, [](const auto& request) { return request->times != 0; }))
        return true;
      loop.turn(std::chrono::milliseconds{10});
    }
    return false;
  }
  std::int64_t write(std::uint64_t offset, char filled_with, std::size_t bytes) {
    const aligned_memory memory(bytes);
    std::ranges::fill(memory.bytes(), static_cast<std::byte>(filled_with));
    port_request made;
    made.writes(file.get(), offset, memory.bytes());
    port.submit(made);
    REQUIRE(wait_for(std::array{&made}));
    CHECK(made.times == 1);
    return made.result;
  }
  std::string read(std::uint64_t offset, std::size_t bytes) {
    const aligned_memory memory(bytes);
    port_request made;
    made.reads(file.get(), offset, memory.bytes());
    port.submit(made);
    REQUIRE(wait_for(std::array{&made}));
    REQUIRE(made.result >= 0);
    return {reinterpret_cast<const char*>(memory.bytes().data()),
            static_cast<std::size_t>(made.result)};
  }
  std::int64_t sync() {
    port_request made;
    port.sync(file.get(), made);
    REQUIRE(wait_for(std::array{&made}));
    return made.result;
  }

  reactor loop;
  descriptor file;
  disk_port port;
};

// Replaces the ring of this process by a file, so that the kernel accepts no more entries.
bool break_rings() {
  const descriptor none(::open("/dev/null", O_RDWR | O_CLOEXEC));
  bool broken = false;
  for (const auto& request : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(request, gone) != "anon_inode:[io_uring]") continue;
    broken = ::dup2(none.get(), std::stoi(request.path().filename())) >= 0 || broken;
  }
  return broken;
}

// Limits the file size of this process during its lifetime.
class file_limit {
 public:
  explicit file_limit(rlim_t bytes) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limited{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limited) == 0);
  }
  file_limit(const file_limit&) = delete;
  file_limit& operator=(const file_limit&) = delete;
  file_limit(file_limit&&) = delete;
  file_limit& operator=(file_limit&&) = delete;
  ~file_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

// Whether the file contains exactly these bytes up to its end.
bool holds(port_fixture& fixture, std::uint64_t offset, char filled_with, std::size_t bytes) {
  return fixture.read(offset, bytes + block_bytes) == std::string(bytes, filled_with);
}

void write_read_sync(port_fixture& fixture) {
  constexpr std::size_t many = 300'000 / block_bytes * block_bytes;
  REQUIRE(::ftruncate(fixture.file.get(), 0) == 0);
  CHECK(fixture.write(0, 'a', many) == many);
  CHECK(holds(fixture, 0, 'a', many));
  CHECK(fixture.write(many, 'b', block_bytes) == block_bytes);
  CHECK(fixture.sync() == 0);
  CHECK(holds(fixture, many, 'b', block_bytes));
}

void end_short(port_fixture& fixture) {
  constexpr std::size_t limit = 2 * block_bytes;
  REQUIRE(::ftruncate(fixture.file.get(), 0) == 0);
  const file_limit full(limit);
  CHECK(fixture.write(0, 'a', 4 * block_bytes) == -EFBIG);
  CHECK(holds(fixture, 0, 'a', limit));
}

}  // namespace

TEST_CASE("written data can be read, and a short transfer reports its error") {
  const scratch folder;
  port_fixture fixture(folder.at("file"));
  write_read_sync(fixture);
  port_fixture other(folder.at("other"));
  end_short(other);
}

TEST_CASE("a failed ring is replaced by blocking calls without losing requests") {
  const scratch folder;
  port_fixture fixture(folder.at("file"), {.limit = 0});
  if (!fixture.port.by_io_uring()) return;
  REQUIRE(break_rings());
  // more than the capacity of the ring, in one turn
  const aligned_memory memory(block_bytes);
  std::ranges::fill(memory.bytes(), std::byte{'x'});
  std::vector<std::unique_ptr<port_request>> many;
  for (std::uint64_t i = 0; i < 600; ++i) {
    many.push_back(std::make_unique<port_request>());
    many.back()->writes(fixture.file.get(), i * block_bytes, memory.bytes());
    fixture.port.submit(*many.back());
  }
  REQUIRE(fixture.wait_for(many));
  CHECK(std::ranges::all_of(many, [](const auto& request) {
    return request->times == 1 && request->result == static_cast<std::int64_t>(block_bytes);
  }));
  CHECK_FALSE(fixture.port.by_io_uring());
  CHECK(holds(fixture, 0, 'x', 600 * block_bytes));
  write_read_sync(fixture);
  port_fixture other(folder.at("other"));
  end_short(other);
  end_short(fixture);
}

TEST_CASE("a port whose ring failed drains") {
  const scratch folder;
  port_fixture fixture(folder.at("file"));
  if (!fixture.port.by_io_uring()) return;
  const aligned_memory memory(block_bytes);
  std::ranges::fill(memory.bytes(), std::byte{'x'});
  std::array<port_request, 20> many;
  for (port_request& request : many) {
    request.writes(fixture.file.get(), 0, memory.bytes());
    fixture.port.submit(request);
  }
  port_request synced;
  fixture.port.sync(fixture.file.get(), synced);
  REQUIRE(break_rings());
  fixture.port.drain();
  CHECK(std::ranges::all_of(many, [](const auto& request) { return request.times == 1; }));
  CHECK(synced.result == 0);
}

TEST_CASE("a cancelled request ends without a transfer if it is queued, or with its completion") {
  const scratch folder;
  port_fixture fixture(folder.at("file"), {.limit = 1});
  REQUIRE(fixture.write(0, 'x', block_bytes) == static_cast<std::int64_t>(block_bytes));
  const aligned_memory memory(block_bytes);
  std::array<port_request, 8> many;
  for (port_request& request : many) {
    request.reads(fixture.file.get(), 0, memory.bytes());
    fixture.port.submit(request);
  }
  fixture.loop.turn(std::chrono::milliseconds{0});
  for (std::size_t i = 1; i < many.size(); ++i) {
    fixture.port.cancel(many[i]);
    CHECK(many[i].result == -ECANCELED);
  }
  fixture.port.cancel(many[0]);
  REQUIRE(fixture.wait_for(std::array{&many[0]}));
  CHECK((many[0].result == -ECANCELED || many[0].result == static_cast<std::int64_t>(block_bytes)));
  CHECK(fixture.read(0, block_bytes) == std::string(block_bytes, 'x'));
  const auto& metrics = fixture.port.metrics(io_class::queries);
  CHECK(metrics.cancelled >= many.size() - 1);
  CHECK(metrics.submitted == metrics.done + metrics.cancelled);
  CHECK(fixture.port.max_in_flight() == 1);
  fixture.port.drain();
}

TEST_CASE("with rates, a limit admits more of the cheaper requests") {
  const scratch folder;
  // A read of 4 KiB costs a sixteenth of a piece of 128 KiB.
  const stallscope::ioqueue::device_rates rates{.read_iops = 16e3,
                                                .read_bytes_per_s = 128.0 * 1024 * 1e3,
                                                .write_iops = 16e3,
                                                .write_bytes_per_s = 128.0 * 1024 * 1e3};
  port_fixture fixture(folder.at("file"), {.limit = 1, .rates = rates});
  REQUIRE(fixture.write(0, 'x', block_bytes) == static_cast<std::int64_t>(block_bytes));
  const aligned_memory memory(block_bytes);
  std::array<port_request, 40> many;
  for (port_request& request : many) {
    request.reads(fixture.file.get(), 0, memory.bytes());
    fixture.port.submit(request);
  }
  REQUIRE(fixture.wait_for([&] {
    std::array<port_request*, many.size()> all{};
    std::ranges::transform(many, all.begin(), [](auto& request) { return &request; });
    return all;
  }()));
  CHECK(fixture.port.max_in_flight() == 16);
}

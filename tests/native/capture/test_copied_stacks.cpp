// Copies that lie about their sizes, and temporary files that cannot be had.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include "capture/temporary_file.hpp"
#include "long_tests.hpp"
#include "stack_samples.hpp"

using namespace capture_tests;
using stallscope::capture::capture_error;
using stallscope::capture::read_options;
using stallscope::capture::temporary_file;
using stallscope::capture::temporary_file_error;
using stallscope::unwind::chain_end;

namespace {

std::string with_sample(const wire& body, std::uint64_t mask = frame_registers) {
  event_spec event = stack_event();
  event.registers_user = mask;
  capture_builder made(order::little, {event});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1);
  return made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body).file();
}

// Up to the registers.
wire identity() { return wire(order::little).u64(code).u32(1).u32(1).u64(5); }

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Frames of 32 bytes in the first part of a copy that is walked, and others behind it.
std::string stack_with_distant_frames() {
  std::string stack = stack_of({code + 0x40, code + 0x50, code + 0x60});
  constexpr std::uint64_t distant = 12'000;
  stack.resize(distant, '\0');
  const auto frame = [&stack](std::size_t at, std::uint64_t caller, std::uint64_t returns_to) {
    stack.replace(at, 16, wire(order::little).u64(caller).u64(returns_to).bytes());
  };
  frame(48, stack_address + distant, code + 0x50);
  stack.resize(16'000, '\0');
  frame(distant, 0, code + 0x70);
  return stack;
}

capture_builder long_samples() {
  capture_builder made(order::little, {stack_event(PERF_SAMPLE_CALLCHAIN)});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1);
  for (std::uint64_t time = 2; time < 40; ++time) {
    // The first ones have chains that reach far into the record.
    add_sample(made, {.ip = code + time,
                      .time = time,
                      .stack = stack_with_distant_frames(),
                      .chain = std::vector<std::uint64_t>(time < 10 ? 300 : 3, code + 0x20),
                      .has_chain = true});
  }
  return made;
}

class forward_capture {
 public:
  forward_capture() {
    capture_builder made(order::little, {stack_event()});
    for (std::uint64_t time = 1; time < 100; ++time) {
      add_sample(made, {.ip = code, .time = time, .stack = std::string(60'000, 's')});
    }
    bytes_ = made.pipe();
  }
  stallscope::capture::capture_content read(const read_options& options) const {
    forward_source source(bytes_);
    return stallscope::capture::read_capture(source, options);
  }

 private:
  std::string bytes_;
};

}  // namespace

TEST_CASE("a stack beyond its record is an error") {
  wire body = identity();
  body.u64(PERF_SAMPLE_REGS_ABI_64).u64(0).u64(0).u64(0).u64(5'000).raw("short").u64(5);
  CHECK_THROWS_WITH_AS(unwound(with_sample(body)), doctest::Contains("user stack"), capture_error);
}

TEST_CASE("a stack size larger than the copy is limited to the copy") {
  wire body = identity();
  body.u64(PERF_SAMPLE_REGS_ABI_64).u64(stack_address + 16).u64(stack_address).u64(code);
  const std::string stack = stack_of({code + 0x10, code + 0x20});
  const auto done = unwound(with_sample(body.u64(40).raw(stack.substr(0, 40)).u64(~0ULL)));
  CHECK(depth_of(done, 0) == 2);
  CHECK(end_of(done, 0) == chain_end::cut_by_copy);
}

TEST_CASE("a mask of 64 registers is read as 64 registers, of arm64") {
  constexpr std::uint64_t arm64_pc = 32;
  wire body = identity();
  body.u64(PERF_SAMPLE_REGS_ABI_64);
  for (std::uint64_t number = 0; number < 64; ++number) {
    body.u64(number == arm64_pc ? code : stack_address);
  }
  const auto done = unwound(with_sample(body.u64(8).u64(0).u64(8), ~0ULL));
  CHECK(frame_text(done, 0, 0) == "/bin/x+0x0/0");
  wire few = identity();
  few.u64(PERF_SAMPLE_REGS_ABI_64).u64(1).u64(2);
  CHECK_THROWS_WITH_AS(unwound(with_sample(few, ~0ULL)), doctest::Contains("user registers"),
                       capture_error);
}

TEST_CASE("registers without a mask and stacks without registers give the kernel's chain") {
  wire body = identity();
  body.u64(PERF_SAMPLE_REGS_ABI_64).u64(8).u64(0).u64(8);
  CHECK(end_of(unwound(with_sample(body, 0)), 0) == chain_end::kernel_given);
}

TEST_CASE("a chain that leaves the part of the copy that is usually read is walked whole") {
  const std::string bytes = long_samples().file();
  stallscope::capture::memory_source source(std::as_bytes(std::span(bytes)));
  const auto done = stallscope::capture::read_capture(source, without_tables());
  REQUIRE(done.samples.time_ns.size() == 38);
  for (const std::size_t sample : {std::size_t{0}, std::size_t{37}}) {
    CAPTURE(sample);
    CHECK(chain_of(done, sample) ==
          std::vector<std::string>{sample == 0 ? "/bin/x+0x2/0" : "/bin/x+0x27/0", "/bin/x+0x3f/0",
                                   "/bin/x+0x4f/0", "/bin/x+0x6f/0"});
    CHECK(end_of(done, sample) == chain_end::complete);
  }
}

TEST_CASE("stacks of seekable files are skipped first and read by the walk") {
  const std::string bytes = long_samples().file();
  const auto done = unwound(bytes);
  CHECK(done.bytes_read < bytes.size() / 2);
  // From a pipe everything is read, once.
  const std::string pipe = long_samples().pipe();
  forward_source forward(pipe);
  const auto piped = stallscope::capture::read_capture(forward, without_tables());
  CHECK(piped.bytes_read == pipe.size());
  REQUIRE(piped.samples.time_ns.size() == done.samples.time_ns.size());
  for (std::size_t sample = 0; sample < piped.samples.time_ns.size(); ++sample) {
    CHECK(chain_of(piped, sample) == chain_of(done, sample));
    CHECK(end_of(piped, sample) == end_of(done, sample));
  }
}

TEST_CASE("a capture that ends within or right after a skipped stack is truncated there") {
  const std::string whole = long_samples().pipe();
  constexpr std::size_t last_sample = 16'000 + 3 * 8 + 88;
  for (const std::size_t missing : {1U, 7U, 8U, 9U, 8'000U, 16'007U, 16'008U, 16'009U}) {
    CAPTURE(missing);
    const std::string bytes = whole.substr(0, whole.size() - missing);
    CHECK_THROWS_WITH_AS(unwound(bytes), doctest::Contains("ends within a record"), capture_error);
    auto options = without_tables();
    options.allow_truncated = true;
    const auto done = unwound(bytes, options);
    CHECK(done.samples.time_ns.size() == 37);
    CHECK(done.truncated_at == whole.size() - last_sample);
  }
}

TEST_CASE("randomly changed samples give a capture or an error") {
  capture_builder made(order::little, {stack_event(PERF_SAMPLE_CALLCHAIN)});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1);
  for (std::uint64_t time = 2; time < 6; ++time) {
    add_sample(made, {.ip = code + time,
                      .time = time,
                      .stack = stack_of({code + 0x40, code + 0x50}),
                      .chain = {PERF_CONTEXT_USER, code + 0x10, code + 0x30},
                      .has_chain = true});
  }
  const std::string whole = made.file();
  std::mt19937 random(11);
  for (int round = 0; round < long_tests(1'300, 40'000); ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    try {
      const auto done = unwound(bytes);
      REQUIRE(done.stacks.end.size() + 1 == done.stacks.offset.size());
    } catch (const capture_error& error) {
      REQUIRE(std::string(error.what()).size() > 5);
    }
  }
}

TEST_CASE("a temporary file returns the written bytes") {
  temporary_file file{read_options{}};
  const std::string large(std::size_t{3} << 20U, 'x');
  CHECK(file.append(bytes_of("first")) == 0);
  const auto at = file.append(bytes_of(large));
  const auto last = file.append(bytes_of("last"));
  std::string text(4, '\0');
  file.read(last, std::as_writable_bytes(std::span(text)));
  CHECK(text == "last");
  file.read(at + large.size() - 4, std::as_writable_bytes(std::span(text)));
  CHECK(text == "xxxx");
  CHECK_THROWS_AS(file.read(last + 1, std::as_writable_bytes(std::span(text))),
                  temporary_file_error);
}

TEST_CASE("without a directory to write to, stacks of a pipe are an error that names it") {
  const forward_capture capture;
  auto options = without_tables();
  options.temporary_directories = {"/proc/nowhere", "/proc"};
  try {
    capture.read(options);
    FAIL("stacks were kept in /proc");
  } catch (const temporary_file_error& error) {
    CHECK(error.directory() == "/proc/nowhere");
  }
  // Nothing is kept where nothing will be unwound.
  options.unwind_table = nullptr;
  CHECK(capture.read(options).samples.time_ns.size() == 99);
}

TEST_CASE("a temporary file leaves a tenth of the file system free") {
  std::string folder = "/tmp/stallscope-room-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                       mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount("none", folder.c_str(), "tmpfs", 0, "size=4m") == 0;
  if (mounted) {
    auto options = without_tables();
    options.temporary_directories = {folder};
    temporary_file file(options);
    const std::string piece(100'000, 's');
    for (int count = 0; count < 37; ++count) {
      file.append(bytes_of(piece));
    }
    try {
      file.append(bytes_of(piece));
      FAIL("more than nine tenths were taken");
    } catch (const temporary_file_error& error) {
      CHECK(error.code().value() == ENOSPC);
      CHECK(error.directory() == folder);
    }
    umount2(folder.c_str(), MNT_DETACH);
  } else {
    MESSAGE("only root may mount a small file system");
  }
  rmdir(folder.c_str());
}

TEST_CASE("a temporary file that may not grow is an error") {
  const forward_capture capture;
  auto options = without_tables();
  options.temporary_limit_bytes = 1'000'000;
  CHECK_THROWS_WITH_AS(capture.read(options), doctest::Contains("limit of 1000000 bytes in"),
                       capture_error);
  options = without_tables();
  struct rlimit before {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit tight { 100'000, before.rlim_max };
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  CHECK_THROWS_AS(capture.read(options), temporary_file_error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
}

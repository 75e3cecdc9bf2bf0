#include "collect/futex_wait.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "perf_events/open_event.hpp"

namespace stallscope::collect {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t register_mask = 0x1bf;  // ax, bx, cx, dx, si, di, sp, ip
constexpr std::uint64_t blocked = static_cast<std::uint64_t>(-38);
#endif

// A ring that contains a sample with a call chain of two frames and these registers.
class sample_fixture {
 public:
  explicit sample_fixture(const std::vector<std::uint64_t>& registers) : words_(64) {
    std::vector<std::uint64_t> body{9, 0x1000, std::uint64_t{8} << 32U | 7, 55, 0, 1, 2, 1, 2, 2};
    body.insert(body.end(), registers.begin(), registers.end());
    const perf_event_header header{PERF_RECORD_SAMPLE, 0,
                                   static_cast<std::uint16_t>(8 + 8 * body.size())};
    std::memcpy(words_.data(), &header, sizeof header);
    std::copy(body.begin(), body.end(), words_.begin() + 1);
    head_ = header.size;
  }
  std::optional<futex_wait> wait(std::uint64_t mask) {
    const perf_events::ring_view ring{&head_, &tail_, std::as_writable_bytes(std::span{words_})};
    perf_event_attr attribute{};
    attribute.sample_type = perf_events::sample_fields | PERF_SAMPLE_REGS_USER;
    attribute.sample_regs_user = mask;
    return futex_wait_of({ring, 0}, attribute);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace

#if defined(__x86_64__)
TEST_CASE("a thread that left the CPU in a futex call has its arguments in registers") {
  sample_fixture sample{{blocked, 0, 0x77, 2, 0x80, 0x5000, 0x7fff0000, 0x77}};
  const auto wait = sample.wait(register_mask);
  REQUIRE(wait);
  CHECK(wait->pid == 7);
  CHECK(wait->tid == 8);
  CHECK(wait->time_ns == 55);
  CHECK(wait->address == 0x5000);
  CHECK(wait->operation == 0x80);
  CHECK(wait->value == 2);
}

TEST_CASE("registers outside of a system call are not a futex wait") {
  CHECK_FALSE(sample_fixture{{0, 0, 0x77, 2, 0x80, 0x5000, 0x7fff0000, 0x77}}.wait(register_mask));
  CHECK_FALSE(
      sample_fixture{{blocked, 0, 0x76, 2, 0x80, 0x5000, 0x7fff0000, 0x77}}.wait(register_mask));
}

TEST_CASE("arguments that no futex wait has, and cut registers, are rejected") {
  CHECK_FALSE(
      sample_fixture{{blocked, 0, 0x77, 2, 0x81, 0x5000, 0x7fff0000, 0x77}}.wait(register_mask));
  CHECK_FALSE(
      sample_fixture{{blocked, 0, 0x77, 2, 0x80, 0x5002, 0x7fff0000, 0x77}}.wait(register_mask));
  CHECK_FALSE(sample_fixture{{blocked, 0, 0x77, 2}}.wait(register_mask));
  CHECK_FALSE(sample_fixture{{blocked, 0, 0x77, 2, 0x80, 0x5000, 0x7fff0000, 0x77}}.wait(0));
}
#endif

}  // namespace stallscope::collect

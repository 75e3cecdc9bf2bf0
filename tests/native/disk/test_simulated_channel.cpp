#include <doctest/doctest.h>

#include <array>

#include "disk/simulated_channel.hpp"

namespace stallscope::disk {
namespace {

constexpr std::uint64_t service = 1'000'000;

TEST_CASE("servers work side by side, and others wait for the first that is free") {
  simulated_channel device{{.servers = 2, .service_ns = service}, {.depth = 3}};
  const std::uint64_t begun = device.now_ns();
  for (unsigned slot = 0; slot < 3; ++slot) device.prepare({slot, false, 0});
  std::array<completion, 3> done{};
  CHECK(device.wait(done, 1, 10 * service) == 2);  // both come at once
  CHECK(device.now_ns() == begun + service);
  CHECK(done[0].result == 4096);
  CHECK(device.wait(done, 1, 10 * service) == 1);
  CHECK(done[0].slot == 2);
  CHECK(device.now_ns() == begun + 2 * service);
}

TEST_CASE("a wait ends when it is to, not later and not before") {
  simulated_channel device{{.servers = 1, .service_ns = service}, {.block_bytes = 512}};
  const std::uint64_t begun = device.now_ns();
  device.prepare({0, true, 0});
  std::array<completion, 1> done{};
  CHECK(device.wait(done, 1, service / 2) == 0);
  CHECK(device.now_ns() == begun + service / 2);
  CHECK(device.wait(done, 1, service) == 1);
  CHECK(done[0].result == 512);
  CHECK(device.now_ns() == begun + service);
}

}  // namespace
}  // namespace stallscope::disk

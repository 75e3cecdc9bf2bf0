#include <doctest/doctest.h>

#include <array>

#include "disk/simulated_channel.hpp"

namespace stallscope::disk {
namespace {

constexpr std::uint64_t service = 1'000'000;

TEST_CASE("servers work in parallel and further requests wait for the first free server") {
  simulated_channel device{{.servers = 2, .service_ns = service}, {.depth = 3}};
  const std::uint64_t start_ns = device.now_ns();
  for (unsigned slot = 0; slot < 3; ++slot) device.prepare({slot, false, 0});
  std::array<completion, 3> done{};
  CHECK(device.wait(done, 1, 10 * service) == 2);  // both complete at once
  CHECK(device.now_ns() == start_ns + service);
  CHECK(done[0].result == 4096);
  CHECK(device.wait(done, 1, 10 * service) == 1);
  CHECK(done[0].slot == 2);
  CHECK(device.now_ns() == start_ns + 2 * service);
}

TEST_CASE("a wait ends exactly at its timeout") {
  simulated_channel device{{.servers = 1, .service_ns = service}, {.block_bytes = 512}};
  const std::uint64_t start_ns = device.now_ns();
  device.prepare({0, true, 0});
  std::array<completion, 1> done{};
  CHECK(device.wait(done, 1, service / 2) == 0);
  CHECK(device.now_ns() == start_ns + service / 2);
  CHECK(device.wait(done, 1, service) == 1);
  CHECK(done[0].result == 512);
  CHECK(device.now_ns() == start_ns + service);
}

}  // namespace
}  // namespace stallscope::disk

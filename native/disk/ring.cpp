#include "disk/ring.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace stallscope::disk {
namespace {

// From what the kernel of our day has to what every io_uring has.
constexpr std::array<unsigned, 3> flag_ladder{
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN, 0};

}  // namespace

ring::ring(unsigned entries) {
  int error = 0;
  for (const unsigned flags : flag_ladder) {
    error = -::io_uring_queue_init(std::bit_ceil(entries), &ring_, flags);
    if (error != EINVAL) break;
  }
  if (error != 0) throw std::system_error(error, std::generic_category(), "io_uring_setup");
}

// The kernel ends a ring some time after it is closed: a registered file, and the filesystem it is
// on, would be in use until then.
ring::~ring() {
  ::io_uring_unregister_files(&ring_);
  ::io_uring_unregister_buffers(&ring_);
  ::io_uring_queue_exit(&ring_);
}

std::string uring_refusal() {
  io_uring ring{};
  const int error = -::io_uring_queue_init(2, &ring, 0);
  if (error == 0) {
    ::io_uring_queue_exit(&ring);
    return {};
  }
  return std::string{"io_uring_setup: "} + std::strerror(error);
}

}  // namespace stallscope::disk

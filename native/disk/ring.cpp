#include "disk/ring.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace stallscope::disk {
namespace {

// From the flags of recent kernels to none, which every kernel with io_uring supports.
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

// The kernel releases a ring some time after close(). Unregister the file first, so that its
// filesystem is not busy until then.
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

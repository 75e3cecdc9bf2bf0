// Serves a filesystem with the single file "disk" over the kernel's FUSE protocol. The service
// model determines when reads and writes complete; all other requests complete at once. Writes are
// discarded and reads return noise. One thread; two system calls and a wait per request.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "base/descriptor.hpp"
#include "service_model.hpp"

struct fuse_in_header;

namespace stallscope::known_disk {

struct disk_options {
  std::uint64_t size_bytes = 64U << 20U;
  // Maximum number of pending kernel requests; the kernel default of 12 is a hidden limit.
  std::uint16_t max_background = 4096;
};

class fuse_server {
 public:
  fuse_server(const descriptor& channel, const disk_options& options, const service_plan& plan);

  // Serves until the filesystem is unmounted. Throws std::system_error.
  void run();

 private:
  struct pending {
    std::uint64_t due_ns;
    std::uint64_t sequence;  // order of requests that are due at the same time
    std::uint64_t unique;
    std::uint32_t bytes;
    bool is_read;
    bool failed;
    bool operator>(const pending& other) const noexcept {
      return due_ns != other.due_ns ? due_ns > other.due_ns : sequence > other.sequence;
    }
  };

  void wait() const;
  [[nodiscard]] bool read_request();  // false if there is none
  void handle(const fuse_in_header& header, std::span<const std::byte> body);
  void initialize(std::uint64_t unique, std::span<const std::byte> body) const;
  void look_up(std::uint64_t unique, std::span<const std::byte> body) const;
  void reply_attributes(std::uint64_t unique, std::uint64_t node) const;
  void admit(const fuse_in_header& header, std::span<const std::byte> body);
  void complete_due();
  void reply(std::uint64_t unique, int error, std::span<const std::byte> body) const;
  template <class body_type>
  void reply_with(std::uint64_t unique, const body_type& body) const;

  const descriptor& channel_;
  disk_options options_;
  service_model model_;
  std::vector<std::byte> request_;
  std::vector<std::byte> noise_;
  std::priority_queue<pending, std::vector<pending>, std::greater<>> pending_;
  std::uint64_t sequence_ = 0;
  bool mounted_ = true;
};

}  // namespace stallscope::known_disk

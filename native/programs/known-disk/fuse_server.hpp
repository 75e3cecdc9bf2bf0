// Serves a filesystem of one file, "disk", over the kernel's FUSE protocol: reads and writes are
// answered when the service model says, all else at once. What is written is not kept; what is
// read is noise. One thread; two system calls a request, and a wait.
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
  // Requests the kernel keeps with us at most; its own default of 12 is a hidden limit.
  std::uint16_t max_background = 4096;
};

class fuse_server {
 public:
  fuse_server(const descriptor& channel, const disk_options& options, const service_plan& plan);

  // Until the filesystem is gone. Throws std::system_error.
  void run();

 private:
  struct pending {
    std::uint64_t due_ns;
    std::uint64_t sequence;  // of two due at once, the first comes first
    std::uint64_t unique;
    std::uint32_t bytes;
    bool is_read;
    bool failed;
    bool operator>(const pending& other) const noexcept {
      return due_ns != other.due_ns ? due_ns > other.due_ns : sequence > other.sequence;
    }
  };

  void wait() const;
  [[nodiscard]] bool take();  // one request; false: there is none
  void handle(const fuse_in_header& header, std::span<const std::byte> body);
  void greet(std::uint64_t unique, std::span<const std::byte> body) const;
  void look_up(std::uint64_t unique, std::span<const std::byte> body) const;
  void tell_attributes(std::uint64_t unique, std::uint64_t node) const;
  void admit(const fuse_in_header& header, std::span<const std::byte> body);
  void answer_due();
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

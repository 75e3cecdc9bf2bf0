#include "requests/mapped_ring.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"

namespace stallscope::requests {
namespace {

constexpr std::string_view ring_name = "/memfd:stallscope-requests";
constexpr unsigned max_descriptors = 1024;  // a ring is made early, so that its number is small

struct device {
  unsigned major = 0;
  unsigned minor = 0;
  bool operator==(const device&) const = default;
};

struct file_facts {
  device holder;
  std::uint64_t inode = 0;
};

// Uses cached attributes: a remote file system might not answer.
std::optional<file_facts> facts_of(int fd) {
  struct statx facts {};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &facts) != 0)
    return std::nullopt;
  return file_facts{{facts.stx_dev_major, facts.stx_dev_minor}, facts.stx_ino};
}

// The device of all memfds of this kernel.
const std::optional<device>& memfd_device() {
  static const std::optional<device> result = []() -> std::optional<device> {
    const descriptor memfd{::memfd_create("stallscope-device", MFD_CLOEXEC)};
    const auto facts = facts_of(memfd.get());
    return facts ? std::optional{facts->holder} : std::nullopt;
  }();
  return result;
}

bool has_ring_name(int directory, const char* name) {
  std::array<char, 64> link{};
  const auto bytes = ::readlinkat(directory, name, link.data(), link.size());
  return bytes > 0 &&
         std::string_view{link.data(), static_cast<std::size_t>(bytes)}.starts_with(ring_name);
}

// Maps a descriptor of a process if it is a sealed memfd of the right size that is a ring. Sets
// `refused` if it is a memfd with the name of a ring but not such a one.
std::optional<mapped_ring> map_ring(int directory, const char* name,
                                    const std::function<bool(std::uint64_t)>& is_mapped,
                                    bool& refused) {
  const descriptor path{::openat(directory, name, O_PATH | O_CLOEXEC)};
  if (!path) return std::nullopt;
  const auto facts = facts_of(path.get());
  if (!facts || !memfd_device() || facts->holder != *memfd_device() || is_mapped(facts->inode))
    return std::nullopt;
  const auto link = "/proc/self/fd/" + std::to_string(path.get());
  const descriptor file{::open(link.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)};
  struct stat size {};
  const int seals = file ? ::fcntl(file.get(), F_GET_SEALS) : -1;
  refused = true;
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(file.get(), &size) != 0 ||
      size.st_size < static_cast<off_t>(ring_bytes))
    return std::nullopt;
  void* const memory =
      ::mmap(nullptr, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return std::nullopt;
  mapped_ring ring{static_cast<std::byte*>(memory), facts->inode};
  if (!is_ring(ring.memory())) return std::nullopt;
  refused = false;
  return ring;
}

}  // namespace

mapped_ring::mapped_ring(mapped_ring&& other) noexcept
    : memory_{std::exchange(other.memory_, nullptr)}, inode_{other.inode_} {}

mapped_ring& mapped_ring::operator=(mapped_ring&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(inode_, other.inode_);
  return *this;
}

mapped_ring::~mapped_ring() {
  if (memory_ != nullptr) ::munmap(memory_, ring_bytes);
}

ring_search rings_of(pid_t pid, const std::function<bool(std::uint64_t)>& is_mapped) {
  ring_search search;
  const auto path = "/proc/" + std::to_string(pid) + "/fd";
  const std::unique_ptr<DIR, int (*)(DIR*)> directory{::opendir(path.c_str()), &::closedir};
  if (directory == nullptr) {
    search.error = errno;
    return search;
  }
  const int directory_fd = ::dirfd(directory.get());
  for (unsigned count = 0; count < max_descriptors; ++count) {
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const char* name = static_cast<const char*>(entry->d_name);
    if (!has_ring_name(directory_fd, name)) continue;
    bool refused = false;
    if (auto ring = map_ring(directory_fd, name, is_mapped, refused))
      search.rings.push_back(std::move(*ring));
    search.refused = search.refused || refused;
  }
  return search;
}

}  // namespace stallscope::requests

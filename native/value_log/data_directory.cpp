#include "value_log/data_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/failure.hpp"
#include "value_log/first_block.hpp"

namespace stallscope::value_log {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}
[[noreturn]] void fail_writing(const std::string& what) { throw output_error(errno, what); }
[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::invalid_argument("--data " + path + " " + why);
}

// Makes new entries of the directory durable. Some filesystems cannot sync a directory.
void sync_directory(int directory, const std::string& what) {
  if (::fsync(directory) != 0 && errno != EINVAL) fail_writing(what);
}

// The parent directory may be searchable but not readable.
void sync_parent_of(int directory, const std::string& path) {
  const descriptor parent(::openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent) sync_directory(parent.get(), "--data " + path);
}

descriptor open_directory(const std::string& path) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  descriptor directory(::open(path.c_str(), flags));
  if (!directory && errno == ENOENT && ::mkdir(path.c_str(), 0700) == 0) {
    directory.reset(::open(path.c_str(), flags));
    if (directory) sync_parent_of(directory.get(), path);
  }
  if (directory) return directory;
  if (errno == ELOOP || errno == ENOTDIR) refuse(path, "is not a directory or is a symbolic link");
  fail_writing("--data " + path);
}

// Returns false if another server has the lock. After a server was killed, the kernel may hold its
// lock until its last requests have completed.
bool lock(int directory, const std::string& path) {
  constexpr int attempts = 20;
  for (int i = 0; i < attempts; ++i) {
    if (::flock(directory, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) fail("cannot lock --data " + path);
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  return false;
}

void check_own(const std::string& path, int directory) {
  struct stat status {};
  if (::fstat(directory, &status) != 0) fail("--data " + path);
  if (status.st_uid != ::geteuid())
    refuse(path, "belongs to another user: use a directory that you own");
  if ((status.st_mode & 022U) != 0) {
    refuse(path, "is writable by other users: run chmod 700 on it or use another directory");
  }
  if (!lock(directory, path)) {
    refuse(path, "is in use by another server: stop that server or use another directory");
  }
}

// Without an allocation, so that a file can be removed when memory is exhausted.
std::array<char, 48> file_name_of(const segment_name& name) noexcept {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "shard-%03u-%010u.log", name.shard, name.number);
  return text;
}

// The reason to reject a file, or nullptr.
const char* fault_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  if (status.st_uid != ::geteuid()) return "belongs to another user";
  if (status.st_nlink > 1) return "has more than one hard link";
  return nullptr;
}

void drop_flag(int file, int flag) { ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~flag); }

void make_buffered(segment_file& file) {
  drop_flag(file.file.get(), O_DIRECT);
  file.direct = false;
}

// Not every filesystem supports fallocate(); a full disk then shows at the write.
void reserve(int file, std::uint64_t bytes, const std::string& name) {
  if (::fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0) return;
  if (errno != EOPNOTSUPP && errno != ENOSYS) fail_writing(name);
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) fail_writing(name);
}

}  // namespace

data_directory::data_directory(const std::string& path, std::uint32_t shards) : path_(path) {
  identity_ = {.shards = shards, .keys = store::random_seed(), .secret = store::random_seed()};
  if (path.empty()) {
    open_temporary();
  } else {
    open_own(shards);
  }
}

void data_directory::open_temporary() {
  const char* chosen = std::getenv("TMPDIR");
  path_ = chosen != nullptr && *chosen != '\0' ? chosen : "/var/tmp";
  temporary_ = true;
  directory_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory_) fail(path_);
}

void data_directory::open_own(std::uint32_t shards) {
  directory_ = open_directory(path_);
  check_own(path_, directory_.get());
  adopt_identity(shards);
}

void data_directory::adopt_identity(std::uint32_t shards) {
  const auto segments = all_segments();
  bool known = false;
  bool unknown = false;
  for (const segment_name& name : segments) {
    const segment_file file = open_file(name);
    const first_block block = read_first_block(file.file.get(), name_of(name));
    if (!block.whole()) {
      // A segment without a signature is new and empty.
      unknown = unknown || !block.never_begun();
      continue;
    }
    const first_block::owner& owner = block.identity;
    if (known && (owner.secret != identity_.secret || owner.keys != identity_.keys)) {
      refuse(path_, "holds segments of two stores: " + name_of(name) +
                        " belongs to another store than the others");
    }
    if (owner.shards != shards) {
      refuse(path_, "was written with --threads " + std::to_string(owner.shards) +
                        ": use the same number or another directory");
    }
    if (owner.name != name) {
      refuse(path_, "holds " + name_of(name) + ", which was written as " + name_of(owner.name) +
                        ": rename it back or move it elsewhere");
    }
    identity_ = {.shards = owner.shards, .keys = owner.keys, .secret = owner.secret};
    known = true;
  }
  if (unknown && !known) {
    refuse(path_,
           "holds segments of an unknown store: the first block of every segment is damaged");
  }
}

std::string data_directory::name_of(const segment_name& name) const {
  return file_name_of(name).data();
}

std::vector<segment_name> data_directory::all_segments() const {
  std::vector<segment_name> names;
  if (temporary_) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(
      ::fdopendir(::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), ::closedir);
  if (!listing) fail("--data " + path_);
  // errno distinguishes an error from the end: a missed name would be a lost segment.
  while (const dirent* entry = (errno = 0, ::readdir(listing.get()))) {
    segment_name name;
    if (std::sscanf(entry->d_name, "shard-%u-%u.log", &name.shard, &name.number) != 2) continue;
    if (name_of(name) == entry->d_name) names.push_back(name);
  }
  if (errno != 0) fail("--data " + path_);
  return names;
}

std::vector<std::uint32_t> data_directory::segments_of(std::uint32_t shard) const {
  std::vector<std::uint32_t> numbers;
  for (const segment_name& name : all_segments()) {
    if (name.shard == shard) numbers.push_back(name.number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

segment_file data_directory::create(const segment_name& name, std::uint64_t bytes) const {
  const std::string text = name_of(name);
  const auto make = [&](int direct) {
    constexpr int flags = O_RDWR | O_CLOEXEC;
    return temporary_ ? ::open(path_.c_str(), flags | O_TMPFILE | O_EXCL | direct, 0600)
                      : ::openat(directory_.get(), text.c_str(),
                                 flags | O_CREAT | O_EXCL | O_NOFOLLOW | direct, 0600);
  };
  segment_file made{.file = descriptor(make(O_DIRECT)), .direct = true, .bytes = bytes};
  if (!made.file && errno == EINVAL) {
    made.file.reset(make(0));
    made.direct = false;
  }
  if (!made.file) fail_writing(text);
  try {
    reserve(made.file.get(), bytes, text);
    const first_block first = make_first_block(identity_, name, 0);
    bool written = write_first_block(made.file.get(), first);
    if (!written && errno == EINVAL && made.direct) {
      make_buffered(made);
      written = write_first_block(made.file.get(), first);
    }
    if (!written) fail_writing(text);
    if (!temporary_) sync_directory(directory_.get(), text);
  } catch (...) {
    remove(name);
    throw;
  }
  return made;
}

bool data_directory::seal(int file, const segment_name& name, std::uint64_t end) const noexcept {
  try {
    return temporary_ || write_first_block(file, make_first_block(identity_, name, end));
  } catch (const std::bad_alloc&) {
    return false;
  }
}

segment_file data_directory::open(const segment_name& name) const {
  segment_file opened = open_file(name);
  const first_block block = read_first_block(opened.file.get(), name_of(name));
  const bool whole_seal = block.whole_seal(name, identity_.secret);
  if (whole_seal) opened.sealed_end = block.records.end;
  opened.sound_head = block.whole() && (whole_seal || !block.sealed());
  return opened;
}

segment_file data_directory::open_file(const segment_name& name) const {
  const std::string text = name_of(name);
  const auto try_open = [&](int direct) {
    constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    return ::openat(directory_.get(), text.c_str(), flags | direct);
  };
  segment_file opened{.file = descriptor(try_open(O_DIRECT)), .direct = true};
  if (!opened.file && errno == EINVAL) {
    opened.file.reset(try_open(0));
    opened.direct = false;
  }
  if (!opened.file && errno == ELOOP)
    refuse(path_, "holds " + text + ", which is a symbolic link: remove it");
  if (!opened.file) fail(text);
  struct stat status {};
  if (::fstat(opened.file.get(), &status) != 0) fail(text);
  if (const char* fault = fault_of(status)) refuse(path_, "holds " + text + ", which " + fault);
  // O_NONBLOCK was for special files only; io_uring would not wait with it.
  drop_flag(opened.file.get(), O_NONBLOCK);
  opened.bytes = static_cast<std::uint64_t>(status.st_size);
  return opened;
}

void data_directory::remove(const segment_name& name) const noexcept {
  if (!temporary_) ::unlinkat(directory_.get(), file_name_of(name).data(), 0);
}

}  // namespace stallscope::value_log

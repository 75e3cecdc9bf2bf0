#include "collect/output_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/failure.hpp"
#include "base/output_directory.hpp"
#include "collect/refusal.hpp"

namespace stallscope::collect {
namespace {

// All files of a recording; --force replaces only these.
constexpr std::array<std::string_view, 12> known_files{
    "recording.json", ".recording.json.new", "samples.perf", "counters.jsonl", "plan.json",
    "kallsyms",       ".kallsyms.new",       "report.html",  "python.jsonl",   "runtimes.jsonl",
    "waits.jsonl",    "requests.bin"};
constexpr off_t reserved_bytes = 64 << 10;
constexpr std::string_view document = "recording.json";

std::vector<std::string> entries_of(int fd) {
  std::vector<std::string> names;
  const int copy = ::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory{::fdopendir(copy), &::closedir};
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    const std::string_view name{entry->d_name};
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

bool holds_our_document(int directory) {
  const descriptor fd{
      ::openat(directory, document.data(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  std::array<char, 256> start{};
  const auto read_bytes = fd ? ::read(fd.get(), start.data(), start.size()) : -1;
  return read_bytes > 0 &&
         std::string_view{start.data(), static_cast<std::size_t>(read_bytes)}.find(
             "\"stallscope.recording/") != std::string_view::npos;
}

constexpr std::string_view aside_prefix = ".replaced-";

std::string aside(const std::string& name) { return std::string{aside_prefix} + name; }

failure unwritable(const std::string& path, int error) {
  const auto cause = failure_of(output_error{error, path}, {});
  const bool disk = cause.code() == exit_code::unwritable;
  return {disk ? exit_code::unwritable : exit_code::usage,
          "the output directory " + path + " cannot be written: " + error_text(error),
          disk ? cause.remedy() : "name another directory with -o"};
}

}  // namespace

output_directory::output_directory(std::string path, bool force) : path_{std::move(path)} {
  auto made = make_output_directory(path_);
  fd_ = std::move(made.directory);
  created_directory_ = made.created;
  if (!created_directory_) open_existing(force);
  if (::faccessat(fd_.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) throw unwritable(path_, errno);
}

output_directory::~output_directory() {
  if (!committed_) discard();
}

// A collector that was killed before commit() leaves the replaced recording under hidden names.
// After the start of commit(), only the rest of it is left. Without a new document, the kill came
// before the first new file, and files without a hidden name belong to the replaced recording.
void output_directory::restore_replaced() {
  const bool committed = !exists(aside(std::string{document}));
  const bool has_new_files = exists(std::string{document});
  for (const auto& name : known_files) {
    const std::string file{name};
    if (committed) {
      ::unlinkat(fd_.get(), aside(file).c_str(), 0);
    } else if (::renameat(fd_.get(), aside(file).c_str(), fd_.get(), file.c_str()) != 0 &&
               errno == ENOENT && has_new_files) {
      ::unlinkat(fd_.get(), file.c_str(), 0);
    }
  }
}

void output_directory::open_existing(bool force) {
  const bool has_replaced = std::ranges::any_of(entries_of(fd_.get()), [](const std::string& name) {
    return name.starts_with(aside_prefix);
  });
  if (has_replaced) restore_replaced();
  const auto names = entries_of(fd_.get());
  if (names.empty()) return;
  if (!force) {
    throw failure{exit_code::usage, "the output directory " + path_ + " exists and is not empty",
                  "name another directory with -o, or replace the recording in it with --force"};
  }
  if (!holds_our_document(fd_.get())) {
    throw failure{
        exit_code::usage,
        "the output directory " + path_ + " contains files but no recording of stallscope",
        "--force replaces only recordings: name another directory with -o"};
  }
  for (const auto& name : known_files) {
    const std::string file{name};
    if (::renameat(fd_.get(), file.c_str(), fd_.get(), aside(file).c_str()) == 0)
      set_aside_.push_back(file);
  }
}

void output_directory::commit() {
  committed_ = true;
  for (const auto& name : set_aside_) ::unlinkat(fd_.get(), aside(name).c_str(), 0);
  set_aside_.clear();
}

descriptor output_directory::create(const std::string& name) {
  if (const int error = unlink_old(name)) throw unwritable(path_ + "/" + name, error);
  descriptor fd{::openat(fd_.get(), name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!fd) throw unwritable(path_ + "/" + name, errno);
  created_.push_back(name);
  return fd;
}

void output_directory::publish(const std::string& temporary, const std::string& name) {
  if (::renameat(fd_.get(), temporary.c_str(), fd_.get(), name.c_str()) != 0)
    throw output_error(errno, "rename " + path_ + "/" + temporary);
  created_.push_back(name);
}

void output_directory::replace(const std::string& name, const std::string& content) {
  const std::string temporary = "." + name + ".new";
  if (const int error = unlink_old(temporary))
    throw output_error(error, "unlink " + path_ + "/" + temporary);
  const descriptor fd{::openat(fd_.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  std::string_view left{content};
  bool good = bool{fd};
  while (good && !left.empty()) {
    const auto wrote = ::write(fd.get(), left.data(), left.size());
    good = wrote > 0 || (wrote < 0 && errno == EINTR);
    if (wrote > 0) left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (!good || ::renameat(fd_.get(), temporary.c_str(), fd_.get(), name.c_str()) != 0) {
    const int error = errno;
    ::unlinkat(fd_.get(), temporary.c_str(), 0);
    throw output_error(error, "write " + path_ + "/" + name);
  }
  if (std::find(created_.begin(), created_.end(), name) == created_.end()) created_.push_back(name);
}

void output_directory::reserve(const std::string& name) {
  const descriptor fd{create("." + name + ".new")};
  [[maybe_unused]] const int refused = ::posix_fallocate(fd.get(), 0, reserved_bytes);
}

// Returns 0, also if there is no such file, or errno.
int output_directory::unlink_old(const std::string& name) const {
  return ::unlinkat(fd_.get(), name.c_str(), 0) == 0 || errno == ENOENT ? 0 : errno;
}

bool output_directory::exists(const std::string& name) const {
  return ::faccessat(fd_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void output_directory::remove(const std::string& name) { ::unlinkat(fd_.get(), name.c_str(), 0); }

std::optional<std::uint64_t> output_directory::free_bytes() const {
  struct statvfs space {};
  if (::fstatvfs(fd_.get(), &space) != 0) return std::nullopt;
  return std::uint64_t{space.f_bavail} * space.f_frsize;
}

std::uint64_t output_directory::size_of(const std::string& name) const {
  struct stat status {};
  return ::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
             ? static_cast<std::uint64_t>(status.st_size)
             : 0;
}

void output_directory::discard() {
  for (const auto& name : created_) ::unlinkat(fd_.get(), name.c_str(), 0);
  for (const auto& name : set_aside_)
    ::renameat(fd_.get(), aside(name).c_str(), fd_.get(), name.c_str());
  if (created_directory_) ::rmdir(path_.c_str());
}

}  // namespace stallscope::collect

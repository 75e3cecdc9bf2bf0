#include "base/procfs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <sstream>
#include <system_error>

namespace stallscope {
namespace {

// A process that has ended has no entries. A missing resource is another cause.
void require_resources(int error, const std::filesystem::path& path) {
  for (const int resource : {EMFILE, ENFILE, ENOMEM}) {
    if (error == resource)
      throw std::system_error(error, std::generic_category(), "cannot read " + path.string());
  }
}

// The directory's entries whose names are numbers.
std::vector<pid_t> numbers_in(const std::filesystem::path& path) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory{::opendir(path.c_str()), &::closedir};
  if (!directory) {
    require_resources(errno, path);
    return numbers;
  }
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name{entry->d_name};
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  require_resources(errno, path);
  return numbers;
}

std::string read_opened(const descriptor& fd, std::size_t limit) {
  std::string text;
  std::array<char, 16'384> chunk{};
  while (text.size() < limit) {
    const auto got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// A file in /proc; empty if its process has ended.
std::string read_process_file(const std::filesystem::path& path) {
  constexpr std::size_t limit = std::size_t{1} << 22U;
  const descriptor fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (fd) return read_opened(fd, limit);
  require_resources(errno, path);
  return {};
}

// The kernel writes a newline in a path as \012, and only that.
std::string unescaped(std::string path) {
  static constexpr std::string_view newline{"\\012"};
  for (std::size_t at = path.find(newline); at != std::string::npos;
       at = path.find(newline, at + 1)) {
    path[at] = '\n';
    path.erase(at + 1, newline.size() - 1);
  }
  return path;
}

descriptor open_if_mapped(const std::string& path, const memory_mapping& mapping) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  descriptor fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  // Overlays report another device in maps than in stat, so the inode alone must do.
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (status.st_ino != mapping.inode) return {};
  return fd;
}

}  // namespace

std::string read_text(const std::filesystem::path& path, std::size_t limit) {
  const descriptor fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  return fd ? read_opened(fd, limit) : std::string{};
}

std::vector<pid_t> procfs::processes() const { return numbers_in(root_); }

std::vector<pid_t> procfs::threads(pid_t pid) const {
  return numbers_in(root_ / std::to_string(pid) / "task");
}

std::vector<pid_t> procfs::children(pid_t pid) const {
  std::vector<pid_t> all;
  for (const pid_t tid : threads(pid)) {
    std::istringstream list{
        read_process_file(root_ / std::to_string(pid) / "task" / std::to_string(tid) / "children")};
    for (pid_t child = 0; list >> child;) all.push_back(child);
  }
  return all;
}

std::optional<process_status> procfs::status(pid_t tid) const {
  const std::string text = read_process_file(root_ / std::to_string(tid) / "status");
  if (text.empty()) return std::nullopt;
  process_status status;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    const auto value = [&line](std::string_view key) -> const char* {
      return line.starts_with(key) ? line.c_str() + key.size() : nullptr;
    };
    if (const char* name = value("Name:\t")) status.name = name;
    if (const char* tgid = value("Tgid:\t")) status.tgid = static_cast<pid_t>(std::atoi(tgid));
    if (const char* parent = value("PPid:\t"))
      status.parent = static_cast<pid_t>(std::atoi(parent));
    if (const char* state = value("State:\t")) status.state = *state;
  }
  return status;
}

std::string procfs::thread_name(pid_t pid, pid_t tid) const {
  std::string name =
      read_text(root_ / std::to_string(pid) / "task" / std::to_string(tid) / "comm", 64);
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

descriptor open_mapped_file(const procfs& proc, pid_t pid, const memory_mapping& mapping) {
  if (mapping.inode == 0 || !mapping.path.starts_with('/')) return {};
  const std::string process = proc.root().string() + "/" + std::to_string(pid);
  std::array<char, 40> range{};
  std::snprintf(range.data(), range.size(), "%llx-%llx",
                static_cast<unsigned long long>(mapping.start),
                static_cast<unsigned long long>(mapping.end));
  auto fd = open_if_mapped(process + "/map_files/" + range.data(), mapping);
  if (!fd) fd = open_if_mapped(process + "/root" + mapping.path, mapping);
  if (!fd) fd = open_if_mapped(mapping.path, mapping);  // the process may be gone
  return fd;
}

std::optional<memory_mapping> parse_mapping(const std::string& line) {
  memory_mapping mapping;
  std::array<char, 5> flags{};
  unsigned long long start = 0;
  unsigned long long end = 0;
  unsigned long long offset = 0;
  unsigned long long inode = 0;
  int path_at = 0;
  const int fields =
      std::sscanf(line.c_str(), "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, flags.data(),
                  &offset, &mapping.major, &mapping.minor, &inode, &path_at);
  if (fields != 7 || end <= start) return std::nullopt;
  mapping.start = start;
  mapping.end = end;
  mapping.page_offset = offset;
  mapping.inode = inode;
  const auto has = [&flags](std::size_t i, char c) { return flags.at(i) == c; };
  mapping.protection =
      static_cast<std::uint32_t>((has(0, 'r') ? PROT_READ : 0) | (has(1, 'w') ? PROT_WRITE : 0) |
                                 (has(2, 'x') ? PROT_EXEC : 0));
  mapping.shared = has(3, 's');
  mapping.path = unescaped(line.substr(static_cast<std::size_t>(path_at)));
  return mapping;
}

void procfs::visit_mappings(pid_t pid,
                            const std::function<bool(const memory_mapping&)>& visit) const {
  bool any = false;
  const auto read = [&](const std::filesystem::path& folder) {
    for_each_line(folder / "maps", [&](std::string_view line) {
      const auto mapping = parse_mapping(std::string{line});
      any = any || mapping.has_value();
      return !mapping || visit(*mapping);
    });
  };
  const auto process = root_ / std::to_string(pid);
  read(process);
  if (any) return;
  // A first thread that has ended has no mappings any more; those that go on do.
  for (const pid_t tid : threads(pid)) {
    if (tid != pid) read(process / "task" / std::to_string(tid));
    if (any) return;
  }
}

bool for_each_line(const std::string& path, const std::function<bool(std::string_view)>& visit) {
  const descriptor fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) return false;
  std::vector<char> chunk(std::size_t{64} << 10U);
  std::size_t held = 0;
  while (true) {
    const auto got = ::read(fd.get(), chunk.data() + held, chunk.size() - held);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    const std::string_view text{chunk.data(), held + static_cast<std::size_t>(got)};
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
      if (!visit(text.substr(begin, end - begin))) return true;
      begin = end + 1;
    }
    held = text.size() - begin;
    if (held == chunk.size()) held = 0;  // a line longer than any that is looked for
    std::copy_n(chunk.begin() + static_cast<std::ptrdiff_t>(begin), held, chunk.begin());
  }
}

}  // namespace stallscope

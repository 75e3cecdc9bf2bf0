#include "base/output_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/failure.hpp"

namespace stallscope {
namespace {

constexpr int max_links = 40;  // as the kernel's MAXSYMLINKS
constexpr int path_flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

// The reason why a directory cannot be used; the message adds the path.
class refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(int error) { throw refused{std::generic_category().message(error)}; }

// The number that users outside of this user namespace appear to have, unless a user inside can
// have it too.
void add_unmapped_user(std::vector<uid_t>& users) {
  std::uint64_t overflow = 0;
  std::uint64_t first = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  if (!(std::ifstream{"/proc/sys/kernel/overflowuid"} >> overflow)) return;
  std::ifstream map{"/proc/self/uid_map"};
  if (!map) return;
  while (map >> first >> outside >> count) {
    if (first <= overflow && overflow - first < count) return;
  }
  users.push_back(static_cast<uid_t>(overflow));
}

std::vector<uid_t> trusted_users() {
  std::vector<uid_t> users{0};
  const char* sudo_user = std::getenv("SUDO_UID");
  const std::string_view text{sudo_user == nullptr ? "" : sudo_user};
  uid_t user = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), user);
  if (!text.empty() && parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size())
    users.push_back(user);
  add_unmapped_user(users);
  return users;
}

// A walk from / to a directory that checks each component.
class trusted_walk {
 public:
  trusted_walk() : trusted_{trusted_users()} {
    open_root();
    check(directory_.get(), "/");
  }

  void descend(const std::string& path) {
    push(path);
    int links = 0;
    while (!remaining_.empty()) {
      const std::string part = std::move(remaining_.back());
      remaining_.pop_back();
      descriptor entry{::openat(directory_.get(), part.c_str(), path_flags)};
      if (!entry) refuse(errno);
      const std::string name = name_ + "/" + part;
      if (!check(entry.get(), name)) {
        directory_ = std::move(entry);
        name_ = name;
        continue;
      }
      if (++links > max_links) refuse(ELOOP);
      follow(entry.get());
    }
  }
  [[nodiscard]] descriptor take() { return std::move(directory_); }

 private:
  // Returns whether it is a symbolic link; throws if root cannot trust it.
  bool check(int entry, const std::string& name) const {
    struct stat status {};
    if (::fstat(entry, &status) != 0) refuse(errno);
    const auto is_trusted = [this](id_t id) {
      return std::find(trusted_.begin(), trusted_.end(), id) != trusted_.end();
    };
    if (!is_trusted(status.st_uid)) {
      throw refused{name + " belongs to the user " + std::to_string(status.st_uid) +
                    ", who could redirect what root writes"};
    }
    if (S_ISLNK(status.st_mode)) return true;
    if ((status.st_mode & S_ISVTX) != 0) return false;
    if ((status.st_mode & S_IWOTH) != 0)
      throw refused{name + " is writable by all users and not sticky"};
    // A group with the number of a user is that user's private group.
    if ((status.st_mode & S_IWGRP) != 0 && !is_trusted(status.st_gid)) {
      throw refused{name + " is writable by the group " + std::to_string(status.st_gid) +
                    " and not sticky"};
    }
    return false;
  }

  void follow(int link) {
    std::array<char, PATH_MAX> target{};
    const auto length = ::readlinkat(link, "", target.data(), target.size());
    if (length < 0) refuse(errno);
    const std::string text{target.data(), static_cast<std::size_t>(length)};
    if (text.starts_with('/')) {
      open_root();
      name_.clear();
    }
    push(text);
  }

  void open_root() {
    directory_.reset(::open("/", path_flags));
    if (!directory_) refuse(errno);
  }

  // Adds the components of a path before those that remain.
  void push(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      std::string part = path.substr(begin, end - begin);
      if (!part.empty() && part != ".") parts.push_back(std::move(part));
      begin = end + 1;
    }
    remaining_.insert(remaining_.end(), parts.rbegin(), parts.rend());
  }

  std::vector<uid_t> trusted_;
  descriptor directory_;
  std::string name_;                    // "" is /
  std::vector<std::string> remaining_;  // the next component is the last
};

descriptor open_parent(const std::string& parent) {
  if (::geteuid() != 0) {
    descriptor directory{::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!directory) refuse(errno);
    return directory;
  }
  trusted_walk walk;
  if (!parent.starts_with('/')) {
    std::array<char, PATH_MAX> current{};
    if (::getcwd(current.data(), current.size()) == nullptr) refuse(errno);
    walk.descend(current.data());
  }
  walk.descend(parent);
  return walk.take();
}

void check_own(int directory) {
  struct stat status {};
  if (::fstat(directory, &status) != 0) refuse(errno);
  const auto trusted = trusted_users();
  if (status.st_uid != ::geteuid() &&
      std::find(trusted.begin(), trusted.end(), status.st_uid) == trusted.end())
    throw refused{"it belongs to the user " + std::to_string(status.st_uid)};
  if ((status.st_mode & S_IWOTH) != 0) throw refused{"all users may write to it"};
}

made_directory make(const std::string& path) {
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.ends_with('/')) trimmed.pop_back();
  const auto slash = trimmed.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : trimmed.substr(0, slash + 1);
  std::string name = trimmed.substr(slash == std::string::npos ? 0 : slash + 1);
  if (name.empty() && !path.empty()) name.push_back('.');
  const descriptor place = open_parent(parent);
  made_directory made;
  made.created = ::mkdirat(place.get(), name.c_str(), 0700) == 0;
  if (!made.created && errno != EEXIST) refuse(errno);
  made.directory.reset(
      ::openat(place.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made.directory) {
    struct stat status {};
    const int error = errno;
    if (::fstatat(place.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(status.st_mode))
      throw refused{"it is a symbolic link"};
    refuse(error);
  }
  if (!made.created) check_own(made.directory.get());
  return made;
}

}  // namespace

made_directory make_output_directory(const std::string& path) {
  try {
    return make(path);
  } catch (const refused& reason) {
    throw failure{exit_code::usage,
                  "the output directory " + path + " cannot be written: " + reason.what(),
                  "name another directory with -o"};
  }
}

}  // namespace stallscope

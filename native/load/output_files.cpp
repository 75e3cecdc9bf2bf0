#include "load/output_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "base/failure.hpp"
#include "base/output_directory.hpp"

namespace stallscope::load {
namespace {

constexpr const char* document_name = "load.json";
constexpr const char* document_begun = ".load.json.new";

failure unwritable(const std::string& path, int error) {
  return {exit_code::usage,
          error == EEXIST ? "the directory " + path + " already contains a run"
                          : "the directory " + path + " is not writable: " + std::strerror(error),
          "choose another directory with -o"};
}

}  // namespace

output_files::output_files(std::string directory) : path_{std::move(directory)} {
  directory_ = make_output_directory(path_).directory;
  if (::faccessat(directory_.get(), document_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    throw unwritable(path_, EEXIST);
  }
  intended_file_ = create("intended.hlog");
  service_file_ = create("service.hlog");
  lag_file_ = create("lag.hlog");
}

output_files::~output_files() {
  if (lag_) return;
  for (const char* name : {"intended.hlog", "service.hlog", "lag.hlog"}) {
    ::unlinkat(directory_.get(), name, 0);
  }
  ::rmdir(path_.c_str());  // fails if the directory is not empty
}

descriptor output_files::create(const std::string& name) const {
  descriptor made(::openat(directory_.get(), name.c_str(),
                           O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!made) throw unwritable(path_, errno);
  return made;
}

void output_files::begin(double start_s) {
  intended_.emplace(std::move(intended_file_), path_ + "/intended.hlog", start_s);
  service_.emplace(std::move(service_file_), path_ + "/service.hlog", start_s);
  lag_.emplace(std::move(lag_file_), path_ + "/lag.hlog", start_s);
}

void output_files::append(std::chrono::nanoseconds begin, std::chrono::nanoseconds length,
                          const measurements& values) {
  intended_->append(begin, length, values.intended);
  service_->append(begin, length, values.service);
  lag_->append(begin, length, values.lag);
}

void output_files::finish(const std::string& document) {
  const descriptor file = create(document_begun);
  const auto wrote = ::write(file.get(), document.data(), document.size());
  const int error = wrote < 0 ? errno : ENOSPC;
  if (wrote != static_cast<ssize_t>(document.size()) ||
      ::renameat(directory_.get(), document_begun, directory_.get(), document_name) != 0) {
    ::unlinkat(directory_.get(), document_begun, 0);
    throw output_error(error, "cannot write " + path_ + "/load.json");
  }
}

}  // namespace stallscope::load

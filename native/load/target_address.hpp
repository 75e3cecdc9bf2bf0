// Where the target listens: HOST:PORT, HOST an address or localhost, or unix:PATH. No names are
// looked up: that would need the system's resolver in a static program. Any thread.
#pragma once

#include <sys/socket.h>

#include <string>

#include "base/descriptor.hpp"

namespace stallscope::load {

class target_address {
 public:
  // Throws failure (usage) where the text is none.
  explicit target_address(const std::string& text);

  // A new socket whose connection is begun, not waited for; `error` is 0, EINPROGRESS or why not.
  [[nodiscard]] descriptor begin_connection(int& error) const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  void read_unix(const std::string& path);
  void read_internet(const std::string& text);

  std::string name_;
  sockaddr_storage address_{};
  socklen_t size_ = 0;
};

}  // namespace stallscope::load

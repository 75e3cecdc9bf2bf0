// The address of the target: HOST:PORT with a numeric address or localhost, or unix:PATH. Names are
// not resolved: that would need the resolver of the system in a static program. Any thread.
#pragma once

#include <sys/socket.h>

#include <string>

#include "base/descriptor.hpp"

namespace stallscope::load {

class target_address {
 public:
  // Throws failure (usage) if the text is not an address.
  explicit target_address(const std::string& text);

  // A new socket with a pending connection; `error` is 0, EINPROGRESS or an errno.
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

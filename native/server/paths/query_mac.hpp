// HMAC-SHA256 with a fixed key, by libcrypto; the key blocks are computed once. One thread.
#pragma once

#include <openssl/types.h>

#include <array>
#include <memory>
#include <string_view>

namespace stallscope::server {

using mac_bytes = std::array<unsigned char, 32>;

class mac_computer {
 public:
  // Throws std::runtime_error with the message of libcrypto.
  explicit mac_computer(std::string_view key);
  mac_bytes mac(std::string_view bytes);

 private:
  struct free_mac {
    void operator()(EVP_MAC_CTX* context) const noexcept;
  };
  std::unique_ptr<EVP_MAC_CTX, free_mac> context_;
};

}  // namespace stallscope::server

// Any bytes as the memory of a PHP process: walks end in limited time, and their functions are in
// the log. The input changes bytes of a small valid process, entries of three bytes: the place and
// a value to add.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "../../tests/native/php_frames/fake_php.hpp"
#include "php_frames/reader.hpp"
#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stallscope;
  using namespace stallscope::php_frames;
  fake_php php;
  php.call(php.add_function("", 0, "/a.php", 1, 90), 50, true);
  php.call(php.add_function("usort", 0, "", 0, 0), 0, false);
  php.call(php.add_function("compare", php.add_class("Order"), "/a.php", 10, 20), 12, true);
  const auto visible = php.visible();
  for (std::span input{data, size}; input.size() >= 3; input = input.subspan(3)) {
    auto& byte = visible[(input[0] | std::size_t{input[1]} << 8U) % visible.size()];
    byte = static_cast<std::byte>(static_cast<std::uint8_t>(byte) + input[2]);
  }
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  reader frames{::getpid(), php_8_2, php.globals(), log};
  managed_frames::stack_sample sample;
  sample.pid = sample.tid = ::getpid();
  for (int again = 0; again < 2; ++again) {
    managed_frames::managed_stack walked;
    frames.walk(sample, walked);
    for (const auto& run : walked.runs) {
      require(!run.empty());
      for (const auto& frame : run)
        require(lines.find("{\"function\":" + std::to_string(frame.function) + ",") !=
                std::string::npos);
    }
  }
  return 0;
}

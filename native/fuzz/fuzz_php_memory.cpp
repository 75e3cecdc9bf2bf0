// Any bytes as the memory of a PHP process: walks end in limited time, and their functions are in
// the log. The input changes bytes of a small valid process (changed_memory.hpp).
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "../../tests/native/php_frames/fake_php.hpp"
#include "changed_memory.hpp"
#include "php_frames/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stallscope;
  using namespace stallscope::php_frames;
  fake_php php;
  php.call(php.add_function("", 0, "/a.php", 1, 90), 50, true);
  php.call(php.add_function("usort", 0, "", 0, 0), 0, false);
  php.call(php.add_function("compare", php.add_class("Order"), "/a.php", 10, 20), 12, true);
  change_bytes(php.visible(), {data, size});
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  reader frames{::getpid(), php_8_2, php.globals(), log};
  managed_frames::stack_sample sample;
  sample.pid = sample.tid = ::getpid();
  require_logged_walks(frames, sample, lines);
  return 0;
}

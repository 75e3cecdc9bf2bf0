// Any bytes as the memory of a Ruby process: walks end in limited time, and their functions are in
// the log. The input changes bytes of a small valid process (changed_memory.hpp).
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "../../tests/native/ruby_frames/fake_ruby.hpp"
#include "changed_memory.hpp"
#include "ruby_frames/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stallscope;
  using namespace stallscope::ruby_frames;
  fake_ruby ruby;
  ruby.push(ruby.add_sequence("<main>", "<main>", "/a.rb", 5),
            fake_ruby::method_kind | fake_ruby::finish | fake_ruby::local);
  ruby.push(ruby.add_sequence("total", "total", "/a.rb", 7),
            fake_ruby::method_kind | fake_ruby::local);
  ruby.push(ruby.add_sequence("block in total", "total", "/a.rb", 9),
            fake_ruby::block_kind | fake_ruby::finish | fake_ruby::local);
  const auto visible = ruby.visible();
  change_bytes(visible, {data, size});
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  const process_reading::process_memory memory{::getpid()};
  const auto begin = reinterpret_cast<std::uint64_t>(visible.data());
  reader frames{::getpid(), ruby_3_1, ruby.vm_pointer(),
                objects{memory, ruby_3_1, {{begin, begin + visible.size()}}}, log};
  managed_frames::stack_sample sample;
  sample.pid = sample.tid = ::getpid();
  sample.stack_address = fake_ruby::stack_top - 64;
  require_logged_walks(frames, sample, lines);
  return 0;
}

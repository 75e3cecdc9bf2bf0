#include <doctest/doctest.h>
#include <fcntl.h>

#include "collect/kernel_map.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

const std::string symbols =
    "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000100 t "
    "inner\nffffffff81400000 T _etext\n"
    "ffffffff82000000 D data_thing\nffffffffc0000000 t of_module\t[some_module]\n";

std::string hidden() {
  return "0000000000000000 T _stext\n0000000000000000 T _text\n0000000000000000 T _etext\n";
}

}  // namespace

TEST_CASE("lines of kallsyms are parsed") {
  const auto symbol = parse_kallsyms_line("ffffffffc0000000 t of_module\t[some_module]");
  REQUIRE(symbol);
  CHECK(symbol->address == 0xffffffffc0000000);
  CHECK(symbol->kind == 't');
  CHECK(symbol->name == "of_module");
  CHECK(symbol->rest == "[some_module]");
  for (const char* line : {"", "x", "ff", "ff t", "ff t ", "ff  tx"})
    CHECK_FALSE(parse_kallsyms_line(line));
}

TEST_CASE("the kernel's text range is read, and is absent if addresses are hidden") {
  const test::scratch folder;
  const auto layout = read_kernel_layout(folder.write("kallsyms", symbols));
  REQUIRE(layout);
  CHECK(layout->reference == "_text");
  CHECK(layout->start == 0xffffffff81000000);
  CHECK(layout->end == 0xffffffff81400000);
  CHECK_FALSE(read_kernel_layout(folder.write("hidden", hidden())));
  CHECK_FALSE(read_kernel_layout(folder.at("missing")));
}

TEST_CASE("the copy of kallsyms holds only text symbols, and is empty if addresses are hidden") {
  const test::scratch folder;
  const auto copy = [&folder](const std::string& from, bool interrupted) {
    const descriptor to{
        ::open(folder.at("copy").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600)};
    return copy_kallsyms(
        to, [interrupted] { return interrupted; }, from);
  };
  const auto bytes = copy(folder.write("kallsyms", symbols), false);
  CHECK(bytes > 0);
  CHECK(folder.read("copy").size() == bytes);
  CHECK(folder.read("copy").find("of_module\t[some_module]") != std::string::npos);
  CHECK(folder.read("copy").find("data_thing") == std::string::npos);
  CHECK(copy(folder.write("kallsyms", symbols), true) == 0);
  CHECK(copy(folder.write("hidden", hidden()), false) == 0);
}

TEST_CASE("lines longer than the buffer are skipped") {
  const test::scratch folder;
  int lines = 0;
  CHECK(for_each_line(folder.write("text", std::string(200'000, 'x') + "\nshort\n"),
                      [&lines](std::string_view line) {
                        lines += line == "short" ? 1 : 0;
                        return true;
                      }));
  CHECK(lines == 1);
}

TEST_CASE("only modules with addresses have a map") {
  const test::scratch folder;
  record_buffer buffer;
  put_kernel_modules(
      buffer, folder.write(
                  "modules",
                  "one 16384 0 - Live 0xffffffffc0000000\ntwo 4096 0 - Live 0x0000000000000000\n"));
  const std::string bytes{reinterpret_cast<const char*>(buffer.bytes().data()),
                          buffer.bytes().size()};
  CHECK(bytes.find("[one]") != std::string::npos);
  CHECK(bytes.find("[two]") == std::string::npos);
}

TEST_CASE("missing symbols and hidden symbols have different warnings") {
  const test::scratch folder;
  CHECK(no_kernel_layout(folder.at("nothing")).code == "kernel-symbols-missing");
  CHECK(no_kernel_layout(folder.write("kallsyms", "")).code == "kernel-addresses-hidden");
}

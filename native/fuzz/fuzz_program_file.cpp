// Any bytes as an ELF file: the symbols of an interpreter, the build id and the names of libraries
// are read within their limits, or there are none.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/descriptor.hpp"
#include "collect/build_id.hpp"
#include "collect/command_files.hpp"
#include "process_reading/program_symbols.hpp"

namespace {

using namespace stallscope;

constexpr std::array<std::string_view, 3> names{"_PyRuntime", "Py_Version", "PyCode_Type"};
constexpr std::size_t max_libraries = 4096;
constexpr std::size_t max_library_name = 256;

void require(bool holds) {
  if (!holds) std::abort();
}

void read_symbols(int file, process_reading::symbol_scope scope) {
  process_reading::read_budget budget{{.bytes = std::uint64_t{1} << 20U, .cpu_ns = 1'000'000'000}};
  const auto symbols = process_reading::find_symbols(file, names, scope, budget);
  require(symbols.addresses.size() == names.size());
  for (const auto& segment : symbols.executable)
    process_reading::address_of_offset(symbols, segment.file_offset);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const descriptor file{::memfd_create("elf", MFD_CLOEXEC)};
  require(::pwrite(file.get(), data, size, 0) == static_cast<ssize_t>(size));
  read_symbols(file.get(), process_reading::symbol_scope::dynamic);
  read_symbols(file.get(), process_reading::symbol_scope::linker);
  require(collect::build_id_of_file(file.get()).size() <= collect::max_build_id_bytes);
  const auto libraries = collect::needed_libraries(file);
  require(libraries.size() <= max_libraries);
  for (const auto& library : libraries)
    require(!library.empty() && library.size() <= max_library_name);
  const auto bytes = std::as_bytes(std::span(data, size));
  require(collect::build_id_of_notes(bytes).size() <= collect::max_build_id_bytes);
  return 0;
}

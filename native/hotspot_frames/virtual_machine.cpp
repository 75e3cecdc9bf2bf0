#include "hotspot_frames/virtual_machine.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include "process_reading/dynamic_symbols.hpp"
#include "process_reading/elf_file.hpp"

namespace stallscope::hotspot_frames {
namespace {

using process_reading::dynamic_symbols;
using process_reading::elf_file;

constexpr std::string_view library_name = "/libjvm.so";
constexpr std::size_t version_bytes = 64;

const memory_mapping* find_library(const std::vector<memory_mapping>& mappings) {
  for (const auto& mapping : mappings) {
    if (mapping.path.ends_with(library_name)) return &mapping;
  }
  return nullptr;
}

struct loaded_symbols {
  dynamic_symbols symbols;
  std::uint64_t bias;
};

std::optional<std::uint64_t> symbol_address(const void* context, std::string_view name) {
  const auto* const loaded = static_cast<const loaded_symbols*>(context);
  const auto value = loaded->symbols.value_of(name);
  return value ? std::optional{*value + loaded->bias} : std::nullopt;
}

// The address of a byte of the file before the loader adds a bias; 0 if it is not loaded.
std::uint64_t address_of_offset(const elf_file& file, std::uint64_t offset) {
  for (const auto& segment : file.segments()) {
    if (segment.p_type == PT_LOAD && offset >= segment.p_offset &&
        offset - segment.p_offset < segment.p_filesz)
      return segment.p_vaddr + (offset - segment.p_offset);
  }
  return 0;
}

virtual_machine_search refused(std::string reason) { return {{}, true, std::move(reason)}; }

std::string version_text(const process_memory& memory, const vm_tables& tables, int major) {
  const auto variable = tables.address("Abstract_VM_Version::_s_vm_release");
  std::uint64_t address = 0;
  std::array<std::byte, version_bytes> bytes{};
  std::string text;
  if (variable && memory.read_value(*variable, address)) {
    const std::size_t count = memory.read_some(address, bytes);
    for (std::size_t i = 0; i < count && bytes.at(i) != std::byte{0}; ++i)
      text.push_back(static_cast<char>(bytes.at(i)));
  }
  return text.empty() ? std::to_string(major) : text;
}

}  // namespace

virtual_machine_search find_virtual_machine(const managed_frames::target_view& target,
                                            read_budget& budget) {
  const auto* const library = find_library(target.mappings);
  if (library == nullptr) return {};
  const auto fd = open_mapped_file(target.proc, target.pid, *library);
  if (!fd) return refused("no permission to open libjvm of the process");
  const auto file = elf_file::open(fd.get(), budget);
  if (!file) return refused("its libjvm is not an ELF file of this machine");
  const loaded_symbols loaded{dynamic_symbols{*file},
                              library->start - address_of_offset(*file, library->page_offset)};
  const auto& memory = target.memory;
  std::uint64_t structs = 0;
  const auto tables_address = symbol_address(&loaded, "gHotSpotVMStructs");
  if (!tables_address) return refused("its libjvm does not export its tables");
  if (!memory.read_value(*tables_address, structs))
    return refused("no permission to read the memory of the process");
  const auto tables = vm_tables::read(memory, symbol_address, &loaded, budget);
  if (budget.exhausted()) return refused("the search exceeded its limits of size and time");
  if (!tables) return {{}, true, {}};  // libjvm is not relocated yet
  const auto variable = tables->address("Abstract_VM_Version::_vm_major_version");
  std::int32_t major = 0;
  if (!variable || !memory.read_value(*variable, major))
    return refused("the version of libjvm cannot be read");
  if (major == 0) return {{}, true, {}};
  auto choice = layout_of(*tables, major);
  if (!choice.layout) return refused(std::move(choice.refusal));
  return {virtual_machine{version_text(memory, *tables, major), *choice.layout}, true, {}};
}

}  // namespace stallscope::hotspot_frames

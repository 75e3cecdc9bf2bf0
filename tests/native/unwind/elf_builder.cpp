#include "elf_builder.hpp"

#include <elf.h>

#include <cstring>

namespace elf_builder {
namespace {

void align(bytes& to, std::size_t boundary) {
  to.resize((to.size() + boundary - 1) / boundary * boundary);
}

// Prefixes the length and pads with DW_CFA_nop.
bytes entry(const bytes& body) {
  bytes padded = body;
  align(padded, 4);
  return writer().put(static_cast<std::uint32_t>(padded.size())).raw(padded).made();
}

// Appends the sections and their names to the file and returns their headers: an empty header, a
// header per section, and the header of the names.
std::vector<Elf64_Shdr> append_sections(std::span<const section> sections, bytes& file) {
  std::vector<Elf64_Shdr> headers(1);
  std::string names(1, '\0');
  for (const section& input : sections) {
    align(file, 16);
    Elf64_Shdr& made = headers.emplace_back();
    made.sh_name = static_cast<Elf64_Word>(names.size());
    made.sh_type = SHT_PROGBITS;
    made.sh_flags = input.flags;
    made.sh_addr = load_address + file.size();
    made.sh_offset = file.size();
    made.sh_size = input.content.size();
    names += input.name + '\0';
    file.insert(file.end(), input.content.begin(), input.content.end());
  }
  Elf64_Shdr& strings = headers.emplace_back();
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = file.size();
  strings.sh_size = names.size();
  const auto name_bytes = std::as_bytes(std::span(names));
  file.insert(file.end(), name_bytes.begin(), name_bytes.end());
  align(file, 16);
  return headers;
}

}  // namespace

writer& writer::list(std::initializer_list<unsigned> values) {
  for (const unsigned value : values) made_.push_back(static_cast<std::byte>(value));
  return *this;
}

writer& writer::text(const std::string& value) {
  raw(std::as_bytes(std::span(value.data(), value.size() + 1)));
  return *this;
}

writer& writer::raw(std::span<const std::byte> value) {
  made_.insert(made_.end(), value.begin(), value.end());
  return *this;
}

bytes eh_common(const entry_options& how) {
  writer body;
  body.put(std::uint32_t{0}).put(std::uint8_t{1}).text(how.augmentation);
  body.list(
      {how.code_alignment, static_cast<unsigned>(how.data_alignment) & 0x7fU, how.return_column});
  if (how.augmentation.find('z') != std::string::npos) body.list({1, 0});  // absolute addresses
  body.list(how.common);
  return entry(body.made());
}

bytes eh_function(std::uint32_t back_to_common, std::uint64_t start, std::uint64_t size,
                  std::initializer_list<unsigned> instructions, bool augmented) {
  writer body;
  body.put(back_to_common).put(start).put(size);
  if (augmented) body.list({0});
  return entry(body.list(instructions).made());
}

bytes eh_frame(std::initializer_list<unsigned> instructions, const entry_options& how,
               std::uint64_t start, std::uint64_t size) {
  const bytes common = eh_common(how);
  const auto back = static_cast<std::uint32_t>(common.size() + sizeof(std::uint32_t));
  const bool augmented = how.augmentation.find('z') != std::string::npos;
  return writer().raw(common).raw(eh_function(back, start, size, instructions, augmented)).made();
}

bytes build(std::span<const section> sections, const options& how) {
  bytes file(first_section - load_address);
  const auto headers = append_sections(sections, file);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = how.arch == stallscope::unwind::architecture::x86_64 ? EM_X86_64 : EM_AARCH64;
  header.e_entry = how.entry;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  if (how.section_headers) {
    header.e_shoff = file.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    const auto raw = std::as_bytes(std::span(headers));
    file.insert(file.end(), raw.begin(), raw.end());
  }
  Elf64_Phdr programs[2]{};
  programs[0].p_type = PT_LOAD;
  programs[0].p_flags = PF_R | PF_X;
  programs[0].p_vaddr = load_address;
  programs[0].p_filesz = programs[0].p_memsz = load_bytes;
  if (how.frame_header_section < sections.size()) {
    const Elf64_Shdr& named = headers[how.frame_header_section + 1];
    programs[1].p_type = PT_GNU_EH_FRAME;
    programs[1].p_vaddr = named.sh_addr;
    programs[1].p_filesz = named.sh_size;
  }
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, programs, sizeof programs);
  return file;
}

bytes build(std::initializer_list<section> sections, const options& how) {
  return build(std::span(sections.begin(), sections.size()), how);
}

}  // namespace elf_builder

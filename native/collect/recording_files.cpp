#include "collect/recording_files.hpp"

#include <span>
#include <system_error>

#include "collect/kernel_map.hpp"

namespace stallscope::collect {
namespace {

constexpr const char* recording_document_name = "recording.json";
constexpr const char* samples_name = "samples.perf";

}  // namespace

void recording_files::begin(recording_facts& facts) {
  write_document(facts, false);
  directory_.reserve(recording_document_name);
  samples_.emplace(directory_.create(samples_name));
}

void recording_files::commit(recording_facts& facts) {
  write_document(facts, false);
  directory_.reserve(recording_document_name);
  directory_.commit();
}

void recording_files::close(recording_facts& facts, const std::function<bool()>& hurried) {
  const std::string line = counter_line(facts);
  sample_file{directory_.create("counters.jsonl")}.append(std::as_bytes(std::span{line}));
  facts.files.push_back({"counters.jsonl", "jsonl", line.size()});
  if (facts.choice.attribute.exclude_kernel == 0) copy_kernel_symbols(facts, hurried);
  write_document(facts, true);
}

void recording_files::close_incomplete(recording_facts& facts) {
  facts.files = {{samples_name, "perf-pipe", samples_->size_bytes()}};
  directory_.commit();
  try {
    write_document(facts, false);
  } catch (const std::system_error&) {
    // The document written at the start remains. It marks the recording as incomplete.
  }
}

// An incomplete symbol file would resolve addresses to wrong names, so the file gets its final name
// only when it is complete.
void recording_files::copy_kernel_symbols(recording_facts& facts,
                                          const std::function<bool()>& hurried) {
  static constexpr const char* unfinished = ".kallsyms.new";
  try {
    const auto symbols = directory_.create(unfinished);
    const auto bytes = copy_kallsyms(symbols, hurried);
    if (bytes != 0) {
      directory_.publish(unfinished, "kallsyms");
      facts.files.push_back({"kallsyms", "kallsyms", bytes});
    }
  } catch (const std::system_error& error) {
    facts.warnings.push_back(
        {"kernel-symbols-not-kept",
         std::string{"the kernel's symbols could not be kept: "} + error.what()});
  }
  directory_.remove(unfinished);
}

void recording_files::write_document(recording_facts& facts, bool complete) {
  facts.complete = complete;
  directory_.replace(recording_document_name, to_json(facts));
}

}  // namespace stallscope::collect

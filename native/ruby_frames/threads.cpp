#include "ruby_frames/threads.hpp"

#include <vector>

namespace stallscope::ruby_frames {
namespace {

using process_reading::value_at;

constexpr std::size_t max_listed = 1024;
constexpr std::size_t max_cached = 4096;
constexpr std::uint64_t max_stack_words = std::uint64_t{1} << 27U;

}  // namespace

std::optional<execution_context> threads::on_stack(std::uint64_t context,
                                                   std::uint64_t stack_pointer) const {
  std::vector<std::byte> bytes(fields_.context_bytes);
  if (context == 0 || !memory_.read(context, bytes)) return std::nullopt;
  const auto start = value_at<std::uint64_t>(bytes, fields_.context_stack_start);
  const auto size = value_at<std::uint64_t>(bytes, fields_.context_stack_bytes);
  const auto stack = value_at<std::uint64_t>(bytes, fields_.context_stack);
  const auto words = value_at<std::uint64_t>(bytes, fields_.context_stack_size);
  if (stack_pointer > start || start - stack_pointer > size || stack == 0 ||
      words > max_stack_words)
    return std::nullopt;
  return execution_context{context, stack + 8 * words, stack};
}

std::optional<execution_context> threads::context_of(pid_t tid, std::uint64_t stack_pointer) {
  if (last_.size() > max_cached) last_.clear();
  auto& last = last_[tid];
  if (auto known = on_stack(last, stack_pointer)) return known;
  std::uint64_t vm = 0;
  std::uint64_t ractor = 0;
  std::uint64_t running = 0;
  if (!memory_.read_value(vm_, vm) || !memory_.read_value(vm + fields_.vm_main_ractor, ractor) ||
      !memory_.read_value(ractor + fields_.ractor_running, running))
    return std::nullopt;
  if (auto holder = on_stack(running, stack_pointer)) {
    last = running;
    return holder;
  }
  const auto head = ractor + fields_.ractor_threads;
  std::uint64_t thread = 0;
  if (!memory_.read_value(head, thread)) return std::nullopt;
  for (std::size_t count = 0; thread != head && count < max_listed; ++count) {
    std::uint64_t context = 0;
    if (!memory_.read_value(thread + fields_.thread_context, context)) return std::nullopt;
    if (auto other = on_stack(context, stack_pointer)) {
      last = context;
      return other;
    }
    if (!memory_.read_value(thread, thread)) return std::nullopt;  // the list begins a thread
  }
  return std::nullopt;
}

}  // namespace stallscope::ruby_frames

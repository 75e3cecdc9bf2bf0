#include "collect/futex_wait.hpp"

#include <linux/futex.h>

#include <array>
#include <bit>

#include "perf_events/open_event.hpp"

namespace stallscope::collect {
namespace {

// Offsets of a sample with perf_events::sample_fields.
constexpr std::uint64_t chain_length_offset = 56;
constexpr std::uint64_t chain_offset = 64;
constexpr std::uint64_t max_chain_length = 4096;

// Numbers of the registers in asm/perf_regs.h.
#if defined(__x86_64__)
constexpr unsigned result_register = 0;  // ax
constexpr unsigned return_register = 2;  // cx: the instruction after the system call
constexpr unsigned value_register = 3;   // dx
constexpr unsigned operation_register = 4;
constexpr unsigned address_register = 5;
constexpr unsigned instruction_register = 8;
constexpr std::uint64_t blocked_result = static_cast<std::uint64_t>(-38);  // -ENOSYS until the end
#else
constexpr unsigned address_register = 0;
constexpr unsigned operation_register = 1;
constexpr unsigned value_register = 2;
constexpr unsigned number_register = 8;
constexpr std::uint64_t futex_number = 98;
#endif

class user_registers {
 public:
  user_registers(const perf_events::record_view& record, std::uint64_t offset, std::uint64_t mask)
      : record_{&record}, offset_{offset}, mask_{mask} {}
  [[nodiscard]] bool has(unsigned number) const { return ((mask_ >> number) & 1U) != 0; }
  [[nodiscard]] std::uint64_t operator[](unsigned number) const {
    const auto below = mask_ & ((std::uint64_t{1} << number) - 1);
    return record_->u64(offset_ + 8 * static_cast<std::uint64_t>(std::popcount(below)));
  }

 private:
  const perf_events::record_view* record_;
  std::uint64_t offset_;
  std::uint64_t mask_;
};

bool in_system_call(const user_registers& registers) {
#if defined(__x86_64__)
  return registers.has(result_register) && registers.has(return_register) &&
         registers.has(instruction_register) && registers[result_register] == blocked_result &&
         registers[return_register] == registers[instruction_register];
#else
  return registers.has(number_register) && registers[number_register] == futex_number;
#endif
}

bool waits(std::uint32_t operation) {
  constexpr std::uint32_t lock_pi2 = 13;  // FUTEX_LOCK_PI2, since Linux 5.14
  const auto command = operation & static_cast<std::uint32_t>(FUTEX_CMD_MASK);
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
         command == lock_pi2;
}

}  // namespace

std::optional<futex_wait> futex_wait_of(const perf_events::record_view& record,
                                        const perf_event_attr& attribute) noexcept {
  constexpr std::uint64_t expected = perf_events::sample_fields | PERF_SAMPLE_REGS_USER;
  constexpr std::uint64_t before_registers = PERF_SAMPLE_READ | PERF_SAMPLE_RAW |
                                             PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_ADDR |
                                             PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
  if ((attribute.sample_type & expected) != expected ||
      (attribute.sample_type & before_registers) != 0)
    return std::nullopt;
  const auto size = record.size();
  if (size < chain_offset) return std::nullopt;
  const auto chain_length = record.u64(chain_length_offset);
  if (chain_length > max_chain_length) return std::nullopt;
  const auto abi_offset = chain_offset + 8 * chain_length;
  const auto count = static_cast<std::uint64_t>(std::popcount(attribute.sample_regs_user));
  if (abi_offset + 8 + 8 * count > size || record.u64(abi_offset) != PERF_SAMPLE_REGS_ABI_64)
    return std::nullopt;
  const user_registers registers{record, abi_offset + 8, attribute.sample_regs_user};
  if (!registers.has(address_register) || !registers.has(operation_register) ||
      !registers.has(value_register) || !in_system_call(registers))
    return std::nullopt;
  const perf_events::sample_fields_view sample{record};
  const futex_wait wait{sample.pid,
                        sample.tid,
                        sample.time_ns,
                        registers[address_register],
                        static_cast<std::uint32_t>(registers[operation_register]),
                        static_cast<std::uint32_t>(registers[value_register])};
  if (wait.pid <= 0 || wait.address == 0 || wait.address % 4 != 0 || !waits(wait.operation))
    return std::nullopt;
  return wait;
}

}  // namespace stallscope::collect

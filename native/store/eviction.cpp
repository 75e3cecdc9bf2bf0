#include "store/eviction.hpp"

namespace stallscope::store {

std::optional<eviction_policy> eviction_policy_of(std::string_view name) {
  for (std::size_t at = 0; at < eviction_policy_names.size(); ++at) {
    if (eviction_policy_names[at] == name) return static_cast<eviction_policy>(at);
  }
  return std::nullopt;
}

}  // namespace stallscope::store

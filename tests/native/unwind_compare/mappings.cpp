#include "mappings.hpp"

#include <fstream>
#include <sstream>

namespace stallscope::unwind_compare {

std::vector<mapping> executable_mappings(pid_t process) {
  std::vector<mapping> mappings;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    mapping region;
    char dash = 0;
    std::string rights;
    std::string device;
    std::string inode;
    words >> std::hex >> region.start >> dash >> region.end >> rights >> region.file_offset >>
        device >> inode;
    if (rights.find('x') == std::string::npos) continue;
    words >> std::ws;
    std::getline(words, region.path);
    mappings.push_back(std::move(region));
  }
  return mappings;
}

}  // namespace stallscope::unwind_compare

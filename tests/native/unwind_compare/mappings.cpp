#include "mappings.hpp"

#include <fstream>
#include <sstream>

namespace stallscope::unwind_compare {

std::vector<mapping> executable_mappings(pid_t process) {
  std::vector<mapping> found;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    mapping one;
    char dash = 0;
    std::string rights;
    std::string device;
    std::string inode;
    words >> std::hex >> one.start >> dash >> one.end >> rights >> one.file_offset >> device >>
        inode;
    if (rights.find('x') == std::string::npos) continue;
    words >> std::ws;
    std::getline(words, one.path);
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace stallscope::unwind_compare

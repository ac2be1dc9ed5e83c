#include <gtest/gtest.h>
#include <fstream>

#include "unit/cost/rows.h"

namespace podium::test::cost {

const std::map<std::string, std::string>& known() {
  static const auto rows = [] {
    std::map<std::string, std::string> lines;
    std::ifstream file("unit/cost/known.txt");
    EXPECT_TRUE(file) << "run it in the project's folder";
    for (std::string line; std::getline(file, line);) {
      const auto colon = line.find(": ");
      if (!line.starts_with('#') && colon != std::string::npos)
        lines[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return lines;
  }();
  return rows;
}

}  // namespace podium::test::cost

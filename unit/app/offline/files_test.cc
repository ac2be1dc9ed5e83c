// Files and directories that a command line names.
#include "app/offline/files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/support/temp_dir.h"

namespace podium::offline {
namespace {

TEST(Files, AnInputWithoutAnEndIsAProblem) {
  Problems problems;
  EXPECT_TRUE(read_files({"/dev/zero"}, problems, 1000).empty());
  EXPECT_EQ(problems.error().text(), "/dev/zero: has more than 1000 bytes");
}

TEST(Files, AFileMayHaveAllBytesOfTheLimit) {
  unit::TempDir directory;
  const auto file = directory.write("a.yaml", std::string(1000, '#'));
  Problems problems;
  EXPECT_EQ(read_files({file}, problems, 1000).size(), 1u);
  EXPECT_FALSE(problems);
}

}  // namespace
}  // namespace podium::offline

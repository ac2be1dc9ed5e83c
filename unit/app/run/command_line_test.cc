#include "app/run/command_line.h"

#include <gtest/gtest.h>

namespace podium::app::run {
namespace {

TEST(CommandLine, IsReadAsPflagReadsIt) {
  struct Case {
    std::vector<const char*> given;
    std::vector<std::string> normalized;
  };
  const Case cases[] = {
      {{"run", "--config=", "--leader-elect"}, {"run", "--config", "", "--leader-elect"}},
      {{"-v=2", "-v", "3", "--v=4"}, {"-v", "2", "-v", "3", "--v=4"}},
      {{"--config=a=b", "--x=y="}, {"--config=a=b", "--x=y="}},
      {{"-", "--", "-v", "--=", "-1=2", ""}, {"-", "--", "-v", "--=", "-1=2", ""}},
  };
  for (const auto& c : cases) EXPECT_EQ(normalized(c.given), c.normalized);
}

}  // namespace
}  // namespace podium::app::run

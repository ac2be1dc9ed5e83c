// Documents as programs get them.
#include "app/kubectl/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

TEST(DocumentText, DoesNotHaveWhoWroteWhichField) {
  const auto report = json::parse(R"({"metadata": {"name": "a", "managedFields": [{"manager": "podium"}]}})");
  const auto list = as_list({report, report});
  for (const auto& document : {report, list, with_words("words", report), with_words("words", list)}) {
    for (const auto* format : {"json", "yaml", "answer"}) {
      Output output;
      output.format = format;
      const auto text = document_text(output, document, {});
      ASSERT_TRUE(text);
      EXPECT_THAT(*text, Not(HasSubstr("managedFields"))) << format;
      EXPECT_THAT(*text, HasSubstr("metadata"));
    }
  }
}

// An agent would hear it only at its first call.
TEST_F(OnADump, TheServerForAgentsNeedsItsDump) {
  const auto said = run_on("/nonesuch.yaml", {"mcp"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("--cluster: DUMP: No such file or directory"));
}

}  // namespace
}  // namespace podium::kubectl

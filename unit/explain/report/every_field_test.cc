// What holds for every field of a report, by the lists of fields.
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <set>

#include "explain/report/json.h"
#include "explain/report/node_names.h"
#include "explain/report/visits.h"
#include "unit/explain/report/filled.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

// The paths of a value as status_paths() has them: the items of a list belong to the list's path.
void add_paths(const std::string& path, const json::value& value, std::set<std::string>& out) {
  if (const auto* items = value.if_array()) {
    for (const auto& item : *items) add_paths(path, item, out);
  } else if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      const auto below = path + "." + std::string(key);
      out.insert(below);
      add_paths(below, member, out);
    }
  }
}

TEST(EveryField, IsWrittenAtItsPath) {
  std::set<std::string> written{"status"};
  add_paths("status", to_json(filled(1)), written);
  for (const auto& path : status_paths()) EXPECT_TRUE(written.contains(path)) << path;
}

TEST(EveryField, IsReadAsItWasWritten) {
  for (const std::size_t items : {1u, 3u}) {
    const auto written = json::value(to_json(filled(items)));
    EXPECT_EQ(json::value(to_json(read_status(written))), written);
  }
}

// A taint or a label may have the name of a node.
TEST(EveryField, ThatMayHaveANodesNameIsWithheld) {
  auto status = filled(2);
  NodeNames([](std::string_view) { return false; }).withhold(status);
  std::set<std::string> written;
  add_paths("status", to_json(status), written);
  for (const auto& path : written) {
    const auto key = path.substr(path.rfind('.') + 1);
    EXPECT_FALSE(key == "taints" || key == "nearToleration" || key == "taintRules" || key == "values" ||
                 key == "near" || key == "value")
        << path;
  }
}

TEST(EveryField, OfTheFormerStatusIsReplacedByAMergePatch) {
  const json::object former = to_json(filled(1)), patch = to_merge_patch(ReportStatus{});
  for (const auto& [key, _] : former) EXPECT_TRUE(key == "other" || patch.contains(key)) << key;
}

}  // namespace
}  // namespace podium::explain

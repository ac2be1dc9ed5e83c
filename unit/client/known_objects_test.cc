#include "client/known_objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <vector>

namespace podium::client {
namespace {

namespace json = boost::json;

json::value object(const std::string& name, const std::string& uid, int version) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"namespace", "ns"}, {"name", name}, {"uid", uid}, {"resourceVersion", std::to_string(version)}}}};
}

// What was told, as "+name/uid", "~name/uid" or "-name/uid", with the version.
std::vector<std::string> told(const std::vector<Change>& changes) {
  std::vector<std::string> out;
  for (const auto& change : changes) {
    const auto& meta = change.object.at("metadata").as_object();
    out.push_back(fmt::format("{}{}/{}@{}", "+~-"[static_cast<int>(change.type)], meta.at("name").as_string().c_str(),
                              meta.at("uid").as_string().c_str(), meta.at("resourceVersion").as_string().c_str()));
  }
  return out;
}

class View {
 public:
  View& up(const std::string& name, const std::string& uid, int version) {
    auto value = object(name, uid, version);
    EXPECT_TRUE(known.upsert(value, changes));
    return *this;
  }
  View& down(const std::string& name, const std::string& uid, int version) {
    auto value = object(name, uid, version);
    EXPECT_TRUE(known.remove(value, changes));
    return *this;
  }
  View& begin(bool replace = false) {
    known.begin_list(replace);
    return *this;
  }
  View& end() {
    known.end_list("50", changes);
    return *this;
  }
  View& forget_told() {
    changes.clear();
    return *this;
  }
  KnownObjects known;
  std::vector<Change> changes;
};

using Told = std::vector<std::string>;

TEST(KnownObjects, Tells) {
  struct Case {
    const char* name;
    std::function<void(View&)> input;  // after a list that showed a/1@10 and b/2@20
    Told expect;
  };
  const std::vector<Case> cases = {
      {"add, update, delete", [](View& v) { v.up("c", "3", 30).up("c", "3", 31).down("c", "3", 32); },
       {"+c/3@30", "~c/3@31", "-c/3@32"}},
      {"duplicates once", [](View& v) { v.up("a", "1", 11).up("a", "1", 11).down("a", "1", 12).down("a", "1", 12); },
       {"~a/1@11", "-a/1@12"}},
      {"nothing that goes back", [](View& v) { v.up("a", "1", 9).up("a", "1", 10); }, {}},
      {"recreated, the delete missed", [](View& v) { v.up("a", "9", 15); }, {"-a/1@10", "+a/9@15"}},
      {"and the late delete is not the new one's", [](View& v) { v.up("a", "9", 15).down("a", "1", 14); },
       {"-a/1@10", "+a/9@15"}},
      {"nor does its late update come back", [](View& v) { v.up("a", "9", 15).up("a", "1", 12); }, {"-a/1@10", "+a/9@15"}},
      {"an update after its delete", [](View& v) { v.down("a", "1", 12).up("a", "1", 11); }, {"-a/1@12"}},
      {"out of a selector and back in", [](View& v) { v.down("a", "1", 12).up("a", "1", 13); }, {"-a/1@12", "+a/1@13"}},
      {"a delete of one never seen", [](View& v) { v.down("z", "8", 12).up("z", "8", 11); }, {}},
      {"a delete of the unseen successor", [](View& v) { v.down("a", "9", 16); }, {"-a/1@10"}},
      {"relist, all the same", [](View& v) { v.begin().up("a", "1", 10).up("b", "2", 20).end(); }, {}},
      {"relist, missed changes", [](View& v) { v.begin().up("a", "1", 12).up("c", "3", 14).end(); },
       {"~a/1@12", "+c/3@14", "-b/2@20"}},
      {"an update from before the relist that missed its delete",
       [](View& v) { v.begin().up("a", "1", 10).end().up("b", "2", 49).down("b", "2", 50); }, {"-b/2@20"}},
      {"relist, recreated", [](View& v) { v.begin().up("a", "7", 30).up("b", "2", 20).end(); }, {"-a/1@10", "+a/7@30"}},
      {"relist that was cut deletes nothing", [](View& v) { v.begin().up("a", "1", 10).begin().up("a", "1", 10).up("b", "2", 20).end(); },
       {}},
      {"events in a streaming list", [](View& v) { v.begin().up("a", "1", 10).up("b", "2", 20).down("a", "1", 40).end(); },
       {"-a/1@40"}},
      {"replace tells all again", [](View& v) { v.begin(true).up("a", "1", 10).up("b", "2", 18).end(); },
       {"~a/1@10", "~b/2@18"}},
      {"replace with the older object", [](View& v) { v.up("a", "9", 30).forget_told().begin(true).up("a", "1", 10).up("b", "2", 20).end(); },
       {"-a/9@30", "+a/1@10", "~b/2@20"}},
      {"replace brings back what was deleted", [](View& v) { v.down("a", "1", 12).forget_told().begin(true).up("a", "1", 10).up("b", "2", 20).end(); },
       {"+a/1@10", "~b/2@20"}},
      {"versions that are no numbers are not compared", [](View& v) { v.up("a", "1", 0).up("a", "1", 0); }, {"~a/1@0", "~a/1@0"}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    View view;
    view.begin().up("a", "1", 10).up("b", "2", 20).end().forget_told();
    test.input(view);
    EXPECT_EQ(told(view.changes), test.expect);
  }
}

TEST(KnownObjects, AMissedDeleteCarriesTheIdentity) {
  View view;
  view.begin().up("a", "1", 10).end().forget_told().begin().end();
  ASSERT_EQ(view.changes.size(), 1u);
  EXPECT_EQ(view.changes[0].object, object("a", "1", 10));
  EXPECT_EQ(view.known.size(), 0u);
}

TEST(KnownObjects, RefusesObjectsWithoutIdentity) {
  KnownObjects known;
  std::vector<Change> changes;
  for (const char* text : {"3", "{}", R"({"metadata":{}})", R"({"metadata":{"name":"a"}})", R"({"metadata":{"uid":"a"}})",
                           R"({"metadata":{"name":1,"uid":"a"}})"}) {
    json::value value = json::parse(text);
    EXPECT_FALSE(known.upsert(value, changes)) << text;
    EXPECT_FALSE(known.remove(value, changes)) << text;
  }
  EXPECT_TRUE(changes.empty());
}

}  // namespace
}  // namespace podium::client

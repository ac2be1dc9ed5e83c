#include "client/watch/known_objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <vector>

namespace podium::client {
namespace {

namespace json = boost::json;

json::value object(const std::string& name, const std::string& uid, int version) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"namespace", "ns"}, {"name", name}, {"uid", uid}, {"resourceVersion", std::to_string(version)}}}};
}

// The changes as "+name/uid", "~name/uid", "-name/uid" or (unreadable) "!name/uid", with the version.
std::vector<std::string> texts_of(const std::vector<Change>& changes) {
  std::vector<std::string> out;
  for (const auto& change : changes) {
    const auto& meta = change.object.view().at("metadata").as_object();
    out.push_back(fmt::format("{}{}/{}@{}", "+~-!"[static_cast<int>(change.type)],
                              meta.at("name").as_string().c_str(), meta.at("uid").as_string().c_str(),
                              meta.at("resourceVersion").as_string().c_str()));
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
  View& odd(const std::string& name, const std::string& uid, int version) {
    auto value = object(name, uid, version);
    EXPECT_TRUE(known.upsert(value, changes, false));
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
  View& end(int version = 50) {
    known.end_list(std::to_string(version), changes);
    return *this;
  }
  View& forget_reported() {
    changes.clear();
    return *this;
  }
  KnownObjects known;
  std::vector<Change> changes;
};

using Texts = std::vector<std::string>;

TEST(KnownObjects, ReportsChanges) {
  struct Case {
    const char* name;
    std::function<void(View&)> input;  // after a list at version 20 with a/1@10 and b/2@20
    Texts expect;
  };
  const std::vector<Case> cases = {
      {"add, update, delete",
       [](View& v) { v.up("c", "3", 30).up("c", "3", 31).down("c", "3", 32); },
       {"+c/3@30", "~c/3@31", "-c/3@32"}},
      {"duplicates once",
       [](View& v) { v.up("a", "1", 21).up("a", "1", 21).down("a", "1", 22).down("a", "1", 22); },
       {"~a/1@21", "-a/1@22"}},
      {"nothing that goes back",
       [](View& v) { v.up("a", "1", 25).up("a", "1", 24).up("a", "1", 10); },
       {"~a/1@25"}},
      {"neighbours that change places",
       [](View& v) { v.up("c", "3", 31).up("d", "4", 30); },
       {"+c/3@31", "+d/4@30"}},
      {"recreated, the delete missed", [](View& v) { v.up("a", "9", 25); }, {"-a/1@10", "+a/9@25"}},
      {"and the late delete is not the new one's",
       [](View& v) { v.up("a", "9", 25).down("a", "1", 24); },
       {"-a/1@10", "+a/9@25"}},
      {"nor does its late update come back",
       [](View& v) { v.up("a", "9", 25).up("a", "1", 22); },
       {"-a/1@10", "+a/9@25"}},
      {"an update after its delete", [](View& v) { v.down("a", "1", 22).up("a", "1", 21); }, {"-a/1@22"}},
      {"out of a selector and back in",
       [](View& v) { v.down("a", "1", 22).up("a", "1", 23); },
       {"-a/1@22", "+a/1@23"}},
      {"out of a selector and back in, the other way round",
       [](View& v) { v.up("a", "1", 23).down("a", "1", 22); },
       {"~a/1@23"}},
      {"a delete that bears the version of what it deletes",
       [](View& v) { v.down("a", "1", 10).up("c", "3", 21).down("c", "3", 21); },
       {"-a/1@10", "+c/3@21", "-c/3@21"}},
      {"a delete of one never seen", [](View& v) { v.down("z", "8", 22).up("z", "8", 21); }, {}},
      {"a delete of the unseen successor", [](View& v) { v.down("a", "9", 26); }, {"-a/1@10"}},
      {"from before the list: an object that is gone",
       [](View& v) { v.up("z", "8", 11).up("z", "8", 20); },
       {}},
      {"from before the list: its delete", [](View& v) { v.down("z", "8", 15); }, {}},
      {"from before the list: what bore the name of one that is there",
       [](View& v) { v.up("b", "9", 15).down("b", "9", 16); },
       {}},
      {"from before the second list",
       [](View& v) { v.begin().up("a", "1", 10).up("b", "2", 20).end(40).up("c", "3", 39).up("d", "4", 41); },
       {"+d/4@41"}},
      {"relist, all the same", [](View& v) { v.begin().up("a", "1", 10).up("b", "2", 20).end(); }, {}},
      {"relist, missed changes",
       [](View& v) { v.begin().up("a", "1", 22).up("c", "3", 24).end(); },
       {"~a/1@22", "+c/3@24", "-b/2@20"}},
      {"relist shows what was lost before",
       [](View& v) { v.begin().up("a", "1", 10).up("b", "2", 20).up("z", "8", 5).end(); },
       {"+z/8@5"}},
      {"an update from before the relist that missed its delete",
       [](View& v) { v.begin().up("a", "1", 10).end().up("b", "2", 49).down("b", "2", 50); },
       {"-b/2@20"}},
      {"relist, recreated",
       [](View& v) { v.begin().up("a", "7", 30).up("b", "2", 20).end(); },
       {"-a/1@10", "+a/7@30"}},
      {"relist that was cut deletes nothing",
       [](View& v) { v.begin().up("a", "1", 10).begin().up("a", "1", 10).up("b", "2", 20).end(); },
       {}},
      {"events in a streaming list",
       [](View& v) { v.begin().up("a", "1", 10).up("b", "2", 20).down("a", "1", 40).end(); },
       {"-a/1@40"}},
      {"replace tells all again",
       [](View& v) { v.begin(true).up("a", "1", 10).up("b", "2", 18).end(); },
       {"~a/1@10", "~b/2@18"}},
      {"replace with the older object",
       [](View& v) {
         v.up("a", "9", 30).forget_reported().begin(true).up("a", "1", 10).up("b", "2", 20).end();
       },
       {"-a/9@30", "+a/1@10", "~b/2@20"}},
      {"replace brings back what was deleted",
       [](View& v) {
         v.down("a", "1", 22).forget_reported().begin(true).up("a", "1", 10).up("b", "2", 20).end();
       },
       {"+a/1@10", "~b/2@20"}},
      {"after a replace older versions are news",
       [](View& v) { v.begin(true).up("a", "1", 10).end(15).up("c", "3", 16); },
       {"~a/1@10", "-b/2@20", "+c/3@16"}},
      {"after a replace an object that left a selector may enter it again",
       [](View& v) {
         v.up("a", "1", 30).forget_reported().begin(true).up("b", "2", 20).end(25).up("a", "1", 26);
       },
       {"~b/2@20", "-a/1@30", "+a/1@26"}},
      {"an update that cannot be read, and then one that can",
       [](View& v) { v.odd("a", "1", 21).up("a", "1", 22).up("a", "1", 23); },
       {"!a/1@21", "+a/1@22", "~a/1@23"}},
      {"one that can never be read",
       [](View& v) { v.odd("c", "3", 21).odd("c", "3", 22).odd("c", "3", 22).down("c", "3", 23); },
       {"!c/3@21", "!c/3@22", "-c/3@23"}},
      {"an older state that can be read is not new",
       [](View& v) { v.odd("a", "1", 22).up("a", "1", 21); },
       {"!a/1@22"}},
      {"a relist shows one that cannot be read",
       [](View& v) { v.begin().odd("a", "1", 21).up("b", "2", 20).end().begin().odd("a", "1", 21).end(); },
       {"!a/1@21", "-b/2@20"}},
      {"recreated so that it cannot be read", [](View& v) { v.odd("a", "9", 25); }, {"-a/1@10", "!a/9@25"}},
      {"versions that are no numbers are not compared",
       [](View& v) { v.up("c", "3", 0).up("c", "3", 0); },
       {"+c/3@0", "~c/3@0"}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    View view;
    view.begin().up("a", "1", 10).up("b", "2", 20).end(20).forget_reported();
    test.input(view);
    EXPECT_EQ(texts_of(view.changes), test.expect);
  }
}

TEST(KnownObjects, WhatIsOlderThanItsMemoryOfDeletesIsNotNews) {
  View view;
  view.begin().end(1);
  for (int i = 0; i < 2000; ++i) {
    const auto name = std::to_string(i);
    view.up(name, "uid-" + name, 2 * i + 10).down(name, "uid-" + name, 2 * i + 11);
  }
  view.forget_reported();
  for (int i = 0; i < 2000; ++i) view.up(std::to_string(i), "uid-" + std::to_string(i), 2 * i + 10);
  EXPECT_EQ(texts_of(view.changes), Texts());
  EXPECT_EQ(texts_of(view.up("new", "n", 5000).changes), Texts{"+new/n@5000"});
}

TEST(KnownObjects, AMissedDeleteCarriesTheIdentity) {
  View view;
  view.begin().up("a", "1", 10).end().forget_reported().begin().end();
  ASSERT_EQ(view.changes.size(), 1u);
  EXPECT_EQ(view.changes[0].object.view(), object("a", "1", 10));
  EXPECT_EQ(view.known.size(), 0u);
}

TEST(KnownObjects, RefusesObjectsWithoutIdentity) {
  KnownObjects known;
  std::vector<Change> changes;
  for (const char* text : {"3", "{}", R"({"metadata":{}})", R"({"metadata":{"name":"a"}})",
                           R"({"metadata":{"uid":"a"}})", R"({"metadata":{"name":1,"uid":"a"}})"}) {
    json::value value = json::parse(text);
    EXPECT_FALSE(known.upsert(value, changes)) << text;
    EXPECT_FALSE(known.remove(value, changes)) << text;
  }
  EXPECT_TRUE(changes.empty());
}

}  // namespace
}  // namespace podium::client

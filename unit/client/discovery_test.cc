#include "client/discovery.h"

#include <gtest/gtest.h>

namespace podium::client {
namespace {

const Resource kSlices("resource.k8s.io", "v1", "resourceslices", false);

TEST(Discovery, TheListOfGroupsNamesTheVersion) {
  const std::string head =
      R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1"}]},)";
  EXPECT_EQ(served_version(head + R"({"name":"resource.k8s.io","versions":[{"version":"v1"}]}]})", kSlices),
            Served::yes);
  EXPECT_EQ(
      served_version(head + R"({"name":"resource.k8s.io","versions":[{"version":"v1beta2"}]}]})", kSlices),
      Served::no);
  EXPECT_EQ(served_version(head + R"({"name":"batch","versions":[{"version":"v1"}]}]})", kSlices),
            Served::no);
}

TEST(Discovery, TheListOfResourcesNamesThePlural) {
  EXPECT_EQ(resources_path(kSlices), "/apis/resource.k8s.io/v1");
  EXPECT_EQ(served_resource(R"({"kind":"APIResourceList","resources":[{"name":"resourceslices"}]})", kSlices),
            Served::yes);
  EXPECT_EQ(served_resource(R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims"}]})", kSlices),
            Served::no);
}

TEST(Discovery, AnotherBodyIsNoAnswer) {
  for (const std::string body :
       {"", "<html>", "[]", "{}", "null", R"({"kind":"Status","groups":[],"resources":[]})",
        R"({"kind":"APIGroupList"})", R"({"kind":"APIGroupList","groups":{}})",
        R"({"kind":"APIResourceList","resources":1})"}) {
    EXPECT_EQ(served_version(body, kSlices), Served::unknown) << body;
    EXPECT_EQ(served_resource(body, kSlices), Served::unknown) << body;
  }
  const auto cut = std::string(R"({"kind":"APIGroupList","groups":[1,{"name":2,"versions":{}}]})");
  EXPECT_EQ(served_version(cut, kSlices), Served::no);
}

}  // namespace
}  // namespace podium::client

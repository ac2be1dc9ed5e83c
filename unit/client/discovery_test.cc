#include "client/discovery.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"

namespace podium::client {
namespace {

const Resource kSlices("resource.k8s.io", "v1", "resourceslices", false);
const std::string kHead =
    R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1"}]},)";
const std::string kGroups = kHead + R"({"name":"resource.k8s.io","versions":[{"version":"v1"}]}]})";
const std::string kResources = R"({"kind":"APIResourceList","resources":[{"name":"resourceslices"}]})";

struct Server {
  std::string groups = kGroups, resources = kResources;
  int status = 200;
  std::vector<std::string> asked = {};

  Served answer() {
    unit::ScriptedTransport transport;
    transport.on_send = [this](const Request& request) -> Result<Response> {
      asked.push_back(request.target);
      return Response{status, request.target == "/apis" ? groups : resources};
    };
    ClientLoop loop;
    return loop.run(ask_discovery(transport, kSlices));
  }
};

TEST(Discovery, AsksForTheGroupsAndThenForTheResources) {
  Server server;
  EXPECT_EQ(server.answer(), Served::yes);
  EXPECT_EQ(server.asked, (std::vector<std::string>{"/apis", "/apis/resource.k8s.io/v1"}));
}

TEST(Discovery, AResourceIsNotServedIfItsVersionOrItsNameIsMissing) {
  const auto other_version = kHead + R"({"name":"resource.k8s.io","versions":[{"version":"v1beta2"}]}]})";
  const auto other_group = kHead + R"({"name":"batch","versions":[{"version":"v1"}]}]})";
  const std::string odd = R"({"kind":"APIGroupList","groups":[1,{"name":2,"versions":{}}]})";
  for (const auto& groups : {other_version, other_group, odd}) {
    Server server{.groups = groups};
    EXPECT_EQ(server.answer(), Served::no) << groups;
    EXPECT_EQ(server.asked, std::vector<std::string>{"/apis"});
  }
  Server server{.resources = R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims"}]})"};
  EXPECT_EQ(server.answer(), Served::no);
}

TEST(Discovery, AnotherBodyIsNotAnAnswer) {
  for (const std::string body :
       {"", "<html>", "[]", "{}", "null", R"({"kind":"Status","groups":[],"resources":[]})",
        R"({"kind":"APIGroupList"})", R"({"kind":"APIGroupList","groups":{}})",
        R"({"kind":"APIResourceList","resources":1})"}) {
    EXPECT_EQ(Server{.groups = body}.answer(), Served::unknown) << body;
    EXPECT_EQ(Server{.resources = body}.answer(), Served::unknown) << body;
  }
  EXPECT_EQ(Server{.status = 404}.answer(), Served::unknown);
}

}  // namespace
}  // namespace podium::client

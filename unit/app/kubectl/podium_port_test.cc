// PodiumPort: podium's address, and the leader.
#include "app/kubectl/podium_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium::kubectl {
namespace {

using testing::HasSubstr;

TEST(PodiumPort, TheLeaderIsNamedInTheStatusOfAFollower) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"details":{"causes":[{"reason":"Leader","message":"podium-5c9-abcde_0b0c"}]}})",
       "podium-5c9-abcde"},
      {R"({"details":{"causes":[{"reason":"Leader","message":"podium_static_0b0c"}]}})", "podium_static"},
      {R"({"details":{"causes":[{"reason":"Leader","message":"no-suffix"}]}})", "no-suffix"},
      {R"({"details":{"causes":[{"reason":"Expired","message":"podium-1_a"}]}})", ""},
      {R"({"message":"the leader is podium-1_a"})", ""},
      {"not JSON", ""},
      {"", ""},
  };
  for (const auto& [status, pod] : cases) EXPECT_EQ(leading_pod(status), pod) << status;
}

TEST(PodiumPort, AnAddressIsCheckedBeforeItIsUsed) {
  struct Case {
    PodiumAddress address;
    const char* words;
  };
  const Case cases[] = {
      {{"podium"}, "neither NAMESPACE/NAME nor an address"},
      {{"/podium"}, "neither NAMESPACE/NAME nor an address"},
      {{"podium-system/"}, "neither NAMESPACE/NAME nor an address"},
      {{"http://podium.example"}, "must begin with https://"},
      {{"podium-system/podium", "ca.crt"}, "need an address"},
      {{"podium-system/podium", "", true}, "need an address"},
  };
  for (const auto& [address, words] : cases) {
    boost::asio::io_context io;
    ConnectionFlags connection;
    connection.podium = address;
    const auto port = open_podium_port(connection, std::chrono::seconds(1), io);
    ASSERT_FALSE(port) << address.where;
    EXPECT_EQ(port.error().kind, Error::Kind::invalid);
    EXPECT_THAT(port.error().message, HasSubstr(words));
  }
}

}  // namespace
}  // namespace podium::kubectl

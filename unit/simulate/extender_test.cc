// The modelled extender answers as its callers read it, and late.
#include "simulate/cluster/extender.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "async/virtual_time.h"
#include "simulate/base/object_fields.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

struct Asked {
  ModelExtender::Answer ask(const std::string& target) {
    client::Request request;
    request.method = "POST";
    request.target = target;
    request.body = R"({"Pod":{"metadata":{"uid":"u"}},"NodeNames":["n0","n1"]})";
    return extender.answer(Host{"podium-1"}, request);
  }

  async::VirtualTime time;
  Agenda agenda{time};
  ModelExtender extender{agenda, Dice(1)};
};

TEST(ModelExtender, AtRestAcceptsAllNodesSoon) {
  Asked asked;
  std::string asked_about;
  asked.extender.asked = [&](const Host& host, const std::string& uid) {
    asked_about += host.identity + " " + uid;
  };
  asked.extender.rest();
  const auto answer = asked.ask("/filter");
  ASSERT_TRUE(answer.reply);
  EXPECT_EQ(json::parse(answer.reply->body), json::parse(R"({"NodeNames":["n0","n1"]})"));
  EXPECT_LE(answer.wait, 100ms);
  EXPECT_EQ(asked_about, "podium-1 u");
  EXPECT_EQ(json::parse(asked.ask("/prioritize").reply->body).as_array().size(), 2u);
  EXPECT_EQ(asked_about, "podium-1 u");  // a decision begins with the filters
}

TEST(ModelExtender, BeforeThatIsLateWrongAndSilent) {
  Asked asked;
  bool is_late = false, fails = false, is_silent = false, says_error = false;
  for (int i = 0; i < 300; ++i) {
    const auto answer = asked.ask("/filter");
    is_silent = is_silent || !answer.reply;
    is_late = is_late || answer.wait > 1s;
    fails = fails || (answer.reply && answer.reply->status == 500);
    says_error = says_error || (answer.reply && answer.reply->body.find("Error") != std::string::npos);
  }
  EXPECT_TRUE(is_late);
  EXPECT_TRUE(fails);
  EXPECT_TRUE(is_silent);
  EXPECT_TRUE(says_error);
}

}  // namespace
}  // namespace podium::simulate

// Decisions with extenders against a transport that replies from a table, and wire failures against
// a real server.
#include "scheduler/extender/extenders.h"

#include <gmock/gmock.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <map>

#include "scheduler/cluster/snapshot.h"
#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"
#include "unit/scheduler/extender/fixture.h"
#include "unit/scheduler/framework/fakes.h"
#include "unit/support/http_script.h"

namespace podium::extender {
namespace {

constexpr std::chrono::seconds kSoon{10};

using framework::test::FakeFilter;
using framework::test::FakeScore;
using framework::test::ProfileOf;
using podium::test::node;
using podium::test::pod;
using testing::ElementsAre;
using testing::HasSubstr;
namespace json = boost::json;

// Replies by "URL verb".
class FakeServers {
 public:
  std::map<std::string, Result<client::Response>> replies;
  std::vector<std::string> asked;  // "URL verb: nodes", in order of arrival

  std::shared_ptr<client::Transport> transport(const client::ClientConfig& config) {
    auto transport = std::make_shared<unit::ScriptedTransport>();
    transport->on_send = [this, url = config.server](const client::Request& request) {
      const auto key = url + " " + request.target.substr(1);
      asked.push_back(key + ": " + nodes_of(request.body));
      const auto it = replies.find(key);
      return it != replies.end() ? it->second : Result<client::Response>(client::Response{404, "", 0, ""});
    };
    return transport;
  }

 private:
  static std::string nodes_of(const std::string& body) {
    const auto value = json::parse(body);
    std::string out;
    const auto add = [&](std::string_view name) { out += (out.empty() ? "" : " ") + std::string(name); };
    if (const auto& names = value.at("NodeNames"); names.is_array()) {
      for (const auto& name : names.as_array()) add(name.as_string());
    } else {
      for (const auto& item : value.at("Nodes").at("items").as_array()) {
        add("{" + std::string(item.at("metadata").at("name").as_string()) + "}");
      }
    }
    return out;
  }
};

config::Extender filtering(std::string url) {
  auto out = extender_at(std::move(url));
  out.filter_verb = "filter";
  return out;
}
config::Extender scoring(std::string url, std::int64_t weight) {
  auto out = extender_at(std::move(url));
  out.prioritize_verb = "prioritize";
  out.weight = weight;
  return out;
}

client::Change change(client::Change::Type type, const std::string& text) {
  return {type, json::parse(text)};
}

class ExtendersTest : public ::testing::Test {
 protected:
  framework::Decision decide(const std::vector<config::Extender>& configs,
                             const api::Pod& incoming = pod("p")) {
    auto extenders =
        Extenders::make(configs, [this](client::ClientConfig c) { return servers_.transport(c); });
    EXPECT_TRUE(extenders) << extenders.error().message;
    for (const auto& name : {"a", "b", "c", "x"}) {
      (*extenders)
          ->texts()
          .changed(
              client::resource::nodes,
              change(client::Change::Type::added, std::string(R"({"metadata":{"name":")") + name + R"("}})"));
    }
    const auto info = cluster::make_pod_info(std::make_shared<const api::Pod>(incoming));
    client::ClientLoop loop;
    async::Gate gate;
    auto decision = loop.run(extender::decide(**extenders, gate, info, pod_text_, snapshot_, profile_));
    EXPECT_TRUE(loop.run(gate.drained(kSoon)));
    return decision;
  }
  std::map<std::string, std::int64_t> totals(const framework::Decision& decision) {
    std::map<std::string, std::int64_t> out;
    decision.feasible.each(
        [&](auto row) { out[std::string(snapshot_.node_name(row))] = decision.total[row]; });
    return out;
  }
  using Totals = std::map<std::string, std::int64_t>;

  FakeServers servers_;
  Text pod_text_ = std::make_shared<const std::string>(R"({"metadata":{"name":"p"}})");
  framework::Snapshot snapshot_ = framework::test::cluster_of({"c", "a", "b", "x"});
  FakeFilter fit_ = FakeFilter("Fit").reject("x", {"too small"});
  FakeScore score_{"Score", {{"a", 30}, {"b", 20}, {"c", 10}}};
  framework::Profile profile_ = ProfileOf().filter(fit_).score(score_);
};

TEST_F(ExtendersTest, EachIsAskedAboutTheNodesThatAreLeft) {
  servers_.replies = {{"http://one filter", ok(R"({"NodeNames":["a","c"],"FailedNodes":{"b":"busy"}})")},
                      {"http://two filter", ok(R"({"NodeNames":["c"]})")}};
  const auto decision = decide({filtering("http://one"), filtering("http://two")});
  EXPECT_THAT(servers_.asked, ElementsAre("http://one filter: a b c", "http://two filter: a c"));
  EXPECT_EQ(framework::test::feasible(decision, snapshot_), (std::vector<std::string>{"c"}));
  EXPECT_EQ(framework::test::rejected(decision, snapshot_).at("b"), "http://one/Unschedulable: busy");
}

TEST_F(ExtendersTest, IfNoneIsLeftNoneIsAsked) {
  servers_.replies = {{"http://one filter", ok("{}")}};
  const auto decision =
      decide({filtering("http://one"), filtering("http://two"), scoring("http://three", 1)});
  EXPECT_THAT(servers_.asked, ElementsAre("http://one filter: a b c"));
  EXPECT_EQ(decision.message, "0/4 nodes are available: 1 too small.");
}

TEST_F(ExtendersTest, ThoseThatMayBeIgnoredComeLastAndDoNoHarm) {
  auto ignorable = filtering("http://down");
  ignorable.ignorable = true;
  servers_.replies = {{"http://up filter", ok(R"({"NodeNames":["a","b"]})")},
                      {"http://down filter", fail(Error::Kind::unavailable, "connection refused")}};
  const auto decision = decide({ignorable, filtering("http://up")});
  EXPECT_THAT(servers_.asked, ElementsAre("http://up filter: a b c", "http://down filter: a b"));
  EXPECT_EQ(decision.error, "");
  EXPECT_EQ(framework::test::feasible(decision, snapshot_), (std::vector<std::string>{"a", "b"}));
}

TEST_F(ExtendersTest, AFailureOfAnyOtherFailsTheAttempt) {
  const struct {
    const char* name;
    Result<client::Response> reply;
    std::string want;
  } cases[] = {
      {"down", fail(Error::Kind::unavailable, "connection refused"),
       "Post \"http://one/filter\": connection refused"},
      {"a status", client::Response{500, "oops", 0, ""},
       "failed filter with extender at URL http://one/filter, code 500"},
      {"an error of its own", ok(R"({"Error":"no licence"})"), "no licence"},
      {"no JSON", ok("<html>"), "Post \"http://one/filter\": the reply is not JSON: syntax error"},
      {"a node that it was not asked about", ok(R"({"NodeNames":["x"]})"),
       "extender \"http://one\" claims a filtered node \"x\" which is not found in the input node list"},
  };
  for (const auto& c : cases) {
    servers_.replies = {{"http://one filter", c.reply}};
    const auto decision = decide({filtering("http://one"), filtering("http://two")});
    EXPECT_THAT(decision.error, HasSubstr(c.want)) << c.name;
    EXPECT_FALSE(decision.fits()) << c.name;
  }
}

TEST_F(ExtendersTest, ANameWithoutAnEndIsCutInTheError) {
  servers_.replies = {
      {"http://one filter", ok(R"({"NodeNames":[")" + std::string(1'000'000, 'x') + R"("]})")}};
  const auto decision = decide({filtering("http://one")});
  EXPECT_THAT(decision.error, HasSubstr("… (1000000 bytes)\" which is not found"));
  EXPECT_LT(decision.error.size(), 2'000u);
}

TEST_F(ExtendersTest, ScoresAreScaledAndWeighed) {
  servers_.replies = {{"http://one prioritize", ok(R"([{"Host":"c","Score":7},{"Host":"x","Score":9}])")},
                      {"http://two prioritize", ok(R"([{"Host":"b","Score":10}])")}};
  const auto decision = decide({scoring("http://one", 2), scoring("http://two", 1)});
  EXPECT_EQ(totals(decision), (Totals{{"a", 30}, {"b", 120}, {"c", 150}}));
  ASSERT_EQ(decision.strategies.size(), 3u);
  EXPECT_EQ(decision.strategies[1].name, "http://one");
  EXPECT_EQ(decision.strategies[1].at(*snapshot_.find_row("c")), 70);
  EXPECT_EQ(decision.strategies[1].weight, 2);
}

TEST_F(ExtendersTest, AFailedScoreIsNone) {
  servers_.replies = {{"http://one prioritize", fail(Error::Kind::timeout, "silent")},
                      {"http://two prioritize", ok(R"([{"Host":"b","Score":1}])")}};
  const auto decision = decide({scoring("http://one", 5), scoring("http://two", 1)});
  EXPECT_EQ(decision.error, "");
  EXPECT_EQ(totals(decision), (Totals{{"a", 30}, {"b", 30}, {"c", 10}}));
  EXPECT_EQ(decision.strategies.size(), 2u);
}

TEST_F(ExtendersTest, OnlyThoseThatAreInterestedAreAsked) {
  auto gpus = filtering("http://gpus");
  gpus.managed_resources = {"example.com/gpu"};
  const struct {
    const char* name;
    api::Pod pod;
    bool want;
  } cases[] = {
      {"asks for nothing", pod("p"), false},
      {"asks for something else", pod("p").req("example.com/fpga", "1"), false},
      {"a request", pod("p").req("example.com/gpu", "1"), true},
      {"a limit", pod("p").limit("example.com/gpu", "1"), true},
      {"a request of none", pod("p").req("example.com/gpu", "0"), true},
      {"a limit of none", pod("p").limit("example.com/gpu", "0"), true},
      {"an init container's limit of none", pod("p").init_container("i").limit("example.com/gpu", "0"), true},
      {"another container", pod("p").container().container("two").req("example.com/gpu", "1"), true},
      {"an init container", pod("p").init_container("i").req("example.com/gpu", "1"), true},
  };
  servers_.replies = {{"http://gpus filter", ok(R"({"NodeNames":["a"]})")}};
  for (const auto& c : cases) {
    servers_.asked.clear();
    decide({gpus}, c.pod);
    EXPECT_EQ(servers_.asked.size(), c.want ? 1u : 0u) << c.name;
    const auto extenders =
        *Extenders::make({gpus}, [this](client::ClientConfig f) { return servers_.transport(f); });
    EXPECT_EQ(extenders->applies_to(c.pod), c.want) << c.name;
  }
}

TEST_F(ExtendersTest, NodesAreSentToThoseWithoutACache) {
  auto naive = filtering("http://naive");
  naive.node_cache_capable = false;
  servers_.replies = {
      {"http://naive filter", ok(R"({"Nodes":{"items":[{"metadata":{"name":"b"}}]},"NodeNames":["a"]})")}};
  const auto decision = decide({naive});
  EXPECT_THAT(servers_.asked, ElementsAre("http://naive filter: {a} {b} {c}"));
  EXPECT_EQ(framework::test::feasible(decision, snapshot_), (std::vector<std::string>{"b"}));
}

TEST_F(ExtendersTest, APodThatIsNotKnownAnyMoreFails) {
  pod_text_ = nullptr;
  EXPECT_EQ(decide({filtering("http://one")}).error, "the pod no longer exists");
  EXPECT_TRUE(servers_.asked.empty());
}

TEST_F(ExtendersTest, WhoBinds) {
  auto binder = filtering("http://binder");
  binder.bind_verb = "bind";
  binder.managed_resources = {"example.com/gpu"};
  const auto extenders = *Extenders::make({filtering("http://one"), binder},
                                          [this](client::ClientConfig c) { return servers_.transport(c); });
  EXPECT_EQ(extenders->binder(pod("p").build()), nullptr);
  const auto* found = extenders->binder(pod("p").req("example.com/gpu", "1").build());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name(), "http://binder");
}

// --- texts ---

TEST(ObjectTexts, KeepsWhatIsPending) {
  using Type = client::Change::Type;
  ObjectTexts texts({});
  const auto& pods = client::resource::pods;
  texts.changed(
      pods, change(Type::added, R"({"kind":"Pod","apiVersion":"v1","metadata":{"uid":"1","managedFields":[{}],
                                              "name":"p"},"spec":{"x":1}})"));
  ASSERT_TRUE(texts.pod("1"));
  EXPECT_EQ(json::parse(*texts.pod("1")),
            json::parse(R"({"metadata":{"uid":"1","name":"p"},"spec":{"x":1}})"));
  texts.changed(pods, change(Type::updated, R"({"metadata":{"uid":"1"},"spec":{"nodeName":"n"}})"));
  EXPECT_FALSE(texts.pod("1")) << "it has a node";
  texts.changed(pods, change(Type::added, R"({"metadata":{"uid":"2"}})"));
  texts.changed(pods, change(Type::deleted, R"({"metadata":{"uid":"2"}})"));
  EXPECT_FALSE(texts.pod("2"));
  texts.changed(pods, change(Type::added, R"({"metadata":{"uid":"3"}})"));
  texts.changed(pods, change(Type::unreadable, R"({"metadata":{"uid":"3"}})"));
  EXPECT_FALSE(texts.pod("3")) << "what it was is out of date";
  texts.changed(client::resource::nodes, change(Type::added, R"({"metadata":{"name":"n"}})"));
  EXPECT_FALSE(texts.node("n")) << "nobody asked for nodes";

  ObjectTexts all({.nodes = true, .placed_pods = true});
  all.changed(pods, change(Type::added, R"({"metadata":{"uid":"1"},"spec":{"nodeName":"n"}})"));
  EXPECT_EQ(json::parse(*all.pod("1")), json::parse(R"({"metadata":{"uid":"1"},"spec":{"nodeName":"n"}})"));
  all.changed(pods, change(Type::deleted, R"({"metadata":{"uid":"1"},"spec":{"nodeName":"n"}})"));
  EXPECT_FALSE(all.pod("1"));
}

// --- on the wire ---

class WireFaults : public ::testing::Test {
 protected:
  Result<framework::FilterOpinion> ask(const std::string& url,
                                       std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    config::Extender config = filtering(url);
    config.http_timeout = timeout;
    client::ClientLoop loop;
    client::ScopedTransport transport(loop, *client_config(config));
    const HttpExtender extender(config, transport.shared());
    return loop.run(extender.filter(std::make_shared<const std::string>("{}"), {{"a"}, {}}));
  }
};

TEST_F(WireFaults, ThePathComesAfterThePrefix) {
  for (const auto* prefix : {"", "/", "/v1/sched", "/v1/sched//"}) {
    unit::HttpScript server;
    server.always(unit::replying(200, R"({"NodeNames":["a"]})"));
    ASSERT_TRUE(ask(server.url() + prefix)) << prefix;
    const auto request = server.requests().at(0);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, std::string(prefix).starts_with("/v1") ? "/v1/sched/filter" : "/filter");
    EXPECT_EQ(request.headers.at("content-type"), "application/json");
  }
}

TEST_F(WireFaults, FailuresNameTheUrl) {
  const struct {
    const char* name;
    unit::HttpHandler handler;
    std::chrono::milliseconds timeout;
  } cases[] = {
      {"hangs up before a reply", [](unit::HttpExchange& e) { e.hang_up(); }, std::chrono::seconds(60)},
      {"cuts a reply short",
       [](unit::HttpExchange& e) {
         e.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"Node");
         e.cut();
       },
       std::chrono::seconds(60)},
      {"no HTTP",
       [](unit::HttpExchange& e) {
         e.raw("SSH-2.0-OpenSSH\r\n\r\n");
         e.hang_up();
       },
       std::chrono::seconds(60)},
      {"never answers", [](unit::HttpExchange& e) { e.wait_closed(); }, std::chrono::milliseconds(50)},
      {"half a reply",
       [](unit::HttpExchange& e) {
         e.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
         e.wait_closed();
       },
       std::chrono::milliseconds(50)},
  };
  for (const auto& c : cases) {
    unit::HttpScript server;
    server.always(c.handler);
    const auto got = ask(server.url(), c.timeout);
    ASSERT_FALSE(got) << c.name;
    EXPECT_THAT(got.error().message, HasSubstr("Post \"" + server.url() + "/filter\": ")) << c.name;
  }
}

TEST_F(WireFaults, AConnectionThatDiedIdleIsNotAFailure) {
  unit::HttpScript server;
  server.then(unit::replying(200, R"({"NodeNames":["a"]})"));
  server.then([](unit::HttpExchange& e) { e.cut(); });
  server.then(unit::replying(200, R"({"NodeNames":["a"]})"));
  config::Extender config = filtering(server.url());
  client::ClientLoop loop;
  client::ScopedTransport transport(loop, *client_config(config));
  const HttpExtender extender(config, transport.shared());
  const auto text = std::make_shared<const std::string>("{}");
  EXPECT_TRUE(loop.run(extender.filter(text, {{"a"}, {}})));
  EXPECT_TRUE(loop.run(extender.filter(text, {{"a"}, {}})));
}

TEST(TlsSettings, AsUpstreamTakesThem) {
  config::Extender plain = filtering("https://host");
  EXPECT_FALSE(client_config(plain)->insecure_skip_verify);
  plain.enable_https = true;
  EXPECT_TRUE(client_config(plain)->insecure_skip_verify) << "no CA: any server is trusted";
  const struct {
    const char* name;
    std::string url;
    config::Extender::Tls tls;
    std::string want;
  } cases[] = {
      {"no URL", "localhost", {}, "extenders: localhost: urlPrefix: must be a URL such as https://host:port"},
      {"insecure with a CA",
       "https://h",
       {.insecure = true, .ca_data = "QQ=="},
       "extenders: https://h: specifying a root certificates file with the insecure flag is not allowed"},
      {"no base64", "https://h", {.ca_data = "%"}, "extenders: https://h: tlsConfig.caData: is not base64"},
      {"no such file",
       "https://h",
       {.ca_file = "/no/such/file"},
       "extenders: https://h: tlsConfig: /no/such/file"},
      {"a key alone",
       "https://h",
       {.key_data = "QQ=="},
       "extenders: https://h: tlsConfig: a certificate needs its key, and a key its certificate"},
  };
  for (const auto& c : cases) {
    config::Extender extender = filtering(c.url);
    extender.tls = c.tls;
    const auto got = client_config(extender);
    ASSERT_FALSE(got) << c.name;
    EXPECT_THAT(got.error().message, testing::StartsWith(c.want)) << c.name;
  }
}

}  // namespace
}  // namespace podium::extender

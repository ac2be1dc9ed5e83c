#include "scheduler/cycle/cluster_feed.h"

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "async/gate.h"
#include "unit/client/doubles.h"
#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

using End = unit::StreamScript::End;

const std::string kListed =
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\n";

std::string node_event(const std::string& type, const std::string& name, int version,
                       const std::string& spec = "{}") {
  return fmt::format(
      R"({{"type":"{}","object":{{"metadata":{{"name":"{}","uid":"uid-{}","resourceVersion":"{}"}},"spec":{}}}}})"
      "\n",
      type, name, name, version, spec);
}

class ClusterFeedTest : public SchedulerTest {
 protected:
  // Runs the feed until the node "last" has arrived. The watch of nodes returns these chunks; every other
  // kind is empty.
  void feed(std::vector<std::string> nodes) {
    transport_->on_open = [&](const client::Request& request) -> Result<unit::StreamScript> {
      const bool of_nodes = request.target.starts_with("/api/v1/nodes?");
      return unit::StreamScript{200, of_nodes ? std::move(nodes) : std::vector<std::string>{kListed},
                                End::hang};
    };
    boost::asio::io_context context;
    client::Api api(transport_, system_clock(), system_random());
    async::Gate gate;
    ClusterFeed feed(api, scheduler_, {}, gate, context.get_executor(), context.get_executor());
    feed.tap([&](const client::Resource&, const client::Change& change) {
      if (change.object.view().at("metadata").at("name") == "last") feed.stop();
    });
    feed.start([] {});
    context.run();
    undecodable_ = feed.undecodable();
  }
  bool has(const std::string& node) { return scheduler_.snapshot().find_row(node).has_value(); }

  std::shared_ptr<unit::ScriptedTransport> transport_ = std::make_shared<unit::ScriptedTransport>();
  std::uint64_t undecodable_ = 0;
};

TEST_F(ClusterFeedTest, AnObjectThatCannotBeDecodedAnyMoreIsGone) {
  feed({node_event("ADDED", "good", 5) + node_event("ADDED", "odd", 6) + kListed,
        node_event("MODIFIED", "odd", 10, R"({"unschedulable":"perhaps"})"),
        node_event("ADDED", "never", 11, "5") + node_event("ADDED", "last", 12)});
  EXPECT_TRUE(has("good"));
  EXPECT_FALSE(has("odd"));
  EXPECT_FALSE(has("never"));
  EXPECT_TRUE(has("last"));
  EXPECT_EQ(undecodable_, 2u);
}

TEST_F(ClusterFeedTest, AnObjectThatCannotBeReadAnyMoreIsGoneUntilItCan) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  feed({node_event("ADDED", "odd", 5) + node_event("ADDED", "back", 6) + kListed,
        node_event("MODIFIED", "odd", 10, deep) + node_event("MODIFIED", "back", 11, deep),
        node_event("MODIFIED", "back", 12) + node_event("ADDED", "last", 13)});
  EXPECT_FALSE(has("odd"));
  EXPECT_TRUE(has("back"));
  EXPECT_EQ(undecodable_, 2u);
}

}  // namespace
}  // namespace podium::cycle

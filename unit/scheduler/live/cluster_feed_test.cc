#include "scheduler/live/cluster_feed.h"
#include "api/values/device.h"

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "async/gate.h"
#include "base/clock.h"
#include "base/random.h"
#include "unit/async/virtual_run.h"
#include "unit/client/doubles.h"
#include "unit/metrics/sampled.h"
#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::live {
namespace {

using namespace cycle;

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
  // Runs the feed until the object "last" has arrived. The watch of this path returns these chunks; every
  // other kind is empty.
  void feed(std::vector<std::string> chunks, const std::string& path = "/api/v1/nodes") {
    feed_streams({std::move(chunks)}, path);
  }
  // The same with several watches, one after the other.
  void feed_streams(std::vector<std::vector<std::string>> streams, const std::string& path) {
    std::size_t opened = 0;
    transport_->on_open = [&](const client::Request& request) -> Result<unit::StreamScript> {
      if (!request.target.starts_with(path + "?")) return unit::StreamScript{200, {kListed}, End::hang};
      return unit::StreamScript{200, opened < streams.size() ? streams[opened++] : std::vector<std::string>(),
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

// The room of a pod on a node is never free while the pod is there.
TEST_F(ClusterFeedTest, APlacedPodThatCannotBeDecodedKeepsItsRoom) {
  const auto spec = [](const std::string& cpu, const std::string& more = "") {
    return R"({"nodeName":"n","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + "\"}}}]" +
           more + "}";
  };
  const std::string odd = R"(,"tolerations":"all")", deep = std::string(1000, '[') + std::string(1000, ']');
  feed({node_event("ADDED", "known", 2, spec("1")) + node_event("ADDED", "deep", 3, spec("2")) +
            node_event("ADDED", "gone", 4, spec("3")) + kListed,
        node_event("MODIFIED", "known", 10, spec("7", odd)) + node_event("MODIFIED", "deep", 11, deep) +
            node_event("ADDED", "new", 12, spec("4", odd)) +
            node_event("ADDED", "pending", 13, R"({"tolerations":5})") +
            node_event("ADDED", "hopeless", 14,
                       R"({"nodeName":"n","containers":[{"name":"c","resources":5}]})") +
            node_event("MODIFIED", "gone", 15, spec("3", odd)) +
            node_event("DELETED", "gone", 16, spec("3", odd)) + node_event("ADDED", "last", 17)},
       "/api/v1/pods");
  std::map<std::string, std::int64_t> cpu;
  scheduler_.snapshot().each_pod(
      [&](const cluster::PodInfoPtr& pod) { cpu[pod->pod->meta.name] = pod->requests.milli_cpu; });
  EXPECT_EQ(cpu, (std::map<std::string, std::int64_t>{{"known", 1000}, {"deep", 2000}, {"new", 4000}}));
  EXPECT_EQ(undecodable_, 6u);
}

TEST_F(ClusterFeedTest, APodKeepsTheVolumesThatAreRead) {
  const auto spec = [](const std::string& volumes) {
    return R"({"nodeName":"n","containers":[{"name":"c"}],"volumes":[)" + volumes + "]}";
  };
  const std::string token = R"({"name":"token","projected":{"sources":[]}})",
                    data = R"({"name":"data","persistentVolumeClaim":{"claimName":"web"}})",
                    scratch = R"({"name":"scratch","emptyDir":{}})",
                    memory = R"({"name":"memory","emptyDir":{"medium":"Memory"}})";
  feed({node_event("ADDED", "both", 2, spec(token + "," + data)) +
            node_event("ADDED", "token", 3, spec(token)) +
            node_event("ADDED", "local", 4, spec(memory + "," + scratch)) + kListed,
        node_event("ADDED", "last", 10)},
       "/api/v1/pods");
  std::map<std::string, std::vector<std::string>> names;
  scheduler_.snapshot().each_pod([&](const cluster::PodInfoPtr& pod) {
    auto& of_pod = names[pod->pod->meta.name];
    for (const auto& volume : pod->pod->volumes) of_pod.push_back(volume.name);
  });
  EXPECT_EQ(names, (std::map<std::string, std::vector<std::string>>{
                       {"both", {"data"}}, {"local", {"scratch"}}, {"token", {}}}));
}

// A claim is kept as the newest version that was seen; after a restore of etcd, versions are lower.
TEST_F(ClusterFeedTest, AfterARestoreAClaimIsAsTheApiServerHasIt) {
  const auto claim = [](const std::string& name, int version, const std::string& status) {
    return fmt::format(
        R"({{"type":"ADDED","object":{{"metadata":{{"namespace":"shop","name":"{0}","uid":"uid-{0}","resourceVersion":"{1}"}},"spec":{{}},"status":{2}}}}})"
        "\n",
        name, version, status);
  };
  const auto bookmark = [](int version, const std::string& more = "") {
    return fmt::format(R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}"{}}}}}}})"
                       "\n",
                       version, more);
  };
  const std::string listed = R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
  const std::string allocated = R"({"allocation":{"devices":{"results":[]}}})";
  feed_streams({{claim("gpu", 2005, allocated) + bookmark(2006, listed), bookmark(1004)},
                {claim("gpu", 1003, "{}") + bookmark(1004, listed), claim("last", 1005, "{}")}},
               "/apis/resource.k8s.io/v1/resourceclaims");
  const auto* known = scheduler_.snapshot().objects().find<api::ResourceClaim>("shop", "gpu");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->meta.resource_version, "1003");
  EXPECT_FALSE(known->status.allocation);
}

TEST_F(ClusterFeedTest, ADeletedWorkloadSpreadsNothingAnyMore) {
  const auto service = [](const std::string& type, const std::string& name, int version) {
    return fmt::format(
        R"({{"type":"{}","object":{{"metadata":{{"namespace":"shop","name":"{}","uid":"uid-{}","resourceVersion":"{}"}},"spec":{{"selector":{{"app":"web"}}}}}}}})"
        "\n",
        type, name, name, version);
  };
  feed({service("ADDED", "kept", 5) + service("ADDED", "gone", 6) + kListed, service("DELETED", "gone", 10),
        service("ADDED", "last", 11)},
       "/api/v1/services");
  std::vector<std::string> names;
  for (const auto& [key, workload] : scheduler_.snapshot().objects().workloads())
    names.push_back(workload->meta.name);
  EXPECT_EQ(names, (std::vector<std::string>{"kept", "last"}));
}

const std::string kGroups = R"({"kind":"APIGroupList","groups":[
    {"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]},
    {"name":"resource.k8s.io","versions":[{"groupVersion":"resource.k8s.io/v1beta1","version":"v1beta1"}]}]})";

const std::string kGroupsWithV1 = R"({"kind":"APIGroupList","groups":[
    {"name":"resource.k8s.io","versions":[{"groupVersion":"resource.k8s.io/v1","version":"v1"}]}]})";
const std::string kResources = R"({"kind":"APIResourceList","resources":[
    {"name":"resourceclaims"},{"name":"resourceslices"},{"name":"deviceclasses"},
    {"name":"devicetaintrules"}]})";

// A feed on virtual time. Discovery answers with `groups`; any other request that is sent gets a 404.
struct TimedFeed {
  TimedFeed(std::shared_ptr<unit::ScriptedTransport> transport, Scheduler& scheduler)
      : api(transport, time, system_random()),
        feed(api, scheduler, {}, gate, context.get_executor(), context.get_executor()) {
    transport->on_send = [this](const client::Request& request) -> Result<client::Response> {
      if (request.target == "/apis") return client::Response{200, groups};
      if (request.target == "/apis/resource.k8s.io/v1") return client::Response{200, kResources};
      return client::Response{404, "<html>no such page</html>"};
    };
  }
  ~TimedFeed() {
    feed.stop();
    run_for(1s);
  }
  void run_for(std::chrono::seconds span) { unit::run_for(context, time, span); }

  std::string groups;
  async::VirtualTime time;
  boost::asio::io_context context;
  client::Api api;
  async::Gate gate;
  ClusterFeed feed;
};

// API servers before Kubernetes 1.34 do not serve resource.k8s.io/v1. Some answer only after a while.
TEST_F(ClusterFeedTest, AKindThatIsNotServedIsEmpty) {
  const std::string refusal = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})";
  for (const int first : {404, 0, 403, 429, 503}) {  // the code of each kind's first reply; 0: none
    SCOPED_TRACE(first);
    std::set<std::string> asked;
    transport_->on_open = [&](const client::Request& request) -> Result<unit::StreamScript> {
      if (!request.target.starts_with("/apis/resource.k8s.io/"))
        return unit::StreamScript{200, {kListed}, End::hang};
      const bool is_first = asked.insert(request.target.substr(0, request.target.find('?'))).second;
      if (!is_first || first == 404) return unit::StreamScript{404, {refusal}};
      if (first == 0) return fail(Error::Kind::unavailable, "connection refused");
      return unit::StreamScript{first, {}};
    };
    TimedFeed timed(transport_, scheduler_);
    timed.groups = kGroups;
    std::optional<std::vector<std::string>> not_ready;
    timed.feed.start([&] { not_ready = timed.feed.not_ready(); });
    timed.run_for(10s);
    EXPECT_EQ(not_ready, std::vector<std::string>());
    EXPECT_EQ(asked.size(), 4u);
    // It is listed once discovery has it.
    timed.groups = kGroupsWithV1;
    bool is_listed = false;
    transport_->on_open = [&](const client::Request& request) -> Result<unit::StreamScript> {
      is_listed |= request.target.starts_with("/apis/resource.k8s.io/");
      return unit::StreamScript{200, {kListed}, End::hang};
    };
    timed.run_for(20s);
    EXPECT_FALSE(is_listed) << "discovery is asked twice a minute";
    timed.run_for(40s);
    EXPECT_TRUE(is_listed);
  }
}

// Neither a proxy's 404 nor its page in place of discovery says that a kind is not served.
TEST_F(ClusterFeedTest, A404WithoutDiscoveryLeavesAKindUnlisted) {
  const std::string page = "<html>no such page</html>";
  for (const auto& groups : {page, std::string("{}"), std::string("[1]"), kGroupsWithV1}) {
    SCOPED_TRACE(groups);
    bool proxy_is_away = false;
    transport_->on_open = [&](const client::Request& request) -> Result<unit::StreamScript> {
      const bool is_listed = proxy_is_away || !request.target.starts_with("/apis/resource.k8s.io/");
      return is_listed ? unit::StreamScript{200, {kListed}, End::hang} : unit::StreamScript{404, {page}};
    };
    TimedFeed timed(transport_, scheduler_);
    timed.groups = groups;
    bool is_synced = false;
    timed.feed.start([&] { is_synced = true; });
    timed.run_for(60s);
    EXPECT_FALSE(is_synced);
    EXPECT_EQ(timed.feed.not_ready().size(), 4u);
    proxy_is_away = true;
    timed.run_for(60s);
    EXPECT_TRUE(is_synced);
    EXPECT_EQ(timed.feed.not_ready(), std::vector<std::string>());
  }
}

std::string claim_event(const std::string& type, const std::string& name, int version) {
  return fmt::format(
      R"({{"type":"{}","object":{{"metadata":{{"namespace":"shop","name":"{}","uid":"uid-{}","resourceVersion":"{}"}},"spec":{{}}}}}})"
      "\n",
      type, name, name, version);
}

std::shared_ptr<const api::ResourceClaim> claim_of(const std::string& name, int version) {
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->meta.namespace_ = "shop";
  claim->meta.name = name;
  claim->meta.uid = "uid-" + name;
  claim->meta.resource_version = std::to_string(version);
  return claim;
}

const std::string kClaimsPath = "/apis/resource.k8s.io/v1/resourceclaims";

TEST_F(ClusterFeedTest, AClaimThatWasAssumedIsNotNewsAgain) {
  scheduler_.snapshot().objects().set(claim_of("c", 12));
  feed({claim_event("ADDED", "c", 5) + kListed, claim_event("MODIFIED", "c", 12),
        claim_event("MODIFIED", "c", 13), claim_event("ADDED", "last", 14)},
       kClaimsPath);
  EXPECT_EQ(counted_events(), (EventCounts{{"resource.k8s.io/ResourceClaimUpdate", 1},
                                           {"resource.k8s.io/ResourceClaimAdd", 1}}));
}

// It was created by this process, and was gone again while there was no watch. The list is of version 9.
TEST_F(ClusterFeedTest, AnAssumedClaimThatAListDoesNotHaveIsGone) {
  auto& objects = scheduler_.snapshot().objects();
  objects.assume(claim_of("gone", 9));
  objects.assume(claim_of("newer", 10));
  objects.set(claim_of("listed", 5));
  objects.assume(claim_of("listed", 8));
  feed({claim_event("ADDED", "listed", 5) + kListed, claim_event("ADDED", "last", 14)}, kClaimsPath);
  EXPECT_FALSE(objects.find<api::ResourceClaim>("shop", "gone"));
  EXPECT_TRUE(objects.find<api::ResourceClaim>("shop", "newer"));
  EXPECT_TRUE(objects.find<api::ResourceClaim>("shop", "listed"));
  EXPECT_EQ(counted_events(), (EventCounts{{"resource.k8s.io/ResourceClaimDelete", 1},
                                           {"resource.k8s.io/ResourceClaimAdd", 1}}));
}

TEST_F(ClusterFeedTest, EachKindIsAnEventOfItsOwn) {
  const std::pair<std::string, std::string> kinds[] = {
      {"/api/v1/namespaces", "NamespaceAdd"},
      {"/api/v1/persistentvolumes", "PersistentVolumeAdd"},
      {"/api/v1/persistentvolumeclaims", "PersistentVolumeClaimAdd"},
      {"/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/StorageClassAdd"},
      {"/apis/storage.k8s.io/v1/csinodes", "storage.k8s.io/CSINodeAdd"},
      {"/apis/storage.k8s.io/v1/csidrivers", "storage.k8s.io/CSIDriverAdd"},
      {"/apis/storage.k8s.io/v1/csistoragecapacities", "storage.k8s.io/CSIStorageCapacityAdd"},
      {"/apis/storage.k8s.io/v1/volumeattachments", "storage.k8s.io/VolumeAttachmentAdd"},
      {"/apis/resource.k8s.io/v1/resourceclaims", "resource.k8s.io/ResourceClaimAdd"},
      {"/apis/resource.k8s.io/v1/resourceslices", "resource.k8s.io/ResourceSliceAdd"},
      {"/apis/resource.k8s.io/v1/deviceclasses", "resource.k8s.io/DeviceClassAdd"},
  };
  EventCounts expected;
  for (const auto& [path, event] : kinds) {
    feed({node_event("ADDED", "last", 5) + kListed}, path);
    EXPECT_EQ(undecodable_, 0u) << path;
    expected[event] = 1;
    EXPECT_EQ(counted_events(), expected) << path;
  }
}

TEST_F(ClusterFeedTest, ATaintRuleIsAChangeOfTheSlicesWhoseDevicesItTaints) {
  const auto rule = [](const std::string& type, const std::string& name, int version,
                       const std::string& driver) {
    return fmt::format(
        R"({{"type":"{}","object":{{"metadata":{{"name":"{}","uid":"uid-{}","resourceVersion":"{}"}},"spec":{{"deviceSelector":{{"driver":"{}"}},"taint":{{"key":"k","effect":"NoSchedule"}}}}}}}})"
        "\n",
        type, name, name, version, driver);
  };
  api::ResourceSlice slice;
  slice.meta.name = "s";
  slice.driver = "gpu";
  slice.devices.emplace_back().name = "x";
  scheduler_.snapshot().objects().set(podium::test::share(slice));
  const std::string path = "/apis/resource.k8s.io/v1/devicetaintrules";
  feed({rule("ADDED", "r", 5, "nic") + kListed, rule("MODIFIED", "r", 10, "fpga"),
        rule("ADDED", "last", 11, "nic")},
       path);
  EXPECT_EQ(counted_events(), EventCounts()) << "it taints no device";
  EXPECT_FALSE(scheduler_.snapshot().objects().taint_rules().empty());
  feed({rule("ADDED", "r", 7, "fpga") + rule("ADDED", "s", 8, "gpu") + kListed,
        rule("DELETED", "s", 20, "gpu"), rule("ADDED", "last", 21, "nic")},
       path);
  EXPECT_EQ(counted_events(), (EventCounts{{"resource.k8s.io/ResourceSliceUpdate", 2}}));
}

// informer_queued_items and informer_store_resource_version.
TEST_F(ClusterFeedTest, WhatTheSchedulerHasTakenInIsCounted) {
  transport_->on_open = [&](const client::Request& request) -> Result<unit::StreamScript> {
    if (!request.target.starts_with("/api/v1/nodes?")) return unit::StreamScript{200, {kListed}, End::hang};
    return unit::StreamScript{
        200, {kListed, node_event("ADDED", "a", 12) + node_event("ADDED", "last", 13)}, End::hang};
  };
  boost::asio::io_context io, strand;
  client::Api api(transport_, system_clock(), system_random());
  async::Gate gate;
  ClusterFeed feed(api, scheduler_, {}, gate, io.get_executor(), strand.get_executor());
  feed.tap([&](const client::Resource&, const client::Change& change) {
    if (change.object.view().at("metadata").at("name") == "last") feed.stop();
  });
  const auto of_nodes = [&](const std::string& metric) {
    return unit::sampled(feed).at(metric + "{kube-scheduler,,v1,nodes}");
  };
  feed.start([] {});
  io.run();
  EXPECT_EQ(of_nodes("informer_queued_items"), 2);
  EXPECT_EQ(of_nodes("informer_store_resource_version"), 0) << "nothing is taken in";
  strand.run();
  EXPECT_EQ(of_nodes("informer_queued_items"), 0);
  EXPECT_EQ(of_nodes("informer_store_resource_version"), 13);
}

TEST_F(ClusterFeedTest, DeathTestOfAFeedThatHasStarted) {
  boost::asio::io_context context;
  client::Api api(transport_, system_clock(), system_random());
  async::Gate gate;
  gate.close();
  ClusterFeed feed(api, scheduler_, {}, gate, context.get_executor(), context.get_executor());
  feed.start({});
  EXPECT_DEATH(feed.start({}), "check failed at .*started");
  EXPECT_DEATH(feed.tap({}), "check failed at .*started");
}

}  // namespace
}  // namespace podium::live

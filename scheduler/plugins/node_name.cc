// NodeName: a pod with spec.nodeName fits only on that node. PreFilter leaves only that node; the filter
// serves profiles that disable PreFilter.
// Source: pkg/scheduler/framework/plugins/nodename.
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

class NodeNameFilter final : public NodeFilter {
 public:
  NodeNameFilter(const Snapshot& snapshot, std::string_view wanted)
      : NodeFilter(snapshot), wanted_(snapshot.find_row(wanted)) {}

  bool ignores_pods() const override { return true; }
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add({framework::names::kNodeName,
                             Code::unschedulable_and_unresolvable,
                             {Reason(ReasonCode::node_name_mismatch)}});
    for (std::size_t w = 0; w < nodes.words(); ++w) {
      auto others = nodes.word(w);
      if (wanted_ && *wanted_ / 64 == w) others &= ~(std::uint64_t{1} << *wanted_ % 64);
      if (others) out.reject_word(nodes, w, others, id);
    }
  }

 private:
  std::optional<Row> wanted_;
};

class NodeName final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return framework::names::kNodeName; }
  bool has_pre_filter() const override { return true; }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (pod->node_name.empty()) return {.never_skips = true};
    return {.only = std::set{pod->node_name},
            .filter = std::make_unique<NodeNameFilter>(snapshot, pod->node_name)};
  }

  std::vector<EventHint> hints() const override { return {{EventResource::node, kAdd, nullptr}}; }
};

}  // namespace

PluginPtr make_node_name(const boost::json::object&) { return std::make_shared<NodeName>(); }

}  // namespace podium::plugins

// A scheduler with two plugins of its own.
//
// ZoneBudget: each zone has floating licences of several kinds. A label names the kind that a pod holds. The
// plugin rejects zones without a licence left (Filter) and prefers the zone with most left (Score).
//
//   pluginConfig:
//   - name: ZoneBudget
//     args: {label: example.com/licence, perZone: {cad: 2, render: 10}}
//
// StartTogether: binds the pods of a group only when all of them have a node (Permit). Labels give the
// group's name and size.
//
//   - name: StartTogether
//     args: {timeoutSeconds: 60}
#include <podium.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace podium::framework;
namespace api = podium::api;
namespace cluster = podium::cluster;
namespace json = boost::json;
using podium::Problems;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";

// --- ZoneBudget ---

// The licences of one kind that are taken in each zone.
struct Licences {
  const cluster::LabelColumn* zones = nullptr;  // null: no node has a zone
  std::vector<std::int64_t> taken;              // by zone
  std::int64_t limit = 0;

  // Nodes without a zone count as one zone.
  std::size_t zone_of(Row row) const { return zones ? zones->value(row) : cluster::kNoValue; }
  std::int64_t left(Row row) const { return limit - taken[zone_of(row)]; }
};

class ZoneBudget final : public Plugin, public FilterPlugin, public ScorePlugin {
 public:
  ZoneBudget(std::string label, std::map<std::string, std::int64_t> per_zone)
      : label_(std::move(label)), per_zone_(std::move(per_zone)) {}

  std::string_view name() const override { return "ZoneBudget"; }
  bool has_pre_filter() const override { return true; }
  bool has_pre_score() const override { return true; }

  // Called once for a pod. An empty result skips the node loop: the pod holds no licence.
  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    const auto* kind = kind_of(*pod);
    if (!kind) return {};
    return {.filter = std::make_unique<Filter>(*this, *kind, snapshot, count(*kind, snapshot))};
  }

  PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot, const NodeMask&) const override {
    const auto* kind = kind_of(*pod);
    if (!kind) return {};
    return {std::make_unique<Scorer>(count(*kind, snapshot))};
  }

  // A rejected pod may fit when a holder of the same kind goes, or when a zone appears.
  std::vector<EventHint> hints() const override {
    const auto frees_one = [this](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* gone = std::get_if<api::PodPtr>(&event.before);
      const auto* wanted = kind_of(*rejected);
      const auto* held = gone && *gone ? kind_of(**gone) : nullptr;
      return wanted && held && *wanted == *held;
    };
    return {{EventResource::assigned_pod, kDelete | kUpdatePodLabel, frees_one},
            {EventResource::node, kAdd | kUpdateNodeLabel, nullptr}};
  }

 private:
  class Filter final : public NodeFilter {
   public:
    Filter(const ZoneBudget& plugin, std::string kind, const Snapshot& snapshot, Licences licences)
        : NodeFilter(snapshot), plugin_(plugin), kind_(std::move(kind)), licences_(std::move(licences)) {}

    void filter(NodeMask& nodes, Rejections& out) const override {
      const auto id = out.add(verdict());
      const NodeMask asked = nodes;
      asked.each([&](Row row) {
        if (licences_.left(row) <= 0) out.reject(nodes, row, id);
      });
    }

    // The verdict on one node with pods added and removed, for preemption.
    std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
      auto left = licences_.left(row);
      for (const auto& pod : delta.added) left -= holds(*pod);
      for (const auto& pod : delta.removed) left += holds(*pod);
      return left > 0 ? std::nullopt : std::optional(verdict());
    }

   private:
    bool holds(const PodInfo& pod) const {
      const auto* kind = plugin_.kind_of(*pod);
      return kind && *kind == kind_;
    }
    Verdict verdict() const {
      return {"ZoneBudget", Code::unschedulable, {"zone(s) had no " + kind_ + " licence left"}};
    }

    const ZoneBudget& plugin_;
    const std::string kind_;
    const Licences licences_;
  };

  class Scorer final : public NodeScorer {
   public:
    explicit Scorer(Licences licences) : licences_(std::move(licences)) {}
    void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
      feasible.each([&](Row row) {
        out[row] =
            static_cast<std::uint8_t>(std::max<std::int64_t>(0, 100 * licences_.left(row) / licences_.limit));
      });
    }

   private:
    const Licences licences_;
  };

  // Null if the pod holds no licence with a budget.
  const std::string* kind_of(const api::Pod& pod) const {
    const auto* kind = pod.meta.labels.find(label_);
    return kind && per_zone_.contains(*kind) ? kind : nullptr;
  }

  Licences count(const std::string& kind, const Snapshot& snapshot) const {
    Licences licences;
    licences.zones = snapshot.labels().find(kZone);
    licences.taken.resize(licences.zones ? licences.zones->id_limit() : 1);
    licences.limit = per_zone_.at(kind);
    // A class has the pods of equal labels; a posting is their number on one node.
    snapshot.pod_classes().each([&](const cluster::PodClass& pods) {
      const auto* held = pods.labels().find(label_);
      if (!held || *held != kind) return;
      for (const auto& posting : pods.postings())
        licences.taken[licences.zone_of(posting.row)] += posting.pods;
    });
    return licences;
  }

  const std::string label_;
  const std::map<std::string, std::int64_t> per_zone_;
};

std::shared_ptr<const ZoneBudget> make_zone_budget(const json::object& args, Problems& errors) {
  std::string label;
  std::map<std::string, std::int64_t> per_zone;
  for (const auto& [name, value] : args) {
    if (name == "label" && value.is_string()) {
      label = value.get_string();
    } else if (name == "perZone" && value.is_object()) {
      for (const auto& [kind, limit] : value.get_object()) {
        if (limit.is_int64() && limit.get_int64() > 0) {
          per_zone[std::string(kind)] = limit.get_int64();
        } else {
          errors.add("perZone." + std::string(kind), "Invalid value: must be a whole number above zero");
        }
      }
    } else {
      errors.add(std::string(name), "unknown field, or of a wrong type");
    }
  }
  if (label.empty()) errors.add("label", "Required value");
  return !errors ? std::make_shared<const ZoneBudget>(std::move(label), std::move(per_zone)) : nullptr;
}

// --- StartTogether ---

class StartTogether final : public Plugin, public PermitPlugin {
 public:
  explicit StartTogether(std::chrono::seconds timeout) : timeout_(timeout) {}
  std::string_view name() const override { return "StartTogether"; }

  // The snapshot already counts this pod and the pods of its group that wait or run.
  PermitResult permit(const AssumedPod& pod, const Snapshot& snapshot, Handle& handle) const override {
    const auto& incoming = *pod.pod->pod;
    const auto* group = incoming.meta.labels.find(kGroup);
    const auto size = size_of(incoming);
    if (!group || size <= 1) return PermitResult::approve();
    std::int64_t placed = 0;
    snapshot.pod_classes().each_in_namespace(incoming.meta.namespace_, [&](const cluster::PodClass& pods) {
      const auto* theirs = pods.labels().find(kGroup);
      if (theirs && *theirs == *group) placed += pods.pods();
    });
    if (placed < size) return PermitResult::wait_for(timeout_);
    std::vector<std::string> ready;
    handle.each_waiting_pod([&](const AssumedPod& other) {
      const auto& meta = other.pod->pod->meta;
      const auto* theirs = meta.labels.find(kGroup);
      if (meta.namespace_ == incoming.meta.namespace_ && theirs && *theirs == *group)
        ready.push_back(meta.uid);
    });
    for (const auto& uid : ready) handle.allow(uid, name());
    return PermitResult::approve();
  }

 private:
  static constexpr std::string_view kGroup = "example.com/start-group", kSize = "example.com/start-size";

  static std::int64_t size_of(const api::Pod& pod) {
    const auto* text = pod.meta.labels.find(kSize);
    std::int64_t size = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), size);
    return size;
  }

  const std::chrono::seconds timeout_;
};

std::shared_ptr<const StartTogether> make_start_together(const json::object& args, Problems& errors) {
  std::int64_t seconds = 60;
  for (const auto& [name, value] : args) {
    if (name == "timeoutSeconds" && value.is_int64() && value.get_int64() > 0) {
      seconds = value.get_int64();
    } else {
      errors.add(std::string(name), name == "timeoutSeconds"
                                        ? "Invalid value: must be a whole number above zero"
                                        : "unknown field");
    }
  }
  return std::make_shared<const StartTogether>(std::chrono::seconds(seconds));
}

}  // namespace

int main(int argc, char** argv) {
  podium::plugins::Registry plugins;
  plugins.add("ZoneBudget", make_zone_budget).add("StartTogether", make_start_together);
  return podium::app::main(argc, argv, plugins);
}

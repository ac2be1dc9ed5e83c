// VolumeBinding, as far as scores go: upstream's is skipped for every pod while the gate StorageCapacityScoring is off,
// which is its default. Source: pkg/scheduler/framework/plugins/volumebinding.
#include "scheduler/plugins/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

class VolumeBinding final : public Plugin, public ScorePlugin {
 public:
  std::string_view name() const override { return "VolumeBinding"; }
  bool has_pre_score() const override { return true; }

  PreparedScore prepare_score(const PodInfo&, const Snapshot&, const NodeMask&) const override { return {}; }
};

}  // namespace

PluginPtr make_volume_binding(const boost::json::object&) { return std::make_shared<VolumeBinding>(); }

}  // namespace podium::plugins

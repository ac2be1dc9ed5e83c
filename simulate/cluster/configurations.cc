#include "simulate/cluster/configurations.h"

#include <string>
#include <string_view>

#include "scheduler/config/load.h"
#include "simulate/cluster/extender.h"

namespace podium::simulate {
namespace {

config::Config configuration_with(std::string_view more) {
  constexpr std::string_view kText =
      "apiVersion: config.podium.dev/v1alpha1\nkind: PodiumConfiguration\nreports: {ttl: 150s}\n"
      "httpAPI: {enabled: true}\n";  // decisions are kept in memory
  return config::load(std::string(kText).append(more), "simulation").value();
}

}  // namespace

const config::Config& configuration(bool waits_briefly, bool has_extender) {
  static const auto config = configuration_with("");
  static const auto extended = configuration_with(
      std::string("---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n") +
      kExtenderConfiguration);
  // Some drivers and provisioners take longer than that.
  static const auto with_short_waits = configuration_with(
      "---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 12s}}, "
      "{name: VolumeBinding, args: {bindTimeoutSeconds: 12}}]}]\n");
  if (has_extender) return extended;
  return waits_briefly ? with_short_waits : config;
}

}  // namespace podium::simulate

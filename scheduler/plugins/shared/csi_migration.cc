#include "scheduler/plugins/shared/csi_migration.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/values/objects.h"
#include "base/ascii.h"

namespace podium::plugins {
namespace {

using Kind = api::Volume::Kind;

struct MigratedPlugin {
  Kind kind;
  std::string_view plugin, driver, topology_key;  // empty key: the topology is not translated
};

constexpr std::array<MigratedPlugin, 5> kPlugins = {{
    {Kind::aws_disk, "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"},
    {Kind::gce_disk, "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"},
    {Kind::azure_disk, "kubernetes.io/azure-disk", "disk.csi.azure.com", ""},
    {Kind::cinder, "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone"},
    {Kind::portworx, "kubernetes.io/portworx-volume", "pxd.portworx.com", ""},
}};

constexpr std::string_view kZone = "topology.kubernetes.io/zone", kRegion = "topology.kubernetes.io/region",
                           kBetaZone = "failure-domain.beta.kubernetes.io/zone",
                           kBetaRegion = "failure-domain.beta.kubernetes.io/region";

const MigratedPlugin* find_plugin(Kind kind) {
  const auto* it = std::ranges::find(kPlugins, kind, &MigratedPlugin::kind);
  return it == kPlugins.end() ? nullptr : it;
}

using Handle = std::expected<std::string, std::string>;

// "aws://zone/vol-1" yields vol-1. An id without the scheme is returned without a check.
Handle aws_handle(const std::string& id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return id;
  const auto rest = std::string_view(id).substr(kScheme.size());
  const auto path = rest.substr(0, rest.find_first_of("?#"));
  const auto slash = path.find('/');
  auto volume =
      slash == std::string_view::npos ? std::string() : std::string(trimmed(path.substr(slash), "/"));
  if (!volume.starts_with("vol-") || volume.contains('/')) {
    return std::unexpected(fmt::format(
        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({})", id));
  }
  return volume;
}

// The common region of the zones: us-central1-a and us-central1-b yield us-central1.
Handle region_of(const std::vector<std::string_view>& zones) {
  std::set<std::string_view> regions;
  for (const auto zone : zones) {
    if (std::ranges::count(zone, '-') != 2) {
      return std::unexpected(
          fmt::format("zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {}", zone));
    }
    regions.insert(zone.substr(0, zone.rfind('-')));
  }
  if (regions.size() == 1) return std::string(*regions.begin());
  return std::unexpected(
      fmt::format("multiple or no regions gotten from zones, got: map[{}:{{}}]", fmt::join(regions, ":{} ")));
}

// A disk in one zone is zonal, a disk in several zones is regional.
Handle gce_handle(std::string_view disk, std::string_view zones) {
  const auto list = split(zones, "__");
  if (list.size() > 1) {
    const auto region = region_of(list);
    if (!region) return std::unexpected("failed to get region from zones: " + region.error());
    return fmt::format("projects/UNSPECIFIED/regions/{}/disks/{}", *region, disk);
  }
  return fmt::format("projects/UNSPECIFIED/zones/{}/disks/{}", zones.empty() ? "UNSPECIFIED" : zones, disk);
}

// Only managed disks can be translated.
Handle azure_handle(const api::Volume& disk) {
  if (disk.pool == "Managed") return disk.id;
  return std::unexpected(fmt::format("kind({}) is not supported in csi migration", disk.pool));
}

// `zones`: the zones of a GCE disk, from the zone label of its volume.
std::optional<Translation> translated(const api::Volume& volume, std::string_view zones) {
  const auto* plugin = find_plugin(volume.kind);
  if (!plugin) return std::nullopt;
  const auto handle = volume.kind == Kind::aws_disk     ? aws_handle(volume.id)
                      : volume.kind == Kind::gce_disk   ? gce_handle(volume.id, zones)
                      : volume.kind == Kind::azure_disk ? azure_handle(volume)
                                                        : Handle(volume.id);
  if (!handle) return std::unexpected(handle.error());
  return CsiVolume{std::string(plugin->driver), *handle};
}

std::string_view label(const api::PersistentVolume& volume, std::string_view key) {
  const auto* value = volume.meta.labels.find(key);
  return value ? std::string_view(*value) : std::string_view();
}

bool names_key(const std::vector<api::NodeSelectorTerm>& terms, std::string_view key) {
  return std::ranges::any_of(terms, [&](const auto& term) {
    return std::ranges::find(term.match_expressions, key, &api::Requirement::key) !=
           term.match_expressions.end();
  });
}

void rename_key(std::vector<api::NodeSelectorTerm>& terms, std::string_view from, std::string_view to) {
  for (auto& term : terms) {
    for (auto& requirement : term.match_expressions) {
      if (requirement.key == from) requirement.key = to;
    }
  }
}

}  // namespace

std::optional<Translation> translated(const api::Volume& inline_volume) {
  return translated(inline_volume, "");
}

std::optional<Translation> translated(const api::PersistentVolume& volume) {
  if (!volume.csi_driver.empty()) return std::nullopt;
  const auto beta = label(volume, kBetaZone);
  return translated(volume.source, beta.empty() ? label(volume, kZone) : beta);
}

std::string_view driver_of_provisioner(std::string_view provisioner) {
  const auto* it = std::ranges::find(kPlugins, provisioner, &MigratedPlugin::plugin);
  return it == kPlugins.end() ? provisioner : it->driver;
}

bool is_uncounted_provisioner(std::string_view provisioner) {
  return provisioner == "kubernetes.io/azure-file" || provisioner == "kubernetes.io/vsphere-volume";
}

// Source: plugins/in_tree_volume.go translateTopologyFromInTreeToCSI.
MigratedAffinity migrated_affinity(const api::PersistentVolume& volume) {
  const auto translation = translated(volume);
  if (!translation) return {{}, volume.node_affinity};
  const auto* plugin = find_plugin(volume.source.kind);
  if (!*translation)
    return {plugin->plugin, std::unexpected("could not translate pv: " + translation->error())};
  if (plugin->topology_key.empty()) return {{}, volume.node_affinity};
  MigratedAffinity result{plugin->plugin, volume.node_affinity};
  auto terms = volume.node_affinity.value_or(std::vector<api::NodeSelectorTerm>{});
  const auto& labels = volume.meta.labels;
  const bool beta = !names_key(terms, kZone) &&
                    (names_key(terms, kBetaZone) || (!labels.contains(kZone) && labels.contains(kBetaZone)));
  const auto zone_key = beta ? kBetaZone : kZone;
  if (names_key(terms, zone_key)) {
    rename_key(terms, zone_key, plugin->topology_key);
  } else if (labels.contains(zone_key)) {
    std::set<std::string> zones;
    for (const auto zone : split(label(volume, zone_key), "__")) {
      if (const auto name = trimmed(zone); !name.empty()) zones.emplace(name);
    }
    if (terms.empty() && !zones.empty()) terms.emplace_back();
    for (auto& term : terms) {
      if (zones.empty()) break;
      term.match_expressions.push_back(
          {std::string(plugin->topology_key), api::Requirement::Op::in, {zones.begin(), zones.end()}});
    }
  }
  if (beta) rename_key(terms, kBetaRegion, kRegion);
  if (volume.node_affinity || !terms.empty()) result.terms = std::move(terms);
  return result;
}

bool has_migrated(const api::CsiNode& node, std::string_view plugin) {
  const auto* plugins = node.meta.annotations.find("storage.alpha.kubernetes.io/migrated-plugins");
  if (!plugins || plugin.empty()) return false;
  const auto list = split(*plugins, ",");
  return std::ranges::find(list, plugin) != list.end();
}

}  // namespace podium::plugins

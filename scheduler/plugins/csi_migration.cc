#include "scheduler/plugins/csi_migration.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace podium::plugins {
namespace {

using Kind = api::Volume::Kind;

struct MigratedPlugin {
  Kind kind;
  std::string_view plugin, driver, topology_key;  // no key: its topology is not translated
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

std::vector<std::string> split(std::string_view text, std::string_view delimiter) {
  std::vector<std::string> parts;
  for (auto end = text.find(delimiter); end != std::string_view::npos; end = text.find(delimiter)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  parts.emplace_back(text);
  return parts;
}

std::string trimmed(std::string_view text, std::string_view blanks) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

// "aws://zone/vol-1" is vol-1; a bare volume ID is one. Empty where it is none.
std::string aws_handle(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return std::string(id);
  id.remove_prefix(kScheme.size());
  const auto slash = id.find('/');
  auto volume = slash == std::string_view::npos ? std::string() : trimmed(id.substr(slash), "/");
  if (!volume.starts_with("vol-") || volume.contains('/')) return {};
  return volume;
}

// us-central1-a and us-central1-b make us-central1; empty where they make no one region.
std::string region_of(const std::vector<std::string>& zones) {
  std::string region;
  for (const auto& zone : zones) {
    if (std::ranges::count(zone, '-') != 2) return {};
    const auto of_zone = zone.substr(0, zone.rfind('-'));
    if (!region.empty() && region != of_zone) return {};
    region = of_zone;
  }
  return region;
}

// A disk in one zone is zonal, one in several regional. Empty where their region is not known.
std::string gce_handle(std::string_view disk, std::string_view zones) {
  const auto list = split(zones, "__");
  if (list.size() > 1) {
    const auto region = region_of(list);
    if (region.empty()) return {};
    return fmt::format("projects/UNSPECIFIED/regions/{}/disks/{}", region, disk);
  }
  return fmt::format("projects/UNSPECIFIED/zones/{}/disks/{}", zones.empty() ? "UNSPECIFIED" : zones, disk);
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

std::optional<CsiVolume> migrated(const api::Volume& volume) {
  const auto* plugin = find_plugin(volume.kind);
  if (!plugin) return std::nullopt;
  std::string handle = volume.id;
  if (volume.kind == Kind::aws_disk) handle = aws_handle(volume.id);
  if (volume.kind == Kind::gce_disk) handle = gce_handle(volume.id, "");
  return CsiVolume{std::string(plugin->driver), std::move(handle), true};
}

std::optional<CsiVolume> csi_volume(const api::PersistentVolume& volume) {
  if (!volume.csi_driver.empty()) return CsiVolume{volume.csi_driver, volume.csi_handle};
  auto result = migrated(volume.source);
  if (result && volume.source.kind == Kind::gce_disk) {
    const auto beta = label(volume, kBetaZone);
    result->handle = gce_handle(volume.source.id, beta.empty() ? label(volume, kZone) : beta);
  }
  return result;
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
  const auto* plugin = volume.csi_driver.empty() ? find_plugin(volume.source.kind) : nullptr;
  if (!plugin || plugin->topology_key.empty()) return {{}, volume.node_affinity};
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
    for (const auto& zone : split(label(volume, zone_key), "__")) {
      if (auto name = trimmed(zone, " \t\r\n"); !name.empty()) zones.insert(std::move(name));
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

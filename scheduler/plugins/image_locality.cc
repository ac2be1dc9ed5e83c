// ImageLocality: prefers nodes that already have the pod's images, by image size.
// Source: pkg/scheduler/framework/plugins/imagelocality.
#include <algorithm>

#include "scheduler/cluster/resources.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/column_scan.h"
#include "scheduler/plugins/shared/exact_division.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kMin = 23 * kMiB;
constexpr std::int64_t kMaxPerImage = 1000 * kMiB;

// References without a tag or a digest mean ":latest".
std::string normalized(const std::string& image) {
  const auto colon = image.rfind(':');
  const auto slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

// Scales the size by the fraction of nodes that have the image, so that pods do not pile up on the few nodes
// that have it.
std::int64_t scaled_size(const cluster::ImageState& image, std::size_t total_nodes) {
  // Far above the size that counts, so that the images of a pod have a sum. A kubelet writes sizes.
  constexpr double kMost = 1LL << 44;
  const double spread = static_cast<double>(image.nodes.size()) / static_cast<double>(total_nodes);
  return static_cast<std::int64_t>(std::clamp(static_cast<double>(image.size) * spread, 0.0, kMost));
}

// The images that the pod uses, whether a node has them or not.
std::size_t count_images(const api::Pod& pod) {
  const auto volumes = std::ranges::count(pod.volumes, api::Volume::Kind::image, &api::Volume::kind);
  return pod.containers.size() + pod.init_containers.size() + static_cast<std::size_t>(volumes);
}

class ImageScorer final : public NodeScorer {
 public:
  ImageScorer(const PodInfo& pod, const Snapshot& snapshot)
      : total_nodes_(snapshot.node_count()),
        range_(kMaxPerImage * static_cast<std::int64_t>(count_images(*pod)) - kMin) {
    const auto use = [&](const std::string& image) {
      if (const auto* state = snapshot.image(normalized(image))) images_.push_back(state);
    };
    for (const auto& container : pod->init_containers) use(container.image);
    for (const auto& container : pod->containers) use(container.image);
    for (const auto& volume : pod->volumes) {
      if (volume.kind == api::Volume::Kind::image) use(volume.id);
    }
  }

  // No node gets more than 0.
  bool is_nothing() const { return range_ <= 0 || images_.empty(); }

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    if (is_nothing()) return;
    std::int64_t most = 0;
    for (const auto* image : images_)
      most = cluster::saturating_add(most, std::max<std::int64_t>(0, scaled_size(*image, total_nodes_)));
    const auto best = score_of(most);
    if (best == 0) return;
    if (images_.size() == 1) {
      for (const auto row : images_.front()->nodes) out[row] = best;
      return;
    }
    const auto sums = zeroed_scratch(out.size());
    for (const auto* image : images_) {
      const auto size = scaled_size(*image, total_nodes_);
      for (const auto row : image->nodes) sums[row] += size;
    }
    feasible.each([&](Row row) {
      if (sums[row]) out[row] = score_of(sums[row]);
    });
  }

 private:
  std::uint8_t score_of(std::int64_t sum) const {
    return static_cast<std::uint8_t>(percent(std::clamp<std::int64_t>(sum - kMin, 0, range_), range_));
  }

  std::vector<const cluster::ImageState*> images_;  // one entry per use
  std::size_t total_nodes_;
  std::int64_t range_;  // maximum of the sum minus kMin
};

class ImageLocality final : public Plugin, public ScorePlugin {
 public:
  std::string_view name() const override { return framework::names::kImageLocality; }
  bool has_pre_score() const override { return false; }

  // Never skipped.
  PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot, const NodeMask&) const override {
    auto scorer = std::make_unique<ImageScorer>(pod, snapshot);
    if (scorer->is_nothing()) return {std::make_unique<SameScore>(0)};
    return {std::move(scorer)};
  }
};

}  // namespace

PluginPtr make_image_locality(const boost::json::object&) { return std::make_shared<ImageLocality>(); }

}  // namespace podium::plugins

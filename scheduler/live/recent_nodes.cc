#include "scheduler/live/recent_nodes.h"

#include <string_view>
#include <vector>

#include "base/text_hash.h"
#include "scheduler/live/recent_list.h"

namespace podium::live {
namespace {

constexpr std::string_view kInstanceType = "node.kubernetes.io/instance-type";

}  // namespace

api::NodePtr RecentNodes::shared(const api::Node& node) {
  auto copy = std::make_shared<api::Node>(node);
  const auto* type = node.meta.labels.find(kInstanceType);
  auto& recent = samples_[stable_hash(type ? std::string_view(*type) : "") % kMost];
  // Most nodes share the keys only, since the name is a label. The copy's list is `node`'s until then.
  copy->meta.labels =
      api::Labels(std::vector<api::Labels::Entry>(node.meta.labels.begin(), node.meta.labels.end()));
  share_list(copy->meta.labels, recent.meta.labels);
  share_list(copy->meta.annotations, recent.meta.annotations);
  share_list(copy->conditions, recent.conditions);
  share_list(copy->capacity, recent.capacity);
  copy->allocatable.share(copy->capacity);
  share_list(copy->allocatable, recent.allocatable);
  for (auto& [names, size] : copy->images) {
    if (!names.empty()) share_list(names, images_[stable_hash(names.front()) % kImages]);
  }
  return copy;
}

}  // namespace podium::live

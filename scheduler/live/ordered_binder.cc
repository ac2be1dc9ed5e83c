#include "scheduler/live/ordered_binder.h"

#include <boost/asio/post.hpp>

#include "api/values/pod.h"

namespace podium::live {

void OrderedBinder::bind(cluster::PodInfoPtr pod, std::string node) {
  const auto& uid = (*pod)->meta.uid;
  auto later = [this, pod, node] {
    boost::asio::post(strand_, [this, pod, node] { inner_.bind(pod, node); });
  };
  if (statuses_.stop_before_binding(uid, std::move(later))) inner_.bind(std::move(pod), std::move(node));
}

}  // namespace podium::live

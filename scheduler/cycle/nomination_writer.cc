#include "scheduler/cycle/nomination_writer.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/json/value.hpp>

#include "base/coalescing_queue.h"

namespace podium::cycle {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

struct Wanted {
  std::string ns, name, uid, node;  // node: empty where the nomination ends
};

json::value patch_body(const Wanted& w) {
  const json::value node = w.node.empty() ? json::value(nullptr) : json::value(w.node);
  return json::object{{"metadata", {{"uid", w.uid}}}, {"status", {{"nominatedNodeName", node}}}};
}

}  // namespace

struct NominationWriter::Impl {
  Impl(client::Api& api_, async::Gate& gate_, asio::any_io_executor io_, std::size_t capacity)
      : api(api_), gate(gate_), io(std::move(io_)), queue(capacity, 1) {}

  static client::Task<void> drain(std::shared_ptr<Impl> self) {
    while (auto w = self->queue.take()) {
      auto body = patch_body(*w);
      const auto done =
          co_await self->api.patch(client::resource::pods, w->ns, w->name, client::PatchType::strategic_merge,
                                   std::move(body), "status");
      // 404: gone; 409 (UID precondition): replaced by another of its name.
      if (!done && done.error().code != 404 && done.error().code != 409) {
        spdlog::warn("nomination not written pod={}/{} node={} error=\"{}\"", w->ns, w->name, w->node,
                     done.error().message);
      }
    }
  }

  client::Api& api;
  async::Gate& gate;
  asio::any_io_executor io;
  CoalescingQueue<Wanted> queue;  // by pod UID
};

NominationWriter::NominationWriter(client::Api& api, async::Gate& gate, asio::any_io_executor io,
                                   std::size_t capacity)
    : impl_(std::make_shared<Impl>(api, gate, std::move(io), capacity)) {}

NominationWriter::~NominationWriter() = default;

void NominationWriter::nominate(const cluster::PodInfo& pod, std::string node) {
  const auto& meta = pod->meta;
  Wanted w{.ns = meta.namespace_, .name = meta.name, .uid = meta.uid, .node = std::move(node)};
  if (impl_->queue.push(meta.uid, std::move(w)))
    async::spawn(impl_->gate, impl_->io, "write", Impl::drain(impl_));
}

void NominationWriter::forget(const std::string& pod_uid) { impl_->queue.forget(pod_uid); }

}  // namespace podium::cycle

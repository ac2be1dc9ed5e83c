#include "app/engine/extended.h"

#include <boost/asio/post.hpp>
#include <memory>

#include "log/log.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "scheduler/live/binding_request.h"

namespace podium::app {

namespace asio = boost::asio;

ExtenderConsultant::ExtenderConsultant(const extender::Extenders& extenders, async::Gate& gate,
                                       asio::any_io_executor own, asio::any_io_executor strand,
                                       Decided decided)
    : extenders_(extenders),
      gate_(gate),
      own_(std::move(own)),
      strand_(std::move(strand)),
      decided_(std::move(decided)) {}

void ExtenderConsultant::decide(cluster::PodInfoPtr pod, cluster::Snapshot fork,
                                const framework::Profile& profile, std::size_t start) {
  async::spawn(gate_, own_, "ask extenders", run(this, std::move(pod), std::move(fork), &profile, start));
}

client::Task<void> ExtenderConsultant::run(ExtenderConsultant* self, cluster::PodInfoPtr pod,
                                           cluster::Snapshot fork, const framework::Profile* profile,
                                           std::size_t start) {
  auto text = self->extenders_.texts().pod((*pod)->meta.uid);
  auto decision = co_await extender::decide(self->extenders_, self->gate_, pod, std::move(text),
                                            std::move(fork), *profile, start);
  const auto shared = std::make_shared<framework::Decision>(std::move(decision));
  asio::post(self->strand_, [self, shared] { self->decided_(std::move(*shared)); });
}

ExtenderBinder::ExtenderBinder(const extender::Extenders& extenders, client::Api& api, cycle::Binder& next,
                               async::Gate& gate, asio::any_io_executor io, asio::any_io_executor strand,
                               live::ApiBinder::Ended ended, live::ApiBinder::InDoubt in_doubt)
    : extenders_(extenders),
      api_(api),
      next_(next),
      gate_(gate),
      io_(std::move(io)),
      strand_(std::move(strand)),
      ended_(std::move(ended)),
      in_doubt_(std::move(in_doubt)) {}

void ExtenderBinder::bind(cluster::PodInfoPtr pod, std::string node) {
  const auto* extender = extenders_.binder(**pod);
  if (!extender) return next_.bind(std::move(pod), std::move(node));
  async::spawn(gate_, io_, "bind by extender", run(this, extender, std::move(pod), std::move(node)));
}

client::Task<void> ExtenderBinder::run(ExtenderBinder* self, const extender::HttpExtender* extender,
                                       cluster::PodInfoPtr pod, std::string node) {
  live::BindingRequest request;
  request.pod = pod;
  request.node = node;
  request.send = [extender, pod, node] { return extender->bind(pod->pod, node); };
  request.in_doubt = [self, uid = (*pod)->meta.uid] {
    asio::post(self->strand_, [self, uid] { self->in_doubt_(uid); });
  };
  auto bound = co_await request.send();
  auto outcome = co_await live::carry_out(self->api_, std::move(request), std::move(bound), self->log_);
  if (outcome.end == cycle::BindEnd::rejected && extender->ignorable()) {
    log::info("ignorable extender did not bind, binding directly extender={} pod={} error={:?}",
              extender->name(), (*pod)->full_name(), outcome.error);
    asio::post(self->strand_, [self, pod, node] { self->next_.bind(pod, node); });
    co_return;
  }
  asio::post(self->strand_, [self, uid = (*pod)->meta.uid, outcome] { self->ended_(uid, outcome); });
}

}  // namespace podium::app

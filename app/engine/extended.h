// HTTP extenders in the live cycle: they take part in decisions, and one of them may bind.
//
// ExtenderConsultant decides on its own executor, because writing and parsing bodies with thousands of nodes
// takes long. ExtenderBinder wraps the Binder of the API server.
//
// Owner: the Engine, whose gate holds their tasks. Threads: both are called on the strand and post their
// results to it. Errors: in the Decision, and in the BindOutcome.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <string>

#include "async/gate.h"
#include "client/api.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/extender/extenders.h"
#include "scheduler/live/api_binder.h"

namespace podium::app {

class ExtenderConsultant final : public cycle::Consultant {
 public:
  using Decided = std::function<void(framework::Decision)>;

  // `own` has one thread.
  ExtenderConsultant(const extender::Extenders& extenders, async::Gate& gate,
                     boost::asio::any_io_executor own, boost::asio::any_io_executor strand, Decided decided);
  bool applies_to(const api::Pod& pod) const override { return extenders_.applies_to(pod); }
  void decide(cluster::PodInfoPtr pod, cluster::Snapshot fork, const framework::Profile& profile,
              std::size_t start) override;

 private:
  static client::Task<void> run(ExtenderConsultant* self, cluster::PodInfoPtr pod, cluster::Snapshot fork,
                                const framework::Profile* profile, std::size_t start);

  const extender::Extenders& extenders_;
  async::Gate& gate_;
  boost::asio::any_io_executor own_, strand_;
  Decided decided_;
};

class ExtenderBinder final : public cycle::Binder {
 public:
  // `next` binds the pods that no extender binds. After a lost reply the extender is called again,
  // and the pod is read through `api`, until the result is known (carry_out()).
  ExtenderBinder(const extender::Extenders& extenders, client::Api& api, cycle::Binder& next,
                 async::Gate& gate, boost::asio::any_io_executor io, boost::asio::any_io_executor strand,
                 live::ApiBinder::Ended ended, live::ApiBinder::InDoubt in_doubt);
  void bind(cluster::PodInfoPtr pod, std::string node) override;
  void read(cluster::PodInfoPtr pod) override { next_.read(std::move(pod)); }

 private:
  static client::Task<void> run(ExtenderBinder* self, const extender::HttpExtender* extender,
                                cluster::PodInfoPtr pod, std::string node);

  const extender::Extenders& extenders_;
  client::Api& api_;
  cycle::Binder& next_;
  async::Gate& gate_;
  boost::asio::any_io_executor io_, strand_;
  live::ApiBinder::Ended ended_;
  live::ApiBinder::InDoubt in_doubt_;
  LogLimit log_;
};

}  // namespace podium::app

// HTTP extenders in the live cycle: they are asked before a decision, and one of them may bind.
//
// ExtenderConsultant decides on an executor of its own, since bodies with thousands of nodes take a while to
// write and to parse; ExtenderBinder stands before the binder that asks the API server.
// Owner: the Engine, whose gate holds what they run. Threads: both are called on the strand; answers are
// posted to it.
// Errors: in the Decision, and in the outcome of a binding.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <string>

#include "async/gate.h"
#include "client/api.h"
#include "scheduler/cycle/api_binder.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/extender/extenders.h"

namespace podium::app {

class ExtenderConsultant final : public cycle::Consultant {
 public:
  using Decided = std::function<void(framework::Decision)>;

  // One thread runs `own`.
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
  // The extender is asked again, and `api` for the pod, until it is known what became of a binding whose
  // reply was lost; `next` binds what no extender does.
  ExtenderBinder(const extender::Extenders& extenders, client::Api& api, cycle::Binder& next,
                 async::Gate& gate, boost::asio::any_io_executor io, boost::asio::any_io_executor strand,
                 cycle::ApiBinder::Ended ended, cycle::ApiBinder::InDoubt in_doubt);
  void bind(cluster::PodInfoPtr pod, std::string node) override;

 private:
  static client::Task<void> run(ExtenderBinder* self, const extender::HttpExtender* extender,
                                cluster::PodInfoPtr pod, std::string node);

  const extender::Extenders& extenders_;
  client::Api& api_;
  cycle::Binder& next_;
  async::Gate& gate_;
  boost::asio::any_io_executor io_, strand_;
  cycle::ApiBinder::Ended ended_;
  cycle::ApiBinder::InDoubt in_doubt_;
  LogLimit log_;
};

}  // namespace podium::app

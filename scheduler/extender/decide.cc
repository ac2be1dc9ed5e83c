// decide(): runs the steps of an evaluation and calls the extenders in between.

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>

#include "async/timer.h"
#include "log/log.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/extender/extenders.h"
#include "scheduler/extender/preemption.h"
#include "scheduler/framework/evaluation.h"

namespace podium::extender {
namespace {

namespace asio = boost::asio;
using framework::Evaluation;
using framework::ScoreOpinion;

// The feasible nodes so far, by name. A node without a cached text was deleted; it is left out, and so
// it is rejected.
Candidates candidates_of(const framework::NodeMask& feasible, const framework::Snapshot& snapshot,
                         const ObjectTexts& texts, bool with_texts) {
  Candidates out;
  for (const auto row : snapshot.rows_by_name()) {
    if (!feasible.test(row)) continue;
    std::string name(snapshot.node_name(row));
    if (with_texts) {
      auto text = texts.node(name);
      if (!text) continue;
      out.nodes.push_back(std::move(text));
    }
    out.names.push_back(std::move(name));
  }
  return out;
}

// The results of concurrent prioritize calls. The last one cancels the timer and so wakes the waiting task.
struct PendingScores {
  explicit PendingScores(asio::any_io_executor executor) : all_answered(std::move(executor)) {}
  async::Timer all_answered;
  std::vector<std::optional<Result<ScoreOpinion>>> answers;
  std::size_t missing = 0;
};

client::Task<void> ask_for_scores(const HttpExtender* extender, Text pod, Candidates candidates,
                                  std::shared_ptr<PendingScores> pending, std::size_t index) {
  auto answer = co_await extender->prioritize(std::move(pod), std::move(candidates));
  pending->answers[index].emplace(std::move(answer));
  if (--pending->missing == 0) pending->all_answered.cancel();
}

// Calls the prioritize verbs. A failed extender is logged and gives no scores; the attempt continues.
client::Task<std::vector<ScoreOpinion>> scores(const Extenders* extenders, async::Gate* gate,
                                               framework::PodInfoPtr pod, Text pod_text,
                                               const framework::Snapshot* snapshot,
                                               framework::NodeMask feasible) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<const HttpExtender*> called;
  for (const auto& extender : extenders->all()) {
    if (extender->prioritizes() && extender->interested(**pod)) called.push_back(extender.get());
  }
  const auto pending = std::make_shared<PendingScores>(executor);
  pending->answers.resize(called.size());
  pending->missing = called.size();
  for (std::size_t i = 0; i < called.size(); ++i) {
    auto candidates = candidates_of(feasible, *snapshot, extenders->texts(), called[i]->wants_nodes());
    auto ask = ask_for_scores(called[i], pod_text, std::move(candidates), pending, i);
    if (!async::spawn(*gate, executor, "ask extender for scores", std::move(ask))) --pending->missing;
  }
  const auto stop = co_await asio::this_coro::cancellation_state;
  while (pending->missing > 0 && stop.cancelled() == asio::cancellation_type::none) {
    boost::system::error_code ignored;
    co_await pending->all_answered.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  std::vector<ScoreOpinion> out;
  for (std::size_t i = 0; i < called.size(); ++i) {
    if (!pending->answers[i]) continue;  // cancelled
    auto& answer = *pending->answers[i];
    if (answer) {
      out.push_back(std::move(*answer));
    } else {
      log::info("no scores from extender extender={} pod={} error={:?}", called[i]->name(),
                (*pod)->full_name(), answer.error().message);
    }
  }
  co_return out;
}

client::Task<void> filter(const Extenders* extenders, framework::PodInfoPtr pod, Text pod_text,
                          const framework::Snapshot* snapshot, Evaluation* evaluation) {
  for (const auto& extender : extenders->all()) {
    if (!evaluation->undecided()) co_return;
    if (!extender->filters() || !extender->interested(**pod)) continue;
    auto candidates =
        candidates_of(evaluation->so_far().feasible, *snapshot, extenders->texts(), extender->wants_nodes());
    const auto opinion = co_await extender->filter(pod_text, std::move(candidates));
    if (opinion) {
      evaluation->narrow(*opinion);
    } else if (extender->ignorable()) {
      log::info("skipping ignorable extender extender={} pod={} error={:?}", extender->name(),
                (*pod)->full_name(), opinion.error().message);
    } else {
      evaluation->fail(opinion.error().message);
    }
  }
}

}  // namespace

client::Task<framework::Decision> decide(const Extenders& extenders, async::Gate& gate,
                                         framework::PodInfoPtr pod, Text pod_text,
                                         framework::Snapshot snapshot, const framework::Profile& profile,
                                         std::size_t start) {
  Evaluation evaluation(*pod, snapshot, profile, start);
  if (evaluation.undecided() && !pod_text) {
    evaluation.fail("the pod no longer exists");
  }
  co_await filter(&extenders, pod, pod_text, &snapshot, &evaluation);
  while (auto* candidates = evaluation.candidates()) {
    auto left = co_await call_preempt_verbs(&extenders, pod, pod_text, &snapshot, std::move(*candidates));
    evaluation.settle(std::move(left));
  }
  std::vector<ScoreOpinion> opinions;
  if (evaluation.wants_scores()) {
    auto feasible = evaluation.so_far().feasible;
    opinions = co_await scores(&extenders, &gate, pod, pod_text, &snapshot, std::move(feasible));
  }
  co_return std::move(evaluation).finish(opinions);
}

}  // namespace podium::extender

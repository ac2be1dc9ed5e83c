// A decision with extenders in it: the I/O between the parts of an evaluation.
#include <spdlog/spdlog.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>

#include "scheduler/extender/extenders.h"
#include "scheduler/extender/preemption.h"

namespace podium::extender {
namespace {

namespace asio = boost::asio;
using framework::Evaluation;
using framework::ScoreOpinion;

// The nodes that are feasible so far, by name. One whose text is gone has left the cluster: it is not asked
// about, and so turned down.
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

// Questions that are asked at the same time, and their answers. The last one wakes who waits.
struct Poll {
  explicit Poll(asio::any_io_executor executor) : all_in(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer all_in;
  std::vector<std::optional<Result<ScoreOpinion>>> answers;
  std::size_t missing = 0;
};

client::Task<void> ask_for_scores(const HttpExtender* extender, Text pod, Candidates candidates,
                                  std::shared_ptr<Poll> poll, std::size_t index) {
  auto answer = co_await extender->prioritize(std::move(pod), std::move(candidates));
  poll->answers[index].emplace(std::move(answer));
  if (--poll->missing == 0) poll->all_in.cancel();
}

// A failure here is no failure of the attempt: the others decide.
client::Task<std::vector<ScoreOpinion>> scores(const Extenders* extenders, async::Gate* gate,
                                               framework::PodInfoPtr pod, Text pod_text,
                                               const framework::Snapshot* snapshot,
                                               framework::NodeMask feasible) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<const HttpExtender*> asked;
  for (const auto& extender : extenders->all()) {
    if (extender->prioritizes() && extender->interested(**pod)) asked.push_back(extender.get());
  }
  const auto poll = std::make_shared<Poll>(executor);
  poll->answers.resize(asked.size());
  poll->missing = asked.size();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    auto candidates = candidates_of(feasible, *snapshot, extenders->texts(), asked[i]->wants_nodes());
    auto ask = ask_for_scores(asked[i], pod_text, std::move(candidates), poll, i);
    if (!async::spawn(*gate, executor, "ask extender for scores", std::move(ask))) --poll->missing;
  }
  const auto stop = co_await asio::this_coro::cancellation_state;
  while (poll->missing > 0 && stop.cancelled() == asio::cancellation_type::none) {
    boost::system::error_code ignored;
    co_await poll->all_in.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  std::vector<ScoreOpinion> out;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!poll->answers[i]) continue;  // stopping
    auto& answer = *poll->answers[i];
    if (answer) {
      out.push_back(std::move(*answer));
    } else {
      spdlog::info("no scores from extender extender={} pod={} error=\"{}\"", asked[i]->name(),
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
      spdlog::info("extender passed over extender={} pod={} error=\"{}\"", extender->name(),
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
    evaluation.fail("the pod is not known any more");
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

// Served: a ReportApi with a memory of decisions and a thread for what-ifs, on virtual time.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/parse.hpp>
#include <future>
#include <string>
#include <vector>

#include "app/report_api/report_api.h"
#include "async/virtual_time.h"
#include "controller/recorder/packed_status.h"
#include "controller/what_if/asker.h"
#include "explain/question/question.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"
#include "server/status.h"
#include "unit/client/doubles.h"
#include "unit/support/builders.h"

namespace podium::app::report_api {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;
using server::Reply;
using server::Request;

inline constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"i"}]}})";
inline const std::string kScores = "/v1/namespaces/shop/pods/web/scores",
                         kAsk = "/v1/namespaces/shop/whatif/";

inline async::Task<Result<std::string>> given(std::string text, int* reads, std::size_t limit) {
  ++*reads;
  Result<std::string> out = std::move(text);
  if (out->size() > limit)
    out = std::unexpected(Error{.kind = Error::Kind::invalid, .message = "large", .status = {.code = 413}});
  co_return out;
}

inline async::Task<server::AccessDecision> admit_by_token(Request request, server::Attributes what,
                                                          std::vector<std::string>* asked) {
  server::AccessDecision out;
  out.user.name = request.authorization;
  asked->push_back(fmt::format("{} {} {}.{}/{} in {}", request.authorization, what.verb, what.resource,
                               what.group, what.version, what.ns));
  const bool knows_no_nodes = request.authorization == "tenant" && what.resource == "nodes";
  const bool reads_no_pods = request.authorization == "asker" && what.resource != "schedulingreports";
  // Sees the pods of the namespaces shop and web, one by one.
  const bool is_elsewhere = request.authorization == "half" && what.ns != "shop" && what.ns != "web";
  // May ask everywhere, and sees the pods of no namespace.
  const bool is_blind = request.authorization == "blind" && what.resource == "pods";
  if (is_elsewhere || is_blind || request.authorization == "nobody" ||
      request.authorization == "system:anonymous" || knows_no_nodes || reads_no_pods)
    out.refusal = server::status_reply(403, "no");
  co_return out;
}

struct Served {
  explicit Served(bool what_ifs = true, bool withholds_node_names = false)
      : api(
            {.decisions = decisions,
             .asker = asker,
             .answers_what_ifs = what_ifs,
             .withholds_node_names = withholds_node_names,
             .not_synced = [this] { return missing; },
             .leads = [this] { return leads; },
             .leader = [] { return std::string("podium-0"); },
             .replied = [this](const std::string& path,
                               int code) { replied.push_back(fmt::format("{} {}", code, path)); }},
            [this](Request request, server::Attributes what) {
              if (revoked) request.authorization = "nobody";
              return admit_by_token(std::move(request), std::move(what), &asked);
            },
            gate, clock, random) {
    decisions.begin();
  }

  Request request(const std::string& method, const std::string& path, std::string_view body = "") {
    Request out;
    out.method = method;
    out.path = path.substr(0, path.find('?'));
    if (out.path.size() < path.size()) out.query = path.substr(out.path.size() + 1);
    out.authorization = "ann";
    out.content_type = "application/json";
    out.read_body = [this, text = std::string(body)](std::size_t limit) {
      return given(text, &bodies_read, limit);
    };
    return out;
  }
  std::future<Reply> begin(Request request) {
    return asio::co_spawn(io, api.answer(std::move(request)), asio::use_future);
  }
  Reply send(Request request) {
    auto reply = begin(std::move(request));
    while (reply.wait_for(0s) != std::future_status::ready) {
      io.restart();
      if (io.poll() == 0) clock.advance(1h);
    }
    return reply.get();
  }
  // Does what is due, also within this time.
  void pass(std::chrono::milliseconds time = 0ms) {
    const auto end = clock.now() + time;
    do {
      io.restart();
      while (io.poll() > 0) io.restart();
      if (clock.now() >= end) break;
      clock.advance(end - clock.now());
    } while (true);
  }
  Reply get(const std::string& path) { return send(request("GET", path)); }
  Reply post(const std::string& path, std::string_view body = kPod) {
    return send(request("POST", path, body));
  }

  void decide() {
    explain::ReportStatus status;
    status.outcome = "Scheduled";
    status.choice.emplace().node = "n1";
    status.choice->score = 731;
    status.decided_at = clock.wall();
    status.expires_at = clock.wall() + 10min;
    status.top_nodes = {{"n1", 731}, {"n2", 700}};
    status.strategies = {{"NodeResourcesFit", 2, {{"n1", 92}}}};
    decisions.remember("shop", "web", "a-uid", status, controller::pack(status));
  }
  void wait(const std::string& ns, const std::string& pod) {
    explain::ReportStatus status;
    status.outcome = "Unschedulable";
    status.attempts = 3;
    status.node_counts.total = 5;
    status.rejections = {{"NodeResourcesFit", "InsufficientResource", "Insufficient cpu", 4}};
    decisions.remember(ns, pod, pod, status, controller::pack(status));
  }
  async::Task<cluster::Snapshot> fork() {
    ++forks;
    cluster::Snapshot made;
    for (int i = 1; i <= nodes; ++i)
      made.set_node(
          test::node("n" + std::to_string(i)).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
    for (const auto& pod : placed) made.add_pod(cluster::make_pod_info(test::share(pod)));
    for (const auto& budget : budgets) made.objects().set(test::share(budget));
    co_return made;
  }

  // The only object of the API server is the pod shop/web.
  async::Task<Result<std::optional<std::string>>> reference(
      std::shared_ptr<const explain::Question> question) {
    const auto& [maker, name] = explain::referred(*question);
    referred.push_back(fmt::format("{} {}", maker.plural, name));
    if (name == "away") co_return fail(Error::Kind::unavailable, "refused");
    if (maker.plural != "pods" || name != "web") co_return std::nullopt;
    co_return std::string(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u"},)"
        R"("spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"5"}}}]}})");
  }

  async::VirtualTime clock;
  unit::FixedRandom random;
  asio::io_context io{1};
  async::Gate gate;
  const config::Config config = config::load("", "default").value();
  controller::DecisionMemory decisions{clock, {}};
  controller::Asker asker{
      config,
      clock,
      io.get_executor(),
      [this] { return fork(); },
      {},
      {},
      [this](std::shared_ptr<const explain::Question> question) { return reference(std::move(question)); }};
  std::vector<api::Pod> placed;
  std::vector<api::PodDisruptionBudget> budgets;
  std::vector<std::string> missing, asked, replied, referred;
  bool leads = true;
  bool revoked = false;  // nobody has a right any more
  int bodies_read = 0, forks = 0, nodes = 1;
  ReportApi api;
};

inline std::string message(const Reply& reply) {
  const auto body = json::parse(reply.body);
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(body.at("kind"), "Status");
  EXPECT_EQ(body.at("apiVersion"), "v1");
  EXPECT_EQ(body.at("code").to_number<int>(), reply.status);
  return fmt::format("{} {}: {}", reply.status, std::string_view(body.at("reason").as_string()),
                     std::string_view(body.at("message").as_string()));
}

inline std::string header(const Reply& reply, std::string_view name) {
  for (const auto& [key, value] : reply.headers) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace podium::app::report_api

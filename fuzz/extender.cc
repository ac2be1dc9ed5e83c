// Replies of HTTP extenders, from their text to a decision that takes them into account.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/gate.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzz_cluster.h"
#include "fuzz/fuzzers.h"
#include "scheduler/config/load.h"
#include "scheduler/extender/extenders.h"
#include "scheduler/framework/decision.h"

namespace podium::fuzz {
namespace {

constexpr std::string_view kNextReply = "\n---\n";

std::vector<std::string> replies_of(std::string_view input) {
  std::vector<std::string> out;
  for (;;) {
    const auto end = input.find(kNextReply);
    out.emplace_back(input.substr(0, end));
    if (end == std::string_view::npos) return out;
    input.remove_prefix(end + kNextReply.size());
  }
}

// Answers requests with the replies of the input, in order; 404 after the last.
class ScriptedReplies final : public client::Transport {
 public:
  explicit ScriptedReplies(std::shared_ptr<std::vector<std::string>> left) : left_(std::move(left)) {}
  async::Task<Result<client::Response>> send(client::Request) override {
    client::Response response;
    response.status = left_->empty() ? 404 : 200;
    if (!left_->empty()) {
      response.body = std::move(left_->front());
      left_->erase(left_->begin());
    }
    Result<client::Response> out = std::move(response);
    co_return out;
  }
  async::Task<Result<std::unique_ptr<client::Stream>>> open(client::Request) override {
    Result<std::unique_ptr<client::Stream>> out = fail(Error::Kind::internal, "an extender has no watches");
    co_return out;
  }
  void close() override {}

 private:
  std::shared_ptr<std::vector<std::string>> left_;
};

// Two that are asked about names, and one that gets whole nodes and may fail.
std::vector<config::Extender> configs() {
  std::vector<config::Extender> out(3);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].url_prefix = "http://extender-" + std::to_string(i);
    out[i].filter_verb = "filter";
    out[i].node_cache_capable = i < 2;
  }
  out[0].preempt_verb = "preempt";
  out[1].prioritize_verb = "prioritize";
  out[1].weight = 3;
  out[2].ignorable = true;
  return out;
}

framework::Decision decide_with(const std::string& uid, std::vector<std::string> replies) {
  const auto left = std::make_shared<std::vector<std::string>>(std::move(replies));
  const auto extenders = extender::Extenders::make(
      configs(), [&left](const client::ClientConfig&) { return std::make_shared<ScriptedReplies>(left); });
  require(extenders.has_value(), "the extenders' configuration is valid");
  const auto& before = small_cluster();
  before.present().each([&](cluster::Row row) {
    const boost::json::value node{{"metadata", {{"name", boost::json::string(before.node_name(row))}}}};
    (*extenders)->texts().changed(client::resource::nodes, {client::Change::Type::added, node});
  });
  static const auto profile = config::load("", "default").value().profiles.front();
  auto copy = std::make_shared<api::Pod>(*(*before.find_pod(uid))->pod);
  copy->node_name.clear();
  copy->meta.uid = "asks";
  const auto text = std::make_shared<const std::string>(R"({"metadata":{"name":"asks"}})");

  boost::asio::io_context io;
  async::Gate gate;
  std::optional<framework::Decision> out;
  boost::asio::co_spawn(
      io, extender::decide(**extenders, gate, cluster::make_pod_info(copy), text, before, *profile),
      [&out](std::exception_ptr failure, framework::Decision decision) {
        if (failure) std::rethrow_exception(failure);
        out = std::move(decision);
      });
  io.run();
  require(out.has_value() && gate.inside() == 0, "a decision comes to its end");
  return std::move(*out);
}

template <typename T>
void check_read(const Result<T>& read) {
  require(read.has_value() || (read.error().kind == Error::Kind::internal && !read.error().message.empty()),
          "a reply that cannot be read has a reason");
}

void check_reply(const std::string& text) {
  check_read(extender::read_filter_reply(text));
  check_read(extender::read_priorities(text));
  check_read(extender::read_binding_reply(text));
  auto victims = extender::read_preemption_reply(text);
  check_read(victims);
  if (!victims) return;
  require(std::ranges::is_sorted(*victims, {}, &extender::Victims::node), "victims are sorted by node", text);
  // What is sent to the next extender reads as what came.
  const auto sent = extender::args_with_victim_uids("{}", *victims);
  if (planted() && victims->size() > 1 && victims->back().uids.size() > 2) victims->back().uids.pop_back();
  const auto again = extender::read_preemption_reply(sent);
  require(again && *again == *victims, "victims stay the same on their way", sent);
}

}  // namespace

void extender_replies(std::string_view input) {
  // A failed extender is logged at each decision.
  spdlog::set_level(spdlog::level::off);
  auto replies = replies_of(input);
  for (const auto& reply : replies) check_reply(reply);
  for (const std::string uid : {"db-0", "web-1-a"}) {
    const auto decision = decide_with(uid, replies);
    require(!decision.choice || decision.feasible.test(*decision.choice), "a pod goes where it fits");
    require(decision.node_count == small_cluster().node_count(), "a decision counts the nodes");
    require(decision.fits() || !decision.message.empty() || !decision.error.empty(),
            "a pod that is not placed has a reason");
  }
}

}  // namespace podium::fuzz

#include "app/engine/cache_debugger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "api/text/json_view.h"
#include "async/on.h"
#include "log/log.h"

namespace podium::app {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using async::Task;

// People read the dump: bounds the nodes and pods, and puts several in a line.
constexpr std::size_t kMostNodes = 500, kMostPods = 500, kMostNames = 100, kInALine = 100;
constexpr const char* kLivePods = "status.phase!=Succeeded,status.phase!=Failed";

std::string first_of(const std::vector<std::string>& names) {
  const auto shown = std::span(names).first(std::min(names.size(), kMostNames));
  const auto more = names.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, " "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string text_of_node(const cluster::Snapshot& snapshot, cluster::Row row) {
  return fmt::format("{} pods={}/{} cpu={}m/{}m memory={}/{}", snapshot.node_name(row),
                     snapshot.pod_count[row], snapshot.allocatable_pods[row],
                     snapshot.requested_milli_cpu[row], snapshot.allocatable_milli_cpu[row],
                     snapshot.requested_memory[row], snapshot.allocatable_memory[row]);
}

std::string text_of_pod(const cluster::PodInfo& pod) {
  return fmt::format("{} uid={} nominated={}", pod->full_name(), pod->meta.uid, pod->nominated_node);
}

void log_in_parts(std::string_view what, const std::vector<std::string>& texts, std::size_t total) {
  for (std::size_t at = 0; at < texts.size(); at += kInALine) {
    const auto part = std::span(texts).subspan(at, std::min(kInALine, texts.size() - at));
    log::info("cache: {} from={} of={} list={:?}", what, at + 1, total,
              fmt::format("{}", fmt::join(part, "; ")));
  }
}

}  // namespace

Mismatch compare(std::vector<std::string> actual, std::vector<std::string> cached) {
  std::ranges::sort(actual);
  std::ranges::sort(cached);
  Mismatch out;
  std::ranges::set_difference(actual, cached, std::back_inserter(out.missed));
  std::ranges::set_difference(cached, actual, std::back_inserter(out.redundant));
  return out;
}

CacheDebugger::CacheDebugger(client::Api& api, cycle::Scheduler& scheduler, async::Gate& gate,
                             asio::any_io_executor io, asio::any_io_executor strand)
    : api_(api), scheduler_(scheduler), gate_(gate), io_(std::move(io)), strand_(std::move(strand)) {}

void CacheDebugger::run() {
  if (running_.exchange(true)) return;
  if (!async::spawn(gate_, io_, "compare the cache", compare_and_dump(this))) running_ = false;
}

Task<CacheDebugger::Cached> CacheDebugger::read(CacheDebugger* self) {
  auto& scheduler = self->scheduler_;
  Cached cached;
  cached.snapshot = scheduler.snapshot();
  cached.pods = scheduler.pods();
  scheduler.queue().each([&](const queue::QueuedPod& queued) {
    if (cached.queued.size() < kMostPods) cached.queued.push_back(queued.pod);
  });
  cached.counts = scheduler.queue().counts();
  cached.binding = scheduler.bindings();
  co_return cached;
}

Task<Result<std::vector<std::string>>> CacheDebugger::list(CacheDebugger* self, client::Resource resource,
                                                           std::string field_selector, std::string field) {
  client::ListOptions options;
  options.metadata_only = true;
  options.field_selector = std::move(field_selector);
  std::vector<std::string> out;
  const std::function<bool(std::vector<json::value>)> each = [&](std::vector<json::value> items) {
    for (const auto& item : items) out.push_back(api::text_at(item, "/metadata/" + field));
    return true;
  };
  const auto listed = co_await self->api_.list_pages(resource, "", options, each);
  if (!listed) co_return std::unexpected(listed.error());
  co_return out;
}

// Lists the API server first: the cache then has every object that the list has.
Task<void> CacheDebugger::compare_and_dump(CacheDebugger* self) {
  const auto nodes = co_await list(self, client::resource::nodes, "", "name");
  const auto pods = co_await list(self, client::resource::pods, kLivePods, "uid");
  const auto cached = co_await async::on(self->strand_, read(self));
  for (const auto* listed : {&nodes, &pods}) {
    if (*listed) continue;
    log::warn("cannot compare the cache with the API server verb={} resource={} error={:?}",
              listed->error().request.verb, listed->error().request.resource, listed->error().text());
  }
  if (nodes && pods) {
    std::vector<std::string> cached_nodes, cached_pods;
    for (const auto row : cached.snapshot.rows_by_name())
      cached_nodes.emplace_back(cached.snapshot.node_name(row));
    for (const auto& pod : cached.pods) cached_pods.push_back(pod->pod->meta.uid);
    const auto of_nodes = compare(*nodes, std::move(cached_nodes));
    const auto of_pods = compare(*pods, std::move(cached_pods));
    const bool same = of_nodes == Mismatch{} && of_pods == Mismatch{};
    if (same) log::info("cache matches the API server nodes={} pods={}", nodes->size(), pods->size());
    if (of_nodes != Mismatch{})
      log::warn("cache mismatch missed_nodes={:?} redundant_nodes={:?}", first_of(of_nodes.missed),
                first_of(of_nodes.redundant));
    if (of_pods != Mismatch{})
      log::warn("cache mismatch missed_pods={:?} redundant_pods={:?}", first_of(of_pods.missed),
                first_of(of_pods.redundant));
  }
  dump(cached);
  self->running_ = false;
}

void CacheDebugger::dump(const Cached& cached) {
  std::vector<std::string> nodes, queued;
  const auto rows = cached.snapshot.rows_by_name();
  for (const auto row : rows.first(std::min(rows.size(), kMostNodes)))
    nodes.push_back(text_of_node(cached.snapshot, row));
  for (const auto& pod : cached.queued) queued.push_back(text_of_pod(*pod));
  const auto& counts = cached.counts;
  log::info(
      "cache: summary nodes={} pods={} binding={} active={} backoff={} unschedulable={} gated={} "
      "in_flight={}",
      rows.size(), cached.pods.size(), cached.binding, counts.active, counts.backoff, counts.unschedulable,
      counts.gated, counts.in_flight);
  log_in_parts("nodes", nodes, rows.size());
  log_in_parts("queue", queued,
               counts.active + counts.backoff + counts.unschedulable + counts.gated + counts.in_flight);
}

}  // namespace podium::app

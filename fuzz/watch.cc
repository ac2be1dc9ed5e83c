// Watches of the API server, from their bytes to the snapshot and a decision on it.
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "api/decode/decode.h"
#include "api/values/device.h"
#include "client/decode/arena_json.h"
#include "client/decode/list_page.h"
#include "client/decode/watch_lines.h"
#include "client/watch/known_objects.h"
#include "controller/what_if/asked.h"
#include "explain/question/report_text.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzz_cluster.h"
#include "fuzz/fuzzers.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/decision.h"

namespace podium::fuzz {
namespace {

using cluster::Snapshot;

std::vector<std::string> lines_of(std::string_view input, std::size_t piece) {
  client::LineSplitter splitter(4096);
  std::vector<std::string> lines;
  for (; !input.empty(); input.remove_prefix(std::min(piece, input.size()))) {
    splitter.feed(input.substr(0, piece), [&lines](std::string_view line) {
      lines.emplace_back(line);
      return true;
    });
  }
  return lines;
}

// Sums of a row, which a pod that comes and goes leaves as they were.
std::vector<std::int64_t> sums(const Snapshot& snapshot) {
  std::vector<std::int64_t> out;
  snapshot.present().each([&](cluster::Row row) {
    for (const auto* column :
         {&snapshot.requested_milli_cpu, &snapshot.requested_memory, &snapshot.requested_ephemeral,
          &snapshot.non_zero_milli_cpu, &snapshot.non_zero_memory})
      out.push_back((*column)[row]);
    out.push_back(snapshot.pod_count[row]);
  });
  return out;
}

class Applied {
 public:
  void apply(const api::Object& object) {
    std::visit([this](const auto& each) { add(each); }, object);
  }
  void decide() {
    const auto& before = small_cluster();
    static const auto profile = config::load("", "default").value().profiles.front();
    const auto* pod = before.find_pod("db-0");
    auto copy = std::make_shared<api::Pod>(*(*pod)->pod);
    copy->node_name.clear();
    copy->meta.uid = "asks";
    std::vector<cluster::PodInfoPtr> asked{cluster::make_pod_info(copy)};
    for (const auto& each : pods_) asked.push_back(each);
    for (const auto& each : asked) {
      const auto decision = framework::evaluate(*each, snapshot_, *profile);
      require(!decision.choice || decision.feasible.test(*decision.choice), "a pod goes where it fits");
      require(decision.node_count == snapshot_.node_count(), "a decision counts the nodes");
      require(decision.fits() || !decision.message.empty() || !decision.error.empty() || decision.pre_enqueue,
              "a pod that is not placed has a reason");
    }
  }
  // Pods that leave again take with them what they brought.
  void undo(bool plant) {
    const auto before = sums(snapshot_with_nodes());
    for (const auto& uid : uids_) snapshot_.remove_pod(uid);
    auto after = sums(snapshot_);
    if (plant) after.back() += 1;
    require(after == before, "pods that leave take their requests with them");
  }
  std::size_t pods() const { return uids_.size(); }

 private:
  // The cluster with the nodes of the watch and without its pods, whatever the order was.
  Snapshot snapshot_with_nodes() const {
    auto out = small_cluster();
    for (const auto& node : nodes_) out.set_node(node);
    for (const auto& uid : uids_) out.remove_pod(uid);
    return out;
  }
  void add(const std::monostate&) {}
  void add(const std::shared_ptr<const api::Pod>& pod) {
    if (pod->meta.uid.empty()) return;
    uids_.insert(pod->meta.uid);
    auto info = cluster::make_pod_info(pod);
    if (pod->node_name.empty()) {
      if (pods_.size() < 4) pods_.push_back(info);
      if (!pod->nominated_node.empty()) snapshot_.nominate(info, pod->nominated_node);
    }
    snapshot_.add_pod(info);
  }
  void add(const std::shared_ptr<const api::Node>& node) {
    nodes_.push_back(node);
    snapshot_.set_node(node);
  }
  void add(const std::shared_ptr<const api::Workload>& workload) {
    snapshot_.objects().set_workload(workload);
  }
  template <typename T>
  void add(const std::shared_ptr<const T>& object) {
    if constexpr (cluster::Kept<T>) snapshot_.objects().set(object);
  }

  Snapshot snapshot_ = small_cluster();
  std::vector<api::NodePtr> nodes_;
  std::set<std::string> uids_;
  std::vector<cluster::PodInfoPtr> pods_;
};

// If an object replaces another of its name, the deletion of the old one comes first.
void require_one_object(std::span<const client::Change> changes) {
  if (changes.size() < 2) return;
  using enum client::Change::Type;
  require(changes.size() == 2 && changes[0].type == deleted && changes[1].type != deleted,
          "a line changes one object, or replaces it");
}

}  // namespace

void watch(std::string_view input) {
  const auto lines = lines_of(input, input.size() + 1);
  for (const std::size_t piece : {1, 5, 100}) {
    if (piece == 1 && input.size() > 8192) continue;
    require(lines_of(input, piece) == lines, "lines are the same however they arrive");
  }
  client::Arena arena;
  const boost::json::storage_ptr storage(&arena);
  client::KnownObjects known;
  std::vector<client::Change> changes;
  known.begin_list(false);
  known.end_list("1", changes);
  Applied applied;
  for (const auto& line : lines) {
    auto event = client::parse_watch_event(line, storage);
    if (!event) continue;
    if (event->type == client::WatchEvent::Type::error) (void)client::status_error(event->object, 0).message;
    const controller::Seen seen(event->object);
    (void)seen.is_answered();
    (void)explain::scan_report(line);
    const auto copy = event->object;
    const auto changed = changes.size();
    if (event->type == client::WatchEvent::Type::deleted)
      (void)known.remove(event->object, changes);
    else
      (void)known.upsert(event->object, changes, event->problem.empty());
    require_one_object(std::span(changes).subspan(changed));
    if (const auto object = api::decode_object(copy)) applied.apply(*object);
    (void)api::decode_meta(copy);
    if (const auto page = client::split_list(line)) {
      for (const auto item : page->items) (void)client::read_outline(item, storage);
    }
  }
  applied.decide();
  applied.undo(planted() && applied.pods() > 3);
}

}  // namespace podium::fuzz

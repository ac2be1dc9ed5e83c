// NodeResourcesBalancedAllocation: prefers nodes where the pod makes the utilization of resources more even.
//
// The floating-point operations and their order are upstream's, so that scores are equal.
// Source: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/node_resources/node_resources.h"
#include "scheduler/plugins/shared/exact_division.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

using Balances = std::array<std::int32_t, kChunkRows>;
using Doubles = std::array<double, kChunkRows>;

// Source: balancedResourceScorer. Both balances are 50..100; a pod that changes nothing scores 75.
inline std::int32_t improvement(std::int32_t with_pod, std::int32_t without_pod) {
  return 50 + (50 + with_pod - without_pod) / 2;
}

// --- loops over the rows of a chunk, for amounts below kSmall ---
// Usage is capped at the allocatable amount before the division, which gives the same 1 as capping the share.
// The loops compare integers, so that they vectorise.

// The usual case of two resources: the distance of their shares. A node that lacks one of them is balanced.
PODIUM_VECTOR_CLONES_WIDE
void balance_two(const std::int64_t* allocatable0, const std::int64_t* used0, std::int64_t request0,
                 const std::int64_t* allocatable1, const std::int64_t* used1, std::int64_t request1,
                 std::int32_t* __restrict balances, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto all0 = allocatable0[i], all1 = allocatable1[i];
    const auto taken0 = used0[i] + request0, taken1 = used1[i] + request1;
    const auto both = -static_cast<std::int64_t>((all0 > 0) & (all1 > 0));
    const double share0 = share_of((taken0 < all0 ? taken0 : all0) & both, all0);
    const double share1 = share_of((taken1 < all1 ? taken1 : all1) & both, all1);
    balances[i] = static_cast<std::int32_t>((1 - std::fabs((share0 - share1) / 2)) * 100.0);
  }
}

PODIUM_VECTOR_CLONES
void improve(std::int32_t* __restrict with_pod, const std::int32_t* without_pod, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) with_pod[i] = improvement(with_pod[i], without_pod[i]);
}

// Intermediate results for any number of resources.
struct Shares {
  std::vector<Doubles> of_resource;  // 0 if the node lacks the resource
  std::vector<Doubles> has;          // 1 if the node has the resource, else 0
  Doubles sum, count, squares;
};

PODIUM_VECTOR_CLONES
void add_share(const std::int64_t* allocatable, const std::int64_t* used, std::int64_t request,
               double* __restrict share, double* __restrict has, double* __restrict sum,
               double* __restrict count) {
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    const auto all = allocatable[i], taken = used[i] + request;
    share[i] = share_of(taken < all ? taken : all, all);
    has[i] = small_to_double(static_cast<std::uint64_t>(all > 0));
    sum[i] += share[i];
    count[i] += has[i];
  }
}

// Multiplying by `has` skips nodes that lack the resource and changes no other sum.
PODIUM_VECTOR_CLONES
void add_square(const double* share, const double* has, const double* sum, const double* count,
                double* __restrict squares) {
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    const double mean = sum[i] / (count[i] + (1 - has[i]));
    squares[i] += (share[i] - mean) * (share[i] - mean) * has[i];
  }
}

// Half the distance between the shares of a node that has exactly two of the resources.
double half_apart(const Shares& shares, std::size_t row) {
  double first = -1;
  for (std::size_t r = 0; r < shares.has.size(); ++r) {
    if (shares.has[r][row] == 0) continue;
    if (first >= 0) return std::fabs((first - shares.of_resource[r][row]) / 2);
    first = shares.of_resource[r][row];
  }
  return 0;
}

void balance_of_many(std::span<const ScoredResource> resources, std::size_t chunk, bool with_pod,
                     Shares& shares, std::int32_t* balances) {
  shares.of_resource.resize(resources.size());
  shares.has.resize(resources.size());
  shares.sum.fill(0);
  shares.count.fill(0);
  shares.squares.fill(0);
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const auto& columns = resources[r].columns;
    add_share(columns.allocatable->chunk(chunk).data(), columns.used->chunk(chunk).data(),
              with_pod ? resources[r].request : 0, shares.of_resource[r].data(), shares.has[r].data(),
              shares.sum.data(), shares.count.data());
  }
  for (std::size_t r = 0; r < resources.size(); ++r) {
    add_square(shares.of_resource[r].data(), shares.has[r].data(), shares.sum.data(), shares.count.data(),
               shares.squares.data());
  }
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    const double count = shares.count[i];
    double deviation = 0;
    if (count > 2) deviation = std::sqrt(shares.squares[i] / count);
    if (count == 2) deviation = half_apart(shares, i);
    balances[i] = static_cast<std::int32_t>((1 - deviation) * 100.0);
  }
}

// --- one row at a time, for all amounts ---
std::int32_t balance_of_row(std::span<const ScoredResource> resources, Row row, bool with_pod) {
  std::vector<double> shares;
  double sum = 0;
  for (const auto& resource : resources) {
    const auto all = (*resource.columns.allocatable)[row];
    if (all <= 0) continue;
    const auto used = cluster::saturating_add((*resource.columns.used)[row], with_pod ? resource.request : 0);
    // Requests below 0, which an API server refuses, would put the score out of range.
    const auto taken = std::clamp<std::int64_t>(used, 0, all);
    shares.push_back(static_cast<double>(taken) / static_cast<double>(all));
    sum += shares.back();
  }
  double deviation = 0;
  const auto count = static_cast<double>(shares.size());
  if (shares.size() == 2) {
    deviation = std::fabs((shares[0] - shares[1]) / 2);
  } else if (shares.size() > 2) {
    const double mean = sum / count;
    double squares = 0;
    for (const auto share : shares) squares = squares + (share - mean) * (share - mean);
    deviation = std::sqrt(squares / count);
  }
  return static_cast<std::int32_t>((1 - deviation) * 100.0);
}

// The balances of all nodes without the pod, in the snapshot that a scorer has seen last: RowChanges has the
// rows that have changed since. One scorer uses them at a time; others compute their own.
struct KeptBalances {
  std::atomic_flag in_use;
  std::optional<Cow<cluster::RowChanges>> seen;  // nullopt: none are known
  std::vector<Balances> of_chunk;
};

class BalanceScorer final : public RowScorer {
 public:
  BalanceScorer(std::vector<ScoredResource> resources, const Snapshot& snapshot, KeptBalances& kept)
      : resources_(std::move(resources)), snapshot_(snapshot), kept_(kept) {
    const bool is_usual = std::ranges::all_of(resources_, [](const ScoredResource& each) {
      return !each.owned && !cluster::is_scalar_resource(each.name);
    });
    has_kept_ = is_usual && !kept.in_use.test_and_set(std::memory_order_acquire);
  }
  ~BalanceScorer() override {
    if (has_kept_) kept_.in_use.clear(std::memory_order_release);
  }
  BalanceScorer(const BalanceScorer&) = delete;

  void declare(RowInputs& inputs) const override { plugins::declare(resources_, inputs); }
  void score_rows(const ChunkRows& rows, std::uint8_t* out) const override {
    Balances scores, without_pod;
    balance(rows, true, scores.data());
    if (has_kept_ && rows.count == kChunkRows) {
      improve(scores.data(), kept(rows.chunk).data(), rows.count);
    } else {
      balance(rows, false, without_pod.data());
      improve(scores.data(), without_pod.data(), rows.count);
    }
    narrow(std::span(scores).first(rows.count), out);
  }

 private:
  void balance(const ChunkRows& rows, bool with_pod, std::int32_t* balances) const {
    const bool small = std::ranges::all_of(
        resources_, [&](const ScoredResource& resource) { return rows_are_small(resource, rows); });
    if (small && resources_.size() == 2) {
      const auto &first = resources_[0].columns, &second = resources_[1].columns;
      balance_two(amounts_of(*first.allocatable, rows), amounts_of(*first.used, rows),
                  with_pod ? resources_[0].request : 0, amounts_of(*second.allocatable, rows),
                  amounts_of(*second.used, rows), with_pod ? resources_[1].request : 0, balances, rows.count);
    } else if (small && rows.count == kChunkRows) {
      const auto shares = std::make_unique<Shares>();
      balance_of_many(resources_, rows.chunk, with_pod, *shares, balances);
    } else {
      balance_of_rows(rows, with_pod, balances);
    }
  }

  // The balances of a chunk without the pod.
  const Balances& kept(std::size_t chunk) const {
    if (!is_up_to_date_) catch_up();
    is_up_to_date_ = true;
    return kept_.of_chunk[chunk];
  }
  void catch_up() const {
    const auto& now = snapshot_.row_changes();
    const auto changed = kept_.seen && kept_.of_chunk.size() == snapshot_.chunks()
                             ? cluster::RowChanges::between(**kept_.seen, *now)
                             : std::nullopt;
    kept_.of_chunk.resize(snapshot_.chunks());
    const auto compute = [&](const ChunkRows& rows) {
      balance(rows, false, &kept_.of_chunk[rows.chunk][rows.first]);
    };
    if (!changed) {
      for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) compute({.chunk = chunk});
    } else {
      for (const auto row : *changed) compute({row / kChunkRows, row % kChunkRows / 64 * 64, 64});
    }
    kept_.seen = now;
  }

  void balance_of_rows(const ChunkRows& rows, bool with_pod, std::int32_t* balances) const {
    for (std::size_t i = 0; i < rows.count; ++i) {
      const auto row = static_cast<Row>(rows.chunk * kChunkRows + rows.first + i);
      balances[i] = balance_of_row(resources_, row, with_pod);
    }
  }

  std::vector<ScoredResource> resources_;
  const Snapshot& snapshot_;
  KeptBalances& kept_;
  bool has_kept_ = false;  // `kept_` is this scorer's
  mutable bool is_up_to_date_ = false;
};

class BalancedAllocation final : public Plugin, public ScorePlugin {
 public:
  explicit BalancedAllocation(std::vector<WeightedResource> resources) : resources_(std::move(resources)) {}

  std::string_view name() const override { return framework::names::kNodeResourcesBalancedAllocation; }
  bool has_pre_score() const override { return true; }

  // Skipped for pods that request none of the resources, so that they do not all land on one node.
  PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot,
                              const NodeMask& feasible) const override {
    const bool requests_any = std::ranges::any_of(
        resources_, [&](const WeightedResource& resource) { return pod.requests.get(resource.name) != 0; });
    if (!requests_any) return {};
    return {std::make_unique<BalanceScorer>(
        scored_resources(resources_, pod.requests, snapshot, Usage::requested, feasible, *supply_), snapshot,
        *kept_)};
  }

 private:
  std::vector<WeightedResource> resources_;
  const std::unique_ptr<DeviceSupply> supply_ = std::make_unique<DeviceSupply>();
  const std::unique_ptr<KeptBalances> kept_ = std::make_unique<KeptBalances>();
};

}  // namespace

PluginPtr make_node_resources_balanced_allocation(const boost::json::object& args) {
  return std::make_shared<BalancedAllocation>(decode_resources(args));
}

}  // namespace podium::plugins

#include "scheduler/framework/filters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::framework {
namespace {

// The node names of the PreFilter plugins have an empty intersection. (If only unknown nodes are named, each
// node gets a verdict instead.)
Verdict named_no_node(const std::vector<std::string>& plugins) {
  return {"",
          Code::unschedulable_and_unresolvable,
          {Reason(ReasonCode::excluded_by_name,
                  plugins.size() == 1 ? "node(s) didn't satisfy plugin " + plugins.front()
                                      : fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously",
                                                    fmt::join(plugins, " ")))}};
}

std::string_view status_of(const PreparedFilter& prepared) {
  if (prepared.rejected) return to_string(prepared.rejected->code);
  return prepared.filter || prepared.only || prepared.never_skips ? kSuccess : kSkip;
}

// For filters without counts: lists of the pods. Each check walks them.
class ListTrial final : public NodeTrial {
 public:
  ListTrial(const NodeFilter& filter, Row row) : filter_(filter), row_(row) {}

  void add(const PodInfoPtr& pod) override { added_.push_back(pod); }
  void remove(const PodInfoPtr& pod) override {
    place_[pod.get()] = removed_.size();
    removed_.push_back(pod);
  }
  void restore(const PodInfoPtr& pod) override {
    const auto it = place_.find(pod.get());
    if (it == place_.end()) return;
    const auto place = it->second;
    place_.erase(it);
    if (place + 1 < removed_.size()) {
      removed_[place] = std::move(removed_.back());
      place_[removed_[place].get()] = place;
    }
    removed_.pop_back();
  }
  std::optional<Verdict> check() override { return filter_.check(row_, {added_, removed_}); }

 private:
  const NodeFilter& filter_;
  const Row row_;
  std::vector<PodInfoPtr> added_, removed_;
  boost::unordered_flat_map<const PodInfo*, std::size_t> place_;  // in removed_
};

}  // namespace

// A dry run of preemption asks about one node after the other: from the second on, all are filtered together.
std::optional<Verdict> NodeFilter::check(Row row, const PodDelta&) const {
  if (checked_ < 2) {
    NodeMask nodes(snapshot_.chunks());
    if (++checked_ < 2)
      nodes.set(row);
    else
      nodes = snapshot_.present();
    verdicts_ = Rejections(snapshot_.chunks());
    filter(nodes, verdicts_);
  }
  if (const auto id = verdicts_.id(row); id != kFits) return verdicts_.verdict(id);
  return std::nullopt;
}

std::unique_ptr<NodeTrial> NodeFilter::try_on(Row row) const {
  return std::make_unique<ListTrial>(*this, row);
}

std::optional<Verdict> NodeFilter::check_on_trial(Row row, const PodDelta& delta) const {
  const auto trial = try_on(row);
  for (const auto& pod : delta.added) trial->add(pod);
  for (const auto& pod : delta.removed) trial->remove(pod);
  return trial->check();
}

Filters::Filters(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile,
                 EvaluationObserver* observer)
    : pod_(pod), snapshot_(snapshot), observer_(observer) {
  run_pre_filters(profile);
  if (rejected_) return;
  prepare(profile);
  group_nominations();
}

bool Filters::ran_pre_filter(std::string_view plugin) const {
  return std::find(pre_filters_run_.begin(), pre_filters_run_.end(), plugin) != pre_filters_run_.end();
}

// An unresolvable verdict ends PreFilter. Of resolvable ones the last is kept: preemption may help, unless a
// later plugin's verdict is unresolvable.
void Filters::run_pre_filters(const Profile& profile) {
  std::optional<std::set<std::string>> left;  // the intersection of the plugins' names
  pre_filters_run_.reserve(profile.pre_filters.size());
  pre_filtered_.reserve(profile.pre_filters.size());
  for (std::size_t index = 0; index < profile.pre_filters.size(); ++index) {
    const auto& entry = profile.pre_filters[index];
    pre_filters_run_.push_back(entry.name);
    if (!entry.plugin) continue;
    auto prepared = entry.plugin->prepare_filter(pod_, snapshot_);
    if (observer_) observer_->plugin_called(Phase::pre_filter, index, 1, status_of(prepared));
    if (prepared.rejected) {
      auto& verdict = *prepared.rejected;
      verdict.plugin = entry.name;
      const auto code = verdict.code;
      if (code == Code::error) {
        verdict.reasons = {fmt::format("running PreFilter plugin \"{}\": {}", entry.name, message(verdict))};
      }
      rejected_ = std::move(verdict);
      if (code == Code::unschedulable) continue;
      narrowed_by_.clear();  // only this verdict counts: nodes that others excluded no longer wake the pod
      return;
    }
    if (prepared.only) {
      narrowed_by_.insert(std::upper_bound(narrowed_by_.begin(), narrowed_by_.end(), entry.name), entry.name);
      if (left)
        std::erase_if(*left, [&](const auto& name) { return !prepared.only->contains(name); });
      else
        left = std::move(prepared.only);
      if (left->empty()) {
        rejected_ = named_no_node(narrowed_by_);
        return;
      }
    }
    pre_filtered_.emplace_back(entry.plugin, std::move(prepared));
  }
  if (!left) return;
  only_.emplace(snapshot_.chunks());
  for (const auto& name : *left) {
    if (const auto row = snapshot_.find_row(name)) only_->set(*row);
  }
  if (only_->none()) missing_node_ = *left->begin();
}

void Filters::prepare(const Profile& profile) {
  filters_.reserve(profile.filters.size());
  for (std::size_t index = 0; index < profile.filters.size(); ++index) {
    const auto& entry = profile.filters[index];
    if (!entry.plugin) continue;
    const auto ready = std::find_if(pre_filtered_.begin(), pre_filtered_.end(),
                                    [&](const auto& p) { return p.first == entry.plugin; });
    if (ready != pre_filtered_.end()) {
      if (ready->second.filter || ready->second.never_skips) {
        filters_.push_back({entry.plugin, std::move(ready->second.filter), {}, index});
      }
      continue;
    }
    if (entry.plugin->has_pre_filter()) {
      if (auto text = entry.plugin->error_without_pre_filter(); !text.empty()) {
        filters_.push_back(
            {entry.plugin, nullptr, Verdict{entry.name, Code::error, {std::move(text)}}, index});
        continue;
      }
    }
    auto prepared = entry.plugin->prepare_filter(pod_, snapshot_);
    // Without PreFilter, its verdict on all nodes applies only if there is no NodeFilter to judge each node.
    if (prepared.filter) prepared.rejected.reset();
    if (prepared.rejected) prepared.rejected->plugin = entry.name;
    filters_.push_back({entry.plugin, std::move(prepared.filter), std::move(prepared.rejected), index});
  }
}

ReportFacts Filters::facts_of(const Decision& decision) const {
  ReportFacts out;
  for (const auto& entry : filters_) {
    if (entry.filter) entry.filter->add_facts(decision, out);
  }
  return out;
}

void Filters::notify_called(const Entry& entry, std::size_t nodes, bool all_rejected) const {
  const bool failed = entry.always && entry.always->code == Code::error;
  const auto status = failed         ? to_string(Code::error)
                      : all_rejected ? to_string(Code::unschedulable)
                                     : kSuccess;
  if (nodes > 0) observer_->plugin_called(Phase::filter, entry.index, nodes, status);
}

Verdict Filters::not_named() const {
  auto text = fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(narrowed_by_, " "));
  auto reason = missing_node_.empty()
                    ? Reason(ReasonCode::excluded_by_name, std::move(text))
                    : Reason(ReasonCode::node_not_found, std::move(text), {{Topic::node, missing_node_}});
  return {"", Code::unschedulable_and_unresolvable, {std::move(reason)}};
}

NodeMask Filters::run(Rejections& out) const {
  PODIUM_CHECK(!rejected_, rejected_->plugin);
  NodeMask nodes = snapshot_.present();
  nodes.grow_to_chunks(snapshot_.chunks());
  if (only_) {
    const auto left_out = out.add(not_named());
    for (std::size_t w = 0; w < nodes.words(); ++w)
      out.reject_word(nodes, w, nodes.word(w) & ~only_->word(w), left_out);
  }
  const auto asked = nominated_.empty() ? NodeMask() : nodes;
  for (auto i = run_with_memo(nodes, out); i < filters_.size(); ++i) {
    const auto& entry = filters_[i];
    const auto of = observer_ ? nodes.count() : 0;
    if (entry.always) {
      const auto id = out.add(*entry.always);
      for (std::size_t w = 0; w < nodes.words(); ++w) out.reject_word(nodes, w, nodes.word(w), id);
    } else if (entry.filter) {
      entry.filter->filter(nodes, out);
    }
    const bool none_left = nodes.none();
    if (observer_) notify_called(entry, of, none_left);
    if (none_left) break;
  }
  // A verdict with nominated pods replaces the one without.
  Room room;
  for (const auto& [row, pods] : nominated_) {
    if (!asked.test(row) || pods.empty()) continue;
    const bool fits_without = nodes.test(row);
    const auto with = [&, row = row, &pods = pods](const Entry& entry) -> std::optional<Verdict> {
      if (entry.always || !entry.filter) return entry.always;
      if (fits_without && entry.filter->ignores_pods()) return std::nullopt;
      if (entry.filter->measures()) {
        entry.filter->measure(row, room);
        for (const auto& pod : pods) room.add(*pod);
        return room.fits() ? std::nullopt : std::optional(entry.filter->shortage(room));
      }
      return entry.filter->check(row, {pods, {}});
    };
    for (const auto& entry : filters_) {
      auto verdict = with(entry);
      if (observer_) notify_called(entry, 1, verdict.has_value());
      if (verdict) {
        out.reject(nodes, row, out.add(std::move(*verdict)));
        break;
      }
    }
  }
  return nodes;
}

std::optional<Verdict> Filters::check(Row row, const PodDelta& delta) const {
  Node node(*this, row);
  for (const auto& pod : delta.added) node.add(pod);
  for (const auto& pod : delta.removed) node.remove(pod);
  return node.check();
}

Filters::Node::Node(const Filters& filters, Row row)
    : filters_(filters),
      row_(row),
      nominated_(filters.nominated_to(row)),
      with_nominated_(nominated_.empty() ? 0 : filters.filters_.size()),
      alone_(filters.filters_.size()),
      known_(filters.filters_.size()) {}

std::optional<Verdict> Filters::Node::check() {
  if (filters_.rejected_) return filters_.rejected_;
  if (!nominated_.empty()) {
    if (auto verdict = check(with_nominated_, nominated_)) return verdict;
  }
  return check(alone_, {});
}

std::optional<Verdict> Filters::Node::check(Trials& trials, std::span<const PodInfoPtr> nominated) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto& entry = filters_.filters_[i];
    if (entry.always) return entry.always;
    if (!entry.filter) continue;
    if (!entry.filter->ignores_pods()) {
      catch_up(trials[i], *entry.filter, nominated);
      if (auto verdict = trials[i].trial->check()) return verdict;
      continue;
    }
    if (!known_[i]) known_[i].emplace(entry.filter->check(row_, {}));
    if (*known_[i]) return *known_[i];
  }
  return std::nullopt;
}

void Filters::Node::catch_up(Trial& trial, const NodeFilter& filter,
                             std::span<const PodInfoPtr> nominated) const {
  if (!trial.trial) {
    trial.trial = filter.try_on(row_);
    for (const auto& pod : nominated) trial.trial->add(pod);
  }
  for (; trial.seen < changes_.size(); ++trial.seen) {
    const auto& [kind, pod] = changes_[trial.seen];
    switch (kind) {
      case Change::add:
        trial.trial->add(*pod);
        break;
      case Change::remove:
        trial.trial->remove(*pod);
        break;
      case Change::restore:
        trial.trial->restore(*pod);
        break;
    }
  }
}

void Filters::group_nominations() {
  const auto counts = [&](const PodInfo& pod) {
    return pod.priority >= pod_.priority &&
           (pod.uid_hash != pod_.uid_hash || pod.pod->meta.uid != pod_.pod->meta.uid);
  };
  for (const auto& nomination : snapshot_.nominations()) {
    const auto& pod = nomination.pod;
    const auto row = counts(*pod) ? snapshot_.row_of(nomination) : std::nullopt;
    if (!row) continue;
    if (index_in_nominated_.empty()) index_in_nominated_.resize(snapshot_.rows());
    auto& index = index_in_nominated_[*row];
    if (index == 0) {
      nominated_.emplace_back().first = *row;
      index = static_cast<std::uint32_t>(nominated_.size());
    }
    nominated_[index - 1].second.push_back(pod);
  }
}

std::span<const PodInfoPtr> Filters::nominated_to(Row row) const {
  const auto index = row < index_in_nominated_.size() ? index_in_nominated_[row] : 0;
  if (index == 0) return {};
  return nominated_[index - 1].second;
}

}  // namespace podium::framework

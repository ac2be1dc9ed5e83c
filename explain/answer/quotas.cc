#include "explain/answer/quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "api/admission/quota.h"
#include "api/admission/quota_sums.h"
#include "explain/question/question.h"

namespace podium::explain {
namespace {

using api::Quantity;
using api::ResourceList;
using api::ResourceQuota;

Quantity times(Quantity amount, std::int32_t count) {
  Quantity out;
  for (; count > 0; count /= 2, amount = amount + amount) {
    if (count % 2 == 1) out = out + amount;
  }
  return out;
}

// What one replica takes of a resource.
struct Line {
  std::string resource;
  Quantity used, hard, each;
  std::vector<Quantity> of_set_claims;  // by template; missing claims are created
  Quantity of(const std::vector<bool>& made) const {
    auto sum = each;
    for (std::size_t i = 0; i < of_set_claims.size(); ++i) {
      if (made[i]) sum = sum + of_set_claims[i];
    }
    return sum;
  }
};

std::string extended_name(const cluster::Snapshot& fork, std::string_view device_class) {
  const auto* found = fork.objects().find<api::DeviceClass>("", device_class);
  return found ? found->extended_resource_name.value_or("") : "";
}

// Sets the default StorageClass, as admission does.
api::PersistentVolumeClaim admitted(api::PersistentVolumeClaim claim, const cluster::Snapshot& fork) {
  if (!claim.storage_class) claim.storage_class = default_storage_class(fork);
  return claim;
}

// Whether a ReplicaSet of the Deployment exists, whose pods may have the same template.
bool has_replica_set(const NewPods& pods) {
  return std::ranges::any_of(pods.fork.objects().workloads(), [&](const auto& entry) {
    const auto& workload = *entry.second;
    const auto* owner = workload.meta.controller();
    return workload.kind == api::Workload::Kind::replica_set && owner && owner->kind == "Deployment" &&
           owner->name == pods.subject.name && workload.meta.namespace_ == pods.pod.meta.namespace_;
  });
}

// The kind of the object that the controller of a new workload creates, and that owns its pods. Null: none.
const api::PodMaker* new_owner(const NewPods& pods) {
  const auto kind = pods.subject.kind;
  const bool is_deployment = kind == Subject::Kind::deployment;
  if (pods.subject.existing || (!is_deployment && kind != Subject::Kind::cron_job)) return nullptr;
  if (is_deployment && has_replica_set(pods)) return nullptr;
  return &maker_of(is_deployment ? Subject::Kind::replica_set : Subject::Kind::job);
}

// The usage of one quota by the replicas.
class Share {
 public:
  Share(const ResourceQuota& quota, const NewPods& pods) : quota_(quota), pods_(pods) {
    if (api::is_counted(quota, {pods.pod, pods.subject.has_deadline})) {
      add(api::quota_usage(pods.pod));
      refusal_ = api::quota_refusal(quota, pods.pod);
    }
    add_ephemeral_claims();
    add_device_claims();
    const auto& templates = pods.subject.claim_templates;
    for (std::size_t i = 0; i < templates.size(); ++i) {
      const auto claim = admitted(templates[i], pods.fork);
      if (!api::is_counted(quota, claim)) continue;
      for (const auto& [name, amount] : api::quota_usage(claim)) {
        if (auto* line = line_of(name)) {
          line->of_set_claims.resize(templates.size());
          line->of_set_claims[i] = amount;
        }
      }
    }
    if (refusal_.empty()) refusal_ = refusal_of_owner();
    for (const auto& line : lines_) {
      if (refusal_.empty() && !api::find_resource(quota.used, line.resource))
        refusal_ = fmt::format("the usage of {} is not counted yet", line.resource);
    }
  }

  bool empty() const { return lines_.empty() && refusal_.empty(); }

  // Returns how many replicas are admitted, up to `most`; both count those that exist.
  std::int32_t allowed(std::int32_t most, const std::function<bool()>& has_time) const {
    if (!refusal_.empty()) return pods_.existing;
    auto used = start();
    const auto first_equal = first_equal_replica(most);
    for (auto i = pods_.existing; i < first_equal; ++i) {
      if (!has_time()) return i;
      add_replicas(1, made_claims(i), used);
      if (is_exceeded(used)) return i;
    }
    // Among the equal ones, `few` are admitted, and no more than `many`.
    std::int32_t few = 0, many = most - first_equal;
    while (few < many) {
      const auto middle = many - (many - few) / 2;
      auto then = used;
      add_replicas(middle, all_claims(), then);
      if (is_exceeded(then))
        many = middle - 1;
      else
        few = middle;
    }
    return first_equal + few;
  }

  // The usage by line for this number of replicas.
  std::vector<Quantity> used_with(std::int32_t count, const std::function<bool()>& has_time) const {
    auto used = start();
    const auto first_equal = first_equal_replica(count);
    for (auto i = pods_.existing; i < first_equal && has_time(); ++i) add_replicas(1, made_claims(i), used);
    if (count > first_equal) add_replicas(count - first_equal, all_claims(), used);
    return used;
  }

  QuotaAnswer answer(std::int32_t asked, const std::function<bool()>& has_time) const {
    QuotaAnswer out{.name = quota_.meta.name,
                    .allowed = static_cast<std::size_t>(allowed(kMostReplicas, has_time)),
                    .reason = refusal_,
                    .resources = {}};
    const auto then = used_with(asked, has_time);
    const auto beyond = used_with(static_cast<std::int32_t>(out.allowed) + 1, has_time);
    // Those that are exceeded first, then those that refuse the first replica that is not allowed.
    std::vector<std::pair<std::pair<bool, bool>, QuotaUse>> uses;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const auto& line = lines_[k];
      const auto text = [&](Quantity amount) { return api::quota_text(line.resource, amount); };
      const bool is_exceeded = then[k] > line.hard;
      uses.emplace_back(std::pair(is_exceeded, beyond[k] > line.hard && beyond[k] > line.used),
                        QuotaUse{.resource = line.resource,
                                 .used = text(line.used),
                                 .then = text(then[k]),
                                 .hard = text(line.hard),
                                 .is_exceeded = is_exceeded});
    }
    std::ranges::stable_sort(uses, std::ranges::greater(), [](const auto& each) { return each.first; });
    for (auto& [_, use] : uses) out.resources.push_back(std::move(use));
    return out;
  }

  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::string refusal_of_owner() const {
    const auto* owner = new_owner(pods_);
    const auto why = owner ? api::object_refusal(quota_, owner->plural, owner->group) : std::string();
    return why.empty() ? why : fmt::format("the {} is not created, {}", owner->kind, why);
  }

  Line* line_of(const std::string& name) {
    const auto known = index_.find(name);
    if (known != index_.end()) return &lines_[known->second];
    const auto* hard = api::find_resource(quota_.hard, name);
    if (!hard) return nullptr;
    index_.emplace(name, lines_.size());
    const auto* used = api::find_resource(quota_.used, name);
    lines_.push_back({.resource = name,
                      .used = used ? *used : Quantity(),
                      .hard = *hard,
                      .each = {},
                      .of_set_claims = {}});
    return &lines_.back();
  }

  void add(const ResourceList& usage) {
    for (const auto& [name, amount] : usage) {
      if (auto* line = line_of(name)) line->each = line->each + amount;
    }
  }

  void add_ephemeral_claims() {
    for (const auto& [volume, of_volume] : pods_.subject.claims) {
      const auto claim = admitted(of_volume, pods_.fork);
      if (api::is_counted(quota_, claim)) add(api::quota_usage(claim));
    }
  }

  void add_device_claims() {
    // A pod may have one template a thousand times.
    std::map<std::string_view, ResourceList> of_template;
    for (const auto& entry : pods_.pod.resource_claims) {
      const auto made_of = entry.template_name ? pods_.claim_templates.find(*entry.template_name)
                                               : pods_.claim_templates.end();
      if (made_of == pods_.claim_templates.end()) continue;
      const auto [known, is_new] = of_template.try_emplace(made_of->first);
      if (is_new) {
        api::ResourceClaim claim;
        claim.spec = made_of->second.spec;
        auto usage =
            api::quota_usage(claim, [&](std::string_view name) { return extended_name(pods_.fork, name); });
        if (api::is_counted(quota_, claim, usage)) known->second = std::move(usage);
      }
      add(known->second);
    }
  }

  std::vector<Quantity> start() const {
    std::vector<Quantity> used;
    for (const auto& line : lines_) used.push_back(line.used);
    return used;
  }

  // Replicas take the same, except those of a StatefulSet whose claims exist. Looks these up for as many
  // replicas as a what-if places.
  std::int32_t first_equal_replica(std::int32_t count) const {
    if (pods_.subject.claim_templates.empty()) return std::min(pods_.existing, count);
    return static_cast<std::int32_t>(std::min<std::int64_t>(pods_.existing + kMostReplicas, count));
  }

  bool is_exceeded(const std::vector<Quantity>& used) const {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      if (used[k] > lines_[k].hard && used[k] > lines_[k].used) return true;
    }
    return false;
  }

  void add_replicas(std::int32_t count, const std::vector<bool>& made, std::vector<Quantity>& used) const {
    for (std::size_t k = 0; k < lines_.size(); ++k) used[k] = used[k] + times(lines_[k].of(made), count);
  }

  std::vector<bool> all_claims() const {
    return std::vector<bool>(pods_.subject.claim_templates.size(), true);
  }

  // By template, whether the replica's claim is made: it may be there from an earlier pod of its name.
  std::vector<bool> made_claims(std::int32_t index) const {
    std::vector<bool> made;
    const auto& subject = pods_.subject;
    for (const auto& each : subject.claim_templates) {
      const auto name = fmt::format("{}-{}-{}", each.meta.name, subject.name, subject.first_ordinal + index);
      made.push_back(!pods_.fork.objects().find<api::PersistentVolumeClaim>(pods_.pod.meta.namespace_, name));
    }
    return made;
  }

  const ResourceQuota& quota_;
  const NewPods& pods_;
  std::vector<Line> lines_;
  std::map<std::string, std::size_t> index_;  // of the lines, by resource
  std::string refusal_;                       // regardless of the remaining quota
};

// The list is in order of name.
void set(ResourceList& list, const std::string& name, Quantity amount) {
  auto& entries = list.write();
  const auto at = std::ranges::lower_bound(entries, name, {}, &ResourceList::value_type::first);
  if (at == entries.end() || at->first != name)
    entries.emplace(at, name, amount);
  else
    at->second = amount;
}

// Adds or subtracts an object's usage of the resources that the quota counts.
template <typename Change>
void change_used(const ResourceList& usage, ResourceQuota& quota, Change change) {
  for (const auto& [name, amount] : usage) {
    if (const auto* used = api::find_resource(quota.used, name)) set(quota.used, name, change(*used, amount));
  }
}

}  // namespace

Quotas::Quotas(std::vector<ResourceQuota> quotas, const Budget& budget)
    : quotas_(std::move(quotas)), budget_(&budget) {
  std::ranges::sort(quotas_, {}, [](const ResourceQuota& quota) -> const auto& { return quota.meta.name; });
}

void Quotas::release(const RemovedPods& pods, bool have_deadlines) {
  std::vector<api::QuotaPod> all;
  for (const auto* list : {&pods.placed, &pods.nominated}) {
    for (const auto& pod : *list) all.push_back({*pod->pod, have_deadlines});
  }
  api::UsageOfMany usage(std::move(all), {}, [this] { return has_time(); });
  for (auto& quota : quotas_) {
    if (!has_time()) return;
    change_used(usage.of(quota), quota,
                [](Quantity used, Quantity amount) { return std::max(Quantity(), used - amount); });
  }
}

std::int32_t Quotas::take(const NewPods& pods, std::int32_t count) {
  std::vector<std::pair<ResourceQuota*, Share>> shares;
  for (auto& quota : quotas_) {
    Share share(quota, pods);
    if (share.empty()) continue;
    count = std::min(count, share.allowed(count, [this] { return has_time(); }));
    shares.emplace_back(&quota, std::move(share));
  }
  for (const auto& [quota, share] : shares) {
    const auto used = share.used_with(count, [this] { return has_time(); });
    for (std::size_t k = 0; k < used.size(); ++k) set(quota->used, share.lines()[k].resource, used[k]);
  }
  return count;
}

void Quotas::take_owner(const NewPods& pods) {
  const auto* owner = new_owner(pods);
  if (!owner) return;
  const auto is_refused = [&](const ResourceQuota& quota) {
    return !api::object_refusal(quota, owner->plural, owner->group).empty();
  };
  if (std::ranges::any_of(quotas_, is_refused)) return;
  const ResourceList usage{{api::object_count(owner->plural, owner->group), Quantity::from_units(1)}};
  for (auto& quota : quotas_) {
    if (quota.scopes.empty())
      change_used(usage, quota, [](Quantity used, Quantity amount) { return used + amount; });
  }
}

std::string Quotas::take(const api::PersistentVolumeClaim& claim) {
  const auto usage = api::quota_usage(claim);
  for (const auto& quota : quotas_) {
    if (!api::is_counted(quota, claim)) continue;
    for (const auto& [name, amount] : usage) {
      const auto *hard = api::find_resource(quota.hard, name), *used = api::find_resource(quota.used, name);
      if (hard && (!used || *used + amount > *hard)) return quota.meta.name;
    }
  }
  for (auto& quota : quotas_) {
    if (api::is_counted(quota, claim))
      change_used(usage, quota, [](Quantity used, Quantity amount) { return used + amount; });
  }
  return {};
}

std::vector<QuotaAnswer> Quotas::answers(const NewPods& pods, std::int32_t asked) const {
  std::vector<QuotaAnswer> out;
  for (const auto& quota : quotas_) {
    if (!has_time()) break;
    if (const Share share(quota, pods); !share.empty())
      out.push_back(share.answer(asked, [this] { return has_time(); }));
  }
  std::ranges::stable_sort(out, {}, &QuotaAnswer::allowed);
  return out;
}

std::int32_t existing_pods(const Subject& subject, std::size_t removed) {
  if (subject.is_stored) return 1;
  return subject.existing ? std::max(*subject.existing, static_cast<std::int32_t>(removed)) : 0;
}

}  // namespace podium::explain

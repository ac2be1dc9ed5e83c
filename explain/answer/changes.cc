#include "explain/answer/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "explain/answer/added_objects.h"
#include "explain/answer/drain.h"
#include "explain/answer/new_nodes.h"
#include "explain/answer/placing.h"
#include "explain/answer/what_if_admission.h"
#include "explain/report/bounds.h"
#include "explain/report/each_field.h"
#include "explain/report/project.h"
#include "explain/report/reason_words.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/new_claims.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

constexpr std::size_t kMessageBytes = bound_of(&ChangeResult::message).bytes;
constexpr const char* kCordoned = "node.kubernetes.io/unschedulable";

template <typename Edit>
void edit_node(Row row, Snapshot& fork, Edit&& edit) {
  auto copy = std::make_shared<api::Node>(*fork.entry(row).node);
  edit(*copy);
  fork.set_node(std::move(copy));
}

void delete_pods(const Change& change, const ChangeContext& context, ChangeResult& done, Snapshot& fork) {
  const auto selects = [&](const cluster::PodInfo& pod) {
    return pod.pod->meta.namespace_ == context.ns && change.selector.matches(pod.pod->meta.labels);
  };
  RemovedPods gone;
  fork.each_pod([&](const PodInfoPtr& pod) {
    const bool is_asked = pod->pod->meta.namespace_ == context.ns && has_time(context.budget);
    if (is_asked && selects(*pod)) gone.placed.push_back(pod);
  });
  // A pod that waits for its victims to terminate reserves room on its node.
  for (const auto& nomination : fork.nominations()) {
    if (has_time(context.budget) && selects(*nomination.pod)) gone.nominated.push_back(nomination.pod);
  }
  for (const auto& pod : gone.placed) {
    if (!has_time(context.budget)) return;
    remove_with_devices(*pod->pod, fork);
  }
  for (const auto& pod : gone.nominated) fork.withdraw_nomination(pod->pod->meta.uid);
  context.quotas.release(gone);
  context.line.remove_if([&](const api::Pod& pod) {
    return pod.meta.namespace_ == context.ns && change.selector.matches(pod.meta.labels);
  });
  done.message = podium::counted(gone.placed.size() + gone.nominated.size(), "pod") + " deleted";
}

void remove_node(Row row, ChangeResult& done, Snapshot& fork) {
  const auto on_it = fork.entry(row).pods;
  for (const auto& pod : on_it) remove_with_devices(*pod->pod, fork);
  fork.remove_node(done.node);
  done.message = "removed with " + podium::counted(on_it.size(), "pod");
}

void taint_node(const Change& change, Row row, ChangeResult& done, Snapshot& fork) {
  const auto& taint = change.taint;
  edit_node(row, fork, [&](api::Node& node) {
    std::erase_if(node.taints,
                  [&](const auto& each) { return each.key == taint.key && each.effect == taint.effect; });
    node.taints.push_back(taint);
  });
  done.message = fmt::format("tainted with {}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                             to_string(taint.effect));
  if (taint.effect == api::TaintEffect::no_execute) done.message += "; its pods stayed";
}

void untaint_node(const Change& change, Row row, ChangeResult& done, Snapshot& fork) {
  std::size_t removed = 0;
  edit_node(row, fork, [&](api::Node& node) {
    removed = std::erase_if(node.taints, [&](const auto& each) {
      return each.key == change.key && (!change.effect || each.effect == *change.effect);
    });
  });
  done.message = removed > 0 ? podium::counted(removed, "taint") + " removed" : "it has no such taint";
}

void label_node(const Change& change, Row row, ChangeResult& done, Snapshot& fork) {
  edit_node(row, fork, [&](api::Node& node) {
    std::vector<api::Labels::Entry> left(node.meta.labels.begin(), node.meta.labels.end());
    std::set<std::string_view> changed;
    for (const auto& [key, value] : change.labels) changed.insert(key);
    std::erase_if(left, [&](const auto& each) { return changed.contains(each.first); });
    for (const auto& [key, value] : change.labels) {
      if (value) left.emplace_back(key, *value);
    }
    node.meta.labels = api::Labels(std::move(left));
  });
  done.message = podium::counted(change.labels.size(), "label") + " changed";
}

// Changes of one existing node.
void change_node(const Change& change, Row row, const ChangeContext& context, ChangeResult& done,
                 Snapshot& fork) {
  switch (change.type) {
    case Change::Type::remove_node:
      return remove_node(row, done, fork);
    case Change::Type::cordon_node:
      cordon(row, fork);
      done.message = "cordoned";
      return;
    case Change::Type::uncordon_node:
      uncordon(row, fork);
      done.message = "uncordoned";
      return;
    case Change::Type::drain_node:
      cordon(row, fork);
      drain({row}, context, done, fork);
      return add_waiting_placed(context, done, fork);
    case Change::Type::taint_node:
      return taint_node(change, row, done, fork);
    case Change::Type::untaint_node:
      return untaint_node(change, row, done, fork);
    case Change::Type::label_node:
      return label_node(change, row, done, fork);
    case Change::Type::add_nodes:
    case Change::Type::drain_nodes:
    case Change::Type::fail_nodes:
    case Change::Type::delete_pods:
    case Change::Type::add_pods:
    case Change::Type::add_claims:
    case Change::Type::add_objects:
      return;  // not of one node
  }
}

Result<std::vector<Row>> rows_named(const std::vector<std::string>& names, const FieldPath& path,
                                    const Snapshot& fork) {
  std::vector<Row> rows;
  for (const auto& name : names) {
    const auto row = fork.find_row(name);
    if (!row) return invalid((path / "nodeNames").said(no_node(name, {})));
    if (std::ranges::find(rows, *row) == rows.end()) rows.push_back(*row);
  }
  return rows;
}

Result<void> fail_nodes(const Change& change, const FieldPath& path, const ChangeContext& context,
                        ChangeResult& done, Snapshot& fork) {
  auto rows = rows_named(change.node_names, path, fork);
  if (!rows) return std::unexpected(rows.error());
  if (change.node_names.empty()) {
    for (const auto row : fork.rows_by_name()) {
      if (!has_time(context.budget)) return {};
      if (change.selector.matches(fork.entry(row).node->meta.labels)) rows->push_back(row);
    }
    if (rows->empty()) return invalid((path / "selector").said("no node has these labels"));
  }
  lose(*rows, context, done, fork);
  add_waiting_placed(context, done, fork);
  done.spare = spare_of(fork);
  return {};
}

// Nodes that are drained at the same time do not take each other's pods. With thenUncordon they return empty,
// but for pods that tolerate the cordon, and take pods that wait.
Result<void> drain_nodes(const Change& change, const FieldPath& path, const ChangeContext& context,
                         ChangeResult& done, Snapshot& fork) {
  const auto named = rows_named(change.node_names, path, fork);
  if (!named) return std::unexpected(named.error());
  const auto& rows = *named;
  std::vector<bool> was_cordoned;
  for (const auto row : rows) {
    was_cordoned.push_back(fork.entry(row).node->unschedulable);
    cordon(row, fork);
  }
  drain(rows, context, done, fork);
  done.spare = spare_of(fork);
  if (change.then_uncordon) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!was_cordoned[i]) uncordon(rows[i], fork);
    }
    context.line.place(fork);
  }
  add_waiting_placed(context, done, fork);
  return {};
}

Result<void> add_nodes(const Change& change, const FieldPath& path, const ChangeContext& context,
                       ForkMemory& memory, ChangeResult& done, Snapshot& fork) {
  const auto& [budget, waiting] = std::tie(context.budget, context.waiting);
  const auto like = change.node ? std::nullopt : fork.find_row(change.like);
  if (!change.node && !like) return invalid((path / "like").said(no_node(change.like, {})));
  const auto model = like ? NodesLike(budget, waiting, fork).model_of(*like)
                          : DaemonSets(budget, waiting, fork).model_of(*change.node);
  const auto each = model.memory;
  const auto count = change.count.value_or(1);
  if (!memory.take(static_cast<std::size_t>(count), each)) {
    return invalid((path / "count")
                       .said(fmt::format(
                           "{} such nodes need more memory than a what-if may use; at most {} are possible",
                           count, memory.room(each))));
  }
  const auto names = explain::add_nodes(model, count, budget, fork);
  if (names.empty()) return {};
  done.message = names.size() == 1
                     ? names.front() + " added"
                     : fmt::format("{} nodes added: {} to {}", names.size(), names.front(), names.back());
  return {};
}

// Claims that exist stay as they are, as for a file that is applied again.
void add_claims(const Change& change, Quotas& quotas, ChangeResult& done, Snapshot& fork) {
  std::size_t added = 0;
  std::string refused;
  for (const auto& given : change.claims) {
    if (fork.objects().find<api::PersistentVolumeClaim>(given.meta.namespace_, given.meta.name)) continue;
    auto claim = std::make_shared<api::PersistentVolumeClaim>(given);
    if (!claim->storage_class) claim->storage_class = default_storage_class(fork);
    if (const auto quota = quotas.take(*claim); !quota.empty()) {
      refused += fmt::format("; ResourceQuota {} refuses {}", quota, claim->meta.name);
      continue;
    }
    add_claim(std::move(claim), fork);
    ++added;
  }
  done.message = fmt::format("{} added{}", podium::counted(added, "claim"), refused);
}

// Returns how many of this number of new pods the quotas admit. The API server does not create the others.
std::int32_t admitted_pods(const Subject& subject, const api::Pod& pod, const api::ClaimTemplates& templates,
                           std::int32_t count, const ChangeContext& context, const Snapshot& fork) {
  if (subject.kind == Subject::Kind::daemon_set)
    count = static_cast<std::int32_t>(daemon_rows(subject.pod, fork).size());
  const NewPods pods{.subject = subject, .pod = pod, .claim_templates = templates, .fork = fork};
  const auto admitted = context.quotas.take(pods, count);
  context.quotas.take_owner(pods);
  return admitted;
}

// Places the pods of a workload before those that the question asks about. The pods that it has now leave the
// fork first.
Result<void> add_pods(const Change& change, const FieldPath& path, const ChangeContext& context,
                      ForkMemory& memory, ChangeResult& done, Snapshot& fork) {
  Question question;
  question.meta.namespace_ = context.ns;
  question.paths.pod_template = path / "template";
  question.subject = change.workload;
  const auto& subject = *question.subject;
  const auto& objects = context.objects;
  const auto pod = admit_question(question, fork, context.config, objects);
  if (!pod) return std::unexpected(pod.error());
  const auto profile = profile_for(question, **pod, context.config);
  if (!profile) return std::unexpected(profile.error());
  context.line.remove_if(own_pods_of(subject, fork));
  context.quotas.release(remove_placed(subject, fork), subject.has_deadline);
  add_owner(subject, fork);
  const auto count = change.count.value_or(subject.replicas);
  const auto admitted = admitted_pods(subject, **pod, objects.claim_templates, count, context, fork);
  const auto each = memory_of_replica(subject, replica_of(subject, **pod, 0), objects.claim_templates);
  const auto most = static_cast<std::int32_t>(std::min<std::size_t>(memory.room(each), Count::kAny));
  std::string reason;
  bool lacks_claim = false;
  const auto placed = place_replicas(
      {subject, **pod, *profile, context.budget, objects.claim_templates},
      {.asked = admitted, .most = most, .room = most}, fork, {}, [&](const ReplicaSeen& seen) {
        reason =
            seen.refused.empty() ? main_reason(project(*seen.pod, seen.decision, seen.fork)) : seen.refused;
        lacks_claim = seen.refused.empty() && explain::lacks_claim(seen.decision, objects);
      });
  if (const auto missing = missing_claim(subject, objects); lacks_claim && !missing.empty()) reason = missing;
  memory.take(placed.rows.size(), each);
  if (placed.ended == Placed::Ended::out_of_memory) {
    return invalid(path.said(
        fmt::format("these pods need more memory than a what-if may use; at most {} are possible", most)));
  }
  done.pods_moved = placed.rows.size();
  done.pods_pending = static_cast<std::size_t>(placed.asked) - placed.rows.size();
  const bool is_refused = subject.kind != Subject::Kind::daemon_set && admitted < count;
  done.message =
      fmt::format("{}: {} of {} placed{}{}", subject.name.empty() ? "the pod" : subject.name,
                  placed.rows.size(), is_refused ? count : placed.asked, reason.empty() ? "" : ": " + reason,
                  is_refused ? fmt::format("; a ResourceQuota allows {}", admitted) : "");
  return {};
}

}  // namespace

void cordon(Row row, Snapshot& fork) {
  edit_node(row, fork, [](api::Node& node) {
    node.unschedulable = true;
    const api::Taint taint{.key = kCordoned, .value = "", .effect = api::TaintEffect::no_schedule};
    if (std::ranges::find(node.taints, taint) == node.taints.end()) node.taints.push_back(taint);
  });
}

void uncordon(Row row, Snapshot& fork) {
  edit_node(row, fork, [](api::Node& node) {
    node.unschedulable = false;
    std::erase_if(node.taints, [](const api::Taint& taint) { return taint.key == kCordoned; });
  });
}

Result<std::vector<ChangeResult>> apply_changes(const std::vector<Change>& changes,
                                                const ChangeContext& context, ForkMemory& memory,
                                                Snapshot& fork) {
  std::vector<ChangeResult> out;
  for (std::size_t i = 0; i < changes.size() && has_time(context.budget); ++i) {
    const auto& change = changes[i];
    const auto path = (context.spec / "changes")[i];
    ChangeResult done;
    done.type = to_string(change.type);
    done.node = change.node_name;
    Result<void> made;
    if (change.type == Change::Type::add_nodes) {
      made = add_nodes(change, path, context, memory, done, fork);
    } else if (change.type == Change::Type::drain_nodes) {
      made = drain_nodes(change, path, context, done, fork);
    } else if (change.type == Change::Type::fail_nodes) {
      made = fail_nodes(change, path, context, done, fork);
    } else if (change.type == Change::Type::add_pods) {
      made = add_pods(change, path, context, memory, done, fork);
    } else if (change.type == Change::Type::add_claims) {
      add_claims(change, context.quotas, done, fork);
    } else if (change.type == Change::Type::add_objects) {
      done.message = added_message(change, context.objects);
    } else if (change.type == Change::Type::delete_pods) {
      delete_pods(change, context, done, fork);
    } else {
      const auto row = fork.find_row(change.node_name);
      if (!row) return invalid((path / "nodeName").said(no_node(change.node_name, {})));
      change_node(change, *row, context, done, fork);
    }
    if (!made) return std::unexpected(made.error());
    done.message = cut(std::move(done.message), kMessageBytes);
    out.push_back(std::move(done));
  }
  cut_drained_pods(context.seen_namespaces, out);
  return out;
}

std::vector<std::string> namespaces_drained(const Question& question, const Snapshot& snapshot,
                                            const std::vector<cluster::PodInfoPtr>& waiting) {
  Namespaces out;
  const auto add = [&](Row row) {
    for (const auto& pod : snapshot.entry(row).pods) out.insert(pod->pod->meta.namespace_);
  };
  if (question.search && question.search->kind == SearchSpec::Kind::for_pending) {
    for (const auto& pod : waiting) out.insert(pod->pod->meta.namespace_);
  } else if (question.search) {
    snapshot.each_pod([&](const cluster::PodInfoPtr& pod) { out.insert(pod->pod->meta.namespace_); });
  }
  for (const auto& change : question.changes) {
    if (!is_drain(change.type)) continue;
    auto names = change.node_names;
    if (!change.node_name.empty()) names.push_back(change.node_name);
    for (const auto& name : names) {
      if (const auto row = snapshot.find_row(name)) add(*row);
    }
    if (!names.empty()) continue;
    for (const auto row : snapshot.rows_by_name()) {
      if (change.selector.matches(snapshot.entry(row).node->meta.labels)) add(row);
    }
  }
  out.erase(question.meta.namespace_);
  return {out.begin(), out.end()};
}

}  // namespace podium::explain

// A naive model of Snapshot that uses maps and recounts from scratch. Snapshot and model convert to the same
// plain value, so that one comparison shows every difference.
#pragma once

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text_hash.h"
#include "scheduler/cluster/pod_requests.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::cluster::test {

using Texts = std::map<std::string, std::string>;
using Amounts = std::map<std::string, std::int64_t>;

struct SeenNode {
  Amounts allocatable, requested, non_zero;  // only amounts other than 0
  std::vector<std::string> pods;             // UIDs, sorted
  Texts labels;
  std::vector<std::string> taints;
  bool host_ports = false;
  std::int64_t pod_count = 0;
  std::uint64_t name_hash = 0;
  bool operator==(const SeenNode&) const = default;
};

// Namespace, labels and terms, as text.
using ClassKey = std::tuple<std::string, Texts, std::string>;

struct Seen {
  std::map<std::string, SeenNode> nodes;
  std::vector<std::string> by_name;
  std::map<std::string, std::pair<std::int64_t, std::set<std::string>>> images;  // size, nodes
  // Only labels that some node has.
  std::map<std::pair<std::string, std::string>, std::uint32_t> nodes_with_label;
  std::map<std::string, std::uint32_t> nodes_with_taints;
  // Pods and terminating pods by node.
  std::map<ClassKey, std::map<std::string, std::pair<std::uint32_t, std::uint32_t>>> classes;
  std::set<ClassKey> in_shop;
  std::map<std::size_t, std::set<ClassKey>> matching_in_shop, matching;  // by index into selectors()
  // With terms that select a pod of "shop" with web_labels().
  std::set<ClassKey> scored_terms_for_web, required_anti_affinity_for_web;
  std::set<std::string> pods, scalars;
  std::vector<std::string> nominations;  // UID@node
  bool operator==(const Seen&) const = default;
};

inline std::string text_of(const std::vector<api::Taint>& taints, bool unschedulable) {
  std::string text = unschedulable ? "cordoned" : "";
  for (const auto& t : taints)
    text += ";" + t.key + "=" + t.value + ":" + std::to_string(static_cast<int>(t.effect));
  return text;
}

inline std::string text_of(const api::PodAffinity& affinity) {
  std::string text;
  const auto add_selector = [&](const std::optional<api::LabelSelector>& selector) {
    text += selector ? "?" : "!";
    if (!selector) return;
    for (const auto& [key, value] : selector->match_labels) text += key + "=" + value + ",";
    for (const auto& r : selector->match_expressions) {
      text += r.key + std::to_string(static_cast<int>(r.op));
      for (const auto& value : r.values) text += " " + value;
    }
  };
  const auto add = [&](const api::PodAffinityTerm& term) {
    text += term.topology_key;
    add_selector(term.label_selector);
    add_selector(term.namespace_selector);
    for (const auto& ns : term.namespaces) text += "@" + ns;
  };
  for (const auto& term : affinity.required) text += ";r:", add(term);
  for (const auto& [weight, term] : affinity.preferred) text += ";" + std::to_string(weight) + ":", add(term);
  return text;
}

inline Texts texts_of(const api::Labels& labels) { return {labels.begin(), labels.end()}; }

inline ClassKey class_key(const std::string& ns, const api::Labels& labels, const api::PodAffinity& affinity,
                          const api::PodAffinity& anti) {
  return {ns, texts_of(labels), text_of(affinity) + "|" + text_of(anti)};
}

// Selectors of every form, with and without use of the index.
inline const std::vector<api::LabelSelector>& selectors() {
  using Op = api::Requirement::Op;
  const auto make = [](api::Labels labels, std::vector<api::Requirement> expressions) {
    api::LabelSelector selector;
    selector.match_labels = std::move(labels);
    selector.match_expressions = std::move(expressions);
    return selector;
  };
  static const std::vector<std::string> many = [] {
    std::vector<std::string> values{"web"};
    for (int i = 0; i < 40; ++i) values.push_back("v" + std::to_string(i));
    return values;
  }();
  static const std::vector<api::LabelSelector> all{
      make({}, {}),
      make({{"app", "web"}}, {}),
      make({{"app", "web"}}, {{"tier", Op::not_in, {"back"}}}),
      make({{"app", "web"}, {"tier", "front"}}, {}),
      make({}, {{"app", Op::in, {"db", "web", "db"}}}),
      make({}, {{"app", Op::in, many}}),
      make({}, {{"app", Op::in, {}}}),
      make({{"tier", "front"}}, {{"app", Op::in, {"db", "web"}}}),
      make({}, {{"app", Op::exists, {}}}),
      make({}, {{"app", Op::does_not_exist, {}}}),
      make({}, {{"app", Op::not_in, {"web"}}}),
      make({{"app", "nobody"}}, {}),
  };
  return all;
}

inline const api::Labels& web_labels() {
  static const api::Labels labels = {{"app", "web"}, {"tier", "front"}};
  return labels;
}

// True if a term of a pod in `owner` selects a pod of "shop" with web_labels(); that namespace has no labels.
inline bool selects_web(const std::string& owner, const std::vector<api::PodAffinityTerm>& terms) {
  return std::ranges::any_of(terms, [&](const api::PodAffinityTerm& term) {
    const bool own = term.namespaces.empty() && !term.namespace_selector && owner == "shop";
    const bool listed = std::ranges::find(term.namespaces, "shop") != term.namespaces.end();
    const bool picked = term.namespace_selector && term.namespace_selector->matches({});
    return (own || listed || picked) && term.label_selector && term.label_selector->matches(web_labels());
  });
}

inline std::vector<api::PodAffinityTerm> scored_terms(const api::PodAffinity& affinity,
                                                      const api::PodAffinity& anti) {
  auto terms = affinity.required;
  for (const auto* preferred : {&affinity.preferred, &anti.preferred}) {
    for (const auto& weighted : *preferred) terms.push_back(weighted.term);
  }
  return terms;
}

inline void put(Amounts& amounts, const std::string& name, std::int64_t amount) {
  if (amount != 0) amounts[name] = amount;
}

class Model {
 public:
  void set_node(const api::NodePtr& node) {
    if (const auto it = nodes_.find(node->meta.name); it != nodes_.end()) forget_images(*it->second);
    nodes_[node->meta.name] = node;
    for (const auto& image : node->images) {
      for (const auto& name : image.names) {
        images_.try_emplace(name, image.size_bytes, std::set<std::string>())
            .first->second.second.insert(node->meta.name);
      }
    }
  }
  void remove_node(const std::string& name) {
    const auto it = nodes_.find(name);
    if (it == nodes_.end()) return;
    forget_images(*it->second);
    nodes_.erase(it);
  }
  void add_pod(const PodInfoPtr& pod) {
    remove_pod((*pod)->meta.uid);
    withdraw((*pod)->meta.uid);
    pods_[(*pod)->node_name].push_back(pod);
  }
  void remove_pod(const std::string& uid) {
    for (auto& [node, pods] : pods_) {
      for (auto& pod : pods) {
        if ((*pod)->meta.uid != uid) continue;
        std::swap(pod, pods.back());
        pods.pop_back();
        return;
      }
    }
  }
  void nominate(const PodInfoPtr& pod, const std::string& node) {
    withdraw((*pod)->meta.uid);
    nominations_.emplace_back((*pod)->meta.uid, node);
  }
  void withdraw(const std::string& uid) {
    std::erase_if(nominations_, [&](const auto& n) { return n.first == uid; });
  }

  Seen see() const {
    Seen seen;
    for (const auto& [name, node] : nodes_) {
      seen.nodes[name] = see_node(name, *node, seen);
      seen.by_name.push_back(name);
    }
    for (const auto& [name, image] : images_) seen.images[name] = image;
    for (const auto& [node, pods] : pods_) {
      for (const auto& pod : pods) {
        seen.pods.insert((*pod)->meta.uid);
        if (nodes_.contains(node)) see_class(**pod, node, seen);
      }
    }
    for (const auto& [uid, node] : nominations_) seen.nominations.push_back(uid + "@" + node);
    return seen;
  }

 private:
  using Wide = __int128;
  static std::int64_t cut(Wide sum) {
    constexpr Wide low = std::numeric_limits<std::int64_t>::min(),
                   high = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::clamp(sum, low, high));
  }

  void forget_images(const api::Node& node) {
    for (const auto& image : node.images) {
      for (const auto& name : image.names) {
        const auto it = images_.find(name);
        if (it == images_.end()) continue;
        it->second.second.erase(node.meta.name);
        if (it->second.second.empty()) images_.erase(it);
      }
    }
  }

  SeenNode see_node(const std::string& name, const api::Node& node, Seen& seen) const {
    SeenNode out;
    const auto allocatable = to_resources(node.allocatable);
    put(out.allocatable, "cpu", allocatable.milli_cpu);
    put(out.allocatable, "memory", allocatable.memory);
    put(out.allocatable, "ephemeral-storage", allocatable.ephemeral_storage);
    if (const auto* pods = api::find_resource(node.allocatable, "pods"))
      put(out.allocatable, "pods", pods->value());
    for (const auto& [resource, amount] : allocatable.scalars) {
      put(out.allocatable, resource, amount);
      seen.scalars.insert(resource);
    }
    std::map<std::string, Wide> requested, non_zero;
    if (const auto it = pods_.find(name); it != pods_.end()) {
      for (const auto& pod : it->second) {
        requested["cpu"] += pod->requests.milli_cpu;
        requested["memory"] += pod->requests.memory;
        requested["ephemeral-storage"] += pod->requests.ephemeral_storage;
        for (const auto& [resource, amount] : pod->requests.scalars) {
          requested[resource] += amount;
          seen.scalars.insert(resource);
        }
        non_zero["cpu"] += pod->non_zero_milli_cpu;
        non_zero["memory"] += pod->non_zero_memory;
        out.pods.push_back((*pod)->meta.uid);
        out.host_ports |= !pod->host_ports.empty();
      }
    }
    for (const auto& [resource, sum] : requested) put(out.requested, resource, cut(sum));
    for (const auto& [resource, sum] : non_zero) put(out.non_zero, resource, cut(sum));
    out.pod_count = out.pods.size();
    out.labels = texts_of(node.meta.labels);
    for (const auto& label : out.labels) ++seen.nodes_with_label[label];
    out.taints = {text_of(node.taints, node.unschedulable)};
    ++seen.nodes_with_taints[out.taints.front()];
    out.name_hash = hash_text(name);
    return out;
  }

  static void see_class(const api::Pod& pod, const std::string& node, Seen& seen) {
    const auto key = class_key(pod.meta.namespace_, pod.meta.labels, pod.pod_affinity, pod.pod_anti_affinity);
    auto& [count, terminating] = seen.classes[key][node];
    ++count;
    terminating += pod.terminating();
    const auto& ns = pod.meta.namespace_;
    if (selects_web(ns, scored_terms(pod.pod_affinity, pod.pod_anti_affinity)))
      seen.scored_terms_for_web.insert(key);
    if (selects_web(ns, pod.pod_anti_affinity.required)) seen.required_anti_affinity_for_web.insert(key);
    if (ns == "shop") seen.in_shop.insert(key);
    for (std::size_t i = 0; i < selectors().size(); ++i) {
      if (!selectors()[i].matches(pod.meta.labels)) continue;
      seen.matching[i].insert(key);
      if (ns == "shop") seen.matching_in_shop[i].insert(key);
    }
  }

  std::map<std::string, api::NodePtr> nodes_;
  std::map<std::string, std::vector<PodInfoPtr>> pods_;
  std::map<std::string, std::pair<std::int64_t, std::set<std::string>>> images_;
  std::vector<std::pair<std::string, std::string>> nominations_;
};

// The same value, read from a snapshot. `names`: all names that it may contain.
struct Names {
  std::vector<std::string> labels, images, scalars, uids;
};

inline SeenNode see_node(const Snapshot& s, Row row, const Names& names) {
  SeenNode out;
  put(out.allocatable, "cpu", s.allocatable_milli_cpu[row]);
  put(out.allocatable, "memory", s.allocatable_memory[row]);
  put(out.allocatable, "ephemeral-storage", s.allocatable_ephemeral[row]);
  put(out.allocatable, "pods", s.allocatable_pods[row]);
  put(out.requested, "cpu", s.requested_milli_cpu[row]);
  put(out.requested, "memory", s.requested_memory[row]);
  put(out.requested, "ephemeral-storage", s.requested_ephemeral[row]);
  put(out.non_zero, "cpu", s.non_zero_milli_cpu[row]);
  put(out.non_zero, "memory", s.non_zero_memory[row]);
  for (const auto& name : names.scalars) {
    if (const auto* column = s.scalar(name)) {
      put(out.allocatable, name, column->allocatable[row]);
      put(out.requested, name, column->requested[row]);
    }
  }
  for (const auto& pod : s.entry(row).pods) out.pods.push_back((*pod)->meta.uid);
  for (const auto& key : names.labels) {
    const auto* column = s.labels().find(key);
    if (column && column->value(row) != kNoValue) out.labels[key] = column->name(column->value(row));
  }
  if (s.present().test(row)) {
    const auto& set = s.taint_sets()[s.taint_set[row]];
    out.taints = {text_of(set.taints, set.unschedulable)};
  }
  out.host_ports = s.with_host_ports().test(row);
  out.pod_count = s.pod_count[row];
  out.name_hash = s.name_hash[row];
  return out;
}

inline Seen see(const Snapshot& s, const Names& names) {
  Seen seen;
  s.present().each([&](Row row) { seen.nodes[std::string(s.node_name(row))] = see_node(s, row, names); });
  for (const Row row : s.rows_by_name()) seen.by_name.emplace_back(s.node_name(row));
  for (const auto& name : names.images) {
    if (const auto* image = s.image(name)) {
      auto& [size, nodes] = seen.images[name];
      size = image->size;
      for (const Row row : image->nodes) nodes.emplace(s.node_name(row));
    }
  }
  for (const auto& key : names.labels) {
    const auto* column = s.labels().find(key);
    for (ValueId id = 1; column && id < column->id_limit(); ++id) {
      if (column->nodes_with(id) > 0)
        seen.nodes_with_label[{key, std::string(column->name(id))}] = column->nodes_with(id);
    }
  }
  for (const auto& set : s.taint_sets()) {
    if (set.nodes > 0) seen.nodes_with_taints[text_of(set.taints, set.unschedulable)] = set.nodes;
  }
  const auto key_of = [](const PodClass& c) {
    return class_key(c.namespace_name(), c.labels(), c.affinity(), c.anti_affinity());
  };
  s.pod_classes().each([&](const PodClass& c) {
    for (const auto& p : c.postings()) {
      seen.classes[key_of(c)][std::string(s.node_name(p.row))] = {p.pods, p.terminating};
    }
  });
  const auto into = [&](std::set<ClassKey>& keys) {
    // Counts a class twice if it is visited twice.
    return [&](const PodClass& c) {
      if (!keys.insert(key_of(c)).second) keys.insert({"visited twice", {}, ""});
    };
  };
  const auto& classes = s.pod_classes();
  classes.each_in_namespace("shop", into(seen.in_shop));
  for (std::size_t i = 0; i < selectors().size(); ++i) {
    std::set<ClassKey> in_shop, all;
    classes.each_matching("shop", selectors()[i], into(in_shop));
    classes.each_matching(selectors()[i], into(all));
    if (!in_shop.empty()) seen.matching_in_shop[i] = in_shop;
    if (!all.empty()) seen.matching[i] = all;
  }
  classes.each_with_scored_terms_for("shop", web_labels(), [&](const PodClass& c) {
    if (selects_web(c.namespace_name(), scored_terms(c.affinity(), c.anti_affinity())))
      seen.scored_terms_for_web.insert(key_of(c));
  });
  classes.each_with_required_anti_affinity_for("shop", web_labels(), [&](const PodClass& c) {
    if (selects_web(c.namespace_name(), c.anti_affinity().required))
      seen.required_anti_affinity_for_web.insert(key_of(c));
  });
  for (const auto& uid : names.uids)
    if (s.find_pod(uid)) seen.pods.insert(uid);
  for (const auto& name : names.scalars)
    if (s.scalar(name)) seen.scalars.insert(name);
  for (const auto& n : s.nominations()) seen.nominations.push_back((*n.pod)->meta.uid + "@" + n.node);
  return seen;
}

// The differing fields; the whole values are too long to read.
inline std::string difference(const Seen& a, const Seen& b) {
  std::string out;
  const auto say = [&](bool equal, const char* what) {
    if (!equal) out += std::string(what) + " ";
  };
  for (const auto& [name, node] : b.nodes) {
    const auto it = a.nodes.find(name);
    if (it == a.nodes.end()) {
      out += "no " + name + " ";
      continue;
    }
    const auto& other = it->second;
    if (other == node) continue;
    out += name + ": ";
    say(other.allocatable == node.allocatable, "allocatable"),
        say(other.requested == node.requested, "requested");
    say(other.non_zero == node.non_zero, "non_zero"), say(other.pods == node.pods, "pods");
    say(other.labels == node.labels, "labels"), say(other.taints == node.taints, "taints");
    say(other.host_ports == node.host_ports, "host_ports"),
        say(other.pod_count == node.pod_count, "pod_count");
    say(other.name_hash == node.name_hash, "name_hash");
  }
  say(a.nodes.size() == b.nodes.size(), "node_count"), say(a.by_name == b.by_name, "by_name");
  say(a.images == b.images, "images"), say(a.nodes_with_label == b.nodes_with_label, "nodes_with_label");
  say(a.nodes_with_taints == b.nodes_with_taints, "nodes_with_taints"),
      say(a.classes == b.classes, "classes");
  say(a.in_shop == b.in_shop, "in_shop"), say(a.matching == b.matching, "matching");
  say(a.matching_in_shop == b.matching_in_shop, "matching_in_shop");
  say(a.scored_terms_for_web == b.scored_terms_for_web, "scored_terms_for_web");
  say(a.required_anti_affinity_for_web == b.required_anti_affinity_for_web, "required_anti_affinity_for_web");
  say(a.pods == b.pods, "pods"), say(a.scalars == b.scalars, "scalars"),
      say(a.nominations == b.nominations, "nominations");
  return out;
}

}  // namespace podium::cluster::test

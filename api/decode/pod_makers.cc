#include "api/decode/pod_makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/decode/dump_kinds.h"
#include "api/text/json_view.h"
#include "base/ascii.h"
#include "base/similar.h"

namespace podium::api {
namespace {

namespace json = boost::json;

constexpr std::array kMakers = {
    PodMaker{"Pod", "po", "pods", "", "v1", ""},
    PodMaker{"Deployment", "deploy", "deployments", "apps", "v1", "/spec/template", true},
    PodMaker{"StatefulSet", "sts", "statefulsets", "apps", "v1", "/spec/template", true},
    PodMaker{"ReplicaSet", "rs", "replicasets", "apps", "v1", "/spec/template", true},
    PodMaker{"DaemonSet", "ds", "daemonsets", "apps", "v1", "/spec/template"},
    PodMaker{"Job", "job", "jobs", "batch", "v1", "/spec/template"},
    PodMaker{"CronJob", "cj", "cronjobs", "batch", "v1", "/spec/jobTemplate/spec/template"},
    PodMaker{"ReplicationController", "rc", "replicationcontrollers", "", "v1", "/spec/template", true},
};

constexpr const char* kHelmHook = "/metadata/annotations/helm.sh~1hook";

Role role_of(std::string_view version, std::string_view kind, const PodMaker* maker) {
  if (maker) return Role::makes_pods;
  if (kind == "SchedulingReport") return Role::question;
  return dump_kind(version, kind) ? Role::context : Role::ignored;
}

// An object that is left out, and what its author may have meant. A group with a dot is that of an extension.
std::string words_of_skipped(std::string_view kind, std::string_view name, std::string_view version) {
  const auto words = [&](std::string_view more) {
    return fmt::format("{} {} ({}{})", kind, name, version, more);
  };
  if (version.substr(0, version.find('/')).contains('.')) return words("");
  std::vector<std::string> known;
  for (const auto& maker : kMakers) {
    if (maker.kind == kind) return words(fmt::format("; Kubernetes has it in {}", maker.api_version()));
    known.emplace_back(maker.kind);
  }
  const auto meant = similar(kind, std::move(known));
  return words(meant.empty() ? "" : fmt::format("; did you mean {}?", meant.front()));
}

std::string_view hint_for(const json::value& value) {
  const auto* text = value.if_string();
  const bool is_table = text && (text->starts_with("NAME ") || text->starts_with("NAMESPACE "));
  return is_table ? "; this is a table of kubectl: -o yaml prints objects" : "";
}

// Where an object is in its document.
struct Place {
  std::string where;
  std::string prefix = {};
  // Kind and version of a typed list, whose items may have none.
  std::string_view list_version = {}, list_kind = {};
};

// As the API server names an object of generateName, but for the letters that it draws: x, or the object's
// number in its file.
void add_name(json::value& object, std::size_t& made) {
  constexpr std::size_t kBase = 58;
  const auto base = text_at(object, "/metadata/generateName");
  if (base.empty() || !text_at(object, "/metadata/name").empty()) return;
  const auto number = made++;
  const auto name = fmt::format("{}{:x>5}", base.substr(0, kBase), number == 0 ? "" : fmt::to_string(number));
  object.at("metadata").as_object()["name"] = name;
}

class Sorter {
 public:
  Sorter(SortedObjects& out, const std::string& source, Problems& problems)
      : out_(out), source_(source), problems_(problems) {}

  void sort(Document document) {
    lines_ = document.lines.empty()
                 ? nullptr
                 : std::make_shared<const std::map<std::string, int>>(std::move(document.lines));
    sort(std::move(document.value),
         {fmt::format("{}: document {} (line {})", source_, document.index, document.line)});
  }

 private:
  void sort(json::value value, const Place& place) {
    const auto& where = place.where;
    auto* object = value.if_object();
    if (!object) return problems_.add(fmt::format("{}: expected an object{}", where, hint_for(value)));
    if (!object->contains("kind") && !place.list_kind.empty()) {
      object->emplace("apiVersion", place.list_version);
      object->emplace("kind", place.list_kind);
    }
    const std::string kind(text_at(value, "/kind")), version(text_at(value, "/apiVersion"));
    if (kind.empty()) return problems_.add(where + ": missing kind");
    if (kind.ends_with("List") && object->if_contains("items")) {
      if (auto* items = object->at("items").if_array()) return sort_items(*items, place, version, kind);
    }
    if (const auto hook = text_at(value, kHelmHook); !hook.empty()) {
      out_.skipped.push_back(
          fmt::format("{} {} (helm hook {})", kind, text_at(value, "/metadata/name"), hook));
      return;
    }
    const auto* maker = pod_maker(version, kind);
    if (!maker && std::ranges::find(kMakers, kind, &PodMaker::kind) != kMakers.end()) {
      if (version.empty()) {
        return problems_.add(
            fmt::format("{}: {} {}: missing apiVersion", where, kind, text_at(value, "/metadata/name")));
      }
      out_.skipped.push_back(words_of_skipped(kind, text_at(value, "/metadata/name"), version));
      return;
    }
    const auto role = role_of(version, kind, maker);
    // Such as an Argo Rollout.
    if (role == Role::ignored && find_at(value, "/spec/template/spec/containers")) {
      out_.skipped.push_back(words_of_skipped(kind, text_at(value, "/metadata/name"), version));
      return;
    }
    if (maker) add_name(value, named_);
    out_.objects.push_back({std::move(value), where, maker, role, lines_, source_, place.prefix});
  }

  void sort_items(json::array& items, const Place& place, std::string_view version, std::string_view kind) {
    kind.remove_suffix(std::string_view("List").size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      sort(std::move(items[i]), {fmt::format("{}: item {}", place.where, i),
                                 fmt::format("{}items[{}].", place.prefix, i), version, kind});
    }
  }

  SortedObjects& out_;
  const std::string& source_;
  std::shared_ptr<const std::map<std::string, int>> lines_;
  Problems& problems_;
  std::size_t named_ = 0;
};

}  // namespace

std::string SortedObjects::Object::place(std::string_view path) const {
  if (!lines) return where;
  for (auto full = prefix + std::string(path); !full.empty();) {
    if (const auto found = lines->find(full); found != lines->end())
      return fmt::format("{}:{}", source, found->second);
    const auto end = full.find_last_of(".[");
    full.resize(end == full.npos ? 0 : end);
  }
  const auto first = std::ranges::min_element(*lines, {}, [](const auto& each) { return each.second; });
  return fmt::format("{}:{}", source, first->second);
}

std::string PodMaker::api_version() const {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

std::span<const PodMaker> pod_makers() { return kMakers; }

const PodMaker* pod_maker(std::string_view api_version, std::string_view kind) {
  const auto found = std::ranges::find(kMakers, kind, &PodMaker::kind);
  return found != kMakers.end() && found->api_version() == api_version ? &*found : nullptr;
}

const PodMaker* pod_maker_named(std::string_view word) {
  const auto found = std::ranges::find_if(kMakers, [&](const PodMaker& maker) {
    const auto dot = word.find('.');
    const auto name = word.substr(0, dot), group = dot == word.npos ? "" : word.substr(dot + 1);
    const bool is_kind =
        equal_fold(name, maker.kind) || equal_fold(name, maker.short_name) || equal_fold(name, maker.plural);
    // kubectl takes "deployment.apps" and "deployment.v1.apps".
    return is_kind && (group.empty() || equal_fold(group, maker.group) ||
                       equal_fold(group, fmt::format("{}.{}", maker.version, maker.group)));
  });
  return found == kMakers.end() ? nullptr : &*found;
}

SortedObjects sort_objects(std::vector<Document> documents, const std::string& source, Problems& problems) {
  SortedObjects out;
  Sorter sorter(out, source, problems);
  for (auto& document : documents) sorter.sort(std::move(document));
  return out;
}

}  // namespace podium::api

#include "api/decode/manifests.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <optional>

#include "api/decode/decode.h"
#include "api/decode/dump_kinds.h"
#include "api/decode/known_fields.h"
#include "api/decode/old_versions.h"
#include "api/decode/pod_makers.h"
#include "api/text/yaml.h"
#include "api/values/device.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "base/ascii.h"
#include "base/problems.h"

namespace podium::api {
namespace {

namespace json = boost::json;

std::string_view text_field(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  const auto* text = found ? found->if_string() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

std::string object_name(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : std::string(ns) + "/" + std::string(name);
}

std::string object_name(const json::object& object) {
  const auto* metadata = object.if_contains("metadata");
  const auto* fields = metadata ? metadata->if_object() : nullptr;
  return fields ? object_name(text_field(*fields, "namespace"), text_field(*fields, "name")) : std::string();
}

// Leaves out kind and version, which items of typed lists do not have.
std::size_t content_hash(json::object object) {
  object.erase("kind");
  object.erase("apiVersion");
  return std::hash<json::value>()(json::value(std::move(object)));
}

template <typename T>
constexpr bool kNamespaced =
    std::is_same_v<T, Pod> || std::is_same_v<T, Workload> || std::is_same_v<T, PersistentVolumeClaim> ||
    std::is_same_v<T, CsiStorageCapacity> || std::is_same_v<T, PodDisruptionBudget> ||
    std::is_same_v<T, LimitRange> || std::is_same_v<T, ResourceClaim> ||
    std::is_same_v<T, ResourceClaimTemplate>;

// The destination of decoded objects.
struct Sink {
  Manifests& to;
  void add(std::shared_ptr<const Node> o) const { to.nodes.push_back(std::move(o)); }
  void add(std::shared_ptr<const Pod> o) const { to.pods.push_back(std::move(o)); }
  void add(std::shared_ptr<const Namespace> o) const { to.namespaces.push_back(std::move(o)); }
  void add(std::shared_ptr<const Workload> o) const { to.workloads.push_back(std::move(o)); }
  void add(std::shared_ptr<const PriorityClass> o) const { to.priority_classes.push_back(std::move(o)); }
  void add(std::shared_ptr<const PodDisruptionBudget> o) const {
    to.disruption_budgets.push_back(std::move(o));
  }
  void add(std::shared_ptr<const PersistentVolume> o) const { to.persistent_volumes.push_back(std::move(o)); }
  void add(std::shared_ptr<const PersistentVolumeClaim> o) const {
    to.persistent_volume_claims.push_back(std::move(o));
  }
  void add(std::shared_ptr<const StorageClass> o) const { to.storage_classes.push_back(std::move(o)); }
  void add(std::shared_ptr<const CsiNode> o) const { to.csi_nodes.push_back(std::move(o)); }
  void add(std::shared_ptr<const CsiDriver> o) const { to.csi_drivers.push_back(std::move(o)); }
  void add(std::shared_ptr<const CsiStorageCapacity> o) const {
    to.csi_storage_capacities.push_back(std::move(o));
  }
  void add(std::shared_ptr<const VolumeAttachment> o) const { to.volume_attachments.push_back(std::move(o)); }
  void add(std::shared_ptr<const LimitRange> o) const { to.limit_ranges.push_back(std::move(o)); }
  void add(std::shared_ptr<const RuntimeClass> o) const { to.runtime_classes.push_back(std::move(o)); }
  void add(std::shared_ptr<const ResourceSlice> o) const { to.resource_slices.push_back(std::move(o)); }
  void add(std::shared_ptr<const DeviceClass> o) const { to.device_classes.push_back(std::move(o)); }
  void add(std::shared_ptr<const DeviceTaintRule> o) const { to.device_taint_rules.push_back(std::move(o)); }
  void add(std::shared_ptr<const ResourceClaim> o) const { to.resource_claims.push_back(std::move(o)); }
  void add(std::shared_ptr<const ResourceClaimTemplate> o) const {
    to.resource_claim_templates.push_back(std::move(o));
  }
};

class ManifestReader {
 public:
  explicit ManifestReader(ManifestOptions options) : options_(std::move(options)) {}

  void read(const ManifestText& text);
  void read(const SortedObjects::Object& object);
  // All objects, unless there is a problem with one of them.
  Result<Manifests> take();
  std::vector<std::string> warnings() const;

 private:
  void read_at(const std::string& place, const std::string& below, const json::value& value,
               std::string_view api_version, std::string_view kind);
  void note(const Error& error);
  std::string place_of(const std::string& path);
  Result<void> read_object(const json::value& value, std::string_view api_version, std::string_view kind);
  void read_items(const json::array& items, std::string_view list_version, std::string_view item_kind);
  Result<void> read_one(const json::value& value, std::string_view api_version, std::string_view kind);
  template <typename T>
  Result<void> keep(std::shared_ptr<const T> object, std::string_view kind, const json::value& from);

  ManifestOptions options_;
  std::string source_;
  std::string where_;  // the source, and the places within it that are being read
  // The text of a file, the document that is read, and the path of the object in it with its dot. Lines are
  // counted only if something is wrong.
  std::string_view text_;
  int document_ = 0;
  std::string below_;
  std::string head_;  // of the object's findings: "node a: "; empty: it has no name yet
  std::optional<std::vector<Document>> located_;
  Manifests manifests_;
  Problems problems_;
  struct Seen {
    std::string source;
    std::size_t hash;  // of the object's JSON
  };
  std::map<std::string, Seen> seen_;    // by "Kind namespace/name"
  std::map<std::string, int> ignored_;  // "version/kind" to count
};

void ManifestReader::read(const ManifestText& text) {
  source_ = where_ = text.source;
  text_ = text.text;
  located_.reset();
  YamlLimits limits;
  limits.lines = false;
  const auto documents = parse_documents(text.text, text.source, limits);
  if (!documents) return problems_.add(documents.error());
  for (const auto& document : *documents) {
    document_ = document.index;
    read_at("document " + std::to_string(document.index) + " (line " + std::to_string(document.line) + ")",
            "", document.value, "", "");
  }
}

void ManifestReader::read(const SortedObjects::Object& object) {
  source_ = object.where;
  head_.clear();
  auto read = read_object(object.value, "", "");
  if (read) return;
  for (const auto& finding : findings_of(read.error()))
    problems_.add({.path = object.place(finding.path), .reason = head_ + finding.text()});
}

Result<Manifests> ManifestReader::take() {
  if (problems_) return std::unexpected(problems_.error());
  return std::move(manifests_);
}

// Notes what is wrong with the object, and where that is.
void ManifestReader::read_at(const std::string& place, const std::string& below, const json::value& value,
                             std::string_view api_version, std::string_view kind) {
  const auto outer = where_.size(), outer_path = below_.size();
  where_ += ": " + place;
  below_ += below;
  head_.clear();
  if (auto read = read_object(value, api_version, kind); !read) note(read.error());
  where_.resize(outer);
  below_.resize(outer_path);
}

void ManifestReader::note(const Error& error) {
  for (const auto& finding : findings_of(error))
    problems_.add({.path = place_of(finding.path), .reason = head_ + finding.text()});
}

// "a.yaml:12"; of what has no line, `where_`.
std::string ManifestReader::place_of(const std::string& path) {
  if (!located_) {
    auto documents = parse_documents(text_, source_);
    located_ = documents ? std::move(*documents) : std::vector<Document>();
  }
  const auto document = std::ranges::lower_bound(*located_, document_, {}, &Document::index);
  if (document == located_->end() || document->index != document_) return where_;
  const auto line = line_of(*document, below_ + path);
  return source_ + ":" + std::to_string(line);
}

// `api_version` and `kind` are those of the list, for items of typed lists, which have none.
Result<void> ManifestReader::read_object(const json::value& value, std::string_view api_version,
                                         std::string_view kind) {
  const auto* object = value.if_object();
  if (!object) return invalid("expected an object");
  if (const auto own = text_field(*object, "kind"); !own.empty()) kind = own;
  if (const auto own = text_field(*object, "apiVersion"); !own.empty()) api_version = own;
  if (kind.empty()) return invalid("missing kind");
  if (api_version.empty())
    return invalid(to_lower(std::string(kind)) + " " + object_name(*object) + ": missing apiVersion");

  const auto* items = object->if_contains("items");
  if (kind.ends_with("List") && items && !items->is_null()) {
    if (!items->is_array()) return invalid(Finding{.path = "items", .reason = "expected a list"});
    kind.remove_suffix(4);
    if (items->get_array().empty() && !kind.empty()) manifests_.empty_kinds.emplace(kind);
    read_items(items->get_array(), kind.empty() ? "" : api_version, kind);
    return {};
  }
  if (kind == "List") return {};
  head_ = to_lower(std::string(kind)) + " " + object_name(*object) + ": ";
  return read_one(value, api_version, kind);
}

void ManifestReader::read_items(const json::array& items, std::string_view list_version,
                                std::string_view item_kind) {
  for (std::size_t i = 0; i < items.size(); ++i)
    read_at("item " + std::to_string(i), "items[" + std::to_string(i) + "].", items[i], list_version,
            item_kind);
}

Result<void> ManifestReader::read_one(const json::value& value, std::string_view api_version,
                                      std::string_view kind) {
  if (const auto served = detail::as_served(value, api_version, kind))
    return read_one(*served, "resource.k8s.io/v1", kind);
  auto decoded = decode_object(value, api_version, kind);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  if (std::holds_alternative<std::monostate>(*decoded)) {
    // Others look at the kinds of a dump that are not read here.
    if (!dump_kind(api_version, kind) && kind != "PodGroup")
      ++ignored_[std::string(api_version) + "/" + std::string(kind)];
    return {};
  }
  if (!options_.allow_unknown_fields) {
    std::vector<Finding> unknown;
    for (const auto& path : detail::unknown_fields(value, kind))
      unknown.push_back({.path = path, .reason = "unknown field \"" + path + "\"", .is_whole = true});
    if (!unknown.empty()) return invalid(std::move(unknown));
  }
  return std::visit(
      [&](auto& object) -> Result<void> {
        if constexpr (std::is_same_v<std::decay_t<decltype(object)>, std::monostate>) {
          return {};
        } else {
          return keep(std::move(object), kind, value);
        }
      },
      *decoded);
}

template <typename T>
Result<void> ManifestReader::keep(std::shared_ptr<const T> object, std::string_view kind,
                                  const json::value& from) {
  if (object->meta.name.empty()) return invalid("metadata.name is required");
  if constexpr (kNamespaced<T>) {
    if (object->meta.namespace_.empty()) {
      auto named = std::make_shared<T>(*object);
      named->meta.namespace_ = options_.ns;
      object = std::move(named);
    }
  }
  auto key = std::string(kind) + " " + object_name(object->meta.namespace_, object->meta.name);
  const auto hash = content_hash(from.get_object());
  const auto [at, is_new] = seen_.emplace(std::move(key), Seen{source_, hash});
  // Dumps of several commands, and must-gather, have the same object more than once.
  if (!is_new && at->second.hash == hash) return {};
  if (!is_new) return invalid(at->first + " is defined twice, first in " + at->second.source);
  Sink{manifests_}.add(std::move(object));
  return {};
}

std::vector<std::string> ManifestReader::warnings() const {
  std::vector<std::string> lines;
  for (const auto& [kind, count] : ignored_) {
    lines.push_back("ignoring " + std::to_string(count) + " object(s) of kind " + kind +
                    ", which the scheduler does not look at");
  }
  return lines;
}

template <typename T>
Result<Manifests> read_all(const std::vector<T>& from, const ManifestOptions& options,
                           std::vector<std::string>& warnings) {
  ManifestReader reader(options);
  for (const auto& each : from) reader.read(each);
  for (auto& line : reader.warnings()) warnings.push_back(std::move(line));
  return reader.take();
}

}  // namespace

Result<Manifests> read_manifests(const std::vector<ManifestText>& texts, const ManifestOptions& options,
                                 std::vector<std::string>& warnings) {
  return read_all(texts, options, warnings);
}

Result<Manifests> read_objects(const std::vector<SortedObjects::Object>& objects,
                               const ManifestOptions& options, std::vector<std::string>& warnings) {
  return read_all(objects, options, warnings);
}

}  // namespace podium::api

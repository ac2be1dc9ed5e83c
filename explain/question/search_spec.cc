#include "explain/question/search_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "api/decode/decode.h"
#include "api/validate/validate.h"
#include "explain/question/change.h"
#include "explain/question/question_limits.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostAmounts = 32, kMostLabels = 64, kMostTaints = 16;
constexpr std::size_t kMostDeviceKinds = 16, kMostDeviceFields = 32;
constexpr std::size_t kMostCsiDrivers = 16;
constexpr std::int64_t kMostVolumes = 100'000;
constexpr std::int64_t kMostDevices = 128;  // of a ResourceSlice
constexpr std::int64_t kMostDevicesOfAll = 4096;
constexpr std::int64_t kMostWeight = 1'000'000;
constexpr double kMillion = 1e6, kHighestPrice = 1e9;

// A kubelet's default.
constexpr std::int64_t kPodsOfANode = 110;

void read_allocatable(const json::value& value, const FieldPath& path, api::Node& node, Problems& problems) {
  const auto* amounts = value.if_object();
  if (!amounts || amounts->empty() || amounts->size() > kMostAmounts)
    return problems.add(path, fmt::format("must be an object with 1 to {} resources", kMostAmounts));
  for (const auto& amount : *amounts) {
    const std::string name(std::string_view(amount.key()));
    const auto at = path / name;
    if (!api::is_qualified_name(name)) {
      problems.add(at, "is not the name of a resource");
      continue;
    }
    const auto& given = amount.value();
    const auto text = given.is_string()   ? std::string(given.get_string())
                      : given.is_int64()  ? fmt::to_string(given.get_int64())
                      : given.is_double() ? fmt::to_string(given.get_double())
                                          : std::string();
    const auto quantity = api::Quantity::parse(text);
    if (!quantity || quantity->is_negative()) {
      problems.add(at, "must be a quantity, such as 16 or 64Gi");
      continue;
    }
    node.allocatable.emplace_back(name, *quantity);
  }
  std::ranges::sort(node.allocatable.write(), {}, &api::ResourceList::value_type::first);
  api::set_if_absent(node.allocatable, "pods", api::Quantity::from_units(kPodsOfANode));
  node.capacity = node.allocatable;
}

void read_node_labels(const json::value& value, const FieldPath& path, api::Node& node, Problems& problems) {
  const auto* labels = value.if_object();
  if (!labels || labels->size() > kMostLabels)
    return problems.add(path, fmt::format("must be an object with at most {} labels", kMostLabels));
  for (const auto& label : *labels) {
    const std::string key(std::string_view(label.key()));
    const FieldPath at = fmt::format("{}[{}]", path.text(), key);
    check_label_key(key, at, problems);
    const auto* text = label.value().if_string();
    if (!text || !api::is_label_value(*text))
      problems.add(at, "must be a string that is a valid label value");
    else
      node.meta.labels.set(key, std::string(*text));
  }
}

std::optional<std::int64_t> read_price(ObjectReader& reader, Problems& problems) {
  const auto* value = reader.value("price");
  if (!value) return std::nullopt;
  const auto price = value->is_double()   ? value->get_double()
                     : value->is_int64()  ? static_cast<double>(value->get_int64())
                     : value->is_uint64() ? static_cast<double>(value->get_uint64())
                                          : -1.0;
  if (price >= 0 && price <= kHighestPrice) return std::llround(price * kMillion);
  problems.add(reader.path("price"), "must be a number from 0 to 1000000000");
  return std::nullopt;
}

// Devices that are alike, in the form of a ResourceSlice's device but for their name.
struct AlikeDevices {
  std::string driver;
  api::Device device;
  std::int64_t count = 1;
};

AlikeDevices read_devices_alike(const json::value& value, const FieldPath& path, Problems& problems) {
  ObjectReader reader(value, path, problems);
  AlikeDevices alike{.driver = reader.required("driver")};
  if (!alike.driver.empty() && !api::is_dns_subdomain(alike.driver))
    problems.add(reader.path("driver"), fmt::format("{:?} is not a valid name", alike.driver));
  alike.count = reader.integer("count", 1, kMostDevices).value_or(1);
  json::object device{{"name", "device"}};
  for (const auto* field : {"attributes", "capacity"}) {
    const auto* given = reader.value(field);
    if (!given) continue;
    if (!given->is_object() || given->get_object().size() > kMostDeviceFields)
      problems.add(reader.path(field),
                   fmt::format("must be an object with at most {} fields", kMostDeviceFields));
    else
      device[field] = *given;
  }
  reader.unknown_fields();
  const auto slice = api::decode_resource_slice(
      {{"metadata", {{"name", "devices"}}}, {"spec", {{"devices", json::array{std::move(device)}}}}});
  if (slice) {
    alike.device = slice->devices.front();
  } else {
    constexpr std::string_view kDevice = "spec.devices[0].";
    for (auto finding : findings_of(slice.error())) {
      if (finding.path.starts_with(kDevice)) finding.path.erase(0, kDevice.size());
      problems.add(below(path, finding));
    }
  }
  return alike;
}

// A pool of each driver.
void add_devices(const AlikeDevices& alike, std::vector<api::ResourceSlice>& slices) {
  auto slice = std::ranges::find(slices, alike.driver, &api::ResourceSlice::driver);
  if (slice == slices.end()) {
    slice = slices.emplace(slices.end());
    slice->meta.name = alike.driver;
    slice->driver = alike.driver;
    slice->pool = {.name = "devices", .generation = 1, .slice_count = 1};
  }
  for (std::int64_t i = 0; i < alike.count; ++i) {
    auto& device = slice->devices.emplace_back(alike.device);
    device.name = fmt::format("device-{}", slice->devices.size());
  }
}

// `left`: how many devices all shapes may still have.
void read_devices(ObjectReader& reader, std::vector<api::ResourceSlice>& slices, std::int64_t& left,
                  Problems& problems) {
  std::int64_t sum = 0;
  reader.items("devices", kMostDeviceKinds, [&](const json::value& item, const FieldPath& at) {
    const auto alike = read_devices_alike(item, at, problems);
    sum += alike.count;
    if (sum > kMostDevices) {
      if (sum - alike.count <= kMostDevices)
        problems.add(at / "count", fmt::format("a node has at most {} devices", kMostDevices));
      return;
    }
    if (left >= 0 && left < alike.count)
      problems.add(at / "count",
                   fmt::format("the shapes have at most {} devices together", kMostDevicesOfAll));
    left -= alike.count;
    if (left >= 0) add_devices(alike, slices);
  });
}

// A driver, and how many of its volumes a node takes.
void read_csi_limits(const json::value& value, const FieldPath& path, api::CsiNode& drivers,
                     Problems& problems) {
  const auto* limits = value.if_object();
  if (!limits || limits->size() > kMostCsiDrivers)
    return problems.add(path, fmt::format("must be an object with at most {} drivers", kMostCsiDrivers));
  for (const auto& limit : *limits) {
    const std::string driver(std::string_view(limit.key()));
    const FieldPath at = fmt::format("{}[{}]", path.text(), driver);
    if (!api::is_dns_subdomain(driver)) problems.add(at, fmt::format("{:?} is not a valid name", driver));
    const auto* count = limit.value().if_int64();
    if (!count || *count < 0 || *count > kMostVolumes)
      problems.add(at, fmt::format("must be between 0 and {}", kMostVolumes));
    else
      drivers.drivers.push_back({driver, static_cast<std::int32_t>(*count)});
  }
}

Shape read_shape(const json::value& value, const FieldPath& path, std::int64_t& devices_left,
                 Problems& problems) {
  ObjectReader reader(value, path, problems);
  Shape shape{.name = reader.required("name")};
  if (!shape.name.empty() && !api::is_dns_subdomain(shape.name))
    problems.add(reader.path("name"), fmt::format("{:?} is not a valid name", shape.name));
  shape.like = reader.text("like");
  const auto *allocatable = reader.value("allocatable"), *labels = reader.value("labels"),
             *taints = reader.value("taints"), *devices = reader.value("devices"),
             *csi_limits = reader.value("csiLimits");
  if (value.is_object() && shape.like.empty() == (allocatable == nullptr))
    problems.add(path, "needs exactly one of allocatable and like");
  if (!shape.like.empty() && (labels || taints || devices || csi_limits))
    problems.add(path, "has the labels, taints, devices and CSI limits of the node that it is like");
  if (allocatable) {
    auto& node = shape.node.emplace();
    node.meta.name = shape.name;
    read_allocatable(*allocatable, reader.path("allocatable"), node, problems);
    if (labels) read_node_labels(*labels, reader.path("labels"), node, problems);
    reader.items("taints", kMostTaints, [&](const json::value& item, const FieldPath& at) {
      node.taints.push_back(read_taint(item, at, problems));
    });
    read_devices(reader, shape.slices, devices_left, problems);
    if (csi_limits) read_csi_limits(*csi_limits, reader.path("csiLimits"), shape.drivers.emplace(), problems);
  }
  shape.price = read_price(reader, problems);
  if (const auto most = reader.integer("max", 0, kMostOfShape)) shape.most = static_cast<std::int32_t>(*most);
  reader.unknown_fields();
  return shape;
}

}  // namespace

std::vector<Shape> read_shapes(ObjectReader& reader, Problems& problems) {
  std::vector<Shape> shapes;
  std::set<std::string> names;
  auto devices_left = kMostDevicesOfAll;
  reader.items("shapes", kMostShapes, [&](const json::value& item, const FieldPath& path) {
    auto shape = read_shape(item, path, devices_left, problems);
    if (!shape.name.empty() && !names.insert(shape.name).second)
      problems.add(path / "name", fmt::format("another shape is named {}", shape.name));
    shapes.push_back(std::move(shape));
  });
  const auto priced =
      std::ranges::count_if(shapes, [](const Shape& shape) { return shape.price.has_value(); });
  if (priced != 0 && priced != std::ssize(shapes))
    problems.add(reader.path("shapes"), "either all shapes have a price, or none");
  return shapes;
}

std::vector<StrategyWeight> read_weights(ObjectReader& reader, Problems& problems) {
  std::vector<StrategyWeight> out;
  reader.items("strategies", kMostStrategies, [&](const json::value& item, const FieldPath& path) {
    ObjectReader fields(item, path, problems);
    StrategyWeight strategy;
    strategy.name = fields.required("name");
    const auto weight = fields.integer("weight", 0, kMostWeight);
    if (!weight && !fields.value("weight")) problems.add(fields.path("weight"), "required");
    strategy.weight = weight.value_or(1);
    fields.unknown_fields();
    out.push_back(std::move(strategy));
  });
  return out;
}

SearchSpec read_search(const json::value& value, const FieldPath& path, Problems& problems) {
  ObjectReader reader(value, path, problems);
  const auto *for_pending = reader.value("forPending"), *could_go = reader.value("couldGo"),
             *compare = reader.value("compareWeights");
  SearchSpec search;
  if (value.is_object() && (for_pending != nullptr) + (could_go != nullptr) + (compare != nullptr) != 1)
    problems.add(path, "needs exactly one of forPending, couldGo and compareWeights");
  if (for_pending) {
    ObjectReader inner(*for_pending, path / "forPending", problems);
    search.shapes = read_shapes(inner, problems);
    inner.unknown_fields();
  } else if (could_go) {
    search.kind = SearchSpec::Kind::could_go;
    ObjectReader(*could_go, path / "couldGo", problems).unknown_fields();
  } else if (compare) {
    search.kind = SearchSpec::Kind::compare_weights;
    ObjectReader inner(*compare, path / "compareWeights", problems);
    search.weights = read_weights(inner, problems);
    inner.require_items("strategies");
    inner.unknown_fields();
  }
  reader.unknown_fields();
  return search;
}

}  // namespace podium::explain

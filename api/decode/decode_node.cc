#include <string>
#include <utility>
#include <vector>

#include "api/decode/decode.h"
#include "api/decode/decode_parts.h"
#include "api/decode/decode_reader.h"
#include "api/values/node.h"
#include "api/values/objects.h"

namespace podium::api {

using detail::Field;

Result<Node> decode_node(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  Node node;
  node.meta = detail::read_meta(root["metadata"], detail::Annotations::kept);

  const auto spec = root["spec"];
  spec["unschedulable"].into(node.unschedulable);
  spec["taints"].list(node.taints, [](Field field) {
    Taint taint;
    field["key"].into(taint.key);
    field["value"].into(taint.value);
    taint.effect = detail::read_taint_effect(field["effect"]);
    return taint;
  });

  const auto status = root["status"];
  status["capacity"].into(node.capacity);
  status["allocatable"].into(node.allocatable);
  status["images"].list(node.images, [](Field field) {
    std::vector<std::string> names;
    field["names"].into(names);
    ContainerImage image{std::move(names)};
    field["sizeBytes"].into(image.size_bytes);
    return image;
  });
  status["declaredFeatures"].into(node.declared_features);
  std::vector<Labels::Entry> conditions;
  status["conditions"].list(conditions, [](Field field) {
    Labels::Entry condition;
    field["type"].into(condition.first);
    field["status"].into(condition.second);
    return condition;
  });
  node.conditions = Labels(std::move(conditions));
  return reader.finish(std::move(node));
}

Result<Namespace> decode_namespace(const boost::json::value& value) {
  detail::Reader reader(value);
  Namespace ns;
  ns.meta = detail::read_meta(reader.root()["metadata"], detail::Annotations::left_out);
  return reader.finish(std::move(ns));
}

}  // namespace podium::api

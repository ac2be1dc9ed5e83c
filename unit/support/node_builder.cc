#include "unit/support/builders.h"

namespace podium::test {

NodeBuilder::NodeBuilder(std::string name) {
  node_.meta.uid = "uid-" + name;
  node_.meta.labels.set(std::string(api::label::hostname), name);
  node_.meta.name = std::move(name);
}

NodeBuilder node(std::string name) { return NodeBuilder(std::move(name)); }

NodeBuilder& NodeBuilder::uid(std::string uid) {
  node_.meta.uid = std::move(uid);
  return *this;
}
NodeBuilder& NodeBuilder::label(std::string key, std::string value) {
  node_.meta.labels.set(std::move(key), std::move(value));
  return *this;
}
NodeBuilder& NodeBuilder::no_hostname() {
  std::vector<api::Labels::Entry> kept;
  for (const auto& entry : node_.meta.labels) {
    if (entry.first != api::label::hostname) kept.push_back(entry);
  }
  node_.meta.labels = api::Labels(std::move(kept));
  return *this;
}
NodeBuilder& NodeBuilder::annotation(std::string key, std::string value) {
  node_.meta.annotations.set(std::move(key), std::move(value));
  return *this;
}
NodeBuilder& NodeBuilder::zone(std::string zone) {
  return label(std::string(api::label::zone), std::move(zone));
}
NodeBuilder& NodeBuilder::region(std::string region) {
  return label(std::string(api::label::region), std::move(region));
}
NodeBuilder& NodeBuilder::cap(std::string_view resource, std::string_view amount) {
  set_resource(node_.capacity, resource, amount);
  return allocatable(resource, amount);
}
NodeBuilder& NodeBuilder::allocatable(std::string_view resource, std::string_view amount) {
  set_resource(node_.allocatable, resource, amount);
  return *this;
}
NodeBuilder& NodeBuilder::taint(std::string key, std::string value, std::string_view effect) {
  node_.taints.push_back({std::move(key), std::move(value), taint_effect(effect)});
  return *this;
}
NodeBuilder& NodeBuilder::unschedulable() {
  node_.unschedulable = true;
  return *this;
}
NodeBuilder& NodeBuilder::image(Strings names, std::int64_t size_bytes) {
  node_.images.push_back({std::move(names), size_bytes});
  return *this;
}
NodeBuilder& NodeBuilder::condition(std::string type, std::string status) {
  node_.conditions.set(std::move(type), std::move(status));
  return *this;
}
NodeBuilder& NodeBuilder::feature(std::string name) {
  node_.declared_features.push_back(std::move(name));
  return *this;
}

}  // namespace podium::test

#include "api/decode/decode.h"
#include "api/decode/decode_parts.h"
#include "api/decode/decode_reader.h"
#include "api/values/objects.h"

namespace podium::api {
namespace {

using detail::Annotations;
using detail::Field;

// The beta annotation; it still takes precedence over storageClassName.
const std::string* class_annotation(const ObjectMeta& meta) {
  return meta.annotations.find("volume.beta.kubernetes.io/storage-class");
}

NodeSelectorTerm read_topology_term(Field field) {
  NodeSelectorTerm term;
  field["matchLabelExpressions"].list(term.match_expressions, [](Field item) {
    Requirement requirement;
    item["key"].into(requirement.key);
    item["values"].into(requirement.values);
    return requirement;
  });
  return term;
}

PersistentVolume::ClaimRef read_claim_ref(Field field) {
  PersistentVolume::ClaimRef claim;
  field["namespace"].into(claim.namespace_);
  field["name"].into(claim.name);
  field["uid"].into(claim.uid);
  return claim;
}

}  // namespace

Result<PersistentVolume> decode_persistent_volume(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  PersistentVolume volume;
  volume.meta = detail::read_meta(root["metadata"], Annotations::kept);
  const auto spec = root["spec"];
  spec["capacity"]["storage"].into(volume.capacity);
  spec["storageClassName"].into(volume.storage_class);
  if (const auto* name = class_annotation(volume.meta)) volume.storage_class = *name;
  spec["volumeMode"].into(volume.volume_mode);
  spec["volumeAttributesClassName"].into(volume.attributes_class);
  spec["accessModes"].into(volume.access_modes);
  if (const auto claim = spec["claimRef"]) volume.claim = read_claim_ref(claim);
  if (const auto required = spec["nodeAffinity"]["required"]) {
    volume.node_affinity = detail::read_node_selector(required);
  }
  volume.source = detail::read_volume_source(spec);
  spec["csi"]["driver"].into(volume.csi_driver);
  spec["csi"]["volumeHandle"].into(volume.csi_handle);
  root["status"]["phase"].into(volume.phase);
  return reader.finish(std::move(volume));
}

Result<PersistentVolumeClaim> decode_persistent_volume_claim(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  PersistentVolumeClaim claim;
  claim.meta = detail::read_meta(root["metadata"], Annotations::kept);
  const auto spec = root["spec"];
  spec["resources"]["requests"]["storage"].into(claim.request);
  spec["storageClassName"].into(claim.storage_class);
  if (const auto* name = class_annotation(claim.meta)) claim.storage_class = *name;
  spec["volumeName"].into(claim.volume_name);
  spec["volumeMode"].into(claim.volume_mode);
  spec["volumeAttributesClassName"].into(claim.attributes_class);
  spec["accessModes"].into(claim.access_modes);
  if (const auto selector = spec["selector"]) claim.selector = detail::read_label_selector(selector);
  root["status"]["phase"].into(claim.phase);
  return reader.finish(std::move(claim));
}

Result<StorageClass> decode_storage_class(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  StorageClass storage_class;
  storage_class.meta = detail::read_meta(root["metadata"], Annotations::kept);
  root["provisioner"].into(storage_class.provisioner);
  const auto mode = root["volumeBindingMode"];
  storage_class.has_binding_mode = static_cast<bool>(mode);
  storage_class.wait_for_first_consumer = mode.text() == "WaitForFirstConsumer";
  root["allowedTopologies"].list(storage_class.allowed_topologies, read_topology_term);
  return reader.finish(std::move(storage_class));
}

Result<CsiNode> decode_csi_node(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  CsiNode csi_node;
  csi_node.meta = detail::read_meta(root["metadata"], Annotations::kept);
  root["spec"]["drivers"].list(csi_node.drivers, [](Field field) {
    CsiNode::Driver driver;
    field["name"].into(driver.name);
    field["allocatable"]["count"].into(driver.allocatable);
    return driver;
  });
  return reader.finish(std::move(csi_node));
}

Result<CsiDriver> decode_csi_driver(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  CsiDriver driver;
  driver.meta = detail::read_meta(root["metadata"], Annotations::left_out);
  root["spec"]["storageCapacity"].into(driver.storage_capacity);
  root["spec"]["preventPodSchedulingIfMissing"].into(driver.prevents_scheduling_if_missing);
  return reader.finish(std::move(driver));
}

Result<CsiStorageCapacity> decode_csi_storage_capacity(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  CsiStorageCapacity capacity;
  capacity.meta = detail::read_meta(root["metadata"], Annotations::left_out);
  root["storageClassName"].into(capacity.storage_class);
  if (const auto topology = root["nodeTopology"])
    capacity.node_topology = detail::read_label_selector(topology);
  root["capacity"].into(capacity.capacity);
  root["maximumVolumeSize"].into(capacity.maximum_volume_size);
  return reader.finish(std::move(capacity));
}

Result<VolumeAttachment> decode_volume_attachment(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  VolumeAttachment attachment;
  attachment.meta = detail::read_meta(root["metadata"], Annotations::left_out);
  const auto spec = root["spec"];
  spec["attacher"].into(attachment.attacher);
  spec["nodeName"].into(attachment.node_name);
  spec["source"]["persistentVolumeName"].into(attachment.volume_name);
  return reader.finish(std::move(attachment));
}

}  // namespace podium::api

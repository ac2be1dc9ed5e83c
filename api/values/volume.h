// Volume: a volume of a pod, and the source of a PersistentVolume.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace podium::api {

// One entry of spec.volumes.
struct Volume {
  enum class Kind : std::uint8_t {
    other,
    claim,
    ephemeral,
    gce_disk,
    aws_disk,
    rbd,
    iscsi,
    azure_disk,
    azure_file,
    cinder,
    vsphere,
    portworx,
    csi_inline,
    image
  };
  std::string name;
  Kind kind = Kind::other;
  bool read_only = false;
  // By kind: claim name, disk name, volume ID, Azure disk URI, Azure share name, vSphere path, image
  // reference, iSCSI IQN, RBD image, CSI driver; of `other` the source of data on the node's disk: emptyDir,
  // hostPath. Empty for an ephemeral volume: its claim is named after the pod and the volume.
  std::string id;
  // RBD: the pool; Azure disk: its kind; Azure file: the secret's name.
  std::string pool;
  // RBD: the monitors; Azure file of a PersistentVolume: the secret's namespace.
  std::vector<std::string> monitors;
  bool operator==(const Volume&) const = default;
};

}  // namespace podium::api

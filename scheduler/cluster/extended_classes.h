// ExtendedClasses: maps an extended resource to the DeviceClass that backs it.
//
// A class backs the name in its spec and deviceclass.resource.kubernetes.io/<class>. If two classes have the
// same name, the newer one counts, then the lower name.
//
// The map depends on the order of events, as upstream's does: when the class that counted goes, the other one
// does not come back; a class that is changed and keeps its name stays as it was under that name.
// Source: dynamic-resource-allocation/deviceclass/extendedresourcecache.
// Owner: Objects. Threads: a value; a copy costs one pointer. Errors: none.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/values/device_fwd.h"
#include "base/cow.h"

namespace podium::cluster {

// True for an extended resource, and for the implicit name of a class.
bool may_be_backed_by_devices(std::string_view resource);
// deviceclass.resource.kubernetes.io/<class>
std::string implicit_name(const api::DeviceClass& of);

class ExtendedClasses {
 public:
  // An event of the API server. No `before`: the class is new. No `after`: it is gone.
  void changed(const api::DeviceClass* before, const std::shared_ptr<const api::DeviceClass>& after);

  // Null: no class backs it.
  const api::DeviceClass* find(std::string_view resource) const;
  bool empty() const { return by_resource_->empty(); }

 private:
  void forget(const api::DeviceClass& gone);

  Cow<std::map<std::string, std::shared_ptr<const api::DeviceClass>, std::less<>>> by_resource_;
};

}  // namespace podium::cluster

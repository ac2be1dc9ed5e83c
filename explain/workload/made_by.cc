#include "explain/workload/made_by.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/text/json_view.h"
#include "base/counted.h"
#include "base/similar.h"
#include "explain/workload/owner.h"

namespace podium::explain {
namespace {

using Object = api::SortedObjects::Object;

constexpr std::size_t kNamed = 3;

}  // namespace

std::string FileWorkloads::key(std::string_view kind, const std::string& ns, std::string_view name) const {
  return fmt::format("{} {}/{}", kind, ns.empty() ? ns_ : ns, name);
}

void FileWorkloads::add(const std::vector<Object>& objects) {
  for (const auto& object : objects) {
    const auto name = api::text_at(object.value, "/metadata/name");
    if (!object.maker || object.maker->pod_template.empty() || name.empty()) continue;
    workloads_.insert(key(object.maker->kind, api::text_at(object.value, "/metadata/namespace"), name));
  }
}

bool FileWorkloads::have_made(const Object& object) const {
  if (!object.maker) return false;
  const auto ns = api::text_at(object.value, "/metadata/namespace");
  // Without its ReplicaSet in the files, a pod names none of their objects.
  const auto [direct, topmost] = owners_of(object.value);
  return workloads_.contains(key(direct.kind, ns, direct.name)) ||
         workloads_.contains(key(topmost.kind, ns, topmost.name));
}

std::string FileWorkloads::drop_made(std::vector<Object>& objects) const {
  std::vector<std::string> names;
  std::erase_if(objects, [&](const Object& object) {
    if (!have_made(object)) return false;
    names.push_back(fmt::format("{} {}", object.maker->kind, api::text_at(object.value, "/metadata/name")));
    return true;
  });
  if (names.empty()) return {};
  return fmt::format("{} of the workloads ({})", podium::counted(names.size(), "object"),
                     podium::listed(names, kNamed));
}

}  // namespace podium::explain

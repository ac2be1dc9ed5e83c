#include "unit/cost/rows.h"

namespace podium::test::cost {
namespace {

constexpr std::string_view kContainer =
    R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}])";

std::string pod(std::string_view name, std::string_view spec, std::string_view meta,
                std::string_view status) {
  std::string out =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","resourceVersion":"1",)";
  out.append(R"("name":")").append(name).append(R"(","uid":")").append(name).append("\"").append(meta);
  out.append(R"(},"spec":{)");
  if (spec.find("\"containers\"") == std::string_view::npos)
    out.append(kContainer).append(spec);
  else
    out.append(spec.substr(1));
  return out.append(R"(},"status":{"phase":"Pending")").append(status).append("}}");
}

}  // namespace

std::string waiting(std::string_view spec, std::string_view meta, std::string_view status) {
  return pod("waiting", R"(,"schedulerName":"default-scheduler","priority":100)" + std::string(spec), meta,
             status);
}

std::string placed(std::string_view spec, std::string_view meta, std::string_view status) {
  return pod("placed-$", R"(,"nodeName":"n0","priority":1)" + std::string(spec), meta, status);
}

std::string node(std::string_view spec, std::string_view labels, std::string_view status,
                 std::string_view allocatable) {
  std::string out = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n0","uid":"n0","labels":{)";
  out.append(R"("kubernetes.io/hostname":"n0")")
      .append(labels)
      .append(R"(}},"spec":{"podCIDR":"10.0.0.0/8")");
  out.append(spec).append(R"(},"status":{"allocatable":{"cpu":"1000000","memory":"1Ti","pods":"1000000")");
  return out.append(allocatable).append("}").append(status).append("}}");
}

}  // namespace podium::test::cost

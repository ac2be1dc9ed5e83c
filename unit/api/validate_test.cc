#include "api/validate/validate.h"

#include <gtest/gtest.h>

#include "unit/support/builders.h"

namespace podium::api {
namespace {

using namespace test;
using Lines = std::vector<std::string>;

PodBuilder valid() {
  auto builder = pod("p");
  builder.container("c").image("i");
  return builder;
}

Pod with_toleration(Toleration toleration) {
  auto pod = valid().build();
  pod.tolerations = {std::move(toleration)};
  return pod;
}

Lines texts(const std::vector<Finding>& findings) {
  Lines out;
  for (const auto& finding : findings) out.push_back(finding.text());
  return out;
}

Pod with_claims(std::vector<PodResourceClaim> claims) {
  auto pod = valid().build();
  pod.resource_claims = std::move(claims);
  return pod;
}

Pod with_constraint(TopologySpreadConstraint constraint) {
  auto pod = valid().build();
  pod.topology_spread = {std::move(constraint)};
  return pod;
}

TEST(ValidatePod, Finds) {
  struct Case {
    const char* name;
    Pod pod;
    Lines want;
  };
  const Case cases[] = {
      {"a valid pod", valid(), {}},
      {"no name", pod("").container("c").image("i"), {"metadata.name: Required value"}},
      {"a name that is none",
       pod("A_b").container("c").image("i"),
       {"metadata.name: Invalid value: \"A_b\": must be a lowercase RFC 1123 subdomain"}},
      {"labels",
       valid().label("a b", "x y"),
       {"metadata.labels: Invalid value: \"a b\": must be a qualified name: [prefix/]name",
        "metadata.labels: Invalid value: \"x y\": must be empty or at most 63 letters, digits, '-', '_' and "
        "'.'"}},
      {"no containers", pod("p"), {"spec.containers: Required value"}},
      {"container names",
       valid().container("c").image("i").init_container("C").image("i"),
       {"spec.containers[1].name: Duplicate value: \"c\"",
        "spec.initContainers[0].name: Invalid value: \"C\": must be a lowercase RFC 1123 label"}},
      {"no image", pod("p").container("c"), {"spec.containers[0].image: Required value"}},
      {"negative",
       valid().req("cpu", "-1"),
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to "
        "0"}},
      {"request above limit",
       valid().req("cpu", "2").limit("cpu", "1500m"),
       {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu "
        "limit of 1500m"}},
      {"extended resources need equal limits",
       valid().req("example.com/a", "1").req("example.com/b", "1").limit("example.com/b", "2"),
       {"spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable "
        "resources",
        "spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to example.com/b limit "
        "of 2"}},
      {"resource names and whole numbers",
       valid().req("foo", "1").limit("example.com/a", "1500m").req("example.com/a", "1500m"),
       {"spec.containers[0].resources.requests[foo]: Invalid value: \"foo\": must be a standard resource for "
        "containers",
        "spec.containers[0].resources.requests[example.com/a]: Invalid value: \"1500m\": must be an integer",
        "spec.containers[0].resources.limits[example.com/a]: Invalid value: \"1500m\": must be an integer"}},
      {"huge pages alone",
       valid().req("hugepages-2Mi", "4Mi").limit("hugepages-2Mi", "4Mi"),
       {"spec.containers[0].resources: Forbidden: HugePages require cpu or memory"}},
      {"host ports",
       valid().host_port(80).host_port(80).init_container("i").image("i").host_port(80),
       {"spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//80\""}},
      {"huge pages in parts",
       valid().req("cpu", "1").req("hugepages-2Mi", "3Mi").limit("hugepages-2Mi", "3Mi"),
       {"spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: \"3145728\": is not a positive "
        "integer multiple of hugepages-2Mi",
        "spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3145728\": is not a positive "
        "integer multiple of hugepages-2Mi"}},
      {"claims",
       with_claims({{"a", "one", std::nullopt},
                    {"a", std::nullopt, "two"},
                    {"b", std::nullopt, std::nullopt},
                    {"c", "one", "two"},
                    {"d", "O", std::nullopt}}),
       {"spec.resourceClaims[1].name: Duplicate value: \"a\"",
        "spec.resourceClaims[2]: Invalid value: \"b\": must specify one of: `resourceClaimName`, "
        "`resourceClaimTemplateName`",
        "spec.resourceClaims[3]: Invalid value: \"c\": at most one of `resourceClaimName` or "
        "`resourceClaimTemplateName` may be specified",
        "spec.resourceClaims[4].resourceClaimName: Invalid value: \"O\": must be a lowercase RFC 1123 "
        "subdomain"}},
      {"values that no label has",
       valid().require_node(node_term({in("a", {"b c"})}, {in("metadata.name", {"N"})})),
       {"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
        ".matchExpressions[0].values[0]: Invalid value: \"b c\": must be empty or at most 63 letters, "
        "digits, "
        "'-', '_' and '.'",
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
        ".matchFields[0].values[0]: Invalid value: \"N\": must be a lowercase RFC 1123 subdomain"}},
      {"label keys without a selector",
       valid()
           .affinity(term("zone").mismatch_label_keys({"a"}))
           .spread(spread("zone").match_label_keys({"a"})),
       {"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].mismatchLabelKeys: "
        "Forbidden: must "
        "not be specified when labelSelector is not set",
        "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when "
        "labelSelector is not "
        "set"}},
      {"no such constraint",
       with_constraint({.topology_key = "zone", .known_constraint = false}),
       {"spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: must be DoNotSchedule or "
        "ScheduleAnyway"}},
      {"pod level",
       valid().req("cpu", "2").limit("memory", "2Gi").pod_req("cpu", "1").pod_limit("memory", "1Gi"),
       {"spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate "
        "container "
        "requests of 2",
        "spec.containers[0].resources.limits[memory]: Invalid value: \"2147483648\": must be less than or "
        "equal to pod "
        "limits of 1073741824"}},
      {"ports",
       valid().host_port(70000, "HTTP"),
       {"spec.containers[0].ports[0].containerPort: Invalid value: \"70000\": must be between 1 and 65535",
        "spec.containers[0].ports[0].hostPort: Invalid value: \"70000\": must be between 1 and 65535",
        "spec.containers[0].ports[0].protocol: Unsupported value: must be TCP, UDP or SCTP"}},
      {"node affinity",
       valid().require_no_node().prefer_node(0, node_term({in("a", {}),
                                                           {"b", Requirement::Op::unknown, {}},
                                                           {"c", Requirement::Op::exists, {"x"}},
                                                           {"d", Requirement::Op::gt, {}}},
                                                          {exists("metadata.name"), in("spec", {"a"})})),
       {"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: "
        "Required value: must have at least one node selector term",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid "
        "value: \"0\": "
        "must be in the range 1-100",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
        "matchExpressions[0]"
        ".values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
        "matchExpressions[1]"
        ".operator: Unsupported value: not a valid selector operator",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
        "matchExpressions[2]"
        ".values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
        "matchExpressions[3]"
        ".values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
        "matchFields[0]"
        ".operator: Unsupported value: not a valid selector operator",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
        "matchFields[1].key: "
        "Invalid value: \"spec\": not a valid field selector key"}},
      {"a non-integer Gt is accepted", valid().require_node(node_term({gt("a", "x")})), {}},
      {"pod affinity",
       valid().anti_affinity(term("").selector(select_where({{"a", Requirement::Op::unknown, {}}}))),
       {"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector"
        ".matchExpressions[0].operator: Unsupported value: not a valid selector operator",
        "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
        "Required value: "
        "can not be empty"}},
      {"gates",
       valid().gate("a").gate("a").node("n"),
       {"spec.schedulingGates[1]: Duplicate value: \"a\"",
        "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"}},
      {"spread",
       valid().spread(spread("zone").max_skew(0).min_domains(0)).spread(spread("zone")),
       {"spec.topologySpreadConstraints[0].maxSkew: Invalid value: \"0\": must be greater than zero",
        "spec.topologySpreadConstraints[0].minDomains: Invalid value: \"0\": must be greater than 0",
        "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"zone\""}},
      {"tolerations",
       valid().tolerate("", "v").tolerate_exists("", "NoSchedule").tolerate("k", "v"),
       {"spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty"}},
      {"unknown operator and effect",
       with_toleration({"k", "1", Toleration::Op::other, TaintEffect::unknown}),
       {"spec.tolerations[0].operator: Unsupported value: must be Equal or Exists",
        "spec.tolerations[0].effect: Unsupported value: must be NoSchedule, PreferNoSchedule or NoExecute"}},
      {"volumes",
       valid().claim("").volume({"v1"}).volume({""}),
       {"spec.volumes[0].persistentVolumeClaim.claimName: Required value",
        "spec.volumes[1].name: Duplicate value: \"v1\"", "spec.volumes[2].name: Required value"}},
      {"overhead",
       valid().overhead("cpu", "-1m"),
       {"spec.overhead[cpu]: Invalid value: \"-1m\": must be greater than or equal to 0"}},
  };
  for (const auto& test : cases) EXPECT_EQ(texts(validate(test.pod)), test.want) << test.name;
}

TEST(ValidateNode, Finds) {
  struct Case {
    const char* name;
    Node node;
    Lines want;
  };
  auto unknown = node("n").build();
  unknown.taints = {{"k", "", TaintEffect::none}};
  const Case cases[] = {
      {"a valid node",
       node("n.example.com").cap("cpu", "4").taint("k", "", "NoSchedule").taint("k", "", "NoExecute"),
       {}},
      {"duplicate taint",
       node("n").taint("k", "a", "NoSchedule").taint("k", "b", "NoSchedule"),
       {"spec.taints[1]: Duplicate value: \"k\""}},
      {"no effect", unknown, {"spec.taints[0].effect: Required value"}},
      {"negative",
       node("n").allocatable("cpu", "-4"),
       {"status.allocatable[cpu]: Invalid value: \"-4\": must be greater than or equal to 0"}},
  };
  for (const auto& test : cases) EXPECT_EQ(texts(validate(test.node)), test.want) << test.name;
}

TEST(Names, AreChecked) {
  for (const std::string name : {"a", "a-b.c", "0"}) EXPECT_TRUE(is_dns_subdomain(name)) << name;
  for (const std::string name : {"", ".", "a.", "-a", "a-", "A", "a_b", "a..b"}) {
    EXPECT_FALSE(is_dns_subdomain(name)) << name;
  }
  EXPECT_FALSE(is_dns_subdomain(std::string(254, 'a')));
  EXPECT_TRUE(is_dns_label(std::string(63, 'a')));
  EXPECT_FALSE(is_dns_label(std::string(64, 'a')));
  EXPECT_FALSE(is_dns_label("a.b"));
  for (const std::string name : {"a", "A_b.c-d", "example.com/a"})
    EXPECT_TRUE(is_qualified_name(name)) << name;
  for (const std::string name : {"", "/a", "a/", "a/b/c", "-a", "Ex/a", "a\n"}) {
    EXPECT_FALSE(is_qualified_name(name)) << name;
  }
  EXPECT_TRUE(is_label_value(""));
  EXPECT_FALSE(is_label_value("a\x01"));
}

}  // namespace
}  // namespace podium::api

// The verbs from the command line to what they print, on a dump.
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/kubectl/verbs.h"
#include "unit/support/temp_dir.h"

namespace podium::kubectl {

// A node with 4 cpu. Further items may follow.
inline constexpr const char* kDumpOfOneNode = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n-1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}})";

inline constexpr const char* kShopDump = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- {apiVersion: v1, kind: Namespace, metadata: {name: ml}}
- {apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {pool: a, disk: ssd}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n-2, labels: {pool: a, disk: hdd}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n-3, labels: {pool: b}}, spec: {taints: [{key: gpu, value: a100, effect: NoSchedule}]}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-1, namespace: shop, uid: w1, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {nodeName: n-1, containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-2, namespace: shop, uid: w2, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {nodeName: n-2, containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: big-a-1, namespace: shop, uid: b1, labels: {app: big}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: big-a, uid: r2, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: big-a-2, namespace: shop, uid: b2, labels: {app: big}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: big-a, uid: r2, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: sel, namespace: shop, uid: s1}
  spec: {nodeSelector: {disk: nvme, pool: a}, containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: gated, namespace: shop, uid: g1}
  spec: {schedulingGates: [{name: example.com/quota}], containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: nightly-1-x, namespace: ml, uid: j1, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: nightly-1, uid: j, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: nightly-2-y, namespace: ml, uid: j2, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: nightly-2, uid: jj, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}
  status: {phase: Pending}
- {apiVersion: batch/v1, kind: Job, metadata: {name: nightly-1, namespace: ml, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: nightly, uid: c, controller: true}]}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
- {apiVersion: batch/v1, kind: Job, metadata: {name: nightly-2, namespace: ml, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: nightly, uid: c, controller: true}]}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: nightly, namespace: ml}
  spec: {jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {selector: {matchLabels: {app: web}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: big-a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: big, uid: d2, controller: true}]}, spec: {selector: {matchLabels: {app: big}}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: big, namespace: shop}
  spec: {replicas: 2, selector: {matchLabels: {app: big}}, template: {metadata: {labels: {app: big}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}}}
)";

struct Ran {
  std::string out, err;
  std::string missing;  // the first warnings, about kinds that the dump lacks
  int code = 0;
};

// `podium WORDS`
inline Ran run_verb(std::vector<std::string> words) {
  CLI::App app{"", "podium"};
  app.require_subcommand(1);  // as the program: "drain nodes n-1" is not the verb nodes
  Ran ran;
  add_verbs(app, ran.code);
  std::ranges::reverse(words);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  std::string wrong;
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    wrong = error.what();
    ran.code = 2;
  }
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr() + wrong;
  return ran;
}

class OnADump : public testing::Test {
 protected:
  // `podium WORDS --cluster DUMP`
  Ran run(const std::vector<std::string>& words) { return run_on(dump_, words); }
  Ran run_on(const std::string& dump, std::vector<std::string> words) {
    words.insert(words.end(), {"--cluster", dump});
    auto ran = run_verb(std::move(words));
    ran.out = without_file(std::move(ran.out), dump);
    ran.err = without_file(std::move(ran.err), dump);
    // The dump has no more kinds than these need.
    warnings_.clear();
    while (ran.err.starts_with("warning: ")) {
      const auto end = ran.err.find('\n') + 1;
      (ran.err.starts_with("warning: --cluster has no ") ? ran.missing : warnings_) += ran.err.substr(0, end);
      ran.err.erase(0, end);
    }
    return ran;
  }
  static std::string without_file(std::string text, const std::string& dump) {
    for (std::size_t at; (at = text.find(dump)) != text.npos;) text.replace(at, dump.size(), "DUMP");
    return text;
  }
  std::string out(const std::vector<std::string>& words) { return run(words).out; }
  // Writes a dump of the node n-1 and of these items, each on a new line that begins with "- ".
  std::string one_node_and(const std::string& items) {
    return directory_.write("one.yaml", kDumpOfOneNode + items);
  }

  std::string warnings_;  // of the last run, except those about the dump
  unit::TempDir directory_;
  const std::string dump_ = directory_.write("dump.yaml", kShopDump);
};

}  // namespace podium::kubectl

// What plugins and reasons mean, in the words of somebody who knows pods and not plugins.
//
// Knows the reasons of kube-scheduler's plugins. Of other plugins, the reason's own words are used.
// Threads: pure functions. Errors: none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/render/report.h"

namespace podium::render {

// The tables of the two functions below, for the page: names of strategies, and the beginnings of reasons,
// with their words.
using Word = std::pair<std::string_view, std::string_view>;
std::span<const Word> strategy_table();
std::span<const Word> reason_table();

// What a scoring strategy looks at: "taints", "cpu and memory".
std::string strategy_words(std::string_view plugin);

// What a filter looks at, of a node that passes it: "taints", "host ports".
std::string filter_words(std::string_view plugin);

// Why nodes were turned down, such as "has a taint that the pod does not tolerate". Without a shortfall.
std::string reason_words(std::string_view reason);

// The same of a rejection, with the taints that it has: "has a taint …: gpu=a100:NoSchedule".
std::string reason_words(const Rejection& rejection);
// "…: a:NoSchedule, b:NoExecute and 2 more"; empty where there are none.
std::string taint_words(const std::vector<std::string>& taints, std::size_t total);

// "least short: 500m cpu", or "gpu: 8 devices match, 6 in use, 2 free"; empty where the rejection is about
// neither resources nor devices.
std::string shortfall_words(const Rejection& rejection);

// What is missing: "54.25 cpu", "2.75Gi memory", "1 pod"; empty where no resource is short.
std::string missing_words(const Rejection& rejection);

// The rejection that says most: that of most nodes; of equals, one with a shortfall. Null: there is none.
const Rejection* main_rejection(const std::vector<Rejection>& rejections);

}  // namespace podium::render

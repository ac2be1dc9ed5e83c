// Factories of the in-tree plugins that take part in decisions, for registry.cc and the tests.
//
// Each factory creates one immutable plugin from arguments in upstream's v1 JSON form. Absent fields have
// upstream's defaults. scheduler/config validates the arguments first.
// Errors: null for arguments that cannot be decoded. Threads: pure functions.
#pragma once

#include <boost/json/object.hpp>
#include <memory>

#include "scheduler/framework/features.h"
#include "scheduler/framework/plugin.h"

namespace podium::plugins {

using PluginPtr = std::shared_ptr<const framework::Plugin>;

PluginPtr make_scheduling_gates(const boost::json::object& args);
PluginPtr make_node_unschedulable(const boost::json::object& args);
PluginPtr make_node_name(const boost::json::object& args);
PluginPtr make_taint_toleration(const boost::json::object& args, const framework::Features& features = {});
PluginPtr make_node_affinity(const boost::json::object& args);
PluginPtr make_node_ports(const boost::json::object& args);
PluginPtr make_node_resources_fit(const boost::json::object& args);
PluginPtr make_volume_restrictions(const boost::json::object& args);
PluginPtr make_node_volume_limits(const boost::json::object& args, const framework::Features& features = {});
PluginPtr make_volume_binding(const boost::json::object& args, const framework::Features& features = {});
PluginPtr make_volume_zone(const boost::json::object& args);
PluginPtr make_pod_topology_spread(const boost::json::object& args, const framework::Features& features = {});
PluginPtr make_inter_pod_affinity(const boost::json::object& args);
PluginPtr make_dynamic_resources(const boost::json::object& args);
PluginPtr make_default_preemption(const boost::json::object& args);
PluginPtr make_node_resources_balanced_allocation(const boost::json::object& args);
PluginPtr make_image_locality(const boost::json::object& args);
PluginPtr make_node_declared_features(const boost::json::object& args);

}  // namespace podium::plugins

// YAML and JSON documents as boost::json values, for manifests and configuration files that people write.
//
// Strict: duplicate keys, documents over 1 MiB for configuration (limit given by the caller), alias bombs,
// invalid UTF-8 and non-scalar keys are Errors that give line and column. Scalars resolve as Kubernetes' YAML
// does (go-yaml v2): quoted ones stay strings, plain yes/no/on/off/y/n are booleans, 010 is 8, times stay
// strings; merge keys (<<) are merged.
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::api {

struct Document {
  boost::json::value value;
  // JSON path of each mapping entry and list item ("profiles[0].plugins") to its line, counted from 1; empty
  // for JSON.
  std::map<std::string, int> lines;
  int line = 1;   // where the document starts
  int index = 1;  // its place among the documents of the file, empty ones counted
};

struct YamlLimits {
  std::size_t bytes = 1u << 30;
  std::size_t nodes = 50'000'000;  // after alias expansion
  bool lines = true;               // fill Document::lines; costs as much as the parsing itself
};

// All documents of a file that holds YAML (any number, separated by ---) or JSON (any number, concatenated).
// Empty documents are left out. `source` names the input in Errors.
Result<std::vector<Document>> parse_documents(std::string_view text, std::string_view source,
                                              YamlLimits limits = {});

std::string to_yaml(const boost::json::value&);  // keys in the order of the value
std::string to_json(const boost::json::value&);  // indented by one space, a newline at the end: as Go encodes
                                                 // it

}  // namespace podium::api

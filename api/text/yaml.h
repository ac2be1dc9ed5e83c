// YAML and JSON documents as boost::json values, for manifests and configuration files.
//
// Strict: duplicate keys, non-scalar keys, documents over YamlLimits, excessive aliases and invalid UTF-8
// are Errors with line and column. Scalars resolve as in Kubernetes' YAML (go-yaml v2): quoted scalars are
// strings; plain yes/no/on/off/y/n are booleans; 010 is 8; times are strings. Merges merge keys (<<).
// Threads: pure functions. Errors: Kind::invalid as "SOURCE:LINE:COLUMN: problem".
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
  // Line, from 1, of each mapping entry and list item by its path ("profiles[0].plugins").
  std::map<std::string, int> lines;
  int line = 1;   // where the document starts
  int index = 1;  // position in the file, from 1, counting empty documents
};

// The line of the path in the document, or of what it is in.
int line_of(const Document& document, std::string path);

struct YamlLimits {
  std::size_t bytes = 1u << 30;
  std::size_t nodes = 50'000'000;  // with the copies of anchors and aliases; in YAML, of all documents
  bool lines = true;               // fill Document::lines; costs as much as parsing
};

// Parses all documents of a YAML file (separated by ---) or a JSON file (concatenated). Omits empty
// documents. `source` names the input in Errors.
Result<std::vector<Document>> parse_documents(std::string_view text, std::string_view source,
                                              YamlLimits limits = {});

std::string to_yaml(const boost::json::value&);  // keys in the order of the value
std::string to_json(const boost::json::value&);  // indented by one space, ends with a newline, as in Go

}  // namespace podium::api

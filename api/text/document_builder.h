// DocumentBuilder: builds the boost::json value of one document from a JSON or YAML parser's events.
//
// For yaml.cc and json_documents.cc only. Refuses duplicate keys, non-scalar keys, and inputs over the
// limits: an alias takes three bytes, and copies the value of its anchor. Threads: belongs to one parser.
// Errors: throws DocumentFault, which these two files catch.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/text/json_memory.h"
#include "api/text/yaml.h"

namespace podium::api::detail {

struct Place {
  int line = 0, column = 0;  // from 1; line 0: unknown
};

struct DocumentFault {
  Place place;
  std::string problem;
};

// Bounds the depth of objects and lists, aliases included: values are copied and printed by recursion.
inline constexpr std::size_t kMostDepth = 200;

class DocumentBuilder {
 public:
  explicit DocumentBuilder(YamlLimits limits) : limits_(limits) {}

  // The parser's events, in document order. Anchor 0: none.
  void key(std::string text, Place);
  void merge_key(Place);  // <<: the next value is a map, or a list of maps
  void scalar(boost::json::value value, Place, std::size_t anchor = 0);
  void start_object(Place, std::size_t anchor = 0);
  void start_array(Place, std::size_t anchor = 0);
  void end();
  void alias(std::size_t anchor, Place);

  bool expects_key() const { return !frames_.empty() && frames_.back().is_object && !frames_.back().has_key; }
  bool empty() const { return !value_; }
  Document take();  // returns the document and resets the builder

 private:
  struct Frame {
    bool is_object = false;
    bool has_key = false;
    bool merging = false;
    std::size_t anchor = 0;
    std::size_t path_length = 0;  // of the path to this frame
    std::string key;
    boost::json::object object = boost::json::object(json_memory());
    boost::json::array array = boost::json::array(json_memory());
    std::vector<boost::json::value> merged;
    Place place;
  };

  // Values, bytes of their texts and keys, and how deep objects and lists go.
  struct Size {
    std::size_t nodes = 0, bytes = 0, depth = 0;
  };

  static Size size_of(const boost::json::value&);
  void open(bool is_object, Place, std::size_t anchor);
  void add(boost::json::value value, Place);
  void count(Place);                                  // a value of the text
  Size count_copy(const boost::json::value&, Place);  // of an anchor, or by an alias
  void check_depth(std::size_t depth, Place) const;
  void check_nodes(Place) const;
  void keep(const boost::json::value&, Place, std::size_t anchor);
  void enter_path(Place);
  void note_line(Place);
  void merge(Frame&);

  YamlLimits limits_;
  std::vector<Frame> frames_;
  std::unordered_map<std::size_t, boost::json::value> anchors_;
  std::string path_;
  std::map<std::string, int> lines_;
  std::optional<boost::json::value> value_;  // of the whole document
  Size own_, copied_;                        // of all documents of the input
  std::size_t path_bytes_ = 0;
};

// `kubectl cluster-info dump` prints the containers' logs between its documents of JSON.
inline constexpr std::string_view kContainerLog = "==== START logs for container ";

// Parses a text of concatenated JSON values.
Result<std::vector<Document>> parse_json_documents(std::string_view text, std::string_view source,
                                                   YamlLimits);

// The JSON value of a plain (unquoted) YAML scalar. Source: go-yaml v2 resolve.go.
boost::json::value resolve_plain_scalar(std::string_view text);

Error fault_error(std::string_view source, const DocumentFault&);  // "FILE:LINE:COLUMN: problem"

}  // namespace podium::api::detail

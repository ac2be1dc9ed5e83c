// One parsed kubeconfig file; its nodes know their path, for errors.
//
// Threads: values. Errors: Kind::invalid as "FILE: PATH: reason", without the value, which may be a secret.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::client {

// An object in the file. Shares ownership of the document.
class KubeconfigNode {
 public:
  KubeconfigNode(std::shared_ptr<const boost::json::value> document, const boost::json::object& object,
                 std::string file, std::string path)
      : document_(std::move(document)), object_(&object), file_(std::move(file)), path_(std::move(path)) {}

  Result<std::string> text(std::string_view name) const;  // empty if absent
  Result<std::string> required_text(std::string_view name) const;
  Result<bool> flag(std::string_view name) const;              // false if absent
  Result<std::string> base64(std::string_view name) const;     // decoded
  Result<std::string> file_name(std::string_view name) const;  // resolved against the file's directory
  Result<std::optional<KubeconfigNode>> child(std::string_view name) const;
  Result<std::vector<KubeconfigNode>> items(std::string_view name) const;  // a list of objects
  Result<std::vector<std::string>> texts(std::string_view name) const;     // a list of strings
  const boost::json::value* find(std::string_view name) const;             // null if absent

  std::string place(std::string_view name) const;  // FILE: PATH.name
  std::unexpected<Error> error(std::string_view name, std::string_view reason) const;
  std::string relative_path(const std::string& relative) const;

 private:
  std::shared_ptr<const boost::json::value> document_;
  const boost::json::object* object_;
  std::string file_, path_;
};

Result<KubeconfigNode> read_kubeconfig_file(const std::string& path);

}  // namespace podium::client

#include "client/auth/kubeconfig_file.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <filesystem>

#include "api/text/yaml.h"
#include "base/input.h"
#include "client/auth/base64.h"

namespace podium::client {

namespace json = boost::json;

const json::value* KubeconfigNode::find(std::string_view name) const {
  const json::value* found = object_->if_contains(name);
  return found && !found->is_null() ? found : nullptr;
}

std::string KubeconfigNode::place(std::string_view name) const {
  std::string out = file_ + ": " + path_;
  if (!path_.empty() && !name.empty()) out += ".";
  return out + std::string(name);
}

std::unexpected<Error> KubeconfigNode::error(std::string_view name, std::string_view reason) const {
  return invalid(place(name) + ": " + std::string(reason));
}

Result<std::string> KubeconfigNode::text(std::string_view name) const {
  const json::value* found = find(name);
  if (!found) return std::string();
  if (!found->is_string()) return error(name, "must be a string");
  return std::string(found->get_string());
}

Result<std::string> KubeconfigNode::required_text(std::string_view name) const {
  auto value = text(name);
  if (value && value->empty()) return error(name, "must be set");
  return value;
}

Result<bool> KubeconfigNode::flag(std::string_view name) const {
  const json::value* found = find(name);
  if (!found) return false;
  if (!found->is_bool()) return error(name, "must be true or false");
  return found->get_bool();
}

Result<std::string> KubeconfigNode::base64(std::string_view name) const {
  auto encoded = text(name);
  if (!encoded) return encoded;
  auto decoded = base64_decode(*encoded);
  if (!decoded) return error(name, "is not base64");
  return *decoded;
}

std::string KubeconfigNode::relative_path(const std::string& relative) const {
  return (std::filesystem::path(file_).parent_path() / relative).string();
}

Result<std::string> KubeconfigNode::file_name(std::string_view name) const {
  auto value = text(name);
  if (!value || value->empty()) return value;
  return relative_path(*value);
}

Result<std::optional<KubeconfigNode>> KubeconfigNode::child(std::string_view name) const {
  const json::value* found = find(name);
  if (!found) return std::optional<KubeconfigNode>();
  if (!found->is_object()) return error(name, "must be an object");
  std::string path = path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  return KubeconfigNode(document_, found->get_object(), file_, std::move(path));
}

Result<std::vector<KubeconfigNode>> KubeconfigNode::items(std::string_view name) const {
  std::vector<KubeconfigNode> out;
  const json::value* found = find(name);
  if (!found) return out;
  if (!found->is_array()) return error(name, "must be a list");
  for (const json::value& item : found->get_array()) {
    std::string path = std::string(name) + "[" + std::to_string(out.size()) + "]";
    if (!item.is_object()) return error(path, "must be an object");
    out.emplace_back(document_, item.get_object(), file_, path_.empty() ? path : path_ + "." + path);
  }
  return out;
}

Result<std::vector<std::string>> KubeconfigNode::texts(std::string_view name) const {
  std::vector<std::string> out;
  const json::value* found = find(name);
  if (!found) return out;
  if (!found->is_array()) return error(name, "must be a list");
  for (const json::value& item : found->get_array()) {
    if (!item.is_string())
      return error(std::string(name) + "[" + std::to_string(out.size()) + "]", "must be a string");
    out.emplace_back(item.get_string());
  }
  return out;
}

Result<KubeconfigNode> read_kubeconfig_file(const std::string& path) {
  api::YamlLimits limits;
  limits.bytes = 1u << 20;
  limits.nodes = 100'000;
  // Read only at a start; may be a shell's <(command). The parser refuses a larger file.
  auto text = read_input(path, limits.bytes + 1);
  if (!text) return std::unexpected(text.error());
  auto documents = api::parse_documents(*text, path, limits);
  if (!documents) return std::unexpected(documents.error());
  if (documents->size() != 1)
    return invalid(path + ": must hold one document, not " + std::to_string(documents->size()));
  auto document = std::make_shared<const json::value>(std::move(documents->front().value));
  if (!document->is_object()) return invalid(path + ": must be an object");
  const json::object& object = document->get_object();
  return KubeconfigNode(std::move(document), object, path, "");
}

}  // namespace podium::client

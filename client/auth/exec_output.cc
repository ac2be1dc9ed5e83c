#include "client/auth/exec_output.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/time.h"
#include "client/auth/tls.h"
#include "client/auth/token.h"

namespace podium::client {

namespace json = boost::json;

namespace {

// The member's string; empty if absent.
Result<std::string> text_at(const json::object& object, const char* name) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr || found->is_null()) return std::string();
  if (!found->is_string()) return invalid(std::string("status.") + name + ": is not a string");
  return std::string(found->get_string());
}

}  // namespace

Result<ExecOutput> parse_exec_output(const std::string& output, const std::string& api_version) {
  boost::system::error_code error;
  json::value parsed = json::parse(output, error);
  const json::object* top = error ? nullptr : parsed.if_object();
  if (top == nullptr) return invalid("its output is not a JSON object");
  const json::value* kind = top->if_contains("kind");
  const json::value* version = top->if_contains("apiVersion");
  if (!kind || *kind != json::value("ExecCredential")) return invalid("kind: must be ExecCredential");
  if (!version || *version != json::value(api_version)) return invalid("apiVersion: is not " + api_version);
  const json::value* status_value = top->if_contains("status");
  const json::object* status = status_value ? status_value->if_object() : nullptr;
  if (status == nullptr) return invalid("status: is missing");

  ExecOutput out;
  std::string fields[4];
  const char* names[4] = {"token", "clientCertificateData", "clientKeyData", "expirationTimestamp"};
  for (int i = 0; i < 4; ++i) {
    auto text = text_at(*status, names[i]);
    if (!text) return std::unexpected(text.error());
    fields[i] = std::move(*text);
  }
  if (fields[0].empty() && fields[1].empty())
    return invalid("status: neither token nor clientCertificateData");
  if (fields[1].empty() != fields[2].empty())
    return invalid("status: clientCertificateData and clientKeyData go together");
  if (!fields[0].empty() && !is_token(fields[0])) return invalid("status.token: not a token");
  out.token = fields[0];
  if (!fields[1].empty()) {
    out.certificate = ClientCertificate{fields[1], fields[2]};
    auto checked = check_pair(*out.certificate, "status.clientCertificateData", "status.clientKeyData");
    if (!checked) return std::unexpected(checked.error());
  }
  if (!fields[3].empty()) {
    out.expires = parse_time(fields[3]);
    if (!out.expires) return invalid("status.expirationTimestamp: not an RFC 3339 time");
  }
  return out;
}

}  // namespace podium::client

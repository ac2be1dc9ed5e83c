#include "server/client_certificate.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>
#include <vector>

#include "base/check.h"
#include "client/auth/tls.h"

namespace podium::server {
namespace {

struct Free {
  void operator()(BIO* p) const { BIO_free_all(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(X509_STORE_CTX* p) const { X509_STORE_CTX_free(p); }
  void operator()(ASN1_OBJECT* p) const { ASN1_OBJECT_free(p); }
  void operator()(STACK_OF(X509) * p) const { sk_X509_free(p); }
  void operator()(unsigned char* p) const { OPENSSL_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

constexpr auto kCredentialId = "authentication.kubernetes.io/credential-id";
constexpr auto kUidAttribute = "1.3.6.1.4.1.57683.2";  // Kubernetes' OID of a user's UID in a subject

std::string text_of(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return {};
  const Owned<unsigned char> owned(text);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

// Values of an attribute of the subject, in order.
std::vector<std::string> subject(const X509* certificate, const char* attribute) {
  const Owned<ASN1_OBJECT> object(OBJ_txt2obj(attribute, 0));
  const auto* name = X509_get_subject_name(certificate);
  std::vector<std::string> out;
  for (int at = X509_NAME_get_index_by_OBJ(name, object.get(), -1); at >= 0;
       at = X509_NAME_get_index_by_OBJ(name, object.get(), at)) {
    out.push_back(text_of(X509_NAME_get_entry(name, at)));
  }
  return out;
}

std::string fingerprint(const X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(certificate, EVP_sha256(), digest, &size);
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

}  // namespace

Result<std::shared_ptr<const ClientCa>> ClientCa::parse(const std::string& pem, const std::string& what) {
  if (auto checked = client::check_ca(pem, what); !checked) return std::unexpected(checked.error());
  const std::shared_ptr<X509_STORE> roots(X509_STORE_new(), X509_STORE_free);
  const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    const Owned<X509> owned(certificate);
    X509_STORE_add_cert(roots.get(), certificate);
  }
  ERR_clear_error();
  // As in Go, every certificate of the bundle is a trust anchor, also an intermediate.
  X509_STORE_set_flags(roots.get(), X509_V_FLAG_PARTIAL_CHAIN);
  return std::shared_ptr<const ClientCa>(new ClientCa(roots));
}

Result<std::optional<User>> ClientCa::user(const Certificates& certificates) const {
  PODIUM_CHECK(!certificates.empty());
  const Owned<X509_STORE_CTX> check(X509_STORE_CTX_new());
  const Owned<STACK_OF(X509)> others(sk_X509_new_null());
  for (std::size_t i = 1; i < certificates.size(); ++i) sk_X509_push(others.get(), certificates[i].get());
  auto* own = certificates.front().get();
  if (!check || X509_STORE_CTX_init(check.get(), roots_.get(), own, others.get()) != 1)
    return fail(Error::Kind::internal, "client certificate: out of memory");
  X509_STORE_CTX_set_default(check.get(), "ssl_client");
  if (X509_verify_cert(check.get()) != 1) {
    const auto why = X509_STORE_CTX_get_error(check.get());
    ERR_clear_error();
    return invalid(std::string("client certificate: ") + X509_verify_cert_error_string(why));
  }
  const auto names = subject(own, "CN");
  if (names.empty() || names.back().empty()) return std::nullopt;
  const auto uids = subject(own, kUidAttribute);
  if (uids.size() > 1) return invalid("client certificate: more than one UID in its subject");
  User user;
  user.name = names.back();
  if (!uids.empty()) user.uid = uids.front();
  user.groups = subject(own, "O");
  user.extra[kCredentialId] = {"X509SHA256=" + fingerprint(own)};
  return user;
}

}  // namespace podium::server

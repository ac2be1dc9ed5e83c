#include "unit/support/test_tls.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace podium::unit {
namespace {

struct Free {
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(BIO* p) const { BIO_free_all(p); }
  void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

void check_tls(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "test certificates: %s failed\n", what);
  std::abort();
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string to_pem(X509* certificate) {
  Owned<BIO> bio(BIO_new(BIO_s_mem()));
  check_tls(PEM_write_bio_X509(bio.get(), certificate) == 1, "PEM_write_bio_X509");
  return text_of(bio.get());
}

std::string to_pem(EVP_PKEY* key) {
  Owned<BIO> bio(BIO_new(BIO_s_mem()));
  check_tls(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
            "PEM_write_bio_PrivateKey");
  return text_of(bio.get());
}

// Nothing where it is empty, which OpenSSL refuses.
void add_name(X509_NAME* name, const char* field, const std::string& value) {
  if (value.empty()) return;
  auto* bytes = reinterpret_cast<const unsigned char*>(value.data());
  check_tls(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, static_cast<int>(value.size()), -1,
                                       0) == 1,
            "X509_NAME_add_entry_by_txt");
}

void add_extension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  check_tls(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, "X509_add_ext");
}

Owned<X509> blank(EVP_PKEY* key, std::chrono::seconds from, std::chrono::seconds to) {
  static std::atomic<long> serial{1000};
  Owned<X509> certificate(X509_new());
  check_tls(X509_set_version(certificate.get(), 2) == 1, "X509_set_version");
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from.count());
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), to.count());
  check_tls(X509_set_pubkey(certificate.get(), key) == 1, "X509_set_pubkey");
  return certificate;
}

}  // namespace

struct TestCa::Impl {
  Owned<EVP_PKEY> key;
  Owned<X509> certificate;
};

TestCa::TestCa(std::string common_name, std::chrono::seconds valid_to) : impl_(std::make_unique<Impl>()) {
  impl_->key.reset(EVP_EC_gen("P-256"));
  check_tls(impl_->key != nullptr, "EVP_EC_gen");
  impl_->certificate = blank(impl_->key.get(), std::chrono::hours(-24), valid_to);
  X509* certificate = impl_->certificate.get();
  add_name(X509_get_subject_name(certificate), "CN", common_name);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  check_tls(X509_sign(certificate, impl_->key.get(), EVP_sha256()) > 0, "X509_sign");
  certificate_ = to_pem(certificate);
}

TestCa::~TestCa() = default;

PemPair TestCa::issue(CertificateOptions options) const {
  Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  check_tls(key != nullptr, "EVP_EC_gen");
  Owned<X509> certificate = blank(key.get(), options.valid_from, options.valid_to);
  for (const auto& group : options.organizations)
    add_name(X509_get_subject_name(certificate.get()), "O", group);
  add_name(X509_get_subject_name(certificate.get()), "CN", options.common_name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(impl_->certificate.get()));
  std::string names;
  for (const auto& name : options.names) names += (names.empty() ? "DNS:" : ",DNS:") + name;
  for (const auto& address : options.addresses) names += (names.empty() ? "IP:" : ",IP:") + address;
  if (!names.empty()) add_extension(certificate.get(), NID_subject_alt_name, names);
  add_extension(certificate.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  check_tls(X509_sign(certificate.get(), impl_->key.get(), EVP_sha256()) > 0, "X509_sign");
  return PemPair{to_pem(certificate.get()), to_pem(key.get())};
}

}  // namespace podium::unit

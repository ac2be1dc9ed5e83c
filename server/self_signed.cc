#include "server/self_signed.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>

namespace podium::server {
namespace {

template <auto Free>
struct With {
  template <typename T>
  void operator()(T* p) const {
    Free(p);
  }
};
using Key = std::unique_ptr<EVP_PKEY, With<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, With<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, With<X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, With<BIO_free_all>>;

constexpr long kYear = 365L * 24 * 3600;

template <typename Write>
std::string pem(Write write) {
  Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || !write(bio.get())) return {};
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

bool add_names(X509* certificate, const std::string& host) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const auto names = "DNS:localhost,IP:127.0.0.1,DNS:" + host;
  Extension extension(X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, names.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1);
}

}  // namespace

Result<CertificatePair> self_signed_certificate(const std::string& host) {
  Key key(EVP_EC_gen("P-256"));
  Certificate certificate(X509_new());
  unsigned char serial[8] = {};
  if (!key || !certificate || RAND_bytes(serial, sizeof serial) != 1) {
    return fail(Error::Kind::internal, "cannot make a key for HTTPS");
  }
  serial[0] = (serial[0] & 0x7F) | 0x40;  // positive, and no leading zero, which DER forbids
  ASN1_STRING_set(X509_get_serialNumber(certificate.get()), serial, sizeof serial);
  X509_set_version(certificate.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kYear);
  X509_set_pubkey(certificate.get(), key.get());
  auto* name = X509_get_subject_name(certificate.get());
  const std::string common = "podium@" + host.substr(0, 50);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  if (!add_names(certificate.get(), host) || !X509_sign(certificate.get(), key.get(), EVP_sha256())) {
    return fail(Error::Kind::internal, "cannot sign a certificate for HTTPS");
  }
  return CertificatePair{
      pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); }), pem([&](BIO* bio) {
        return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
      })};
}

}  // namespace podium::server

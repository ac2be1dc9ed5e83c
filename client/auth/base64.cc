#include "client/auth/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace podium::client {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// OpenSSL's functions take bytes as unsigned char.
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

// EVP_DecodeBlock() accepts spaces around the text, and '=' anywhere, as zeros.
std::optional<std::string> base64_decode(std::string_view text) {
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == '\n' || c == '\r'; });
  const auto padded = digits.size();
  const auto padding = padded - std::min(padded, digits.find_last_not_of('=') + 1);
  const bool is_valid = digits.find_first_not_of(kAlphabet) >= padded - padding;
  if (padded % 4 != 0 || padding > 2 || !is_valid) return std::nullopt;
  std::string out(padded / 4 * 3, '\0');
  EVP_DecodeBlock(bytes(out), bytes(std::string_view(digits)), static_cast<int>(padded));
  out.resize(out.size() - padding);
  return out;
}

std::string base64_encode(std::string_view text) {
  std::string out((text.size() + 2) / 3 * 4 + 1, '\0');  // and a zero
  EVP_EncodeBlock(bytes(out), bytes(text), static_cast<int>(text.size()));
  out.pop_back();
  return out;
}

}  // namespace podium::client

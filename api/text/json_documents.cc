#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>

#include "api/text/document_builder.h"

namespace podium::api::detail {
namespace {

namespace json = boost::json;

// Passes boost::json's parser events to a DocumentBuilder.
class Handler {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = 1u << 20;
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  explicit Handler(YamlLimits limits) : builder(limits) {}

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return builder.start_object({}), true; }
  bool on_object_end(std::size_t, json::error_code&) { return builder.end(), true; }
  bool on_array_begin(json::error_code&) { return builder.start_array({}), true; }
  bool on_array_end(std::size_t, json::error_code&) { return builder.end(), true; }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    builder.key(std::exchange(text_, {}), {});
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    builder.scalar(json::string(text_), {});
    text_.clear();
    return true;
  }
  bool on_number_part(json::string_view part, json::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t number, json::string_view, json::error_code&) { return integer(number); }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) { return integer(number); }
  // As Go's decoder, which takes the nearest number and refuses 1e400: JSON has no infinity. `rounded` may be
  // another one: it depends on how many digits are written.
  bool on_double(double rounded, json::string_view part, json::error_code& error) {
    text_.append(part.data(), part.size());
    const auto text = std::exchange(text_, {});
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code == std::errc::result_out_of_range) number = rounded;
    if (std::isfinite(number)) return scalar(number);
    error = json::error::exponent_overflow;
    return false;
  }
  bool on_bool(bool flag, json::error_code&) { return scalar(flag); }
  bool on_null(json::error_code&) { return scalar(nullptr); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  DocumentBuilder builder;

 private:
  bool integer(json::value value) { return text_.clear(), scalar(std::move(value)); }
  bool scalar(json::value value) { return builder.scalar(std::move(value), {}), true; }

  std::string text_;
};

std::size_t skip_space(std::string_view text, std::size_t at) {
  const auto found = text.find_first_not_of(" \t\r\n", at);
  return found == std::string_view::npos ? text.size() : found;
}

// Converts increasing offsets to lines, in one pass.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  Place at(std::size_t offset) {
    for (; at_ < offset; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_start_ = at_ + 1;
    }
    return {line_, static_cast<int>(offset - line_start_) + 1};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

std::string problem_of(const json::error_code& code) {
  if (code == json::error::exponent_overflow) return "the number is over 1.8e308";
  return code ? code.message() : "the document is cut off";
}

}  // namespace

Result<std::vector<Document>> parse_json_documents(std::string_view text, std::string_view source,
                                                   YamlLimits limits) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  limits.lines = false;
  std::vector<Document> documents;
  LineCounter lines(text);
  for (auto at = skip_space(text, 0); at < text.size(); at = skip_space(text, at)) {
    const auto start = lines.at(at);
    json::basic_parser<Handler> parser(options, limits);
    json::error_code code;
    try {
      at += parser.write_some(false, text.data() + at, text.size() - at, code);
    } catch (const Fault& fault) {
      return std::unexpected(fault_error(source, {start, fault.problem}));
    } catch (const std::exception& error) {
      return std::unexpected(fault_error(source, {start, error.what()}));
    }
    if (code || !parser.done()) {
      return std::unexpected(fault_error(source, {lines.at(at), problem_of(code)}));
    }
    auto document = parser.handler().builder.take();
    document.line = start.line;
    document.index = static_cast<int>(documents.size()) + 1;
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace podium::api::detail

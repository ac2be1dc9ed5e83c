#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>

#include "api/text/document_builder.h"

namespace podium::api::detail {
namespace {

namespace json = boost::json;

// Finds the place of each token of a JSON text. boost's parser reports events without places; each event is
// the next token here, and boost has checked the text up to its end.
class Tokens {
 public:
  Tokens(std::string_view text, std::size_t from, Place at)
      : text_(text), at_(from), line_(at.line), line_start_(from + 1 - static_cast<std::size_t>(at.column)) {}

  // The place of the next key, value or opening bracket. Moves past it.
  Place next() {
    skip(" \t\r\n,:]}");
    const Place place{line_, static_cast<int>(at_ - line_start_) + 1};
    const auto first = at_ < text_.size() ? text_[at_] : '\0';
    if (first == '"') {
      skip_string();
    } else if (first == '{' || first == '[') {
      ++at_;
    } else {
      at_ = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
    }
    return place;
  }

 private:
  void skip(std::string_view these) {
    for (; at_ < text_.size() && these.contains(text_[at_]); ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_start_ = at_ + 1;
    }
  }
  // A string has no line breaks.
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  std::size_t at_;
  int line_;
  std::size_t line_start_;
};

// Passes boost::json's parser events to a DocumentBuilder.
class Handler {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = 1u << 20;
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  Handler(YamlLimits limits, Tokens tokens) : builder(limits), tokens_(tokens) {}

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return builder.start_object(tokens_.next()), true; }
  bool on_object_end(std::size_t, json::error_code&) { return builder.end(), true; }
  bool on_array_begin(json::error_code&) { return builder.start_array(tokens_.next()), true; }
  bool on_array_end(std::size_t, json::error_code&) { return builder.end(), true; }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    builder.key(std::exchange(text_, {}), tokens_.next());
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    builder.scalar(json::string(text_, json_memory()), tokens_.next());
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
  bool scalar(json::value value) { return builder.scalar(std::move(value), tokens_.next()), true; }

  std::string text_;
  Tokens tokens_;
};

constexpr std::string_view kEndOfLog = "\n==== END logs for container ";

// Skips white space, logs, and lines that separate documents of YAML.
std::size_t skip_space(std::string_view text, std::size_t at) {
  for (;;) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    const auto left = text.substr(at);
    if (at == 0 || text[at - 1] != '\n') return at;
    if (left.starts_with("---")) {
      at += 3;
    } else if (left.starts_with(kContainerLog) && left.contains(kEndOfLog)) {
      at += left.find(kEndOfLog) + 1;
      at += std::min(text.substr(at).find('\n'), text.size() - at);
    } else {
      return at;
    }
  }
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
  std::vector<Document> documents;
  LineCounter lines(text);
  for (auto at = skip_space(text, 0); at < text.size(); at = skip_space(text, at)) {
    const auto start = lines.at(at);
    json::basic_parser<Handler> parser(options, limits, Tokens(text, at, start));
    json::error_code code;
    try {
      at += parser.write_some(false, text.data() + at, text.size() - at, code);
    } catch (const DocumentFault& fault) {
      return std::unexpected(
          fault_error(source, {fault.place.line > 0 ? fault.place : start, fault.problem}));
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

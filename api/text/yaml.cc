#include "api/text/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <streambuf>
#include <utility>

#include "api/text/document_builder.h"
#include "api/text/encoding.h"
#include "base/utf8.h"

namespace podium::api {
namespace {

using detail::DocumentFault;
using detail::Place;

// A stream buffer over existing text, without a copy.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    auto* begin = const_cast<char*>(text.data());  // only ever read
    setg(begin, begin, begin + text.size());
  }
};

Place place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Index of the first byte that is not UTF-8, or the size of the text.
std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (const auto length = character_length(text.substr(at))) at += length;
  return at;
}

// Index of the first control character that YAML does not allow, or the size of the text, which is UTF-8.
// yaml-cpp takes a NUL for a sign of UTF-16. Source: go-yaml v2 readerc.go, yaml_parser_update_buffer.
std::size_t first_control_character(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool is_c0 = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
    if (is_c0 || byte == 0x7F) return at;
    if (byte != 0xC2) continue;
    const auto next = static_cast<unsigned char>(text[at + 1]);
    if (next < 0xA0 && next != 0x85) return at;  // C1 but the next line
  }
  return text.size();
}

// yaml-cpp decodes the escapes \N and \_ (U+0085, U+00A0) to one byte each, which is not UTF-8.
std::string with_whole_characters(std::string_view text) {
  std::string out;
  while (true) {
    const auto valid = first_invalid_utf8(text);
    out += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty() || (text.front() != '\x85' && text.front() != '\xA0')) return out.append(text);
    (out += '\xC2') += text.front();
    text.remove_prefix(1);
  }
}

// What yaml-cpp says, which may end in one byte of the input.
std::string shown(std::string_view message) {
  std::string out;
  for (const char c : message) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

Place place_at(std::string_view text, std::size_t offset) {
  Place place{1, 1};
  for (std::size_t i = 0; i < offset; ++i) {
    place.column = text[i] == '\n' ? 1 : place.column + 1;
    if (text[i] == '\n') ++place.line;
  }
  return place;
}

// Text that starts with a brace and a quote. YAML may also start with a brace, but rarely quotes its keys.
bool starts_like_json(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  auto at = text.find_first_not_of(kSpace);
  if (at == std::string_view::npos || text[at] != '{') return false;
  at = text.find_first_not_of(kSpace, at + 1);
  return at != std::string_view::npos && text[at] == '"';
}

// Documents of JSON may have YAML's separators between them: no string of JSON has a line break.
bool looks_like_json(std::string_view text) {
  while (starts_like_json(text)) {
    const auto separator = text.find("\n---");
    if (separator == std::string_view::npos || text.substr(0, separator).contains(detail::kContainerLog))
      return true;
    text.remove_prefix(separator + 4);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return true;
  }
  return false;
}

class Handler final : public YAML::EventHandler {
 public:
  explicit Handler(YamlLimits limits) : builder_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.expects_key()) throw DocumentFault{place_of(mark), "null is not a valid key"};
    builder_.scalar(nullptr, place_of(mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.expects_key()) throw DocumentFault{place_of(mark), "an alias is not a valid key"};
    builder_.alias(anchor, place_of(mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& raw) override {
    const auto place = place_of(mark);
    const auto text = with_whole_characters(raw);
    const bool plain = tag == "?";
    if (builder_.expects_key()) {
      if (plain && text == "<<") return builder_.merge_key(place);
      return builder_.key(plain ? key_text(text, place) : text, place);
    }
    const bool resolve = plain || tag == "tag:yaml.org,2002:int" || tag == "tag:yaml.org,2002:float" ||
                         tag == "tag:yaml.org,2002:bool";
    auto value = resolve ? detail::resolve_plain_scalar(text) : boost::json::value(text, json_memory());
    builder_.scalar(std::move(value), place, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_as_key(mark);
    builder_.start_array(place_of(mark), anchor);
  }
  void OnSequenceEnd() override { builder_.end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_as_key(mark);
    builder_.start_object(place_of(mark), anchor);
  }
  void OnMapEnd() override { builder_.end(); }

  const YAML::Mark& start() const { return start_; }
  bool empty() const { return builder_.empty(); }
  Document take() { return builder_.take(); }

 private:
  void refuse_as_key(const YAML::Mark& mark) const {
    if (builder_.expects_key()) throw DocumentFault{place_of(mark), "a key must be a scalar"};
  }

  // JSON keys are strings: converts numbers and booleans to text.
  static std::string key_text(const std::string& text, Place place) {
    const auto value = detail::resolve_plain_scalar(text);
    if (value.is_string()) return text;
    if (value.is_null()) throw DocumentFault{place, "null is not a valid key"};
    if (value.is_bool()) return value.get_bool() ? "true" : "false";
    if (value.is_int64()) return std::to_string(value.get_int64());
    return text;
  }

  detail::DocumentBuilder builder_;
  YAML::Mark start_;
};

// Finds the line of a mark; marks only move forward.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  std::string_view at(int line) {
    while (line_ < line) {
      const auto end = text_.find('\n', start_);
      if (end == std::string_view::npos) return {};
      previous_ = content() ? current() : previous_;
      start_ = end + 1;
      ++line_;
    }
    return current();
  }
  std::string_view previous_content() const { return previous_; }  // the last line before that is not blank

 private:
  std::string_view current() const { return text_.substr(start_, text_.find('\n', start_) - start_); }
  bool content() const { return current().find_first_not_of(" \t\r") != std::string_view::npos; }

  std::string_view text_, previous_;
  std::size_t start_ = 0;
  int line_ = 0;
};

Result<std::vector<Document>> parse_yaml(std::string_view text, YamlLimits limits) {
  ViewBuffer buffer(text);
  std::istream in(&buffer);
  YAML::Parser parser(in);
  Handler handler(limits);
  Lines lines(text);
  std::vector<Document> documents;
  int before = -1;  // where the last document starts
  for (int index = 1; parser.HandleNextDocument(handler); ++index) {
    const auto start = handler.start();
    // yaml-cpp treats text after a finished document as the next document, even without a separator. It takes
    // a comma there for an empty document, again and again.
    const bool separated = start.column == 0 && lines.at(start.line).starts_with("---");
    const bool follows = separated || lines.previous_content().starts_with("...");
    if (index > 1 && (!follows || start.pos <= before))
      throw DocumentFault{place_of(start), "expected the end of the document or '---'"};
    before = start.pos;
    auto document = handler.take();
    if (document.value.is_null()) continue;
    document.line = start.line + 1;
    document.index = index;
    documents.push_back(std::move(document));
  }
  return documents;
}

// The same words with all versions of yaml-cpp: 0.8 appends a colon and the anchor's name.
std::string message_of(const YAML::Exception& error) {
  constexpr std::string_view unknown_anchor = "the referenced anchor is not defined";
  return shown(error.msg.starts_with(unknown_anchor) ? std::string(unknown_anchor) : error.msg);
}

// What the author of the line may have to do; empty: nothing is known.
std::string_view hint_at(std::string_view text, int line) {
  if (line < 1) return "";
  for (; line > 1 && text.contains('\n'); --line) text.remove_prefix(text.find('\n') + 1);
  const auto words = text.substr(0, text.find('\n'));
  if (words.contains("{{")) return "; a template must be rendered first, such as with helm template";
  if (words.substr(0, words.find_first_not_of(" \t")).contains('\t'))
    return "; YAML does not allow tabs for indentation";
  return "";
}

// Says what a file that is not text seems to be; empty: unknown.
std::string_view archive_words(std::string_view text) {
  if (text.starts_with("\x1F\x8B")) return "the input is compressed: unpack it first, with gunzip or tar xzf";
  constexpr std::size_t kTarMagic = 257;
  if (text.size() > kTarMagic && text.substr(kTarMagic).starts_with("ustar"))
    return "the input is a tar archive: unpack it first, with tar xf";
  if (text.starts_with("PK\x03\x04")) return "the input is a zip archive: unpack it first";
  return "";
}

Result<std::vector<Document>> parse_utf8(std::string_view text, std::string_view source, YamlLimits limits) {
  if (const auto words = archive_words(text); !words.empty())
    return std::unexpected(detail::fault_error(source, {{}, std::string(words)}));
  const auto fault_of = [&](const Place& place, std::string message) {
    message += hint_at(text, place.line);
    return std::unexpected(detail::fault_error(source, {place, std::move(message)}));
  };
  if (const auto at = first_invalid_utf8(text); at != text.size()) {
    return std::unexpected(detail::fault_error(source, {place_at(text, at), "the input is not valid UTF-8"}));
  }
  if (looks_like_json(text)) return detail::parse_json_documents(text, source, limits);
  if (const auto at = first_control_character(text); at != text.size())
    return std::unexpected(
        detail::fault_error(source, {place_at(text, at), "control characters are not allowed"}));
  try {
    return parse_yaml(text, limits);
  } catch (const DocumentFault& fault) {
    return fault_of(fault.place, fault.problem);
  } catch (const YAML::Exception& error) {
    return fault_of(error.mark.is_null() ? Place{} : place_of(error.mark), message_of(error));
  } catch (const std::exception& error) {
    return std::unexpected(detail::fault_error(source, {{}, error.what()}));
  }
}

}  // namespace

int line_of(const Document& document, std::string path) {
  for (;;) {
    if (const auto found = document.lines.find(path); found != document.lines.end()) return found->second;
    const auto end = path.find_last_of(".[");
    if (end == path.npos) return document.line;
    path.resize(end);
  }
}

Result<std::vector<Document>> parse_documents(std::string_view text, std::string_view source,
                                              YamlLimits limits) {
  if (text.size() > limits.bytes) {
    return std::unexpected(detail::fault_error(
        source, {{}, "the input has more than " + std::to_string(limits.bytes) + " bytes"}));
  }
  const auto decoded = without_byte_order_mark(text);
  return parse_utf8(decoded ? *decoded : text, source, limits);
}

}  // namespace podium::api

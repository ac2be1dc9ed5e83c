#include "explain/question/report_text.h"

#include <algorithm>
#include <charconv>

#include "explain/report/report_labels.h"

namespace podium::explain {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Scans JSON text from left to right. After a failure it stays at the end.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  char peek() {
    at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }

  // The text between the quotes, with escapes unchanged.
  std::string_view string() {
    expect('"');
    const auto start = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        ++at_;
        continue;
      }
      const bool is_code = at_ + 1 < text_.size() && text_[at_ + 1] == 'u';
      at_ += is_code ? 6 : 2;
      escaped_ += is_code ? 5 : 0;
    }
    if (at_ >= text_.size()) {
      fail();
      return {};
    }
    return text_.substr(start, at_++ - start);
  }

  struct Value {
    std::string_view text;
    std::size_t bytes = 0;  // counting each \uXXXX as one
    std::size_t depth = 0;
  };
  Value value() {
    peek();
    const auto start = at_, escaped = escaped_;
    std::size_t open = 0, deepest = 0;
    do {
      const char c = peek();
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++at_;
        deepest = std::max(deepest, ++open);
      } else if (c == '}' || c == ']') {
        if (open == 0) break;
        ++at_;
        --open;
      } else if (c == ',' || c == ':') {
        if (open == 0) break;
        ++at_;
      } else {
        const auto end = std::min(text_.find_first_of(",:]}[{\" \t\r\n", at_), text_.size());
        if (end == at_) fail();  // the end of the text
        at_ = end;
      }
    } while (ok_ && open > 0);
    if (at_ == start) fail();
    if (!ok_) return {};
    return {text_.substr(start, at_ - start), at_ - start - (escaped_ - escaped), deepest};
  }

  // Calls each(key, value) for the members of the next object; no-op if the next value is not an object.
  template <typename Each>
  void members(Each&& each) {
    if (!take('{')) return;
    if (take('}')) return;
    do {
      const auto key = string();
      expect(':');
      const auto found = value();
      if (!ok_) return;
      each(key, found);
    } while (take(','));
    expect('}');
  }
  template <typename Each>
  void items(Each&& each) {
    if (!take('[')) return;
    if (take(']')) return;
    do {
      const auto found = value();
      if (!ok_) return;
      each(found.text);
    } while (take(','));
    expect(']');
  }

 private:
  void fail() {
    ok_ = false;
    at_ = text_.size();
  }

  const std::string_view text_;
  std::size_t at_ = 0, escaped_ = 0;
  bool ok_ = true;
};

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : std::string_view();
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// The members of an object that value() has already scanned.
template <typename Each>
void members_of(const Cursor::Value& object, Each&& each) {
  Cursor(object.text).members(std::forward<Each>(each));
}

void read_report_labels(const Cursor::Value& labels, ReportText& out) {
  members_of(labels, [&](std::string_view key, const Cursor::Value& value) {
    if (key == kReportLabel) out.kind_label = unquoted(value.text);
    if (key == kOutcomeLabel) out.outcome_label = unquoted(value.text);
    if (key == kExpiresLabel) out.expires_label = unquoted(value.text);
  });
}

void read_condition(std::string_view condition, ReportText& out) {
  std::string_view type;
  ConditionText read;
  Cursor(condition).members([&](std::string_view key, const Cursor::Value& value) {
    if (key == "type") type = unquoted(value.text);
    if (key == "status") read.status = unquoted(value.text);
    if (key == "reason") read.reason = unquoted(value.text);
    if (key == "lastTransitionTime") read.since = unquoted(value.text);
  });
  if (type == "Accepted") out.accepted = read;
  if (type == "Complete") out.complete = read;
}

void read_metadata(const Cursor::Value& metadata, ReportText& out) {
  members_of(metadata, [&](std::string_view key, const Cursor::Value& value) {
    if (key == "namespace") out.ns = unquoted(value.text);
    if (key == "name") out.name = unquoted(value.text);
    if (key == "uid") out.uid = unquoted(value.text);
    if (key == "resourceVersion") out.version = unquoted(value.text);
    if (key == "generation") out.generation = number(value.text).value_or(0);
    if (key == "labels") read_report_labels(value, out);
  });
}

void read_spec(const Cursor::Value& spec, ReportText& out) {
  out.spec = spec.text;
  members_of(spec, [&](std::string_view key, const Cursor::Value& value) {
    if (key == "dryRun") out.is_what_if = value.text == "true";
    if (key == "schedulerName") out.scheduler_name = unquoted(value.text);
    if (key == "template") {
      out.template_bytes = value.bytes;
      out.template_depth = value.depth;
    } else {
      (key == "search" ? out.search_bytes : out.rest_bytes) += key.size() + value.bytes;
      out.rest_depth = std::max(out.rest_depth, value.depth);
    }
  });
}

void read_status(const Cursor::Value& status, ReportText& out) {
  out.has_status = status.text.starts_with('{');
  members_of(status, [&](std::string_view key, const Cursor::Value& value) {
    if (key == "observedGeneration") {
      out.observed = value.text;
      out.answered = number(value.text);
    }
    if (key == "decidedAt") out.decided_at = value.text;
    if (key != "conditions") return;
    Cursor(value.text).items([&](std::string_view condition) { read_condition(condition, out); });
  });
}

}  // namespace

Result<ReportText> scan_report(std::string_view json) {
  ReportText out;
  out.bytes = json.size();
  Cursor cursor(json);
  cursor.members([&](std::string_view key, const Cursor::Value& value) {
    if (key == "metadata") read_metadata(value, out);
    if (key == "spec") read_spec(value, out);
    if (key == "status") read_status(value, out);
  });
  if (!cursor.ok() || out.name.empty()) return invalid("not the JSON text of a report");
  return out;
}

ReportText scan_spec(std::string_view json) {
  ReportText out;
  read_spec(Cursor(json).value(), out);
  return out;
}

Result<std::string_view> scan_list(std::string_view json, const std::function<void(std::string_view)>& each) {
  std::string_view token;
  Cursor cursor(json);
  cursor.members([&](std::string_view key, const Cursor::Value& value) {
    if (key == "items") Cursor(value.text).items(each);
    if (key != "metadata") return;
    members_of(value, [&](std::string_view field, const Cursor::Value& text) {
      if (field == "continue") token = unquoted(text.text);
    });
  });
  if (!cursor.ok()) return invalid("not the JSON text of a list");
  return token;
}

}  // namespace podium::explain

#include "api/text/document_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace podium::api::detail {
namespace {

namespace json = boost::json;

// Refuses inputs whose anchors and aliases copy more than this and than ten times what the text has itself.
constexpr std::size_t kFreeNodes = 100'000, kFreeBytes = 16 << 20;
constexpr std::size_t kCopyFactor = 10;
// Bounds the paths of Document::lines: a path repeats the keys above it.
constexpr std::size_t kMostPathBytes = 64 << 20;

}  // namespace

DocumentBuilder::Size DocumentBuilder::size_of(const json::value& value) {
  Size size{.nodes = 1};
  const auto add = [&size](const json::value& inner) {
    const auto its = size_of(inner);
    size.nodes += its.nodes;
    size.bytes += its.bytes;
    size.depth = std::max(size.depth, its.depth);
  };
  if (const auto* object = value.if_object()) {
    for (const auto& entry : *object) {
      size.bytes += entry.key().size();
      add(entry.value());
    }
  } else if (const auto* array = value.if_array()) {
    for (const auto& item : *array) add(item);
  } else if (const auto* text = value.if_string()) {
    size.bytes = text->size();
  }
  if (value.is_structured()) ++size.depth;
  return size;
}

void DocumentBuilder::count(Place place) {
  ++own_.nodes;
  check_nodes(place);
}

DocumentBuilder::Size DocumentBuilder::count_copy(const json::value& value, Place place) {
  const auto size = size_of(value);
  copied_.nodes += size.nodes;
  copied_.bytes += size.bytes;
  check_nodes(place);
  if (copied_.nodes > kFreeNodes + kCopyFactor * own_.nodes ||
      copied_.bytes > kFreeBytes + kCopyFactor * own_.bytes) {
    throw DocumentFault{place, "the document has excessive aliasing"};
  }
  return size;
}

void DocumentBuilder::check_depth(std::size_t depth, Place place) const {
  if (depth > kMostDepth) throw DocumentFault{place, "too deep"};
}

void DocumentBuilder::check_nodes(Place place) const {
  if (own_.nodes + copied_.nodes > limits_.nodes)
    throw DocumentFault{place, "the document has too many values"};
}

// Appends the next value to the path; add() and end() remove it.
void DocumentBuilder::enter_path(Place place) {
  if (!limits_.lines || frames_.empty()) return;
  const auto& frame = frames_.back();
  path_.resize(frame.path_length);
  if (frame.is_object) {
    if (!path_.empty()) path_ += '.';
    path_ += frame.key;
  } else {
    path_ += '[' + std::to_string(frame.array.size()) + ']';
  }
  if (place.line > 0 && !frame.is_object) note_line(place);
}

void DocumentBuilder::note_line(Place place) {
  path_bytes_ += path_.size();
  if (path_bytes_ > kMostPathBytes)
    throw DocumentFault{place, "the keys of the document are too long for its depth"};
  lines_.emplace(path_, place.line);
}

void DocumentBuilder::key(std::string text, Place place) {
  auto& frame = frames_.back();
  if (frame.object.contains(text)) throw DocumentFault{place, fmt::format("key {:?} is set twice", text)};
  own_.bytes += text.size();
  frame.key = std::move(text);
  frame.has_key = true;
  frame.merging = false;
  if (!limits_.lines || place.line == 0) return;
  path_.resize(frame.path_length);
  if (!path_.empty()) path_ += '.';
  path_ += frame.key;
  note_line(place);
}

void DocumentBuilder::merge_key(Place place) {
  key("<<", place);
  frames_.back().merging = true;
}

void DocumentBuilder::scalar(json::value value, Place place, std::size_t anchor) {
  count(place);
  if (const auto* text = value.if_string()) own_.bytes += text->size();
  keep(value, place, anchor);
  enter_path(place);
  add(std::move(value), place);
}

void DocumentBuilder::open(bool is_object, Place place, std::size_t anchor) {
  count(place);
  check_depth(frames_.size() + 1, place);
  enter_path(place);
  auto& frame = frames_.emplace_back();
  frame.is_object = is_object;
  frame.anchor = anchor;
  frame.path_length = path_.size();
  frame.place = place;
}

void DocumentBuilder::start_object(Place place, std::size_t anchor) { open(true, place, anchor); }
void DocumentBuilder::start_array(Place place, std::size_t anchor) { open(false, place, anchor); }

void DocumentBuilder::end() {
  auto frame = std::move(frames_.back());
  frames_.pop_back();
  if (!frame.merged.empty()) merge(frame);
  json::value value =
      frame.is_object ? json::value(std::move(frame.object)) : json::value(std::move(frame.array));
  keep(value, frame.place, frame.anchor);
  add(std::move(value), frame.place);
}

void DocumentBuilder::keep(const json::value& value, Place place, std::size_t anchor) {
  if (anchor == 0) return;
  count_copy(value, place);
  anchors_[anchor] = value;
}

void DocumentBuilder::alias(std::size_t anchor, Place place) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) throw DocumentFault{place, "an alias is inside of its own anchor"};
  const auto size = count_copy(found->second, place);
  check_depth(frames_.size() + size.depth, place);
  enter_path(place);
  add(found->second, place);
}

void DocumentBuilder::add(json::value value, Place place) {
  if (frames_.empty()) {
    value_.emplace(std::move(value));
    return;
  }
  auto& frame = frames_.back();
  if (!frame.is_object) {
    frame.array.push_back(std::move(value));
    return;
  }
  frame.has_key = false;
  if (!frame.merging) {
    frame.object.emplace(frame.key, std::move(value));
  } else if (value.is_object()) {
    frame.merged.push_back(std::move(value));
  } else if (value.is_array()) {
    for (auto& item : value.get_array()) {
      if (!item.is_object()) throw DocumentFault{place, "only maps can be merged"};
      frame.merged.push_back(std::move(item));
    }
  } else {
    throw DocumentFault{place, "only maps can be merged"};
  }
}

// The map's own keys take precedence, then those of the merged maps in order.
void DocumentBuilder::merge(Frame& frame) {
  for (auto& map : frame.merged) {
    for (auto& entry : map.get_object()) frame.object.emplace(entry.key(), std::move(entry.value()));
  }
}

Document DocumentBuilder::take() {
  frames_.clear();
  anchors_.clear();
  path_.clear();
  Document out{.value = value_ ? std::move(*value_) : boost::json::value(),
               .lines = std::exchange(lines_, {})};
  value_.reset();
  return out;
}

Error fault_error(std::string_view source, const DocumentFault& fault) {
  std::string message(source);
  if (fault.place.line > 0) {
    message += ':' + std::to_string(fault.place.line) + ':' + std::to_string(fault.place.column);
  }
  if (!message.empty()) message += ": ";
  return invalid(message + fault.problem).error();
}

}  // namespace podium::api::detail

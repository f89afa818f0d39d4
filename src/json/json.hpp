// SPDX-License-Identifier: Apache-2.0
// JSON parsed in place: values refer to the text, so the exact digits of numbers, the order of keys
// and the position of every value are preserved. Accepts what Python's json module accepts as
// UTF-8: NaN, Infinity and -Infinity, integers of any length, lone surrogates, repeated keys (the
// last one counts). parse_strict() accepts neither NaN nor infinities.
//
// The library reads headers and manifests with it, the command headers of safetensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/error.hpp"

namespace numpact::internal::json {

enum class Kind : std::uint8_t { kNull, kFalse, kTrue, kInteger, kFloat, kString, kArray, kObject };

// Maximum nesting of arrays and objects. Code that recurses over values relies on it.
inline constexpr std::size_t kMaxDepth = 512;
// The same for parse_strict(). The files read with it use three or four levels.
inline constexpr std::size_t kMaxStrictDepth = 64;

class Value;

class Document {
 public:
  // The text must outlive the document. Offsets of errors count from its start. `max_memory`: limit
  // of the node list in bytes.
  Status parse(std::string_view text, std::uint64_t max_memory = ~std::uint64_t{0});
  Value root() const;
  // Bytes of the node list.
  std::uint64_t memory() const { return nodes_.size() * sizeof(Node); }

 private:
  friend class Value;
  friend class Parser;

  struct Node {
    Kind kind;
    bool has_escape;  // strings
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t next;  // index of the next node that is not within this one
  };

  std::string_view text_;
  std::vector<Node> nodes_;
};

// Checks that a text is one JSON value, with the errors of Document::parse, without allocating
// nodes.
Status check(std::string_view text);

// A value of a text that check() or parse_strict() accepted; the text must outlive it. A View needs
// no memory for nodes, but each call scans the text of the value again, so it suits callers that
// visit each value once or twice. Iterated like a Value.
class View {
 public:
  static View root_of(std::string_view text);

  Kind kind() const;
  bool is(Kind k) const { return kind() == k; }
  std::string_view text() const { return {base_ + begin_, end_ - begin_}; }
  std::uint64_t offset() const { return begin_; }

  std::optional<View> first() const;
  std::optional<View> next() const { return at(end_, limit_); }
  std::uint64_t count() const;
  std::optional<View> find(std::string_view key) const;

  bool says(std::string_view utf8) const;
  std::string string() const;
  std::optional<std::uint64_t> natural() const;
  // The value of an integer from 0 to 2^64 - 1 without a sign; empty for others.
  std::optional<std::uint64_t> unsigned_integer() const;
  std::optional<double> number() const;

 private:
  View(const char* base, std::size_t begin, std::size_t end, std::size_t limit)
      : base_(base), begin_(begin), end_(end), limit_(limit) {}
  // The value behind blanks, a comma or a colon.
  std::optional<View> at(std::size_t begin, std::size_t limit) const;

  const char* base_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t limit_;  // end of the enclosing value
};

// The root of a text from an untrusted file; none unless the text is JSON by RFC 8259 in UTF-8,
// with or without a byte order mark, nested at most kMaxStrictDepth deep, with at most `max_values`
// values: scalars, arrays and objects, without the names in objects.
std::optional<View> parse_strict(std::string_view text, std::size_t max_values = SIZE_MAX);

// A value of a document, which must outlive it. Arrays and objects are iterated by first() and
// next():
//   for (auto item = array.first(); item; item = item->next()) ...
// In objects keys and values alternate.
class Value {
 public:
  Kind kind() const { return node().kind; }
  bool is(Kind k) const { return kind() == k; }
  // The value's source text.
  std::string_view text() const {
    return document_->text_.substr(node().begin, node().end - node().begin);
  }
  std::uint64_t offset() const { return node().begin; }

  // First element of an array or first key of an object, the element behind this one, and the
  // number of elements or key-value pairs.
  std::optional<Value> first() const { return at(index_ + 1, document_->nodes_[index_].next); }
  std::optional<Value> next() const { return at(node().next, end_); }
  std::uint64_t count() const;
  // The value of a key; empty if this is not an object or has no such key.
  std::optional<Value> find(std::string_view key) const;

  // Whether this is a string equal to `utf8`.
  bool says(std::string_view utf8) const;
  // The contents of a string in UTF-8; lone surrogates are encoded like characters.
  std::string string() const;
  // The value of an integer from 0 to 2^63 - 1; empty for others.
  std::optional<std::uint64_t> natural() const;
  // The value of any number; empty for others.
  std::optional<double> number() const;

 private:
  friend class Document;
  Value(const Document* document, std::uint32_t index, std::uint32_t end)
      : document_(document), index_(index), end_(end) {}
  const Document::Node& node() const { return document_->nodes_[index_]; }
  std::optional<Value> at(std::uint32_t index, std::uint32_t end) const {
    if (index >= end) return std::nullopt;
    return Value(document_, index, end);
  }

  const Document* document_;
  std::uint32_t index_;
  std::uint32_t end_;  // index of the node behind the enclosing value
};

// Compares like Python compares the parsed values: numbers by value, true and false are 1 and 0.
bool equal(const Value& a, const Value& b);

// Whether the text is strictly valid UTF-8: no overlong forms, surrogates or codes past U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace numpact::internal::json

// SPDX-License-Identifier: Apache-2.0
// JSON text as a list of its values, in place: nothing is copied, so exact numbers, the order of
// keys and the place of every value stay known. Takes what Python's json module takes from UTF-8:
// NaN, Infinity and -Infinity, integers of any length, lone surrogates, repeated keys (the last one
// counts).
#ifndef NUMPACT_CVC_JSON_JSON_HPP
#define NUMPACT_CVC_JSON_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/error.hpp"

namespace numpact::cvc::json {

enum class Kind : std::uint8_t { kNull, kFalse, kTrue, kInteger, kFloat, kString, kArray, kObject };

// Values within values, at most.
inline constexpr std::size_t kMaxDepth = 512;

class Value;

class Document {
 public:
  // The text must outlive the document. Offsets of errors count from its start. `max_memory` limits
  // the bytes of the list of values.
  Status parse(std::string_view text, std::uint64_t max_memory = ~std::uint64_t{0});
  Value root() const;
  // Of the list of values.
  std::uint64_t memory() const { return nodes_.size() * sizeof(Node); }

 private:
  friend class Value;
  friend class Parser;

  struct Node {
    Kind kind;
    bool has_escape;  // strings
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t next;  // the node after this one and all within it
  };

  std::string_view text_;
  std::vector<Node> nodes_;
};

// Whether a text is one value. Errors as of Document::parse; nothing is kept of it.
Status check(std::string_view text);

// A value of a text that was checked, which must outlive it. It takes no memory, however many
// values the text has, but is passed again by each call: for those who look at each value once or
// twice. Walked as a Value is.
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

  bool says(std::string_view utf8) const;
  std::string string() const;
  std::optional<std::uint64_t> natural() const;
  std::optional<double> number() const;

 private:
  View(const char* base, std::size_t begin, std::size_t end, std::size_t limit)
      : base_(base), begin_(begin), end_(end), limit_(limit) {}
  // The value behind blanks, a comma or a colon.
  std::optional<View> at(std::size_t begin, std::size_t limit) const;

  const char* base_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t limit_;  // of what it is in
};

// Refers to its document, which must outlive it. Containers are walked by first() and next():
//   for (auto item = array.first(); item; item = item->next()) ...
// In objects keys and values take turns.
class Value {
 public:
  Kind kind() const { return node().kind; }
  bool is(Kind k) const { return kind() == k; }
  // As it stands in the text.
  std::string_view text() const {
    return document_->text_.substr(node().begin, node().end - node().begin);
  }
  std::uint64_t offset() const { return node().begin; }

  // Of an array or object.
  std::optional<Value> first() const { return at(index_ + 1, document_->nodes_[index_].next); }
  std::optional<Value> next() const { return at(node().next, end_); }
  std::uint64_t count() const;
  // The value of a key; none if this is no object, or one without the key.
  std::optional<Value> find(std::string_view key) const;

  // Whether a string says this.
  bool says(std::string_view utf8) const;
  // A string in UTF-8; lone surrogates as if they were characters.
  std::string string() const;
  // An integer from 0 to 2^63 - 1.
  std::optional<std::uint64_t> natural() const;
  // Any number.
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
  std::uint32_t end_;  // of what it is in
};

// As Python compares what it makes of them: numbers by value, true and false are 1 and 0.
bool equal(const Value& a, const Value& b);

// Whether all of it is UTF-8, by the letter.
bool is_utf8(std::string_view text);

}  // namespace numpact::cvc::json

#endif

// SPDX-License-Identifier: Apache-2.0
// The JSON of headers: values written and read again stay the same; a header that is taken is
// consistent in itself.
#include <string>

#include "base/internal.hpp"
#include "common/cvc_checks.hpp"
#include "common/guarded_buffer.hpp"
#include "cvc/header/filter.hpp"
#include "cvc/header/metadata.hpp"
#include "json/json.hpp"
#include "json/text.hpp"

namespace numpact::fuzz {
namespace {

using json::Document;
using json::Value;
using json::View;

std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void visit(const Value& value) {
  NUMPACT_REQUIRE(!value.text().empty());
  (void)value.natural();
  (void)value.number();
  if (value.is(json::Kind::kString)) NUMPACT_REQUIRE(value.says(value.string()));
  std::uint64_t count = 0;
  for (auto item = value.first(); item; item = item->next()) {
    visit(*item);
    ++count;
  }
  if (value.is(json::Kind::kArray)) NUMPACT_REQUIRE(count == value.count());
}

// Reading in place gives the values of the list.
void compare(const Value& value, const View& view) {
  NUMPACT_REQUIRE(value.kind() == view.kind() && value.text() == view.text());
  NUMPACT_REQUIRE(value.offset() == view.offset() && value.count() == view.count());
  NUMPACT_REQUIRE(value.natural() == view.natural());
  NUMPACT_REQUIRE(value.number().has_value() == view.number().has_value());
  if (value.is(json::Kind::kString)) NUMPACT_REQUIRE(view.says(value.string()));
  auto item = value.first();
  auto other = view.first();
  for (; item && other; item = item->next(), other = other->next()) compare(*item, *other);
  NUMPACT_REQUIRE(!item && !other);
}

void check_styles(const Document& document) {
  for (const auto style : {json::Style::kOrdered, json::Style::kSorted}) {
    const std::string text = json::value_text(document.root(), style);
    Document again;
    NUMPACT_REQUIRE(again.parse(text).ok());
    NUMPACT_REQUIRE(json::value_text(again.root(), style) == text);
    NUMPACT_REQUIRE(json::equal(again.root(), again.root()) ==
                    json::equal(document.root(), document.root()));
  }
}

void check_json(std::string_view text) {
  Document document;
  const Status status = document.parse(text, std::uint64_t{1} << 20);
  if (status.kind() != ErrorKind::kLimitExceeded) {
    const Status checked = json::check(text);
    NUMPACT_REQUIRE(checked.kind() == status.kind() && checked.offset() == status.offset());
  }
  std::string out;
  const Status styled = cvc::restyle(text, json::Style::kSorted, 0, out);
  if (!status.ok()) {
    NUMPACT_REQUIRE(status.offset() <= text.size() && !styled.ok());
    return;
  }
  NUMPACT_REQUIRE(json::is_utf8(text));
  // Not all that is read may be written.
  std::string again;
  if (styled.ok()) {
    NUMPACT_REQUIRE(cvc::restyle(out, json::Style::kSorted, 0, again).ok() && again == out);
  } else {
    NUMPACT_REQUIRE(styled.kind() == ErrorKind::kInvalidArgument);
  }
  visit(document.root());
  compare(document.root(), View::root_of(text));
  check_styles(document);
  cvc::MetadataFilter filter("source", text);
  NUMPACT_REQUIRE(filter.parse().ok());
  (void)filter.matches(text);
}

void check_header(Draw& draw) {
  constexpr unsigned kVersions[][2] = {{1, 0}, {2, 0}, {0, 1}, {1, 5}, {2, 5}};
  const auto& version = draw.pick(kVersions);
  Bytes tail(draw.below(64));
  const ByteSpan json = draw.rest();
  Bytes file;
  for (const char c : {'C', 'V', 'C', 'F'}) file.push_back(static_cast<std::byte>(c));
  if (version[0] > 0) {
    for (const unsigned part : {version[0], 0u, version[1], 0u}) {
      file.push_back(static_cast<std::byte>(part));
    }
  }
  for (unsigned i = 0; i < 4; ++i)
    file.push_back(static_cast<std::byte>(json.size() >> 8 * i & 0xff));
  file.insert(file.end(), json.begin(), json.end());
  file.insert(file.end(), tail.begin(), tail.end());
  Draw more({});
  check_vectors(file, more);
  cvc::Info info;
  const DecodeLimits limits = tight_read_config().limits;
  if (!cvc::parse_header(guarded(file), limits, std::nullopt).into(info).ok()) return;
  std::uint64_t rows = 0;
  for (const cvc::Chunk& chunk : info.chunks) {
    NUMPACT_REQUIRE(chunk.first_row == rows);
    rows += chunk.rows;
  }
  NUMPACT_REQUIRE(rows == info.rows);
  NUMPACT_REQUIRE(info.slices.size() == info.chunks.size() * info.columns.size());
}

void run_json_header(ByteSpan input) {
  Draw draw(input);
  if (draw.flag()) return check_header(draw);
  check_json(as_text(guarded(draw.rest())));
}

NUMPACT_FUZZ_TARGET(json_header, run_json_header)

}  // namespace
}  // namespace numpact::fuzz

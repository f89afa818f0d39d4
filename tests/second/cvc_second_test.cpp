// SPDX-License-Identifier: Apache-2.0
// The second CVC reader: files of other writers, and modified files with corrected checksums. The
// library and the second reader must agree on all of them.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstdlib>
#include <string_view>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "second/compare.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kMaxValueBytes = std::uint64_t{1} << 24;  // larger files are not decoded

int effort() { return std::getenv("NUMPACT_FULL") != nullptr ? 20 : 1; }

std::vector<std::string> good_names() {
  std::vector<std::string> names = cvc_names("");
  std::erase(names, "odd_mmap_overrun");
  return names;
}

TEST(SecondCvc, GoodFiles) {
  const std::vector<std::string> names = good_names();
  EXPECT_GT(names.size(), 60u);
  for (const std::string& name : names) {
    const Bytes file = cvc_bytes(name);
    const Comparison comparison = compare_cvc(file, kMaxValueBytes);
    EXPECT_EQ(comparison.difference, "") << name;
    EXPECT_TRUE(comparison.accepted) << name << ": " << second::decode_cvc(file).refusal.reason;
  }
}

TEST(SecondCvc, BadFiles) {
  EXPECT_FALSE(second::decode_cvc(cvc_bytes("odd_mmap_overrun")).accepted());
  for (const std::string& name : cvc_names("bad")) {
    EXPECT_FALSE(second::decode_cvc(cvc_bytes("bad/" + name)).accepted()) << name;
  }
}

// The components of a file, which can be changed and assembled again.
struct FileParts {
  std::string header;
  std::vector<Bytes> payloads;
  unsigned major = 0;
  unsigned minor = 0;
};

void put(Bytes& out, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

Bytes assembled(const FileParts& parts) {
  Bytes file;
  put(file, 0x46435643, 4);
  if (parts.major != 0) put(file, parts.major | parts.minor << 16, 4);
  put(file, parts.header.size(), 4);
  for (const char c : parts.header) file.push_back(static_cast<std::byte>(c));
  for (const Bytes& payload : parts.payloads) {
    put(file, payload.size(), 4);
    if (parts.major != 0) put(file, libdeflate_crc32(0, payload.data(), payload.size()), 4);
    file.insert(file.end(), payload.begin(), payload.end());
  }
  return file;
}

FileParts parts_of(const Bytes& file) {
  const cvc::Reader reader = cvc::Reader::create(file).value();
  const cvc::Info& info = reader.info();
  FileParts parts{*info.header, {}, info.major, info.minor};
  for (const cvc::Chunk& chunk : info.chunks) {
    const ByteSpan rest = ByteSpan(file).subspan(chunk.offset + info.record_head_bytes());
    parts.payloads.push_back(prefix(rest, chunk.payload_bytes));
  }
  return parts;
}

void patch_bytes(Bytes& bytes, Random& random) {
  if (bytes.empty()) return;
  for (std::uint64_t k = random.between(1, 3); k > 0; --k) {
    const std::size_t reach =
        random.one_in(2) ? bytes.size() : std::min<std::size_t>(40, bytes.size());
    bytes[random.below(reach)] ^= static_cast<std::byte>(1 << random.below(8));
  }
  if (random.one_in(10)) bytes.resize(random.below(bytes.size()));
  if (random.one_in(10)) bytes.push_back(static_cast<std::byte>(random.bits(8)));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Positions and lengths of JSON tokens: numbers, strings, literals, brackets, commas and colons.
std::vector<std::pair<std::size_t, std::size_t>> tokens_of(const std::string& json) {
  static const std::string kBreaks = "{}[],: \t\r\n";
  std::vector<std::pair<std::size_t, std::size_t>> tokens;
  for (std::size_t at = 0; at < json.size();) {
    std::size_t end = at + 1;
    if (json[at] == '"') {
      while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, json.size());
    } else if (kBreaks.find(json[at]) == std::string::npos) {
      while (end < json.size() && kBreaks.find(json[end]) == std::string::npos) ++end;
    }
    tokens.emplace_back(at, end - at);
    at = end;
  }
  return tokens;
}

// Replacements for tokens of a header.

// Numbers, valid and invalid, and other short values.
constexpr std::string_view kOddScalars[] = {"0",
                                            "1",
                                            "-1",
                                            "-0",
                                            "2",
                                            "0.0",
                                            "1.0",
                                            "1e3",
                                            "1E-2",
                                            "01",
                                            "1.",
                                            ".5",
                                            "+1",
                                            "NaN",
                                            "Infinity",
                                            "-Infinity",
                                            "-NaN",
                                            "null",
                                            "true",
                                            "false",
                                            "\"\"",
                                            "\"x\"",
                                            "[]",
                                            "{}",
                                            "[0]",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "18446744073709551616",
                                            "1e400",
                                            "4294967296",
                                            "16777216",
                                            "123456789012345678901234567890",
                                            "-"};

// Names of compressions and types, and strings with unusual contents.
constexpr std::string_view kOddStrings[] = {
    "\"fp16\"",     "\"int8\"",           "\"none\"",        "\"pco\"",      "\"lossless\"",
    "\"bfloat16\"", "\"int4\"",           "\"int8_row\"",    "\"int8_dim\"", "\"float32\"",
    "\"float16\"",  "\"int32\"",          "\"uint8\"",       "\"int64\"",    "\"columnar\"",
    "\"\\u0041\"",  "\"\\ud83d\\ude00\"", "\"\\ud800\"",     "\"\\x\"",      "\"\t\"",
    "\"\xff\"",     "\"\xc3\xa9\"",       "\"\xed\xa0\x80\""};

// Brackets, separators and keys of the format.
constexpr std::string_view kOddTokens[] = {",",
                                           "}",
                                           "{",
                                           "]",
                                           "[",
                                           ":",
                                           "\"rows\"",
                                           "\"min\"",
                                           "\"scale\"",
                                           "\"offset\"",
                                           "\"size\"",
                                           "\"file_offset\"",
                                           "\"compression\"",
                                           "\"dimension\"",
                                           "\"dtype\"",
                                           "\"metadata\"",
                                           "\"sections\"",
                                           "\"mmap_optimized\"",
                                           "\"format_type\"",
                                           "\"columns\"",
                                           "\"chunks\"",
                                           "\"num_vectors\"",
                                           "\"start_index\""};

const std::vector<std::string>& odd_values() {
  static const std::vector<std::string> values = [] {
    std::vector<std::string> all(std::begin(kOddScalars), std::end(kOddScalars));
    all.insert(all.end(), std::begin(kOddStrings), std::end(kOddStrings));
    all.insert(all.end(), std::begin(kOddTokens), std::end(kOddTokens));
    return all;
  }();
  return values;
}

void patch_header(std::string& header, Random& random) {
  for (std::uint64_t k = random.between(1, 2); k > 0; --k) {
    const auto tokens = tokens_of(header);
    if (tokens.empty()) return;
    const auto [at, size] = random.pick(tokens);
    switch (random.below(7)) {
      case 0:
        header.erase(at, size);
        break;
      case 1:
        header.insert(at, header.substr(at, size));
        break;
      case 2: {
        const auto [from, length] = random.pick(tokens);
        header.replace(at, size, header.substr(from, length));
        break;
      }
      case 3:
        header[random.below(header.size())] = static_cast<char>(random.bits(8));
        break;
      case 4:
        if (is_digit(header[at])) {
          header[at] = static_cast<char>('0' + random.below(10));
          break;
        }
        [[fallthrough]];
      default:
        header.replace(at, size, random.pick(odd_values()));
    }
  }
}

// The end of the value that starts at `at`.
std::size_t value_end(const std::string& json, std::size_t at) {
  int depth = 0;
  for (const auto& [start, size] : tokens_of(json)) {
    if (start < at) continue;
    const char c = json[start];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth <= 0 && c != ' ' && c != '\n') return start + size;
  }
  return json.size();
}

// Repeats a random key, with another value in its first or second occurrence.
void repeat_key(std::string& header, Random& random) {
  std::vector<std::size_t> keys;
  for (const auto& [at, size] : tokens_of(header)) {
    if (header[at] == '"' && header.substr(at + size, 1) == ":") keys.push_back(at);
  }
  if (keys.empty()) return;
  const std::size_t at = random.pick(keys);
  const std::size_t end = value_end(header, header.find(':', at) + 1);
  std::string member = header.substr(at, end - at);
  std::string first = member;
  patch_header(random.one_in(2) ? first : member, random);
  header.replace(at, end - at, first + "," + member);
}

struct Tally {
  long accepted = 0;
  long refused = 0;
};

// Compares random small files that `change` has modified.
template <class Change>
Tally compare_mutants(std::uint64_t stream, int count, const Change& change) {
  Random random(stream);
  Tally tally;
  std::vector<FileParts> files;
  for (const std::string& name : good_names()) {
    const Bytes file = cvc_bytes(name);
    if (file.size() < 20000) files.push_back(parts_of(file));
  }
  for (int i = 0; i < count * effort(); ++i) {
    FileParts parts = random.pick(files);
    change(parts, random);
    const ExactCopy copy(assembled(parts));
    const Comparison comparison = compare_cvc(copy.span(), kMaxValueBytes);
    (comparison.accepted ? tally.accepted : tally.refused) += 1;
    EXPECT_EQ(comparison.difference, "") << "mutant " << i << ", seed " << seed() << "\n"
                                         << parts.header.substr(0, 2000);
    if (::testing::Test::HasFailure()) return tally;
  }
  return tally;
}

TEST(SecondCvc, PayloadsChanged) {
  const Tally tally = compare_mutants(711, 20000, [](FileParts& parts, Random& random) {
    if (!parts.payloads.empty())
      patch_bytes(parts.payloads[random.below(parts.payloads.size())], random);
  });
  EXPECT_GT(tally.accepted, 3000);
  EXPECT_GT(tally.refused, 3000);
}

TEST(SecondCvc, HeadersChanged) {
  const Tally tally = compare_mutants(712, 20000, [](FileParts& parts, Random& random) {
    patch_header(parts.header, random);
    if (random.one_in(20)) parts.minor = static_cast<unsigned>(random.below(110));
    if (random.one_in(20)) parts.major = static_cast<unsigned>(random.below(12));
  });
  EXPECT_GT(tally.accepted, 400);
  EXPECT_GT(tally.refused, 3000);
}

TEST(SecondCvc, KeysRepeated) {
  const Tally tally = compare_mutants(
      714, 10000, [](FileParts& parts, Random& random) { repeat_key(parts.header, random); });
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, 1000);
}

Bytes with_metadata(const std::string& json) {
  return assembled(
      {R"({"num_vectors":0,"dimension":1,"compression":"fp16","chunks":[],"metadata":)" + json +
           "}",
       {},
       1,
       0});
}

TEST(SecondCvc, EdgesOfJson) {
  int accepted = 0;
  for (std::size_t depth = 505; depth < 520; ++depth) {
    const Comparison lists = compare_cvc(
        with_metadata(std::string(depth, '[') + std::string(depth, ']')), kMaxValueBytes);
    const Comparison filled = compare_cvc(
        with_metadata(std::string(depth, '[') + "1" + std::string(depth, ']')), kMaxValueBytes);
    EXPECT_EQ(lists.difference, "") << depth;
    EXPECT_EQ(filled.difference, "") << depth;
    accepted += lists.accepted ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 15);
  for (const std::string& value : odd_values()) {
    EXPECT_EQ(compare_cvc(with_metadata(value), kMaxValueBytes).difference, "") << value;
    EXPECT_EQ(compare_cvc(with_metadata("[ " + value + "\t]"), kMaxValueBytes).difference, "")
        << value;
  }
}

TEST(SecondCvc, AnyBytesChanged) {
  Random random(713);
  const std::vector<std::string> names = good_names();
  for (int i = 0; i < 10000 * effort(); ++i) {
    const std::string& name = random.pick(names);
    Bytes file = cvc_bytes(name);
    patch_bytes(file, random);
    const ExactCopy copy(file);
    ASSERT_EQ(compare_cvc(copy.span(), kMaxValueBytes).difference, "")
        << name << ", mutant " << i << ", seed " << seed();
  }
}

}  // namespace
}  // namespace numpact::testing

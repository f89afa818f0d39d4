// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace {

// Numbers of one chunk of a Pco file at most, as the format allows.
constexpr std::uint64_t kMaxPageCount = std::uint64_t{1} << 24;
// Numbers up to which a chunk is divided where the data changes: the page size that numcodecs
// writes by default.
constexpr std::uint64_t kDefaultPageCount = std::uint64_t{1} << 18;
constexpr unsigned kMaxDeltaOrder = 7;

bool refuse(const char* name, const char* value) {
  CPLError(CE_Failure, CPLE_IllegalArg, "pcodec: %s=%s is not supported", name, value);
  return false;
}

// Null if the option is absent. JSON's null arrives as an empty or as the word null.
const char* option(CSLConstList options, const char* name) {
  const char* const value = CSLFetchNameValue(options, name);
  return value == nullptr || *value == '\0' || EQUAL(value, "null") ? nullptr : value;
}

bool read_whole(CSLConstList options, const char* name, std::uint64_t max, std::uint64_t& out) {
  const char* const text = option(options, name);
  if (text == nullptr) return true;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, out);
  return (error == std::errc() && stop == end && out <= max) || refuse(name, text);
}

// A type as NumPy writes it: "<f4", "i2", "|u1". Zarr's chunks are in the byte order of the type;
// those of Pco are decoded to this machine's.
numpact_type parse_type(std::string_view name) {
  struct Row {
    std::string_view name;
    numpact_type type;
  };
  static constexpr Row kRows[] = {
      {"u1", NUMPACT_U8},  {"u2", NUMPACT_U16}, {"u4", NUMPACT_U32}, {"u8", NUMPACT_U64},
      {"i1", NUMPACT_I8},  {"i2", NUMPACT_I16}, {"i4", NUMPACT_I32}, {"i8", NUMPACT_I64},
      {"f2", NUMPACT_F16}, {"f4", NUMPACT_F32}, {"f8", NUMPACT_F64},
  };
  if (!name.empty() && (name[0] == '<' || name[0] == '|' || name[0] == '=')) name.remove_prefix(1);
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return NUMPACT_NO_TYPE;
}

bool read_type(CSLConstList options, numpact_type& type) {
  const char* name = option(options, "DTYPE");
  if (name == nullptr) name = CPLGetConfigOption("PCODEC_DTYPE", nullptr);
  if (name == nullptr) {
    CPLError(CE_Failure, CPLE_AppDefined,
             "pcodec: GDAL does not tell a codec the type of the numbers: set the configuration "
             "option PCODEC_DTYPE, for example to <f4");
    return false;
  }
  type = parse_type(name);
  return type != NUMPACT_NO_TYPE || refuse("DTYPE", name);
}

bool read_mode(CSLConstList options, Settings& settings) {
  const char* const mode = option(options, "MODE_SPEC");
  if (mode == nullptr || EQUAL(mode, "auto")) return true;
  settings.mode = "classic";
  return EQUAL(mode, "classic") || refuse("MODE_SPEC", mode);
}

bool read_delta(CSLConstList options, Settings& settings) {
  std::uint64_t order = 0;
  if (!read_whole(options, "DELTA_ENCODING_ORDER", kMaxDeltaOrder, order)) return false;
  const bool has_order = option(options, "DELTA_ENCODING_ORDER") != nullptr;
  const char* const spec = option(options, "DELTA_SPEC");
  const bool is_auto = spec == nullptr || EQUAL(spec, "auto");
  if ((is_auto && has_order) || (spec != nullptr && EQUAL(spec, "try_consecutive") && has_order)) {
    settings.delta = "consecutive=" + std::to_string(order);
    return true;
  }
  if (is_auto) return true;
  settings.delta = EQUAL(spec, "try_lookback") ? "lookback" : "none";
  return EQUAL(spec, "try_lookback") || EQUAL(spec, "none") || EQUAL(spec, "no_op") ||
         refuse("DELTA_SPEC", spec);
}

bool read_paging(CSLConstList options, std::uint64_t count, Settings& settings) {
  const char* const spec = option(options, "PAGING_SPEC");
  if (spec != nullptr && !EQUAL(spec, "equal_pages_up_to")) return refuse("PAGING_SPEC", spec);
  std::uint64_t page = kDefaultPageCount;
  if (!read_whole(options, "EQUAL_PAGES_UP_TO", SIZE_MAX, page)) return false;
  if (page == 0) return refuse("EQUAL_PAGES_UP_TO", "0");
  if (count > std::min(page, kDefaultPageCount)) {
    settings.max_page_count = static_cast<std::size_t>(std::min(page, kMaxPageCount));
  }
  return true;
}

}  // namespace

bool read_settings(CSLConstList options, std::size_t input_size, Settings& settings) {
  std::uint64_t level = NUMPACT_DEFAULT_LEVEL;
  if (!read_type(options, settings.type)) return false;
  if (!read_whole(options, "LEVEL", NUMPACT_MAX_LEVEL, level)) return false;
  settings.level = static_cast<unsigned>(level);
  return read_mode(options, settings) && read_delta(options, settings) &&
         read_paging(options, input_size / numpact_type_size(settings.type), settings);
}

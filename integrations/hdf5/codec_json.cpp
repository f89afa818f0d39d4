// SPDX-License-Identifier: Apache-2.0
#include "codec_json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>

namespace numpact_hdf5 {

namespace {

constexpr unsigned kDefaultPage = 1U << 18;  // numbers; the usual value of other writers

// Reads one JSON object whose values are strings, numbers and words, the only ones of the codec.
// Strings are returned as they are written: no setting has a character that must be escaped.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(char expected) {
    skip_space();
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_string(std::string_view& text) {
    if (!take('"')) return false;
    for (std::size_t end = 0; end < rest_.size(); ++end) {
      if (rest_[end] == '\\') {
        ++end;
      } else if (rest_[end] == '"') {
        text = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return true;
      }
    }
    return false;
  }

  // A number or a word, such as null; netCDF may write numbers as strings.
  bool take_value(std::string_view& text) {
    skip_space();
    if (!rest_.empty() && rest_.front() == '"') return take_string(text);
    const std::size_t end = rest_.find_first_of(",}]{[\"\t\r\n ");
    if (end == 0 || end == std::string_view::npos) return false;
    text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return true;
  }

  bool is_at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of("\t\r\n "), rest_.size()));
  }

  std::string_view rest_;
};

bool read_number(std::string_view text, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The settings as they are written.
struct Settings {
  std::string_view id;
  std::string_view level = "8";
  std::string_view mode = "auto";
  std::string_view delta = "auto";
  std::string_view paging = "equal_pages_up_to";
  std::string_view order = "null";
  std::string_view page = "262144";

  void set(std::string_view name, std::string_view value) {
    if (name == "id") id = value;
    if (name == "level") level = value;
    if (name == "mode_spec") mode = value;
    if (name == "delta_spec") delta = value;
    if (name == "paging_spec") paging = value;
    if (name == "delta_encoding_order") order = value;
    if (name == "equal_pages_up_to") page = value;
  }
};

bool parse_settings(std::string_view json, Settings& settings) {
  Scanner scanner(json);
  if (!scanner.take('{')) return false;
  if (!scanner.take('}')) {
    do {
      std::string_view name;
      std::string_view value;
      if (!scanner.take_string(name) || !scanner.take(':') || !scanner.take_value(value))
        return false;
      settings.set(name, value);
    } while (scanner.take(','));
    if (!scanner.take('}')) return false;
  }
  return scanner.is_at_end();
}

// An order selects consecutive deltas, which need one.
bool read_delta(const Settings& settings, unsigned& encoding) {
  const bool has_order = settings.order != "null";
  const bool is_automatic = settings.delta == "auto" && !has_order;
  Delta delta = Delta::kConsecutive;
  if (is_automatic)
    delta = Delta::kAuto;
  else if (settings.delta == "no_op" || settings.delta == "none")
    delta = Delta::kNone;
  else if (settings.delta == "try_lookback")
    delta = Delta::kLookback;
  else if (settings.delta != "try_consecutive" && settings.delta != "auto")
    return false;
  unsigned order = 0;
  if (has_order != (delta == Delta::kConsecutive)) return false;
  if (has_order && (!read_number(settings.order, order) || order > 7)) return false;
  encoding |= static_cast<unsigned>(delta) << kDeltaShift | order << kOrderShift;
  return true;
}

}  // namespace

bool parse_codec(std::string_view json, Parameters& parameters) {
  Settings settings;
  Parameters read;
  if (!parse_settings(json, settings) || settings.id != "pcodec" ||
      settings.paging != "equal_pages_up_to")
    return false;
  if (!read_number(settings.level, read.level) || read.level > NUMPACT_MAX_LEVEL ||
      !read_number(settings.page, read.page) || read.page == 0)
    return false;
  if (settings.mode == "classic")
    read.encoding |= kClassicMode;
  else if (settings.mode != "auto")
    return false;
  if (!read_delta(settings, read.encoding)) return false;
  parameters = read;
  return true;
}

void write_codec(const Parameters& parameters, CodecText& text) {
  // No differences are written as order 0: other readers do not know each of the two names.
  static constexpr const char* kDeltas[] = {"auto", "auto", "try_consecutive", "try_lookback"};
  const unsigned delta = parameters.encoding >> kDeltaShift & 3;
  const bool is_none = delta == static_cast<unsigned>(Delta::kNone);
  const bool has_order = is_none || delta == static_cast<unsigned>(Delta::kConsecutive);
  const unsigned found = is_none ? 0 : parameters.encoding >> kOrderShift & 7;
  const char order[] = {static_cast<char>('0' + found), '\0'};
  std::snprintf(text.data(), text.size(),
                R"({"id": "pcodec", "level": %u, "mode_spec": "%s", "delta_spec": "%s", )"
                R"("paging_spec": "equal_pages_up_to", "delta_encoding_order": %s, )"
                R"("equal_pages_up_to": %u})",
                parameters.level, (parameters.encoding & kClassicMode) != 0 ? "classic" : "auto",
                kDeltas[delta], has_order ? order : "null",
                parameters.page != 0 ? parameters.page : kDefaultPage);
}

}  // namespace numpact_hdf5

// SPDX-License-Identifier: Apache-2.0
#include "commands/encode_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "numpact/encoding.hpp"
#include "numpact/pco.hpp"
#include "numpact/table_writer.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

constexpr std::uint64_t kMaxPageNumbers = std::uint64_t{1} << 24;

// Parses all of `text` as a number.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T number{};
  const std::from_chars_result parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// The request in an option's argument, or the end of the program with a message.
template <class Spec>
Spec require_spec(const std::string& option, const std::string& text, const Result<Spec>& spec,
                  std::span<const char* const> forms) {
  if (text.empty()) return Spec::automatic();
  if (spec.ok()) return *spec;
  const std::uint64_t value_at = spec.status().offset();
  if (value_at != Status::kNoOffset) {
    fail_usage(option, "'{}': '{}' is not a number that fits", text, text.substr(value_at));
  }
  fail_choice(option, text, {forms.begin(), forms.end()});
}

Compatibility parse_compatibility(const std::string& text) {
  if (text.empty()) return Compatibility::kV4_1;
  const std::optional<Compatibility> version = compatibility_of_name(text);
  if (version) return *version;
  fail_choice("--compat", text, {"1", "2", "3", "4.0", "4.1"});
}

}  // namespace

// Digits with an optional suffix K, M, G or T, which multiplies by a power of 1024.
std::uint64_t parse_size(const std::string& option, const std::string& text) {
  std::string_view digits = text;
  unsigned shift = 0;
  for (const std::string_view ending : {"iB", "B"}) {
    if (digits.ends_with(ending)) {
      digits.remove_suffix(ending.size());
      break;
    }
  }
  if (!digits.empty()) {
    const std::size_t letter = std::string_view("KMGTkmgt").find(digits.back());
    if (letter != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(letter) % 4 + 1);
      digits.remove_suffix(1);
    }
  }
  const std::optional<std::uint64_t> number = parse_whole<std::uint64_t>(digits);
  if (!number || *number > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
    fail_usage(option, "'{}' is not a size (examples: 4096, 64K, 512M, 2G)", text);
  }
  return *number << shift;
}

EncodeConfig parse_encode_args(const EncodeArgs& args) {
  EncodeConfig config;
  config.level = args.level;
  config.mode = require_spec("--mode", args.mode, parse_mode_spec(args.mode), mode_spec_forms());
  config.delta =
      require_spec("--delta", args.delta, parse_delta_spec(args.delta), delta_spec_forms());
  config.compatibility = parse_compatibility(args.compat);
  config.favor_decode_speed = args.favor_decode_speed;
  config.decode_weight = args.decode_weight;
  if (!args.page_size.empty() && args.page_size != "auto") {
    const auto page = parse_whole<std::uint64_t>(args.page_size);
    if (!page || *page < 1 || *page > kMaxPageNumbers) {
      fail_usage("--page-size", "'{}' is neither auto nor a number from 1 to {}", args.page_size,
                 kMaxPageNumbers);
    }
    config.paging = PagingSpec::equal_pages_up_to(static_cast<std::size_t>(*page));
  }
  return config;
}

TrailerSpec parse_trailer_args(const TrailerArgs& args, bool is_stdout) {
  if (args.omitted && (args.requested || !args.restart.empty())) {
    fail_usage("--no-trailer", "contradicts --trailer and --restart");
  }
  if (!args.restart.empty()) {
    const std::uint64_t distance = parse_size("--restart", args.restart);
    constexpr std::uint64_t kMinDistance = std::uint64_t{1} << TrailerSpec::kMinRestartLog;
    constexpr std::uint64_t kMaxDistance = std::uint64_t{1} << TrailerSpec::kMaxRestartLog;
    if (!std::has_single_bit(distance) || distance < kMinDistance || distance > kMaxDistance) {
      fail_usage("--restart", "{} is not a power of two from {} to {}", args.restart, kMinDistance,
                 kMaxDistance);
    }
    return TrailerSpec::restarts(static_cast<unsigned>(std::countr_zero(distance)));
  }
  const bool requested = args.requested || (!is_stdout && !args.omitted);
  return requested ? TrailerSpec::index() : TrailerSpec::none();
}

TrailerSpec parse_table_trailer_args(const TrailerArgs& args) {
  const bool is_default = !args.omitted && !args.requested && args.restart.empty();
  return is_default ? table::table_encode_config().trailer : parse_trailer_args(args, false);
}

DecodeConfig parse_limit_args(const LimitArgs& args) {
  DecodeConfig config;
  if (!args.max_output.empty()) {
    config.limits.max_output_bytes = parse_size("--max-output", args.max_output);
  }
  if (!args.max_memory.empty()) {
    config.limits.max_memory = parse_size("--max-memory", args.max_memory);
  }
  return config;
}

std::optional<NumberRange> parse_range(const std::string& arg, const std::string& option) {
  if (arg.empty()) return std::nullopt;
  const std::string_view text = arg;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto first = parse_whole<std::uint64_t>(text.substr(0, colon));
  const auto count = parse_whole<std::uint64_t>(text.substr(std::min(colon + 1, text.size())));
  if (!first || !count) fail_usage(option, "'{}' is not FIRST:COUNT", arg);
  return NumberRange{*first, *count};
}

std::optional<NumberType> parse_dtype(const std::string& arg) {
  if (arg.empty()) return std::nullopt;
  const std::optional<NumberType> type = number_type_of_name(arg);
  if (type) return type;
  std::vector<std::string> names;
  for (const NumberType known : kNumberTypes) names.emplace_back(name_of(known));
  fail_choice("--dtype", arg, names);
}

std::vector<std::string> split_names(const std::string& option, const std::string& text) {
  std::vector<std::string> names(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ',') {
      names.emplace_back();
    } else if (text[at] != '"' || !names.back().empty()) {
      names.back() += text[at];
    } else {
      for (++at;; ++at) {
        if (at >= text.size()) fail_usage(option, "'{}' lacks a quote", text);
        if (text[at] == '"' && (at + 1 == text.size() || text[at + 1] != '"')) break;
        if (text[at] == '"') ++at;
        names.back() += text[at];
      }
    }
  }
  return names;
}

void require_config_fits(NumberType type, const EncodeConfig& config, const std::string& place) {
  std::vector<std::byte> ignored;
  const std::uint64_t none = 0;
  check(compress(NumberView(type, &none, 0), config).into(ignored), place);
}

}  // namespace numpact::cli

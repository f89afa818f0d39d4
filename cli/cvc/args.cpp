// SPDX-License-Identifier: Apache-2.0
#include "cvc/args.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "failure.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {

std::string compression_names() {
  std::string list;
  for (const cvc::Compression known : cvc::kCompressions) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", name_of(known));
  }
  return list;
}

cvc::Compression parse_compression(const std::string& option, const std::string& arg) {
  const std::optional<cvc::Compression> found = cvc::compression_of_name(arg);
  if (found) return *found;
  std::vector<std::string> names;
  for (const cvc::Compression known : cvc::kCompressions) names.emplace_back(name_of(known));
  fail_choice(option, arg, names);
}

cvc::Rounding parse_rounding(const std::string& arg) {
  if (arg == "auto") return cvc::Rounding::kAutomatic;
  if (arg == "search") return cvc::Rounding::kForSearch;
  if (arg == "nearest") return cvc::Rounding::kNearest;
  fail_choice("--rounding", arg, {"auto", "search", "nearest"});
}

CompressionChoice parse_compressions(const std::string& arg) {
  const std::string option = "--compression";
  CompressionChoice choice;
  std::string_view rest = arg;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string part(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t equals = part.rfind('=');
    if (equals != std::string::npos) {
      const std::string name = part.substr(0, equals);
      const auto is_same = [&](const auto& other) { return other.first == name; };
      if (std::any_of(choice.named.begin(), choice.named.end(), is_same)) {
        fail_usage(option, "says two things of column '{}'", name);
      }
      choice.named.emplace_back(name, parse_compression(option, part.substr(equals + 1)));
    } else {
      if (choice.others) fail_usage(option, "'{}': which of them?", arg);
      choice.others = parse_compression(option, part);
    }
  }
  return choice;
}

std::optional<SectionKey> parse_section(const std::string& arg) {
  if (arg.empty()) return std::nullopt;
  const std::size_t equals = arg.find('=');
  if (equals == std::string::npos) {
    fail_usage("--section", "'{}' is not KEY=VALUE", arg);
  }
  const std::string value = arg.substr(equals + 1);
  const bool is_json = nlohmann::json::accept(value);
  return SectionKey{arg.substr(0, equals), is_json ? value : json_string(value)};
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::uint64_t parse_count(const std::string& option, const std::string& arg) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(arg.data(), arg.data() + arg.size(), number);
  if (error != std::errc() || end != arg.data() + arg.size() || number == 0) {
    fail_usage(option, "'{}' is not a count", arg);
  }
  return number;
}

}  // namespace numpact::cli

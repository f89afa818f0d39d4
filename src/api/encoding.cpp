// SPDX-License-Identifier: Apache-2.0
#include "numpact/encoding.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <iterator>
#include <type_traits>

#include "base/internal.hpp"
#include "numpact/config.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"
#include "platform/read_number.hpp"
#include "platform/write_number.hpp"

namespace numpact {
namespace {

constexpr std::string_view kAutomatic = "auto";

// The name in a form: "conv1" of "conv1=N".
constexpr std::string_view name_in(std::string_view form) { return form.substr(0, form.find('=')); }

template <class Family>
constexpr auto forms_of() {
  std::array<const char*, std::variant_size_v<Family> + 1> forms{kAutomatic.data()};
  std::size_t n = 1;
  for_each_member<Family>([&](auto member) { forms[n++] = decltype(member)::type::kForm; });
  return forms;
}

// "float-quant", with its terminating zero.
template <const char* const* kForm>
constexpr auto terminated_name() {
  constexpr std::size_t kSize = name_in(*kForm).size();
  std::array<char, kSize + 1> name{};
  for (std::size_t i = 0; i < kSize; ++i) name[i] = (*kForm)[i];
  return name;
}

template <class Member>
inline constexpr auto kName = terminated_name<&Member::kForm>();

template <class Family, class Tag>
const char* name_of_member(Tag tag) {
  const char* name = "unknown";
  visit_member<Family>(tag,
                       [&](auto member) { name = kName<typename decltype(member)::type>.data(); });
  return name;
}

// Reads all of `text` as a number.
template <class T>
bool parse_number(std::string_view text, T& number) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result parsed = platform::read_number(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

bool parse_parameter(ModeParameter kind, std::string_view text, std::uint64_t& parameter) {
  if (kind == ModeParameter::kInteger) return parse_number(text, parameter);
  double number = 0;
  if (!parse_number(text, number)) return false;
  parameter = std::bit_cast<std::uint64_t>(number);
  return true;
}

// "NAME=VALUE" or "NAME".
struct Request {
  explicit Request(std::string_view text)
      : name(name_in(text)),
        has_value(name.size() < text.size()),
        value(has_value ? text.substr(name.size() + 1) : std::string_view()) {}

  Status bad_value() const {
    return Status(ErrorKind::kInvalidArgument, "the number does not fit", name.size() + 1);
  }

  std::string_view name;
  bool has_value;
  std::string_view value;
};

template <class Member>
std::string text_of(std::uint64_t parameter) {
  std::string text = kName<Member>.data();
  if constexpr (requires { Member::kParameter; }) {
    if (Member::kParameter == ModeParameter::kNone) return text;
    const bool is_float = Member::kParameter == ModeParameter::kFloat;
    return text + "=" +
           (is_float ? platform::number_text(std::bit_cast<double>(parameter))
                     : std::to_string(parameter));
  } else {
    return Member::kHasOrder ? text + "=" + std::to_string(parameter) : text;
  }
}

template <class Family, class Tag>
std::string request_text(std::optional<Tag> tag, std::uint64_t parameter) {
  std::string text(kAutomatic);
  if (!tag) return text;
  visit_member<Family>(
      *tag, [&](auto member) { text = text_of<typename decltype(member)::type>(parameter); });
  return text;
}

}  // namespace

const char* to_string(Mode mode) noexcept { return name_of_member<AnyMode>(mode); }
const char* to_string(Delta delta) noexcept { return name_of_member<AnyDelta>(delta); }

Result<ModeSpec> parse_mode_spec(std::string_view text) noexcept {
  if (text == kAutomatic) return ModeSpec::automatic();
  const Request request(text);
  Result<ModeSpec> result = Status(ErrorKind::kInvalidArgument, "there is no such mode");
  for_each_member<AnyMode>([&](auto member) {
    using Member = typename decltype(member)::type;
    const bool takes_value = Member::kParameter != ModeParameter::kNone;
    if (request.name != name_in(Member::kForm) || request.has_value != takes_value) return;
    std::uint64_t parameter = 0;
    if (takes_value && !parse_parameter(Member::kParameter, request.value, parameter)) {
      result = request.bad_value();
      return;
    }
    result = ModeSpec(Member::kTag, parameter);
  });
  return result;
}

Result<DeltaSpec> parse_delta_spec(std::string_view text) noexcept {
  if (text == kAutomatic) return DeltaSpec::automatic();
  const Request request(text);
  Result<DeltaSpec> result = Status(ErrorKind::kInvalidArgument, "there is no such delta encoding");
  for_each_member<AnyDelta>([&](auto member) {
    using Member = typename decltype(member)::type;
    if (request.name != name_in(Member::kForm) || request.has_value != Member::kHasOrder) return;
    unsigned order = 0;
    if (Member::kHasOrder && !parse_number(request.value, order)) {
      result = request.bad_value();
      return;
    }
    result = DeltaSpec(Member::kTag, order);
  });
  return result;
}

std::string to_string(const ModeSpec& spec) {
  return request_text<AnyMode>(spec.mode(), spec.parameter());
}
std::string to_string(const DeltaSpec& spec) {
  return request_text<AnyDelta>(spec.delta(), spec.order());
}

std::span<const char* const> mode_spec_forms() noexcept {
  static constexpr auto kForms = forms_of<AnyMode>();
  return kForms;
}
std::span<const char* const> delta_spec_forms() noexcept {
  static constexpr auto kForms = forms_of<AnyDelta>();
  return kForms;
}

std::optional<Compatibility> compatibility_of_name(std::string_view name) noexcept {
  constexpr std::string_view kNames[] = {"1", "2", "3", "4.0", "4.1"};  // in the order of values
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<Compatibility>(i);
  }
  return std::nullopt;
}

}  // namespace numpact

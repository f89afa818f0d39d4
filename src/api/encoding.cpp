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

// Texts of errors are static, so those that name forms are joined when this is compiled.
template <std::size_t kSize>
constexpr void append(std::array<char, kSize>& text, std::size_t& size, std::string_view part) {
  for (const char c : part) {
    if (size + 1 < kSize) text[size++] = c;
  }
}

constexpr std::size_t kMaxTextBytes = 160;

// "there is no such mode; there are auto, classic, int-mult=BASE, ..."
template <class Family>
constexpr auto unknown_text(std::string_view what) {
  std::array<char, kMaxTextBytes> text{};
  std::size_t size = 0;
  append(text, size, what);
  append(text, size, "; there are auto");
  for_each_member<Family>([&](auto member) {
    append(text, size, ", ");
    append(text, size, decltype(member)::type::kForm);
  });
  return text;
}
constexpr auto kUnknownMode = unknown_text<AnyMode>("there is no such mode");
constexpr auto kUnknownDelta = unknown_text<AnyDelta>("there is no such delta encoding");
static_assert(kUnknownMode[kMaxTextBytes - 2] == '\0' && kUnknownDelta[kMaxTextBytes - 2] == '\0');

// For "float-mult=BASE".
template <class Member>
constexpr auto bad_number_text() {
  std::array<char, kMaxTextBytes> text{};
  std::size_t size = 0;
  append(text, size, Member::kForm);
  append(text, size, ": what stands for ");
  append(text, size, std::string_view(Member::kForm).substr(name_in(Member::kForm).size() + 1));
  append(text, size, " is not a number that fits");
  return text;
}
template <class Member>
inline constexpr auto kBadNumber = bad_number_text<Member>();

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

  template <class Member>
  Status bad_value() const {
    return Status(ErrorKind::kInvalidArgument, kBadNumber<Member>.data(), name.size() + 1);
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
  Result<ModeSpec> result = Status(ErrorKind::kInvalidArgument, kUnknownMode.data());
  for_each_member<AnyMode>([&](auto member) {
    using Member = typename decltype(member)::type;
    const bool takes_value = Member::kParameter != ModeParameter::kNone;
    if (request.name != name_in(Member::kForm) || request.has_value != takes_value) return;
    std::uint64_t parameter = 0;
    if constexpr (Member::kParameter != ModeParameter::kNone) {
      if (!parse_parameter(Member::kParameter, request.value, parameter)) {
        result = request.template bad_value<Member>();
        return;
      }
    }
    result = ModeSpec(Member::kTag, parameter);
  });
  return result;
}

Result<DeltaSpec> parse_delta_spec(std::string_view text) noexcept {
  if (text == kAutomatic) return DeltaSpec::automatic();
  const Request request(text);
  Result<DeltaSpec> result = Status(ErrorKind::kInvalidArgument, kUnknownDelta.data());
  for_each_member<AnyDelta>([&](auto member) {
    using Member = typename decltype(member)::type;
    if (request.name != name_in(Member::kForm) || request.has_value != Member::kHasOrder) return;
    unsigned order = 0;
    if constexpr (Member::kHasOrder) {
      if (!parse_number(request.value, order)) {
        result = request.template bad_value<Member>();
        return;
      }
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

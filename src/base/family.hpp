// SPDX-License-Identifier: Apache-2.0
// Variants whose members each have a tag in the file format.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "numpact/error.hpp"

namespace numpact::internal {

// The error of a request that a member cannot fulfil.
inline Status invalid_request(const char* what) {
  return Status(ErrorKind::kInvalidArgument, what);
}

template <class Family, std::size_t... I>
constexpr bool family_tags_are_distinct_impl(std::index_sequence<I...>) {
  const unsigned tags[] = {static_cast<unsigned>(std::variant_alternative_t<I, Family>::kTag)...};
  for (std::size_t i = 0; i < sizeof...(I); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (tags[i] == tags[j]) return false;
    }
  }
  return true;
}

template <class Family>
constexpr bool family_tags_are_distinct() {
  return family_tags_are_distinct_impl<Family>(
      std::make_index_sequence<std::variant_size_v<Family>>());
}

// Parses the member with this tag; sets `known` to false if there is none.
template <class Family, class Reader, class Context, std::size_t I = 0>
Status parse_family(unsigned tag, Reader& reader, const Context& context, Family& out,
                    bool& known) {
  if constexpr (I == std::variant_size_v<Family>) {
    known = false;
    return {};
  } else {
    using Member = std::variant_alternative_t<I, Family>;
    if (static_cast<unsigned>(Member::kTag) != tag) {
      return parse_family<Family, Reader, Context, I + 1>(tag, reader, context, out, known);
    }
    known = true;
    return Member::parse(reader, context, out.template emplace<I>());
  }
}

template <class Family>
auto family_tag(const Family& value) {
  return std::visit([](const auto& member) { return member.kTag; }, value);
}

// Calls f(std::type_identity<Member>()) for each member, in the order of the list.
template <class Family, class F>
constexpr void for_each_member(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::type_identity<std::variant_alternative_t<I, Family>>()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Family>>());
}

// Calls f in the same way for the member with this tag, of which there must be one.
template <class Family, class Tag, class F>
constexpr void visit_member(Tag tag, F&& f) {
  for_each_member<Family>([&](auto member) {
    if (decltype(member)::type::kTag == tag) f(member);
  });
}

}  // namespace numpact::internal

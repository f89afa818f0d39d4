// SPDX-License-Identifier: Apache-2.0
// Filters of tables (numpact/table_filter.hpp).
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "errors.hpp"
#include "filter_tuples.hpp"
#include "gil.hpp"
#include "manifest_tuple.hpp"
#include "numpact/table_filter.hpp"

namespace numpact::python {
namespace {

using table::DecimalFilter;
using table::FilterComparison;
using table::FilterOp;
using table::FilterValue;
using table::NumberFilter;
using table::PairFilter;
using table::TextFilter;

// In the order of FilterValue::Kind.
constexpr std::string_view kKinds[] = {"number",  "text",        "bool",     "time",
                                       "instant", "time of day", "duration", "bytes"};
// In the order of FilterJoin.
constexpr std::string_view kJoins[] = {"and", "or", "with"};
// Masks of at least this many rows are computed without the GIL.
constexpr std::size_t kLongMask = std::size_t{1} << 14;

template <class T>
T value_or_raise(Result<T> result, const std::string& message) {
  if (!result.ok()) raise_error(result.status().kind(), "where: " + message);
  return std::move(*result);
}

std::string content_of(nb::handle content) {
  if (PyBytes_Check(content.ptr())) {
    return {PyBytes_AsString(content.ptr()), static_cast<std::size_t>(PyBytes_Size(content.ptr()))};
  }
  const auto encoded = nb::steal(PyUnicode_AsEncodedString(content.ptr(), "utf-8", "strict"));
  if (!encoded.is_valid()) {
    PyErr_Clear();
    raise_error(ErrorKind::kInvalidArgument, "where: a text has unpaired surrogates");
  }
  return content_of(encoded);
}

FilterValue value_of(nb::handle given) {
  const auto [kind, content, zoned] =
      nb::cast<std::tuple<std::string_view, nb::object, bool>>(given);
  const auto* const found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (found == std::end(kKinds)) throw nb::value_error("no kind of value");
  return {static_cast<FilterValue::Kind>(found - std::begin(kKinds)), content_of(content), zoned};
}

nb::tuple tuple_of(const FilterValue& value) {
  const std::string_view kind = kKinds[static_cast<std::size_t>(value.kind)];
  if (value.kind != FilterValue::Kind::kBytes) {
    return nb::make_tuple(kind, value.text, value.zoned);
  }
  return nb::make_tuple(kind, nb::bytes(value.text.data(), value.text.size()), false);
}

std::vector<FilterComparison> comparisons_of(nb::handle given) {
  std::vector<FilterComparison> made;
  for (const nb::handle item : given) made.push_back(comparison_of(item));
  return made;
}

nb::list parse_filter(nb::handle text) {
  std::string message;
  const auto parsed = value_or_raise(table::parse_filter(content_of(text), &message), message);
  nb::list made;
  for (const FilterComparison& comparison : parsed) made.append(comparison_tuple(comparison));
  return made;
}

std::string text_of(FilterOp op, bool negated) {
  return (negated ? "not " : "") + std::string(to_string(op));
}

std::string filter_op(nb::handle text) {
  std::string message;
  bool negated = false;
  auto op = table::filter_op_of(content_of(text), &message, &negated);
  return text_of(value_or_raise(std::move(op), message), negated);
}

// Computes a mask of `count` rows, one byte each, all 1 before.
template <class Narrow>
nb::object mask_of(std::size_t count, const Narrow& narrow) {
  NewArray out(NumberType::kU8, count);
  const std::span<std::uint8_t> kept(static_cast<std::uint8_t*>(out.view().data), count);
  std::fill(kept.begin(), kept.end(), std::uint8_t{1});
  if (count < kLongMask) {
    narrow(kept);
  } else {
    const GilRelease release;
    narrow(kept);
  }
  return out.release(count);
}

NumberFilter bind_numbers(nb::handle comparisons, nb::handle type) {
  std::string message;
  auto bound = NumberFilter::bind(comparisons_of(comparisons), column_type(type), &message);
  return value_or_raise(std::move(bound), message);
}

nb::object number_mask(const NumberFilter& filter, const ConstArray& array) {
  const NumberView numbers = numbers_of(array);
  if (numbers.type != filter.type()) throw nb::type_error("numbers of another type");
  return mask_of(numbers.count, [&](auto kept) { filter.narrow(numbers, kept); });
}

// Whether one of some numbers may satisfy it. `min_latent`, `max_latent`: the least and the
// greatest that is not NaN, as ordered latents; the least is greater if there are none.
bool may_match(const NumberFilter& filter, std::uint64_t min_latent, std::uint64_t max_latent,
               std::uint64_t nan_count) {
  ChunkSummary summary;
  summary.place.count = nan_count + (min_latent <= max_latent ? 1 : 0);
  summary.min_latent = min_latent;
  summary.max_latent = max_latent;
  summary.nan_count = nan_count;
  return filter.may_match(summary);
}

PairFilter bind_pair(nb::handle comparison, nb::handle type, nb::handle other) {
  std::string message;
  auto bound =
      PairFilter::bind(comparison_of(comparison), column_type(type), column_type(other), &message);
  return value_or_raise(std::move(bound), message);
}

nb::object pair_mask(const PairFilter& filter, const ConstArray& column, const ConstArray& other) {
  const NumberView numbers = numbers_of(column);
  const NumberView others = numbers_of(other);
  if (numbers.type != others.type || numbers.count != others.count) {
    throw nb::type_error("numbers of another type or count");
  }
  return mask_of(numbers.count, [&](auto kept) { filter.narrow(numbers, others, kept); });
}

TextFilter bind_texts(nb::handle comparisons, bool is_bytes) {
  std::string message;
  auto bound = TextFilter::bind(comparisons_of(comparisons), is_bytes, &message);
  return value_or_raise(std::move(bound), message);
}

// Of texts that lie in `data` between one of `offsets`, (rows + 1,) of int64, and the next one.
nb::object text_mask(const TextFilter& filter, const ConstArray& offsets, nb::handle data) {
  const NumberView ends = numbers_of(offsets);
  const Bytes bytes(data);
  const std::size_t size = bytes.span().size();
  const std::string_view all(reinterpret_cast<const char*>(bytes.span().data()), size);
  if (ends.type != NumberType::kI64 || ends.count == 0) throw nb::type_error("no offsets");
  std::vector<std::int64_t> places(ends.count);
  std::memcpy(places.data(), ends.data, ends.count * sizeof(std::int64_t));
  const bool fits = places.front() >= 0 && std::is_sorted(places.begin(), places.end()) &&
                    static_cast<std::uint64_t>(places.back()) <= size;
  if (!fits) throw nb::value_error("offsets that do not increase or lie outside of the data");
  return mask_of(places.size() - 1, [&](auto kept) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto begin = static_cast<std::size_t>(places[i]);
      const std::string_view text =
          all.substr(begin, static_cast<std::size_t>(places[i + 1]) - begin);
      kept[i] = filter.matches(text) ? 1 : 0;
    }
  });
}

DecimalFilter bind_decimals(nb::handle comparisons) {
  std::string message;
  auto bound = DecimalFilter::bind(comparisons_of(comparisons), &message);
  return value_or_raise(std::move(bound), message);
}

}  // namespace

FilterComparison comparison_of(nb::handle given) {
  FilterComparison comparison;
  comparison.column = content_of(given[0]);
  auto op = table::filter_op_of(content_of(given[1]), nullptr, &comparison.negated);
  comparison.op = value_or_raise(std::move(op), "no operator");
  for (const nb::handle value : nb::object(given[2])) {
    comparison.values.push_back(value_of(value));
  }
  const auto* const join =
      std::find(std::begin(kJoins), std::end(kJoins), nb::cast<std::string_view>(given[3]));
  if (join == std::end(kJoins)) throw nb::value_error("no way to join comparisons");
  comparison.join = static_cast<table::FilterJoin>(join - std::begin(kJoins));
  const nb::object other = given[4];
  if (!other.is_none()) comparison.other = content_of(other);
  return comparison;
}

nb::tuple comparison_tuple(const FilterComparison& comparison) {
  nb::list values;
  for (const FilterValue& value : comparison.values) values.append(tuple_of(value));
  nb::object other = nb::none();
  if (comparison.other) other = nb::cast(*comparison.other);
  return nb::make_tuple(comparison.column, text_of(comparison.op, comparison.negated),
                        nb::tuple(values), kJoins[static_cast<std::size_t>(comparison.join)],
                        other);
}

void bind_filter(nb::module_& m) {
  nb::class_<NumberFilter>(m, "NumberFilter")
      .def_prop_ro("matches_null", &NumberFilter::matches_null)
      .def("mask", &number_mask, nb::arg("numbers"))
      .def("may_match", &may_match, nb::arg("min_latent"), nb::arg("max_latent"),
           nb::arg("nan_count"));
  nb::class_<TextFilter>(m, "TextFilter")
      .def_prop_ro("matches_null", &TextFilter::matches_null)
      .def("mask", &text_mask, nb::arg("offsets"), nb::arg("data"));
  nb::class_<DecimalFilter>(m, "DecimalFilter")
      .def_prop_ro("matches_null", &DecimalFilter::matches_null)
      .def("ranges", &DecimalFilter::ranges, nb::arg("precision"), nb::arg("scale"));
  m.def("parse_filter", &parse_filter, nb::arg("text"));
  m.def("filter_op", &filter_op, nb::arg("text"));
  m.def("bind_numbers", &bind_numbers, nb::arg("comparisons"), nb::arg("type"));
  nb::class_<PairFilter>(m, "PairFilter")
      .def("mask", &pair_mask, nb::arg("column"), nb::arg("other"));
  m.def("bind_pair", &bind_pair, nb::arg("comparison"), nb::arg("type"), nb::arg("other"));
  m.def("bind_texts", &bind_texts, nb::arg("comparisons"), nb::arg("is_bytes"));
  m.def("bind_decimals", &bind_decimals, nb::arg("comparisons"));
}

}  // namespace numpact::python

// SPDX-License-Identifier: Apache-2.0
// What arrays of Arrow's C data interface hold: descriptions of their types, numbers and texts.
// Types outlive the inputs that are made with them. Errors name `place`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "formats/arrow/arrow_table.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"

namespace numpact::cli {

// Metadata of a field or a schema; null: none.
Metadata metadata_in(const char* metadata);
// The description of a field. If there are lists of numbers, which only vectors take, their length
// is `dimension`, which is 1 here if the type does not state it.
Column describe(const ArrowField& field, const ArrowSchema& type, Purpose purpose);
// The length of lists that their type states; none: it does not state any.
std::optional<std::uint64_t> stated_length(const ArrowSchema& lists);
// The length of the first list of arrays; 0 if there is no list or it is null.
std::uint64_t first_length(const NextArray& next, const ArrowSchema& type,
                           const std::string& place);

// Rows of numbers in the buffers of an array.
struct Rows {
  const std::uint8_t* values = nullptr;
  const std::uint8_t* validity = nullptr;  // null: no row is null
  std::size_t first = 0;                   // in both
  std::size_t count = 0;
  std::size_t nulls = 0;
};
Rows rows_of(const ArrowArray& array, const std::string& place);

// The numbers of arrays of a type. `rows`: the row count, if known.
std::unique_ptr<NumberInput> read_arrays(NextArray next, const ArrowSchema& type,
                                         const Column& column, std::optional<std::uint64_t> rows,
                                         NullPolicy nulls, const std::string& place);

// The unit of 64 bits that holds timestamps of 96 bits, which are given as Arrow converts them to
// nanoseconds, microseconds and milliseconds: nanoseconds if they hold all timestamps; else
// microseconds if they do and no timestamp is finer.
TimeUnit unit_for(NextArray nanos, NextArray micros, NextArray millis, const std::string& place);

// Whether values of a type are texts or bytes, or categories of these.
bool has_texts(const ArrowSchema& type);
// Those of arrays of such a type, whose values were checked (ArrayOptions).
std::unique_ptr<TextInput> read_texts(NextArray next, const ArrowSchema& type, std::string place);

// Fails unless an array has the buffers and children of its type.
void check_array(const ArrowArray& array, std::int64_t buffers, std::int64_t children,
                 const std::string& place);
[[noreturn]] void refuse_array(const std::string& place);

}  // namespace numpact::cli

// SPDX-License-Identifier: Apache-2.0
// Manifests of tables, names of partitions, indexes of datasets. Entries are tuples, in the order
// of the fields in numpact/_remote/manifest.py.
#include "numpact/table.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/ipc_sizes.hpp"
#include "bindings.hpp"
#include "buffers.hpp"
#include "errors.hpp"
#include "manifest_tuple.hpp"
#include "numpact/table_dataset.hpp"
#include "numpact/trailer.hpp"

namespace nb = nanobind;

namespace numpact::python {
namespace {

nb::str text_of(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::bytes bytes_of(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// Each text follows its length, as 4 bytes: one object instead of many.
nb::bytes packed(const table::Metadata& metadata) {
  std::string made;
  const auto add = [&](const std::string& text) {
    for (int shift = 0; shift < 32; shift += 8) {
      made += static_cast<char>(text.size() >> shift & 0xff);
    }
    made += text;
  };
  for (const auto& [key, value] : metadata) {
    add(key);
    add(value);
  }
  return bytes_of(made);
}

table::Metadata unpacked(nb::handle from) {
  const auto bytes = nb::cast<nb::bytes>(from);
  const std::string_view all(bytes.c_str(), bytes.size());
  std::size_t at = 0;
  const auto next = [&] {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4 && at < all.size(); ++i, ++at) {
      size |= std::size_t{static_cast<unsigned char>(all[at])} << 8 * i;
    }
    const std::string_view text = all.substr(at, size);
    at += text.size();
    return std::string(text);
  };
  table::Metadata metadata;
  while (at < all.size()) {
    std::string key = next();
    metadata.emplace_back(std::move(key), next());
  }
  return metadata;
}

// The logical types of columns, of which many share one.
using LogicalTypes = std::map<std::string, nb::tuple>;

std::string text_type_of(const table::Column& column) {
  return column.text.empty() ? std::string() : table::type_text(column.text[0]);
}

nb::tuple logical_of(const table::Column& column, LogicalTypes& made) {
  const std::string_view unit = table::has_unit(column.kind) ? table::to_string(column.unit) : "";
  const std::string text_type = text_type_of(column);
  std::string key;
  for (const std::string_view part :
       {table::to_string(column.kind), name_of(column.type), unit,
        std::string_view(column.timezone), std::string_view(text_type)}) {
    key.append(part) += '\0';
  }
  const bool is_decimal = column.kind == table::Kind::kDecimal;
  const table::DecimalType decimal = is_decimal ? column.decimal : table::DecimalType{0, 0, 0};
  key += table::to_string(decimal);
  nb::tuple& found = made[key];
  if (found.size() == 0) {
    found = nb::make_tuple(text_of(table::to_string(column.kind)), text_of(name_of(column.type)),
                           text_of(unit), text_of(column.timezone), text_of(text_type),
                           decimal.precision, decimal.scale, decimal.bits);
  }
  return found;
}

nb::tuple tuple_of(const table::FileSum& sum) {
  nb::object crc = nb::none();
  if (sum.crc32) crc = nb::int_(*sum.crc32);
  return nb::make_tuple(sum.bytes, crc);
}

nb::tuple tuple_of(const table::Column& column, LogicalTypes& logical) {
  nb::list parts;
  for (const table::NumberPart& part : column.parts) {
    parts.append(nb::make_tuple(text_of(part.file), part.count, text_of(part.null_file),
                                part.null_count, tuple_of(part.sum), tuple_of(part.null_sum)));
  }
  nb::list texts;
  for (const table::TextFile& file : column.text) {
    texts.append(nb::make_tuple(text_of(file.file), file.count, tuple_of(file.sum)));
  }
  return nb::make_tuple(text_of(column.name), text_of(column.file), logical_of(column, logical),
                        column.count, text_of(column.null_file), column.null_count,
                        column.nulls_dropped, column.nullable, packed(column.metadata),
                        nb::tuple(parts), nb::tuple(texts));
}

nb::tuple tuple_of(const table::Part& part) {
  nb::list ends;
  nb::list crcs;
  for (const std::uint64_t end : part.ends) ends.append(end);
  for (const std::uint32_t crc : part.crc32) crcs.append(crc);
  return nb::make_tuple(text_of(part.file), part.rows, part.bytes, nb::tuple(ends),
                        nb::tuple(crcs));
}

nb::tuple tuple_of(const table::Other& other, LogicalTypes&) {
  nb::list parts;
  for (const table::Part& part : other.parts) parts.append(tuple_of(part));
  const bool is_exact = other.vectors == table::Vectors::kExact;
  return nb::make_tuple(text_of(other.name), other.position, text_of(other.type), other.rows,
                        nb::tuple(parts), text_of(is_exact ? "" : table::to_string(other.vectors)));
}

nb::tuple tuple_of(const table::Skipped& skipped, LogicalTypes&) {
  return nb::make_tuple(text_of(skipped.name), text_of(skipped.type), text_of(skipped.reason));
}

// Entries are moved out one by one, so that memory holds each once.
template <class Entry>
nb::list tuples_of(std::vector<Entry>& entries) {
  nb::list made;
  LogicalTypes logical;
  for (Entry& entry : entries) {
    made.append(tuple_of(entry, logical));
    entry = Entry();
  }
  return made;
}

[[noreturn]] void refuse(const Status& status, const std::string& name, const std::string& why) {
  if (why.empty()) raise_if_error(status, name);
  raise_error(status.kind(), name + ": " + why);
}

nb::tuple parse_manifest(nb::bytes text, const std::string& name) {
  std::string why;
  Result<table::Manifest> parsed = table::parse_manifest({text.c_str(), text.size()}, &why);
  if (!parsed.ok()) refuse(parsed.status(), name, why);
  return manifest_tuple(std::move(*parsed));
}

// The text of an object of str as UTF-8; bytes that no reader takes for halves of surrogate pairs.
std::string utf8_of(nb::handle text) {
  const auto bytes =
      nb::steal<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
  if (!bytes.is_valid()) throw nb::python_error();
  return std::string(bytes.c_str(), bytes.size());
}

table::FileSum sum_in(nb::handle entry) {
  table::FileSum sum{nb::cast<std::uint64_t>(entry[0]), std::nullopt};
  if (const nb::object crc = entry[1]; !crc.is_none()) sum.crc32 = nb::cast<std::uint32_t>(crc);
  return sum;
}

}  // namespace

table::ColumnType column_type(nb::handle logical) {
  table::ColumnType type;
  type.kind = table::kind_of_name(utf8_of(logical[0])).value_or(table::Kind::kNumber);
  type.type = number_type_of_name(utf8_of(logical[1])).value_or(NumberType::kU8);
  type.unit = table::unit_of_name(utf8_of(logical[2])).value_or(table::Unit::kSecond);
  type.timezone = utf8_of(logical[3]);
  if (type.kind == table::Kind::kDecimal) {
    type.decimal = {nb::cast<std::uint8_t>(logical[5]), nb::cast<std::uint8_t>(logical[6]),
                    nb::cast<std::uint16_t>(logical[7])};
  }
  return type;
}

table::Column column_in(nb::handle entry) {
  const auto logical = entry[2];
  const table::ColumnType type = column_type(logical);
  table::Column column;
  column.name = utf8_of(entry[0]);
  column.file = utf8_of(entry[1]);
  column.kind = type.kind;
  column.type = type.type;
  column.unit = type.unit;
  column.timezone = type.timezone;
  column.decimal = type.decimal;
  column.count = nb::cast<std::uint64_t>(entry[3]);
  column.null_file = utf8_of(entry[4]);
  column.null_count = nb::cast<std::uint64_t>(entry[5]);
  column.nulls_dropped = nb::cast<std::uint64_t>(entry[6]);
  column.nullable = nb::cast<bool>(entry[7]);
  column.metadata = unpacked(entry[8]);
  for (const nb::handle part : entry[9]) {
    table::NumberPart& made = column.parts.emplace_back();
    made.file = utf8_of(part[0]);
    made.count = nb::cast<std::uint64_t>(part[1]);
    made.null_file = utf8_of(part[2]);
    made.null_count = nb::cast<std::uint64_t>(part[3]);
    made.sum = sum_in(part[4]);
    made.null_sum = sum_in(part[5]);
  }
  for (const nb::handle file : entry[10]) {
    table::TextFile& made = column.text.emplace_back();
    made.file = utf8_of(file[0]);
    made.count = nb::cast<std::uint64_t>(file[1]);
    made.sum = sum_in(file[2]);
  }
  if (column.kind == table::Kind::kText && column.text.empty()) column.text.emplace_back();
  if (!column.text.empty() && !set_type(column.text[0], utf8_of(logical[4]))) {
    throw nb::value_error("no type of texts");
  }
  return column;
}

namespace {

table::Other other_in(nb::handle entry) {
  table::Other other;
  other.name = utf8_of(entry[0]);
  other.position = nb::cast<std::uint64_t>(entry[1]);
  other.type = utf8_of(entry[2]);
  other.rows = nb::cast<std::uint64_t>(entry[3]);
  for (const nb::handle part : entry[4]) {
    table::Part& made = other.parts.emplace_back();
    made.file = utf8_of(part[0]);
    made.rows = nb::cast<std::uint64_t>(part[1]);
    made.bytes = nb::cast<std::uint64_t>(part[2]);
    for (const nb::handle end : part[3]) made.ends.push_back(nb::cast<std::uint64_t>(end));
    for (const nb::handle crc : part[4]) made.crc32.push_back(nb::cast<std::uint32_t>(crc));
  }
  other.vectors = table::vectors_of_name(utf8_of(entry[5])).value_or(table::Vectors::kExact);
  return other;
}

nb::bytes manifest_text(nb::handle manifest) {
  std::string why;
  const Result<std::string> text = table::manifest_text(manifest_in(manifest), &why);
  if (!text.ok()) refuse(text.status(), table::kManifestName, why);
  return bytes_of(*text);
}

std::uint32_t crc32(nb::handle source) {
  const Bytes bytes(source);
  const nb::gil_scoped_release release;
  return checksum_of(bytes.span());
}

// The part of a manifest for a file of Arrow.
nb::tuple checked_part(nb::str name, nb::handle source, std::uint64_t rows,
                       const std::string& place) {
  const Bytes bytes(source);
  const std::string file = utf8_of(name);
  table::Part part;
  Status status;
  {
    const nb::gil_scoped_release release;
    status = table::checked_part(file, bytes.span(), rows).into(part);
  }
  raise_if_error(status, place);
  return tuple_of(part);
}

std::string partition_name(const std::string& column, const std::optional<std::string>& value,
                           bool is_whole) {
  std::string why;
  std::string name;
  const Status status = table::partition_name(column, value, is_whole, &why).into(name);
  if (!status.ok()) raise_error(status.kind(), why);
  return name;
}

// `read`: gives the size of a file and its last bytes, or all of them.
std::string dataset_entry(const std::string& path, nb::bytes manifest,
                          const std::vector<std::uint64_t>& coded, const nb::callable& read) {
  std::optional<Bytes> tail;
  const auto read_tail = [&](const std::string& file, bool is_whole) {
    const nb::object found = read(file, is_whole);
    tail.emplace(found[1]);
    return table::FileTail{nb::cast<std::uint64_t>(found[0]), tail->span()};
  };
  std::string text;
  raise_if_error(
      table::dataset_entry(path, {manifest.c_str(), manifest.size()}, coded, read_tail).into(text),
      path);
  return text;
}

nb::bytes dataset_index_text(const std::vector<std::pair<nb::bytes, std::string>>& tables) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& [schema, entry] : tables) {
    given.emplace_back(std::string(schema.c_str(), schema.size()), entry);
  }
  std::string text;
  raise_if_error(table::dataset_index_text(given).into(text));
  return nb::bytes(text.data(), text.size());
}

using internal::arrow::IpcSizes;

std::uint64_t known_size(const std::optional<std::uint64_t>& bytes) {
  if (!bytes) raise_error(ErrorKind::kCorrupt, "its messages cannot be read");
  return *bytes;
}

// `read`: gives the bytes from a position to before another one.
void make_sizes(IpcSizes* made, nb::callable read, std::uint64_t size) {
  auto sizes = IpcSizes::of(
      [read = std::move(read)](std::uint64_t offset, std::span<std::byte> out) {
        const Bytes bytes(read(offset, offset + out.size()));
        if (bytes.span().size() != out.size()) return false;
        std::copy_n(bytes.span().begin(), out.size(), out.begin());
        return true;
      },
      size);
  if (!sizes) known_size(std::nullopt);
  new (made) IpcSizes(*std::move(sizes));
}

}  // namespace

nb::tuple manifest_tuple(table::Manifest manifest) {
  return nb::make_tuple(manifest.version, tuples_of(manifest.columns), tuples_of(manifest.others),
                        tuples_of(manifest.skipped), packed(manifest.metadata));
}

nb::tuple part_tuple(const table::Part& part) { return tuple_of(part); }

table::Manifest manifest_in(nb::handle tuple) {
  table::Manifest manifest;
  for (const nb::handle entry : tuple[0]) manifest.columns.push_back(column_in(entry));
  for (const nb::handle entry : tuple[1]) manifest.others.push_back(other_in(entry));
  for (const nb::handle entry : tuple[2]) {
    manifest.skipped.push_back({utf8_of(entry[0]), utf8_of(entry[1]), utf8_of(entry[2])});
  }
  manifest.metadata = unpacked(tuple[3]);
  return manifest;
}

void bind_table(nb::module_& m) {
  m.attr("MAX_MANIFEST_BYTES") = table::kMaxManifestBytes;
  m.def("parse_manifest", &parse_manifest, nb::arg("text"), nb::arg("name"));
  m.def("manifest_text", &manifest_text, nb::arg("manifest"));
  m.def("crc32", &crc32, nb::arg("source"));
  m.def("checked_part", &checked_part, nb::arg("name"), nb::arg("source"), nb::arg("rows"),
        nb::arg("place"));
  m.attr("DATASET_INDEX") = table::kDatasetIndexName;
  m.attr("MAX_DATASET_INDEX_BYTES") = table::kMaxDatasetIndexBytes;
  m.attr("MAX_PARTITIONS") = table::kMaxPartitions;
  m.attr("MAX_PARTITION_DIGITS") = table::kMaxPartitionDigits;
  m.attr("NULL_PARTITION") = table::kNullPartition;
  m.def(
      "is_partition",
      [](nb::bytes name) {
        return table::is_partition({name.c_str(), name.size()});
      },
      nb::arg("name"));
  m.def("partition_name", &partition_name, nb::arg("column"), nb::arg("value").none(),
        nb::arg("is_whole"));
  m.def("dataset_entry", &dataset_entry, nb::arg("path"), nb::arg("manifest"), nb::arg("coded"),
        nb::arg("read"));
  m.def("dataset_index_text", &dataset_index_text, nb::arg("tables"));
  nb::class_<IpcSizes>(m, "IpcSizes")
      .def("__init__", &make_sizes, nb::arg("read"), nb::arg("size"))
      .def("dictionaries", [](IpcSizes& sizes) { return known_size(sizes.dictionaries()); })
      .def(
          "batch",
          [](const IpcSizes& sizes, std::size_t index) { return known_size(sizes.batch(index)); },
          nb::arg("index"));
}

}  // namespace numpact::python

// SPDX-License-Identifier: Apache-2.0
// Names of folders by values, and the index of a dataset.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "errors.hpp"
#include "numpact/table_dataset.hpp"

namespace numpact::python {
namespace {

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

}  // namespace

void bind_dataset(nb::module_& m) {
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
}

}  // namespace numpact::python

// SPDX-License-Identifier: Apache-2.0
#include "pco/table_folder.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "commands/encode_options.hpp"
#include "failure.hpp"

namespace numpact::cli {

TableFolder::TableFolder(const std::string& path) {
  table::Failure failure;
  const Status status = table::Reader::open(path, {}, &failure).into(reader_);
  if (status.ok()) {
    for (const ManifestEntry& entry : columns()) names_.push_back(entry.name());
    return;
  }
  const std::string_view kind = to_string(status.kind());
  if (status.kind() != ErrorKind::kIo && !failure.text.starts_with(kind)) {
    failure.text = fmt::format("{}: {}", kind, failure.text);
  }
  fail_table(status, failure, failure.file);
}

std::size_t TableFolder::find(const std::string& name) const {
  return find_name(names_, reader_.path(), name);
}

std::vector<std::size_t> TableFolder::find_all(const std::string& names) const {
  std::vector<std::size_t> found;
  if (names.empty()) {
    for (std::size_t i = 0; i < columns().size(); ++i) found.push_back(i);
  } else {
    for (const std::string& name : split_names("--columns", names)) found.push_back(find(name));
  }
  return found;
}

FileRef TableFolder::file(const std::string& name) const {
  table::Failure failure{path_of(name), "", ""};
  auto opened = reader_.files()->open(name, failure.text);
  if (!opened.ok()) fail_table(opened.status(), failure, failure.file);
  return std::make_shared<const OpenFile>(*std::move(opened), failure.file);
}

}  // namespace numpact::cli

// SPDX-License-Identifier: Apache-2.0
#include "commands/other_column.hpp"

#include <fmt/format.h>

#include <memory>

#include "failure.hpp"
#include "numpact/trailer.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

// Commits a file of the folder and describes it. What is read back must be what was written, so
// that its checksums are those of the written bytes.
ManifestOther finish_other(const OutputFolder& folder, const std::string& column,
                           const std::string& name, const OtherColumn& written, OutputFile& file) {
  file.commit(TemporaryPath::Sync::kLater);
  const FileBytes bytes(folder.path_of(name));
  const std::string place = column_place(folder.name_of(name), column);
  if (checksum_of(bytes.bytes()) != file.checksum()) {
    throw Failure(ExitCode::kFailure, place, "the file does not read as what was written");
  }
  ManifestOther other;
  other.name = column;
  other.type = written.type;
  other.rows = written.rows;
  check(table::checked_part(name, bytes.bytes(), written.rows).into(other.parts.emplace_back()),
        place);
  return other;
}

}  // namespace

ManifestOther write_other_column(TableInput& table, std::size_t index, const OutputFolder& folder,
                                 const std::string& name) {
  OutputFile file(folder, name);
  file.keep_checksum();
  const OtherColumn written = table.write_other(index, file);
  return finish_other(folder, table.columns()[index].name, name, written, file);
}

ManifestOther append_other_column(TableInput& table, std::size_t index, const LockedTable& old,
                                  const ManifestOther& before, const OutputFolder& folder,
                                  const std::string& place) {
  // The new rows go to a file of their own first.
  const std::string new_name = before.first_file() + ".new";
  const ManifestOther added = write_other_column(table, index, folder, new_name);
  const OtherFile new_rows{added.name, open_file(folder.path_of(new_name)), added.rows,
                           added.parts.front(),
                           fmt::format("{}, appended to {}", place, folder.name())};
  OutputFile file(folder, before.first_file());
  file.keep_checksum();
  const OtherColumn written = join_others(old.other(before).front(), new_rows, file);
  ManifestOther joined = finish_other(folder, before.name, before.first_file(), written, file);
  if (!platform::remove_file(folder.path_of(new_name))) {
    fail_errno(folder.name_of(new_name), "cannot be removed");
  }
  return joined;
}

void verify_other_columns(const OutputFolder& folder, const std::vector<ManifestOther>& others) {
  if (others.empty()) return;
  std::vector<OtherFiles> files;
  for (const ManifestOther& other : others) {
    OtherFiles& parts = files.emplace_back();
    for (const table::Part& part : other.parts) {
      parts.push_back({other.name, open_file(folder.path_of(part.file)), part.rows, part,
                       column_place(folder.name_of(part.file), other.name)});
    }
  }
  const std::unique_ptr<OtherReader> reader = open_others(files);
  for (std::size_t i = 0; i < files.size(); ++i) reader->check(i);
}

}  // namespace numpact::cli

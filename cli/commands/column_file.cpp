// SPDX-License-Identifier: Apache-2.0
#include "commands/column_file.hpp"

#include "commands/append_types.hpp"
#include "failure.hpp"
#include "numbers/null_runs.hpp"
#include "pco/null_file.hpp"

namespace numpact::cli {

std::uint64_t write_column(NumberInput& numbers, const OutputFolder& folder,
                           const WriteOptions& options, const std::string& place,
                           ManifestColumn& entry) {
  OutputFile file(folder, entry.file);
  NullFileWriter null_file;
  NullRuns* const runs = numbers.null_runs();
  WriteOptions write_options = options;
  if (runs != nullptr) write_options.after_block = [&] { null_file.take(*runs); };
  const WrittenFile written = write_pco(numbers, entry.column.type, file, write_options, place);
  file.commit(TemporaryPath::Sync::kLater);
  entry.count = written.count;
  if (runs == nullptr) {
    entry.nulls_dropped = numbers.null_count();
    return written.bytes;
  }
  if (runs->nulls() == 0) return written.bytes;
  runs->finish();
  null_file.take(*runs);
  entry.null_count = runs->nulls();
  entry.null_file = table::null_file_name(entry.file);
  return written.bytes + null_file.write(folder, entry.null_file, options, place).bytes;
}

std::uint64_t append_column(NumberInput& numbers, const LockedTable& old,
                            const ManifestColumn& before, const OutputFolder& folder,
                            const WriteOptions& options, const std::string& place,
                            ManifestColumn& entry) {
  OutputFile file(folder, entry.file);
  NullFileWriter null_file;
  JoinedRuns runs;
  add_old_rows(old, before, runs);
  WriteOptions write_options = options;
  write_options.append_to = old.file(before.file);
  write_options.append_name = old.path_of(before.file);
  keep_restart_points(write_options);
  write_options.after_block = [&] {
    if (numbers.null_runs() != nullptr) runs.take(*numbers.null_runs());
    null_file.take(runs.all());
  };
  const WrittenFile written = write_pco(numbers, entry.column.type, file, write_options, place);
  file.commit(TemporaryPath::Sync::kLater);
  entry.count += written.count;
  if (numbers.null_runs() != nullptr) {
    numbers.null_runs()->finish();
    runs.take(*numbers.null_runs());
  } else {
    runs.all().add_numbers(written.count);
  }
  runs.all().finish();
  null_file.take(runs.all());
  entry.null_count = runs.all().nulls();
  if (entry.null_count == 0) return written.bytes;
  if (!entry.column.nullable) {
    throw Failure(ExitCode::kFailure, place, "has nulls, which the folder's column excludes");
  }
  entry.null_file = table::null_file_name(entry.file);
  return written.bytes + null_file.write(folder, entry.null_file, options, place).bytes;
}

}  // namespace numpact::cli

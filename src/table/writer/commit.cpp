// SPDX-License-Identifier: Apache-2.0
// Completes what a TableWriter has written, and makes it the table in one step.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/executor.hpp"
#include "numpact/file_access.hpp"
#include "platform/folders.hpp"
#include "platform/paths.hpp"
#include "platform/replacement.hpp"
#include "platform/temporary.hpp"
#include "table/part_names.hpp"
#include "table/writer/state.hpp"

namespace numpact::table {

namespace platform = internal::platform;

namespace {

// Concurrent syncs share the work of the file system.
constexpr unsigned kSyncThreads = 32;

Status system_error(const char* what) { return Status(ErrorKind::kIo, what).because_of(errno); }

}  // namespace

std::vector<NewFile*> TableWriter::State::new_files() {
  std::vector<NewFile*> files;
  for (State::Written& column : columns) {
    if (column.numbers != nullptr) column.numbers->list(files);
    if (column.other != nullptr) files.push_back(column.other.get());
    if (column.text_file != nullptr) files.push_back(column.text_file.get());
  }
  return files;
}

Status TableWriter::State::check_rows(Failure* failure) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].has_failed) return refuse(failure, i, "an earlier write has failed");
    if (columns[i].rows() != columns[0].rows()) {
      return refuse(failure, i,
                    "has " + std::to_string(columns[i].rows()) + " new rows, column \"" +
                        entries[0].name() + "\" has " + std::to_string(columns[0].rows()));
    }
  }
  return {};
}

Status TableWriter::State::finish_columns(Failure* failure) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_left(i) || columns[i].is_finished) continue;
    if (columns[i].texts == nullptr) {
      if (entries[i].other != nullptr) return refuse(failure, i, "was not written");
      // A column of texts without a file of them begins with its texts.
      const table::Column& numbers = *entries[i].numbers;
      const bool has_texts = numbers.kind == Kind::kText && !numbers.text.at(0).file.empty();
      if (numbers.kind != Kind::kText || (!is_new() && has_texts)) NUMPACT_TRY(begin(i, failure));
    }
    NUMPACT_TRY(finish(i, 0, failure));
  }
  return {};
}

Status TableWriter::State::add_number_part(const ColumnPlan& planned, const NumberPart& made,
                                           table::Column& column, Failure* failure) {
  std::vector<NumberPart> parts = column.all_parts();
  parts.resize(planned.kept);
  for (NumberPart& part : parts) {
    // A file that was not listed as a part: it is not read, but its size is known from now on.
    const auto note_size = [&](const std::string& file, FileSum& sum) -> Status {
      platform::FileInfo info;
      if (sum.bytes > 0) return {};
      if (!platform::look_at(folder + "/" + file, info)) {
        return fail(failure, system_error("the file cannot be found"), file, column.name);
      }
      sum.bytes = info.bytes;
      return {};
    };
    NUMPACT_TRY(note_size(part.file, part.sum));
    if (part.null_count > 0) NUMPACT_TRY(note_size(part.null_file, part.null_sum));
  }
  parts.push_back(made);
  column.count = column.null_count = 0;
  for (const NumberPart& part : parts) {
    column.count += part.count;
    column.null_count += part.null_count;
  }
  const bool is_one = parts.size() == 1;
  column.file = is_one ? made.file : "";
  column.null_file = is_one ? made.null_file : "";
  column.parts = is_one ? std::vector<NumberPart>() : std::move(parts);
  return {};
}

// The name of a file says whether it is one of Arrow or of vectors, which its content decides.
Status TableWriter::State::name_other(std::size_t column) {
  NewFile& written = *columns[column].other;
  {
    MappedFile file;  // Windows renames no file that is mapped
    NUMPACT_TRY(MappedFile::open(written.path()).into(file));
    if (!is_vector_file(file.bytes())) return {};
  }
  std::string& name = plan.columns[column].file;
  name.resize(name.rfind('.'));
  name += kVectorEnding;
  return written.rename(folder + "/" + name);
}

Status TableWriter::State::add_other_part(const ColumnPlan& planned, State::Written& made,
                                          Other& other, Failure* failure) {
  other.parts.resize(planned.kept);
  other.rows += made.new_rows;
  other.type = made.type;
  for (Part& part : other.parts) {
    if (part.has_checksums()) continue;  // version 3 has none
    MappedFile file;
    Status status = MappedFile::open(folder + "/" + part.file).into(file);
    if (status.ok()) status = checked_part(part.file, file.bytes(), part.rows).into(part);
    if (!status.ok()) return fail(failure, status, part.file, other.name);
  }
  other.parts.push_back(made.other_part);
  return {};
}

// The manifest of the new table.
Status TableWriter::State::describe(Failure* failure) {
  after = plan.after;
  after.columns.clear();
  after.others.clear();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_coded = columns[i].text && columns[i].coded;
    if (entries[i].other != nullptr && !is_coded) {
      Other& other = after.others.emplace_back(*entries[i].other);
      other.position = i;
      if (!is_left(i)) NUMPACT_TRY(add_other_part(plan.columns[i], columns[i], other, failure));
      continue;
    }
    table::Column& column = after.columns.emplace_back(described_of(i));
    if (is_left(i)) continue;
    if (columns[i].text) column.text = {*columns[i].text};
    if (!is_new() && !is_coded) {
      NUMPACT_TRY(add_number_part(plan.columns[i], columns[i].number_part, column, failure));
    } else {
      const NumberPart& made = columns[i].number_part;
      column.file = made.file;
      column.null_file = made.null_file;
      column.count = made.count;
      column.null_count = made.null_count;
      column.nulls_dropped += columns[i].dropped;
    }
  }
  return {};
}

Status TableWriter::State::sync_files(const std::vector<NewFile*>& files, Failure* failure) {
  struct Shared {
    const std::vector<NewFile*>& files;
    std::vector<Status> statuses;
  } shared{files, std::vector<Status>(files.size())};
  const auto task = [](void* argument, std::size_t i) noexcept {
    Shared& all = *static_cast<Shared*>(argument);
    all.statuses[i] = all.files[i]->sync();
  };
  ThreadExecutor(
      std::min(kSyncThreads, static_cast<unsigned>(std::max<std::size_t>(1, files.size()))))
      .run(files.size(), task, &shared);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Status& status = shared.statuses[i];
    if (!status.ok()) {
      return fail(failure, status, platform::name_part(files[i]->path()), "");
    }
  }
  return {};
}

Status TableWriter::State::write_manifest(NewFile& file, const std::string& at, Failure* failure) {
  std::string why;
  std::string text;
  Status status = manifest_text(after, &why).into(text);
  if (!status.ok()) return fail(failure, status, kManifestName, "", why);
  status = file.create(at, plan.kind != WritePlan::Kind::kCreate);
  if (status.ok()) status = file.write(std::as_bytes(std::span(text)));
  if (status.ok()) status = file.close();
  return status.ok() ? status : fail(failure, status, kManifestName, "");
}

// Completes the columns of numbers that the new rows do not have.
Status TableWriter::State::write_absent(Failure* failure) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (plan.columns[i].source) rows = columns[i].rows();
  }
  for (std::size_t i = 0; i < columns.size() && rows > 0; ++i) {
    State::Written& column = columns[i];
    if (plan.columns[i].source || entries[i].numbers == nullptr || column.has_failed) continue;
    column.has_failed = true;
    NUMPACT_TRY(begin(i, failure));
    if (const Status status = column.numbers->add_run(true, rows); !status.ok()) {
      return fail(failure, status, plan.columns[i].null_file, entries[i].name());
    }
    column.new_rows = rows;
    column.has_failed = false;
  }
  return {};
}

// Of an append without rows, leaves the columns that are as before.
void TableWriter::State::leave_unchanged() {
  const std::vector<ColumnEntry> old_entries = internal::entries_of(plan.before);
  for (std::size_t i = 0; i < old_entries.size(); ++i) {
    const ColumnEntry& was = old_entries[i];
    const ColumnEntry& is = entries[i];
    const bool is_same =
        was.numbers != nullptr && is.numbers != nullptr
            ? *was.numbers == *is.numbers
            : was.other != nullptr && is.other != nullptr && *was.other == *is.other;
    if (!is_same) continue;
    columns[i] = {};
    columns[i].is_left = true;
  }
}

Status TableWriter::State::commit(Failure* failure) {
  if (is_committed) return refuse(failure, entries.size(), "the table was written already");
  if (plan.kind == WritePlan::Kind::kAppend) NUMPACT_TRY(write_absent(failure));
  NUMPACT_TRY(check_rows(failure));
  const bool has_copies =
      std::any_of(plan.columns.begin(), plan.columns.end(),
                  [](const ColumnPlan& column) { return column.copied_rows() > 0; });
  const bool has_rows = !columns.empty() && columns[0].rows() > 0;
  const bool has_changes =
      plan.kind == WritePlan::Kind::kCompact ? has_copies : has_rows || plan.after != plan.before;
  if (!is_new() && !has_changes) {
    after = plan.before;
    columns.clear();
    is_committed = true;
    lock.release();
    turn.release();
    return {};
  }
  if (plan.kind == WritePlan::Kind::kAppend && !has_rows) leave_unchanged();
  NUMPACT_TRY(finish_columns(failure));
  NUMPACT_TRY(describe(failure));
  return is_new() ? commit_folder(failure) : commit_append(failure);
}

// New files, and a manifest that takes the place of the old one.
Status TableWriter::State::commit_append(Failure* failure) {
  const std::vector<std::string> now = internal::files_of(after);
  const std::set<std::string> named(now.begin(), now.end());
  std::vector<std::string> removed;
  after.obsolete.clear();
  for (const std::string& file : internal::files_of(plan.before)) {
    if (named.contains(file)) continue;
    removed.push_back(file);
    if (!internal::is_part_name(file)) after.obsolete.push_back(file);
  }
  NewFile manifest;
  const std::string hidden =
      platform::hidden_name(folder + "/", kManifestName, internal::new_tag());
  NUMPACT_TRY(write_manifest(manifest, hidden, failure));
  std::vector<NewFile*> files = new_files();
  files.push_back(&manifest);
  for (NewFile* const file : files) {
    const Status status = file->take_access_of(lock.path());
    if (!status.ok()) return fail(failure, status, "", "");
  }
  NUMPACT_TRY(sync_files(files, failure));
  platform::sync_folder(folder);
  if (config.before_replacing) config.before_replacing();
  const Status status = lock.replace(hidden);
  if (!status.ok()) return fail(failure, status, kManifestName, "");
  // From here on the new table is there.
  is_committed = true;
  for (NewFile* const file : files) file->keep();
  old.reset();  // Windows removes no file that is mapped
  platform::sync_folder(folder);
  for (const std::string& file : removed) platform::remove_file(folder + "/" + file);
  lock.release();
  turn.release();
  return {};
}

// The files of a folder that is replaced; fails if it has others than those of a table.
Status TableWriter::State::old_files(std::set<std::string>& files, Failure* failure) const {
  const auto refuse_for = [&](const std::string& what) {
    const Status status(ErrorKind::kInvalidArgument, "the folder is not only a table");
    return fail(failure, status.because_of(EEXIST), "", "",
                "exists already and " + what + ": not overwritten");
  };
  const auto no_table = [&](const std::string& name) {
    return refuse_for("is not a folder of numpact (it holds '" + name + "')");
  };
  internal::FolderNames names;
  NUMPACT_TRY(internal::list_names(path, names));
  if (names.files.empty() && names.others.empty()) return {};
  if (std::find(names.files.begin(), names.files.end(), kManifestName) == names.files.end()) {
    return no_table(names.files.empty() ? names.others[0] : names.files[0]);
  }
  MappedFile file;
  Manifest manifest;
  Status status = MappedFile::open(path + "/" + kManifestName).into(file);
  const auto* const text = reinterpret_cast<const char*>(file.bytes().data());
  if (status.ok()) status = parse_manifest({text, file.bytes().size()}).into(manifest);
  if (!status.ok()) return no_table(kManifestName);
  const std::vector<std::string> left = left_files(manifest, names.files);
  const std::vector<std::string> named = internal::files_of(manifest);
  files.insert(kManifestName);
  files.insert(left.begin(), left.end());
  files.insert(named.begin(), named.end());
  names.files.insert(names.files.end(), names.others.begin(), names.others.end());
  for (const std::string& name : names.files) {
    const bool is_file =
        std::find(names.others.begin(), names.others.end(), name) == names.others.end();
    if (!is_file || !files.contains(name)) {
      return refuse_for("holds '" + name + "', which is not part of the table");
    }
  }
  return {};
}

// Files get the access of those that they replace, others that of the old manifest, and the folder
// comes last, so that nobody else gets into it before.
Status TableWriter::State::take_access(const std::vector<NewFile*>& files,
                                       const std::set<std::string>& old_names, Failure* failure) {
  if (old_names.empty()) return {};
  for (NewFile* const file : files) {
    const std::string name = platform::name_part(file->path());
    const Status status = file->take_access_of(
        path + "/" + (old_names.contains(name) ? name : std::string(kManifestName)));
    if (!status.ok()) return fail(failure, status, name, "");
  }
  return {};
}

Status TableWriter::State::commit_folder(Failure* failure) {
  NewFile manifest;
  NUMPACT_TRY(write_manifest(manifest, folder + "/" + kManifestName, failure));
  return publish(new_files(), manifest, failure);
}

// Gives the folder its name. `files`: all of it but the manifest.
Status TableWriter::State::publish(const std::vector<NewFile*>& made, NewFile& manifest,
                                   Failure* failure) {
  std::vector<NewFile*> files = made;
  files.push_back(&manifest);
  std::set<std::string> replaced_files;
  Status status;
  if (is_there) {
    status = internal::wait_for_turn(path, config.lock, turn);
    platform::FileInfo found;
    const std::string old_manifest = path + "/" + kManifestName;
    if (status.ok() && platform::look_at(old_manifest, found) && found.is_regular()) {
      status = lock.lock(old_manifest, config.lock);
    }
    if (!status.ok()) return fail(failure, status, "", "");
    NUMPACT_TRY(old_files(replaced_files, failure));
    NUMPACT_TRY(take_access(files, replaced_files, failure));
  }
  NUMPACT_TRY(sync_files(files, failure));
  platform::sync_folder(folder);
  if (is_there) {
    const int descriptor = platform::open_to_take_access(folder);
    if (descriptor < 0) return fail(failure, system_error("the folder cannot be opened"), "", "");
    status = numpact::take_access(descriptor, path);
    platform::close_file(descriptor);
    if (!status.ok()) return fail(failure, status, "", "");
  }
  if (config.before_replacing) config.before_replacing();
  const std::string parent = platform::folder_part(path);
  std::string replaced;
  bool is_done = false;
  if (is_there) {
    // The lock has the old manifest open. Those that replace the folder wait for the turn first.
    if (!platform::open_folders_move()) lock.release();
    const std::string spare = platform::hidden_name(parent.empty() ? "" : parent + "/",
                                                    platform::name_part(path), internal::new_tag());
    is_done = platform::exchange_folders(folder, path, spare, replaced);
  } else {
    is_done = platform::rename_to_free_name(folder, path);
  }
  if (!is_done) return fail(failure, system_error("the folder cannot get its name"), "", "");
  is_committed = true;
  folder = path;
  for (NewFile* const file : files) file->keep();
  if (is_there) {
    for (const std::string& file : replaced_files) {
      platform::remove_file((replaced + "/").append(file));
    }
    if (!platform::remove_old_folder(replaced)) leftover = replaced;
  }
  platform::sync_folder(parent.empty() ? "." : parent);
  lock.release();
  turn.release();
  return {};
}

Status TableWriter::State::move(const std::string& made, const std::string& target,
                                Failure* failure) {
  NUMPACT_TRY(look_at_target(target, true, failure));
  internal::FolderNames names;
  Status status = internal::list_names(made, names);
  if (!status.ok()) return fail(failure, status, "", "");
  std::vector<std::unique_ptr<NewFile>> files;
  std::vector<NewFile*> listed;
  NewFile manifest;
  for (const std::string& name : names.files) {
    if (name == kManifestName) continue;
    listed.push_back(files.emplace_back(std::make_unique<NewFile>()).get());
    listed.back()->adopt((made + "/").append(name));
  }
  if (listed.size() == names.files.size()) {
    status = Status(ErrorKind::kIo, "there is no manifest").because_of(ENOENT);
    return fail(failure, status, kManifestName, "");
  }
  manifest.adopt((made + "/").append(kManifestName));
  folder = made;
  is_committed = true;  // it is another's folder, which stays if this fails
  return publish(listed, manifest, failure);
}

Status move_table(const std::string& made, const std::string& folder, const LockConfig& lock,
                  Failure* failure, std::string* leftover) noexcept {
  return internal::guarded([&] {
    TableWriter::State state;
    state.config.lock = lock;
    const Status status = state.move(made, folder, failure);
    if (leftover != nullptr) *leftover = state.leftover;
    return status;
  });
}

}  // namespace numpact::table

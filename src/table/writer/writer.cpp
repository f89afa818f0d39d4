// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/file_access.hpp"
#include "platform/folders.hpp"
#include "platform/paths.hpp"
#include "platform/processes.hpp"
#include "platform/temporary.hpp"
#include "table/part_names.hpp"
#include "table/writer/state.hpp"

namespace numpact::internal {
namespace {

constexpr std::chrono::milliseconds kTurnPause{10};

}  // namespace

Status wait_for_turn(const std::string& folder, const LockConfig& config,
                     platform::FolderTurn& turn) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (int error = turn.take(folder); error != 0; error = turn.take(folder)) {
    if (error != EWOULDBLOCK) {
      return Status(ErrorKind::kIo, "the folder cannot be written to").because_of(error);
    }
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    if (config.timeout && waited >= *config.timeout) {
      return Status(ErrorKind::kTimedOut, "the folder is being written by another process");
    }
    if (config.while_waiting && !config.while_waiting(waited)) {
      return Status(ErrorKind::kCancelled, "waiting for the folder was stopped");
    }
    std::this_thread::sleep_for(kTurnPause);
  }
  return {};
}

}  // namespace numpact::internal

namespace numpact::table {

using internal::NumberPartFiles;
using internal::value_type_of;
using internal::Widening;

namespace {

// Columns up to which all files stay open: each may take two descriptors, of which processes often
// have 1,024.
constexpr std::size_t kMaxOpenColumns = 256;
// Numbers that are converted at once.
constexpr std::size_t kConvertedNumbers = std::size_t{1} << 14;

}  // namespace

TableWriter::State::~State() {
  columns.clear();  // removes files that were not kept
  if (!is_committed && !folder.empty() && folder != path) internal::platform::remove_all(folder);
}

void TableWriter::State::list_entries() {
  entries = internal::entries_of(plan.after);
  columns.clear();
  columns.resize(entries.size());
}

Status TableWriter::State::open_table(const std::string& target, bool joins_all, Failure* failure) {
  path = internal::platform::without_end_separators(target);
  internal::platform::FileInfo found;
  const bool is_found = internal::platform::look_at(path, found);
  if (!is_found || !found.is_folder()) {
    const int error = is_found ? ENOTDIR : errno;
    return fail(failure, Status(ErrorKind::kIo, "it is no folder").because_of(error), "", "");
  }
  Status status = follow_links(path).into(path);
  if (status.ok()) status = internal::wait_for_turn(path, config.lock, turn);
  if (status.ok()) status = lock.lock(path + "/" + kManifestName, config.lock);
  if (!status.ok()) return fail(failure, status, "", "");
  if (!lock.has_file()) {
    return fail(failure, Status(ErrorKind::kIo, "there is no manifest").because_of(ENOENT),
                kManifestName, "");
  }
  if (internal::platform::folder_part(lock.path()) != path) {
    return fail(failure, Status(ErrorKind::kCorrupt, "it is a link that leads out of the folder"),
                kManifestName, "");
  }
  folder = path;
  std::string why;
  status = internal::Folder::open(path, old, why);
  if (!status.ok()) return fail(failure, status, "", "", why);
  std::unique_ptr<RangeSource> source;
  status = old->open(kManifestName, why).into(source);
  Manifest before;
  if (status.ok()) {
    const std::span<const std::byte> text = *source->bytes();
    status = parse_manifest({reinterpret_cast<const char*>(text.data()), text.size()}, &why)
                 .into(before);
  }
  if (!status.ok()) return fail(failure, status, kManifestName, "", why);
  internal::FolderNames names;
  status = internal::list_names(path, names);
  if (status.ok()) {
    const std::uint32_t tag = internal::new_tag();
    status = (joins_all ? plan_compaction(before, names.files, tag, &why)
                        : plan_append(before, names.files, tag, &why))
                 .into(plan);
  }
  if (!status.ok()) return fail(failure, status, "", "", why);
  // Without a lock they may be those of a writer that is at work.
  if (!lock.is_held()) plan.leftovers.clear();
  for (const std::string& name : plan.leftovers) {
    internal::platform::remove_file(path + "/" + name);
  }
  list_entries();
  return hold_copied();
}

Status TableWriter::State::hold_copied() {
  std::vector<std::string> copied;
  for (const ColumnPlan& planned : plan.columns) {
    for (const NumberPart& part : planned.numbers) {
      copied.push_back(part.file);
      if (part.null_count > 0) copied.push_back(part.null_file);
    }
  }
  // Columns of texts read the old ones, and their numbers if these become wider. They may be
  // finished by several threads, so nothing is held later.
  for (const table::Column& column : plan.before.columns) {
    if (column.text.empty()) continue;
    copied.push_back(column.text[0].file);
    for (const NumberPart& part : column.all_parts()) {
      copied.push_back(part.file);
      if (part.null_count > 0) copied.push_back(part.null_file);
    }
  }
  return old->hold(copied);
}

bool TableWriter::State::has_begun() const {
  return std::any_of(columns.begin(), columns.end(), [](const Written& column) {
    return column.numbers != nullptr || column.other != nullptr || column.texts != nullptr;
  });
}

Status TableWriter::State::set_rows(const Manifest& rows, SchemaChange allowed, Failure* failure) {
  if (plan.kind != WritePlan::Kind::kAppend || is_committed || has_begun()) {
    return refuse(failure, entries.size(), "only an append that has not begun takes columns");
  }
  std::string why;
  WritePlan made;
  const Status status =
      plan_append(plan.before, rows, allowed, {}, internal::new_tag(), &why).into(made);
  if (!status.ok()) return fail(failure, status, "", "", why);
  made.leftovers = std::move(plan.leftovers);
  plan = std::move(made);
  list_entries();
  return hold_copied();
}

Status TableWriter::State::rewrite_other(std::size_t column, const std::string& type,
                                         Failure* failure) {
  if (column >= entries.size() || entries[column].other == nullptr || is_new() ||
      columns[column].other != nullptr) {
    return refuse(failure, column, "is no other column that can get another type");
  }
  Other& described =
      plan.after.others[static_cast<std::size_t>(entries[column].other - plan.after.others.data())];
  described.type = type;
  plan.columns[column].kept = 0;
  plan.columns[column].others = described.parts;
  return {};
}

bool TableWriter::State::stays_open() const { return entries.size() <= kMaxOpenColumns; }

// Sets the path of a new table, and whether there is a folder that it replaces.
Status TableWriter::State::look_at_target(const std::string& target, bool may_replace,
                                          Failure* failure) {
  path = internal::platform::without_end_separators(target);
  Status status = follow_links(path).into(path);
  if (!status.ok()) return fail(failure, status, "", "");
  internal::platform::FileInfo found;
  is_there = internal::platform::look_at(path, found);
  plan.kind = is_there ? WritePlan::Kind::kReplace : WritePlan::Kind::kCreate;
  if (is_there) {
    const Status exists =
        Status(ErrorKind::kInvalidArgument, "it exists already").because_of(EEXIST);
    if (!may_replace) return fail(failure, exists, "", "", "exists already");
    if (!found.is_folder()) {
      return fail(failure, exists, "", "",
                  "exists already and is not a folder of numpact: not overwritten");
    }
    std::set<std::string> ignored;
    NUMPACT_TRY(old_files(ignored, failure));
  }
  return {};
}

Status TableWriter::State::begin_table(const std::string& target, bool may_replace,
                                       Failure* failure) {
  NUMPACT_TRY(look_at_target(target, may_replace, failure));
  Manifest& before = plan.before;
  for (table::Column& column : before.columns) {
    column.parts.clear();
    column.file.clear();
    column.null_file.clear();
    column.count = column.null_count = 0;
    for (TextFile& texts : column.text) texts = texts.without_file();
  }
  for (Other& other : before.others) {
    other.parts.clear();
    other.rows = 0;
  }
  before.obsolete.clear();
  plan.after = before;
  list_entries();
  FileNames names;
  for (const ColumnEntry& entry : entries) {
    ColumnPlan& planned = plan.columns.emplace_back();
    planned.source = plan.columns.size() - 1;
    planned.file = names.add(entry.name(), entry.other != nullptr ? ".arrow" : ".pco");
    if (entry.other == nullptr) planned.null_file = null_file_name(planned.file);
  }
  const std::string parent = internal::platform::folder_part(path);
  folder = internal::platform::hidden_name(
      parent.empty() ? "" : parent + "/", internal::platform::name_part(path), internal::new_tag());
  if (internal::platform::make_folder(folder, is_there)) return {};
  const Status failed = Status(ErrorKind::kIo, "the folder cannot be made").because_of(errno);
  folder.clear();
  return fail(failure, failed, "", "");
}

Status TableWriter::State::refuse(Failure* failure, std::size_t column,
                                  const std::string& text) const {
  const bool is_known = column < entries.size();
  return fail(failure, Status(ErrorKind::kInvalidArgument, "the column cannot be written"), "",
              is_known ? entries[column].name() : "", text);
}

// Calls use(numbers, valid) with new rows in the type of the column.
template <class Use>
Status TableWriter::State::converted(std::size_t column, const NumberView& numbers,
                                     std::span<const std::uint8_t> valid, Failure* failure,
                                     const Use& use) {
  const ColumnPlan& planned = plan.columns[column];
  const table::Column& described = *entries[column].numbers;
  const auto used = [&](const NumberView& view, std::span<const std::uint8_t> flags) -> Status {
    const Status status = use(view, flags);
    return status.ok() ? status : fail(failure, status, planned.file, described.name);
  };
  if (!planned.given_type) return used(numbers, valid);
  std::optional<Widening>& widening = columns[column].widening;
  if (!widening) widening.emplace(*planned.given_type, value_type_of(described));
  const auto* const bytes = static_cast<const std::byte*>(numbers.data);
  for (std::size_t first = 0; first < numbers.count; first += kConvertedNumbers) {
    const std::size_t count = std::min(kConvertedNumbers, numbers.count - first);
    const auto flags = valid.empty() ? valid : valid.subspan(first, count);
    NumberView wide;
    const NumberView block(numbers.type, bytes + first * size_of(numbers.type), count);
    if (const Status status = widening->convert(block, flags, wide); !status.ok()) {
      return fail(failure, status, "", described.name, widening->problem());
    }
    NUMPACT_TRY(used(wide, flags));
  }
  return {};
}

// What has to hold before rows are added.
Status TableWriter::State::begin_write(std::size_t column, const NumberView& numbers,
                                       Written::Form form, Failure* failure) {
  if (column >= entries.size() || entries[column].numbers == nullptr) {
    return refuse(failure, column, "is no column of numbers of the table");
  }
  const table::Column& described = *entries[column].numbers;
  if (described.kind == Kind::kText) return refuse(failure, column, "gets texts, not numbers");
  const std::optional<ValueType>& given = plan.columns[column].given_type;
  const NumberType type = given ? given->type : described.type;
  if (numbers.type != type) {
    return fail(failure, Status(ErrorKind::kTypeMismatch, "the column has another type"), "",
                described.name,
                "holds " + std::string(name_of(type)) + " numbers, not " +
                    std::string(name_of(numbers.type)));
  }
  State::Written& to = columns[column];
  if (to.has_failed) return refuse(failure, column, "an earlier write has failed");
  if (to.is_finished) return refuse(failure, column, "was finished already");
  if (plan.kind == WritePlan::Kind::kCompact) {
    return refuse(failure, column, "gets no new rows by joining its parts");
  }
  if (to.form != Written::Form::kNone && to.form != form) {
    return refuse(failure, column, "gets rows either by write or by write_packed");
  }
  return {};
}

Status TableWriter::State::check_nulls(std::size_t column, std::uint64_t nulls,
                                       Failure* failure) const {
  const bool excludes = !entries[column].numbers->nullable && !is_new();
  if (nulls == 0 || !excludes) return {};
  return refuse(failure, column, std::to_string(nulls) + " nulls, but its field is not nullable");
}

Status TableWriter::State::write(std::size_t column, const NumberView& numbers,
                                 std::span<const std::uint8_t> valid, Failure* failure) {
  NUMPACT_TRY(begin_write(column, numbers, Written::Form::kRows, failure));
  if (!valid.empty() && valid.size() != numbers.count) {
    return refuse(failure, column, "there are not as many bytes for nulls as rows");
  }
  const auto nulls = std::count(valid.begin(), valid.end(), std::uint8_t{0});
  NUMPACT_TRY(check_nulls(column, static_cast<std::uint64_t>(nulls), failure));
  State::Written& to = columns[column];
  to.has_failed = true;
  NUMPACT_TRY(begin(column, failure));
  const std::uint64_t before = plan.columns[column].old_rows();
  if (to.numbers->rows() - before + numbers.count >= kCountLimit) {
    return refuse(failure, column, "there are more rows than can be counted");
  }
  NUMPACT_TRY(converted(column, numbers, valid, failure,
                        [&](const NumberView& rows, std::span<const std::uint8_t> flags) {
                          return to.numbers->add(rows, flags);
                        }));
  to.form = Written::Form::kRows;
  to.new_rows += numbers.count;
  to.has_failed = false;
  return {};
}

Status TableWriter::State::write_packed(std::size_t column, const NumberView& numbers,
                                        std::span<const std::uint64_t> runs, Failure* failure) {
  NUMPACT_TRY(begin_write(column, numbers, Written::Form::kPacked, failure));
  if (numbers.count == 0 && runs.empty()) return {};
  State::Written& to = columns[column];
  to.has_failed = true;
  NUMPACT_TRY(begin(column, failure));
  NUMPACT_TRY(converted(column, numbers, {}, failure,
                        [&](const NumberView& packed, std::span<const std::uint8_t>) {
                          return to.numbers->add_numbers(packed);
                        }));
  Status status;
  to.form = Written::Form::kPacked;
  to.packed += numbers.count;
  for (const std::uint64_t length : runs) {
    const bool is_null = std::exchange(to.next_is_null, !to.next_is_null);
    to.has_runs = true;
    if (length >= kCountLimit - std::max(to.new_rows, to.packed)) {
      return refuse(failure, column, "there are more rows than can be counted");
    }
    if (is_null) NUMPACT_TRY(check_nulls(column, length, failure));
    if (!is_null) to.packed_in_runs += length;
    to.new_rows += length;
    if (status.ok()) status = to.numbers->add_run(is_null, length);
  }
  if (!status.ok()) {
    return fail(failure, status, plan.columns[column].file, entries[column].name());
  }
  to.has_failed = false;
  return {};
}

Status TableWriter::State::set_rounding(std::size_t column, const RoundingSpec& spec,
                                        Failure* failure) {
  const bool is_number = column < entries.size() && entries[column].numbers != nullptr &&
                         entries[column].numbers->kind == Kind::kNumber;
  if (!is_number) return refuse(failure, column, "is no column of numbers, which can be rounded");
  if (columns[column].numbers != nullptr || columns[column].is_finished) {
    return refuse(failure, column, "has rows already, which are not rounded");
  }
  auto made = Rounder::create(spec, entries[column].numbers->type, config.encode);
  if (!made.ok()) {
    return fail(failure, made.status(), "", entries[column].name(),
                std::string(made.status().message()));
  }
  columns[column].rounder = std::make_unique<Rounder>(*std::move(made));
  return {};
}

Status TableWriter::State::finish(std::size_t column, std::uint64_t dropped, Failure* failure) {
  const table::Column* const texts = texts_column(column);
  if (texts != nullptr && columns[column].numbers == nullptr && !is_left(column) &&
      (columns[column].new_rows > 0 || is_new() || texts->text.at(0).file.empty())) {
    bool is_taken = false;
    NUMPACT_TRY(finish_texts(column, is_taken, failure));
    return is_taken ? Status() : refuse(failure, column, "has texts that do not repeat");
  }
  if (column >= entries.size() || entries[column].numbers == nullptr) {
    return refuse(failure, column, "is no column of numbers of the table");
  }
  State::Written& to = columns[column];
  if (to.has_failed) return refuse(failure, column, "an earlier write has failed");
  if (to.is_finished) return refuse(failure, column, "was finished already");
  if (is_left(column)) return {};
  if (dropped > 0 && !is_new()) {
    return refuse(failure, column, "nulls are left out of new tables only");
  }
  if (dropped >= kCountLimit - to.rows()) {
    return refuse(failure, column, "there are more rows than can be counted");
  }
  // Files without new rows are made by commit(), if there are to be any.
  if (plan.kind == WritePlan::Kind::kAppend && to.numbers == nullptr) return {};
  to.has_failed = true;
  NUMPACT_TRY(begin(column, failure));
  if (to.has_runs && to.packed_in_runs != to.packed) {
    return refuse(failure, column,
                  "has " + std::to_string(to.packed) + " numbers, its runs have " +
                      std::to_string(to.packed_in_runs));
  }
  Status status = to.has_runs ? Status() : to.numbers->add_run(false, to.packed);
  if (status.ok()) status = to.numbers->finish(to.number_part);
  if (!status.ok()) {
    return fail(failure, status, plan.columns[column].file, entries[column].name());
  }
  to.dropped = dropped;
  to.is_finished = true;
  to.has_failed = false;
  return {};
}

Status TableWriter::State::begin_other(std::size_t column, Failure* failure) {
  if (column >= entries.size() || entries[column].other == nullptr) {
    return refuse(failure, column, "is no other column of the table");
  }
  State::Written& to = columns[column];
  if (to.other != nullptr) return refuse(failure, column, "was written already");
  if (is_left(column)) return refuse(failure, column, "has one part, which stays");
  const std::string& file = plan.columns[column].file;
  to.other = std::make_unique<NewFile>();
  to.has_failed = true;
  const Status status =
      to.other->create(folder + "/" + file, plan.kind != WritePlan::Kind::kCreate, stays_open());
  return status.ok() ? status : fail(failure, status, file, entries[column].name());
}

Status TableWriter::State::finish_other(std::size_t column, std::uint64_t rows,
                                        const std::string& type, Failure* failure) {
  if (column >= entries.size() || columns[column].other == nullptr || columns[column].is_finished) {
    return refuse(failure, column, "is no other column that is being written");
  }
  State::Written& to = columns[column];
  const ColumnPlan& planned = plan.columns[column];
  Status status = to.other->close();
  MappedFile file;
  if (status.ok()) status = name_other(column);
  if (status.ok()) status = MappedFile::open(to.other->path()).into(file);
  if (status.ok()) status = checked_part(planned.file, file.bytes(), rows).into(to.other_part);
  if (!status.ok()) return fail(failure, status, planned.file, entries[column].name());
  if (rows < planned.old_rows()) return refuse(failure, column, "has fewer rows than before");
  to.new_rows = rows - planned.old_rows();
  to.type = type;
  to.is_finished = true;
  to.has_failed = false;
  return {};
}

Status TableWriter::State::write_other(std::size_t column, OtherSource& source, Failure* failure) {
  NUMPACT_TRY(begin_other(column, failure));
  const ColumnPlan& planned = plan.columns[column];
  Other described = *entries[column].other;
  std::string message;
  std::uint64_t rows = 0;
  const Status status =
      source.write(described, planned.others, *columns[column].other, message).into(rows);
  if (!status.ok()) return fail(failure, status, planned.file, described.name, message);
  return finish_other(column, rows, described.type, failure);
}

EncodeConfig table_encode_config() noexcept {
  constexpr unsigned kRestartLog = 14;
  EncodeConfig config;
  config.trailer = TrailerSpec::restarts(kRestartLog);
  return config;
}

TableWriter::TableWriter() : state_(std::make_unique<State>()) {}
TableWriter::TableWriter(TableWriter&& other) noexcept = default;
TableWriter& TableWriter::operator=(TableWriter&& other) noexcept = default;
TableWriter::~TableWriter() = default;

Result<TableWriter> TableWriter::opened(const std::string& folder, bool joins_all,
                                        const WriterConfig& config, Failure* failure) noexcept {
  std::optional<TableWriter> writer;
  const Status status = internal::guarded([&] {
    writer = TableWriter();
    writer->state_->config = config;
    return writer->state_->open_table(folder, joins_all, failure);
  });
  if (!status.ok()) return status;
  return *std::move(writer);
}

Result<TableWriter> TableWriter::append(const std::string& folder, const WriterConfig& config,
                                        Failure* failure) noexcept {
  return opened(folder, false, config, failure);
}

Result<TableWriter> TableWriter::compact(const std::string& folder, const WriterConfig& config,
                                         Failure* failure) noexcept {
  return opened(folder, true, config, failure);
}

Result<TableWriter> TableWriter::create(const std::string& folder, const Manifest& table,
                                        bool may_replace, const WriterConfig& config,
                                        Failure* failure) noexcept {
  std::optional<TableWriter> writer;
  const Status status = internal::guarded([&] {
    writer = TableWriter();
    writer->state_->config = config;
    writer->state_->plan.before = table;
    return writer->state_->begin_table(folder, may_replace, failure);
  });
  if (!status.ok()) return status;
  return *std::move(writer);
}

const WritePlan& TableWriter::plan() const noexcept { return state_->plan; }
const Manifest& TableWriter::manifest() const noexcept { return state_->after; }
const std::string& TableWriter::leftover() const noexcept { return state_->leftover; }
std::string TableWriter::path_of(const std::string& file) const {
  return state_->folder + "/" + file;
}

Status TableWriter::write(std::size_t column, const NumberView& numbers,
                          std::span<const std::uint8_t> valid, Failure* failure) noexcept {
  return internal::guarded([&] { return state_->write(column, numbers, valid, failure); });
}

Status TableWriter::set_rows(const Manifest& rows, SchemaChange allowed,
                             Failure* failure) noexcept {
  return internal::guarded([&] { return state_->set_rows(rows, allowed, failure); });
}

Status TableWriter::rewrite_other(std::size_t column, const std::string& type,
                                  Failure* failure) noexcept {
  return internal::guarded([&] { return state_->rewrite_other(column, type, failure); });
}

void TableWriter::expect(std::size_t column, std::uint64_t rows) noexcept {
  if (column < state_->columns.size()) state_->columns[column].expected_rows = rows;
}

Status TableWriter::set_rounding(std::size_t column, const RoundingSpec& spec,
                                 Failure* failure) noexcept {
  return internal::guarded([&] { return state_->set_rounding(column, spec, failure); });
}

const RoundingReport* TableWriter::rounding(std::size_t column) const noexcept {
  if (column >= state_->columns.size() || !state_->columns[column].rounder) return nullptr;
  return &state_->columns[column].rounder->report();
}

void TableWriter::set_unit(std::size_t column, Unit unit) noexcept {
  if (!state_->is_new() || column >= state_->entries.size()) return;
  const Column* const described = state_->entries[column].numbers;
  if (described == nullptr) return;
  std::vector<Column>& all = state_->plan.after.columns;
  all[static_cast<std::size_t>(described - all.data())].unit = unit;
}

Status TableWriter::write_packed(std::size_t column, const NumberView& numbers,
                                 std::span<const std::uint64_t> runs, Failure* failure) noexcept {
  return internal::guarded([&] { return state_->write_packed(column, numbers, runs, failure); });
}

Status TableWriter::finish(std::size_t column, std::uint64_t dropped, Failure* failure) noexcept {
  return internal::guarded([&] { return state_->finish(column, dropped, failure); });
}

Status TableWriter::write_other(std::size_t column, OtherSource& source,
                                Failure* failure) noexcept {
  return internal::guarded([&] { return state_->write_other(column, source, failure); });
}

Result<ByteSink*> TableWriter::begin_other(std::size_t column, Failure* failure) noexcept {
  const Status status = internal::guarded([&] { return state_->begin_other(column, failure); });
  if (!status.ok()) return status;
  return static_cast<ByteSink*>(state_->columns[column].other.get());
}

Status TableWriter::finish_other(std::size_t column, std::uint64_t rows, const std::string& type,
                                 Failure* failure) noexcept {
  return internal::guarded([&] { return state_->finish_other(column, rows, type, failure); });
}

Status TableWriter::commit(Failure* failure) noexcept {
  return internal::guarded([&] { return state_->commit(failure); });
}

}  // namespace numpact::table

// SPDX-License-Identifier: Apache-2.0
#include "platform/child_processes.hpp"

#include <cerrno>
#include <cstring>

#include "platform/terminal.hpp"
#include "platform/windows/system.hpp"

namespace numpact::internal::platform {
namespace {

constexpr DWORD kPipeBytes = 1 << 20;
// The exit status of a killed child, as a shell reports that of SIGKILL.
constexpr UINT kKilledStatus = 128 + 9;

// Of the C library's list of descriptors: open; a pipe; a terminal or device.
constexpr unsigned char kIsOpen = 0x01;
constexpr unsigned char kIsPipe = 0x08;
constexpr unsigned char kIsDevice = 0x40;

// An argument such that CommandLineToArgvW() and the C library read it back.
void append_quoted(std::wstring_view word, std::wstring& line) {
  if (!word.empty() && word.find_first_of(L" \t\n\v\"") == word.npos) {
    line += word;
    return;
  }
  line += L'"';
  std::size_t backslashes = 0;
  for (const wchar_t c : word) {
    // Backslashes count twice in front of a quote, and once in all other places.
    if (c == L'"') line.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    line += c;
  }
  line.append(backslashes, L'\\');
  line += L'"';
}

// Handles that a child inherits, closed here at the end.
class InheritedHandles {
 public:
  InheritedHandles() = default;
  ~InheritedHandles() {
    for (HANDLE const handle : handles_) {
      if (handle != INVALID_HANDLE_VALUE) ::CloseHandle(handle);
    }
  }
  InheritedHandles(const InheritedHandles&) = delete;
  InheritedHandles& operator=(const InheritedHandles&) = delete;

  // Returns false with the system's error on failure.
  bool add(int descriptor) {
    HANDLE const handle = handle_of(descriptor);
    HANDLE const process = ::GetCurrentProcess();
    HANDLE copy = INVALID_HANDLE_VALUE;
    if (::DuplicateHandle(process, handle, process, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS) == 0) {
      return false;
    }
    handles_.push_back(copy);
    return true;
  }
  std::vector<HANDLE>& all() { return handles_; }

  // The list from which the C library of the child takes its descriptors: their number, a byte of
  // flags for each, and the handles.
  std::vector<BYTE> descriptors() const {
    const int count = static_cast<int>(handles_.size());
    std::vector<BYTE> list(sizeof count + handles_.size() * (1 + sizeof(HANDLE)));
    std::memcpy(list.data(), &count, sizeof count);
    BYTE* const flags = list.data() + sizeof count;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const DWORD type = ::GetFileType(handles_[i]);
      flags[i] = kIsOpen;
      if (type == FILE_TYPE_PIPE) flags[i] |= kIsPipe;
      if (type == FILE_TYPE_CHAR) flags[i] |= kIsDevice;
      std::memcpy(flags + handles_.size() + i * sizeof(HANDLE), &handles_[i], sizeof(HANDLE));
    }
    return list;
  }

 private:
  std::vector<HANDLE> handles_;
};

// The attribute that nothing but these handles is inherited.
class HandleList {
 public:
  explicit HandleList(std::vector<HANDLE>& handles) {
    SIZE_T bytes = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    memory_.resize(bytes);
    is_made_ = ::InitializeProcThreadAttributeList(get(), 1, 0, &bytes) != 0;
    is_ready_ = is_made_ && ::UpdateProcThreadAttribute(
                                get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                handles.size() * sizeof(HANDLE), nullptr, nullptr) != 0;
  }
  ~HandleList() {
    if (is_made_) ::DeleteProcThreadAttributeList(get());
  }
  HandleList(const HandleList&) = delete;
  HandleList& operator=(const HandleList&) = delete;

  bool is_ready() const { return is_ready_; }
  LPPROC_THREAD_ATTRIBUTE_LIST get() {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
  }

 private:
  std::vector<std::byte> memory_;
  bool is_made_ = false;
  bool is_ready_ = false;
};

HANDLE handle_of_child(Child child) {
  return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(child));
}

}  // namespace

int open_pipe(int& reading, int& writing) {
  HANDLE from = nullptr;
  HANDLE to = nullptr;
  if (::CreatePipe(&from, &to, nullptr, kPipeBytes) == 0) return error_number_of(::GetLastError());
  reading = descriptor_of(from, Access::kRead);
  writing = descriptor_of(to, Access::kWrite);
  return reading >= 0 && writing >= 0 ? 0 : EMFILE;
}

int start_child(const std::vector<std::string>& command, int input, int output, Child& child) {
  InheritedHandles handles;
  for (const int descriptor : {input, output, kStandardError}) {
    if (!handles.add(descriptor)) return error_number_of(::GetLastError());
  }
  HandleList inherited(handles.all());
  if (!inherited.is_ready()) return error_number_of(::GetLastError());
  std::vector<BYTE> list = handles.descriptors();
  STARTUPINFOEXW start = {};
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = handles.all()[0];
  start.StartupInfo.hStdOutput = handles.all()[1];
  start.StartupInfo.hStdError = handles.all()[2];
  start.StartupInfo.cbReserved2 = static_cast<WORD>(list.size());
  start.StartupInfo.lpReserved2 = list.data();
  start.lpAttributeList = inherited.get();
  std::wstring line;
  for (const std::string& word : command) {
    if (!line.empty()) line += L' ';
    append_quoted(to_wide(word), line);
  }
  PROCESS_INFORMATION made = {};
  if (::CreateProcessW(system_path(command[0]).c_str(), line.data(), nullptr, nullptr, TRUE,
                       EXTENDED_STARTUPINFO_PRESENT, nullptr, nullptr, &start.StartupInfo,
                       &made) == 0) {
    return error_number_of(::GetLastError());
  }
  ::CloseHandle(made.hThread);
  child = reinterpret_cast<std::intptr_t>(made.hProcess);
  return 0;
}

void kill_child(Child child) { ::TerminateProcess(handle_of_child(child), kKilledStatus); }

void await_child(Child child) { ::WaitForSingleObject(handle_of_child(child), INFINITE); }

int collect_child(Child child) {
  await_child(child);
  DWORD status = 0;
  ::GetExitCodeProcess(handle_of_child(child), &status);
  ::CloseHandle(handle_of_child(child));
  return static_cast<int>(status);
}

}  // namespace numpact::internal::platform

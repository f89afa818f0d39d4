/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "pco_files.h"

#include <errno.h>
#include <fcntl.h>
#include <numpact/table.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the name of a file in a folder, with the end. */
enum { NAME_SIZE = 256 };

static const char leads_out[] = "is a link that leads out of the folder";
static const char leads_back[] = "the links lead back to themselves";
static const char not_regular[] = "is not a regular file";

/* The time of the last change of the content has another name there. */
#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

static void note_version(const struct stat* status, pco_file* file) {
  file->size = (uint64_t)status->st_size;
  file->changed_s = (int64_t)status->st_mtim.tv_sec;
  file->changed_ns = (int64_t)status->st_mtim.tv_nsec;
}

void pco_unmap(pco_mapping* map) {
  if (map->bytes != NULL) munmap((void*)map->bytes, map->size);
  map->bytes = NULL;
}

/* Returns a static text, "" for errno, or null after success. */
static const char* map_descriptor(int descriptor, const struct stat* status, pco_mapping* map) {
  if (!S_ISREG(status->st_mode)) return not_regular;
  map->bytes = NULL;
  map->size = (size_t)status->st_size;
  if (map->size == 0) return NULL;
  void* bytes = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (bytes == MAP_FAILED) return "";
  map->bytes = bytes;
  return NULL;
}

int pco_file_map_path(const char* path, pco_mapping* map, pco_failure* failure) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return pco_fail(failure, "%s: %s", path, strerror(errno));
  struct stat status;
  const char* problem =
      fstat(descriptor, &status) != 0 ? "" : map_descriptor(descriptor, &status, map);
  const int error = errno;
  close(descriptor);
  if (problem == NULL) return 1;
  return pco_fail(failure, "%s: %s", path, *problem == '\0' ? strerror(error) : problem);
}

/* Follows the links of a name within its folder. Returns as above; `name` is then that of a regular
 * file. Other kinds are not even opened: a pipe would block, and a device might act. */
static const char* follow(int folder, char name[NAME_SIZE], struct stat* status) {
  for (int links = 0; links <= NUMPACT_TABLE_MAX_LINKS; links++) {
    if (fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW) != 0) return "";
    if (!S_ISLNK(status->st_mode)) return S_ISREG(status->st_mode) ? NULL : not_regular;
    char target[NAME_SIZE];
    const ssize_t size = readlinkat(folder, name, target, sizeof target);
    if (size < 0) return "";
    if (size == 0 || size == (ssize_t)sizeof target || memchr(target, '/', (size_t)size) != NULL) {
      return leads_out;
    }
    target[size] = '\0';
    if (strcmp(target, ".") == 0 || strcmp(target, "..") == 0) return leads_out;
    memcpy(name, target, sizeof target);
  }
  return leads_back;
}

static const char* find(int folder, const char* name, int may_map, pco_file* file) {
  char at[NAME_SIZE];
  const size_t size = strlen(name);
  if (size >= sizeof at) {
    errno = ENAMETOOLONG;
    return "";
  }
  memcpy(at, name, size + 1);
  struct stat status;
  const char* problem = follow(folder, at, &status);
  if (problem != NULL) return problem;
  note_version(&status, file);
  file->state = PCO_KNOWN;
  if (!may_map) return NULL;
  const int descriptor =
      openat(folder, at, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (descriptor < 0) return errno == EMFILE || errno == ENFILE ? NULL : "";
  problem = fstat(descriptor, &status) != 0 ? "" : map_descriptor(descriptor, &status, &file->map);
  note_version(&status, file);
  const int error = errno;
  close(descriptor);
  if (problem == NULL) {
    file->state = PCO_MAPPED;
  } else if (*problem == '\0' && error == ENOMEM) {
    problem = NULL; /* too many maps: it is mapped when it is used */
  }
  errno = error;
  return problem;
}

void pco_file_find(int folder, const char* name, int may_map, pco_file* file) {
  memset(file, 0, sizeof *file);
  const char* problem = find(folder, name, may_map, file);
  if (problem == NULL) return;
  file->state = PCO_FAILED;
  file->error = errno;
  file->problem = *problem == '\0' ? NULL : problem;
}

int pco_file_bytes(int folder, const char* path, const char* name, pco_file* file,
                   pco_failure* failure) {
  if (file->state == PCO_MAPPED) return 1;
  if (file->state == PCO_KNOWN) {
    pco_file now;
    pco_file_find(folder, name, 1, &now);
    const int is_same = now.state == PCO_MAPPED && now.size == file->size &&
                        now.changed_s == file->changed_s && now.changed_ns == file->changed_ns;
    if (is_same) {
      *file = now;
      return 1;
    }
    pco_unmap(&now.map);
    if (now.state == PCO_MAPPED || (now.state == PCO_FAILED && now.error == ENOENT)) {
      return pco_fail(failure,
                      "%s/%s: was replaced after the table was opened, which would mix two tables: "
                      "reconnect",
                      path, name);
    }
    if (now.state == PCO_KNOWN) return pco_fail(failure, "%s/%s: too many open files", path, name);
    return pco_file_bytes(folder, path, name, &now, failure);
  }
  return pco_fail(failure, "%s/%s: %s", path, name,
                  file->problem != NULL ? file->problem : strerror(file->error));
}

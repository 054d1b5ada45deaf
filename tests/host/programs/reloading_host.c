/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knows nothing of Collet, and loads and unloads a library that uses it. Arguments: the library, a
 * selector, and how many times. Exits with 0 if all went well, and the library was really unloaded.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*work_fn)(const char *);

int main(int argc, char **argv) {
  int round = 0;
  const int rounds = argc == 4 ? atoi(argv[3]) : 0;
  /* What hangs is ended, and so fails. */
  alarm(60);
  for (round = 0; round < rounds; ++round) {
    work_fn work = NULL;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "round %d: %s\n", round, dlerror());
      return 2;
    }
    /* Avoids the conversion of an object pointer to a function pointer, which C99 does not have. */
    *(void **)&work = dlsym(library, "guest_work");
    if (work == NULL || work(argv[2]) != 0) {
      fprintf(stderr, "round %d: the work failed\n", round);
      return 3;
    }
    if (dlclose(library) != 0 || dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL) {
      fprintf(stderr, "round %d: the library is still there\n", round);
      return 4;
    }
  }
  return rounds > 0 ? 0 : 1;
}

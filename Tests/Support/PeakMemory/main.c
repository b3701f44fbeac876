// `PeakMemory REPORT PROGRAM [ARGUMENT]...` runs a program, writes its peak resident memory in bytes to a file, and
// ends with the program's status. The peak of a child includes the memory of its parent before `exec`, and this parent
// is small.

#define _GNU_SOURCE

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 3) return 64;
    pid_t child = fork();
    if (child < 0) return 71;
    if (child == 0) {
        execv(words[2], words + 2);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return 71;
    }
#ifdef __APPLE__
    long long peak = usage.ru_maxrss;
#else
    long long peak = usage.ru_maxrss * 1024LL;
#endif
    FILE *report = fopen(words[1], "w");
    if (report == NULL) return 73;
    fprintf(report, "%lld\n", peak);
    if (fclose(report) != 0) return 74;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}

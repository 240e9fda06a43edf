/* limit-spawn: the least that running a shell command and taking its output
 * can cost: vfork, a session of its own, two pipes read to their end, wait.
 *
 *   limit-spawn RUNS PAUSE_US PIPE_BYTES COMMAND
 *
 * prints two numbers a run, both in ns: what it took, and how old, at its end,
 * the time was that the command wrote (see stamp.c; without one the number means
 * nothing). PIPE_BYTES is the size of the pipe of standard output, 0 the
 * kernel's default.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { HEAD_BYTES = 32 }; /* a time in ns and its newline have 20 at most */

static char buffer[64 << 10];

static long long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* discard reads fd to its end and keeps the first bytes in head. */
static void discard(int fd, char *head) {
	size_t kept = 0;
	ssize_t n;
	while ((n = read(fd, buffer, sizeof buffer)) > 0) {
		if (kept < HEAD_BYTES) {
			size_t more = HEAD_BYTES - kept;
			if ((size_t)n < more)
				more = n;
			memcpy(head + kept, buffer, more);
			kept += more;
		}
	}
	head[kept] = 0;
	close(fd);
}

static pid_t start(char *command, int in, int out, int errors) {
	char *argv[] = {"sh", "-c", command, NULL};
	pid_t pid = vfork();
	if (pid < 0)
		err(1, "vfork");
	if (pid == 0) {
		setsid();
		dup2(in, 0);
		dup2(out, 1);
		dup2(errors, 2);
		execve("/bin/sh", argv, environ);
		_exit(127);
	}
	return pid;
}

static void run(char *command, int devnull, int pipe_bytes) {
	char head[HEAD_BYTES + 1], ignored[HEAD_BYTES + 1];
	int out[2], errors[2], status;
	long long began = now();
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0)
		err(1, "pipe2");
	if (pipe_bytes > 0 && fcntl(out[1], F_SETPIPE_SZ, pipe_bytes) < 0)
		err(1, "F_SETPIPE_SZ");
	pid_t pid = start(command, devnull, out[1], errors[1]);
	close(out[1]);
	close(errors[1]);
	discard(out[0], head);
	discard(errors[0], ignored);
	if (waitpid(pid, &status, 0) < 0 || status != 0)
		errx(1, "%s: ended with status %d", command, status);
	long long ended = now();
	printf("%lld %lld\n", ended - began, ended - atoll(head));
}

int main(int argc, char **argv) {
	if (argc != 5)
		errx(2, "usage: limit-spawn RUNS PAUSE_US PIPE_BYTES COMMAND");
	int devnull = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < atoi(argv[1]); i++) {
		usleep(atoi(argv[2]));
		run(argv[4], devnull, atoi(argv[3]));
	}
	return 0;
}

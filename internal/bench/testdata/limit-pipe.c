/* limit-pipe: the most that can flow through a pipe.
 *
 *   limit-pipe write BYTES CHUNK
 *
 * writes lines of text to standard output, CHUNK bytes at a time.
 *
 *   limit-pipe read RUNS PIPE_BYTES BYTES CHUNK
 *
 * reads from such a writer through a pipe of PIPE_BYTES, 64 KiB at a time, and
 * throws it away. It prints what each run took, start of the writer included,
 * in ns.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { LINE_BYTES = 83 }; /* a usual line of a log */

static char buffer[64 << 10];

static long long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void write_all(long long bytes, long long chunk) {
	char *text = malloc(chunk);
	if (text == NULL)
		err(1, "malloc");
	for (long long i = 0; i < chunk; i++)
		text[i] = i % LINE_BYTES == LINE_BYTES - 1 ? '\n' : 'a' + i % LINE_BYTES % 26;
	while (bytes > 0) {
		ssize_t n = write(1, text, bytes < chunk ? bytes : chunk);
		if (n < 0)
			err(1, "write");
		bytes -= n;
	}
}

static pid_t start_writer(char *bytes, char *chunk, int out) {
	char *argv[] = {"limit-pipe", "write", bytes, chunk, NULL};
	pid_t pid = vfork();
	if (pid < 0)
		err(1, "vfork");
	if (pid == 0) {
		dup2(out, 1);
		execve("/proc/self/exe", argv, environ);
		_exit(127);
	}
	return pid;
}

static void read_all(int pipe_bytes, char *bytes, char *chunk) {
	int p[2], status;
	long long total = 0;
	ssize_t n;
	long long began = now();
	if (pipe2(p, O_CLOEXEC) < 0)
		err(1, "pipe2");
	if (fcntl(p[1], F_SETPIPE_SZ, pipe_bytes) < 0)
		err(1, "F_SETPIPE_SZ");
	pid_t pid = start_writer(bytes, chunk, p[1]);
	close(p[1]);
	while ((n = read(p[0], buffer, sizeof buffer)) > 0)
		total += n;
	close(p[0]);
	waitpid(pid, &status, 0);
	if (total != atoll(bytes))
		errx(1, "read %lld bytes of %s", total, bytes);
	printf("%lld\n", now() - began);
}

int main(int argc, char **argv) {
	if (argc == 4 && strcmp(argv[1], "write") == 0) {
		write_all(atoll(argv[2]), atoll(argv[3]));
		return 0;
	}
	if (argc != 6 || strcmp(argv[1], "read") != 0)
		errx(2, "usage: limit-pipe write BYTES CHUNK | read RUNS PIPE_BYTES BYTES CHUNK");
	for (int i = 0; i < atoi(argv[2]); i++)
		read_all(atoi(argv[3]), argv[4], argv[5]);
	return 0;
}

/* stamp: tells how late its words arrive.
 *
 *   stamp write COUNT PAUSE_US
 *
 * writes the time (CLOCK_MONOTONIC, in ns) COUNT times, on a line each, after a
 * pause each. It exits at once after the last, which thus is also the time of
 * its exit.
 *
 *   stamp read
 *
 * prints how old, in ns, each time was when it was read.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_AGES = 1 << 16 };

static long long ages[MAX_AGES];

static long long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void write_times(int count, int pause_us) {
	char line[32];
	for (int i = 0; i < count; i++) {
		if (pause_us > 0)
			usleep(pause_us);
		int n = snprintf(line, sizeof line, "%lld\n", now());
		if (write(1, line, n) != n)
			_exit(1);
	}
	_exit(0);
}

/* read_times prints after the end, so that printing delays no reading. */
static void read_times(void) {
	char text[4096];
	int count = 0;
	ssize_t n;
	while (count < MAX_AGES && (n = read(0, text, sizeof text - 1)) > 0) {
		text[n] = 0;
		ages[count++] = now() - atoll(text);
	}
	for (int i = 0; i < count; i++)
		printf("%lld\n", ages[i]);
}

int main(int argc, char **argv) {
	if (argc == 4 && strcmp(argv[1], "write") == 0)
		write_times(atoi(argv[2]), atoi(argv[3]));
	if (argc != 2 || strcmp(argv[1], "read") != 0)
		errx(2, "usage: stamp write COUNT PAUSE_US | read");
	read_times();
	return 0;
}

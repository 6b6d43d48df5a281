// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what a getppid() costs, in ticks of the processor's counter: the best
 * of some rounds, since an interrupt only ever adds to one.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#define ROUNDS	50
#define CALLS	1000

static uint64_t one_round(int call)
{
	uint64_t start = __rdtsc();
	int i;

	for (i = 0; i < CALLS; i++) {
		if (call)
			syscall(SYS_getppid);
		__asm__ volatile("");
	}
	return __rdtsc() - start;
}

static uint64_t best_round(int call)
{
	uint64_t best = UINT64_MAX, ticks;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		ticks = one_round(call);
		if (ticks < best)
			best = ticks;
	}
	return best;
}

int main(void)
{
	uint64_t empty = best_round(0);

	printf("%.1f\n", (double)(best_round(1) - empty) / CALLS);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * matrix.c: a matrix of 128 KiB is read by rows and by columns, and two small ones are multiplied. A row is 1 KiB, so a
 * column needs 128 lines of the few sets that its stride reaches.
 */
#define ROWS  128
#define SMALL 24

static volatile long matrix[ROWS][ROWS] __attribute__((aligned(4096)));
static double left[SMALL][SMALL], right[SMALL][SMALL], product[SMALL][SMALL];
static volatile long sum;

static void work(void)
{
	long total = 0;

	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < ROWS; column++)
			total += matrix[row][column];
	for (int column = 0; column < ROWS; column++)
		for (int row = 0; row < ROWS; row++)
			total += matrix[row][column];
	for (int i = 0; i < SMALL; i++)
		for (int j = 0; j < SMALL; j++) {
			left[i][j] = i - j;
			right[i][j] = i + j;
		}
	for (int i = 0; i < SMALL; i++)
		for (int j = 0; j < SMALL; j++)
			for (int k = 0; k < SMALL; k++)
				product[i][j] += left[i][k] * right[k][j];
	sum = total + (long)product[3][5];
}

#include "alone.h"

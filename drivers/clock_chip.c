/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock chip of a PC, MC146818: keeps the date and time of day while the machine is off. The kernel
 * reads it once, at the start, and never writes to it.
 *
 * Source: Motorola MC146818 data sheet.
 */
#include <kernel/drivers/clock_chip.h>

#include <stdbool.h>

#include <arch/port.h>

/* Ports. */
#define CMOS_INDEX    0x70
#define CMOS_DATA     0x71

#define CMOS_UPDATING 0x80 /* status A */
#define CMOS_BINARY   0x04 /* status B */
#define CMOS_24_HOURS 0x02

/* The chip has two digits for the year. */
#define YEAR_0	      2000

static uint8_t read_cmos(uint8_t index)
{
	arch_port_write8(CMOS_INDEX, index);
	return arch_port_read8(CMOS_DATA);
}

static unsigned int decode(uint8_t value, uint8_t format)
{
	return format & CMOS_BINARY ? value : (value >> 4) * 10u + (value & 15);
}

/* Returns the days from 1970-01-01 to the given date of the Gregorian calendar. The calculation starts
 * years in March, so that the leap day comes last. */
static uint64_t days_since_1970(unsigned int year, unsigned int month, unsigned int day)
{
	unsigned int y = month > 2 ? year : year - 1;
	unsigned int m = month > 2 ? month - 3 : month + 9;

	return 365ull * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

uint64_t clock_chip_read_s(void)
{
	/* second, minute, hour, day, month, year */
	static const uint8_t fields[] = { 0, 2, 4, 7, 8, 9 };
	uint8_t raw[sizeof fields], again[sizeof fields];
	bool equal = false;

	/* Require two equal readings: neither was then taken in the middle of a change. An empty port
	 * never changes. */
	for (unsigned int tries = 0; tries < 100 && !equal; tries++) {
		if (read_cmos(0x0a) & CMOS_UPDATING)
			continue;
		equal = tries > 0;
		for (unsigned int i = 0; i < sizeof fields; i++) {
			again[i] = read_cmos(fields[i]);
			equal = equal && again[i] == raw[i];
			raw[i] = again[i];
		}
	}
	if (!equal)
		return 0;

	uint8_t format = read_cmos(0x0b);
	unsigned int hour = decode(raw[2] & 0x7f, format);
	unsigned int day = decode(raw[3], format), month = decode(raw[4], format);
	unsigned int year = decode(raw[5], format) + YEAR_0;

	if (!(format & CMOS_24_HOURS))
		hour = hour % 12 + (raw[2] & 0x80 ? 12 : 0);
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return 0;
	return days_since_1970(year, month, day) * 86400 + hour * 3600 +
	       decode(raw[1], format) * 60 + decode(raw[0], format);
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of drivers/virtio/mmio.c: which words of the command line name devices, and what it does with their registers, which
 * are plain memory here. The list of devices grows from rule to rule, as it does from word to word.
 */
#include <arch/irq.h>
#include <arch/mmu.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#include "../../drivers/virtio/queue.h"
#include "events.h"
#include "pseudo_files.h"

#define ID	      4
#define SIZE	      0x200
#define ADDRESS	      0xfeb00000ull /* of place 0 */
#define PLACES	      40
#define DEVICES_MAX   32 /* of mmio.c */
#define OWN_FEATURE   VIRTIO_BIT(5)
#define FAILED	      0x80

/* Registers (VIRTIO 1.2, 4.2.2). */
#define MAGIC	      0x000
#define VERSION	      0x004
#define DEVICE_ID     0x008
#define FEATURES      0x010
#define DRIVER_SELECT 0x024
#define DRIVER	      0x020
#define QUEUE_SELECT  0x030
#define QUEUE_MOST    0x034
#define QUEUE_SIZE    0x038
#define QUEUE_READY   0x044
#define NOTIFY	      0x050
#define STATUS	      0x060 /* of the interrupt */
#define ACKNOWLEDGE   0x064
#define DESCRIPTORS   0x080
#define AVAIL	      0x090
#define USED	      0x0a0
#define CONFIG	      0x100

static _Alignas(16) uint32_t registers[PLACES][SIZE / 4];
static unsigned int place; /* of the device that a rule is about */

struct boot_info boot_info;

/* --- the machine --- */

static const char *words[3]; /* of the command line, up to NULL */

bool boot_option_at(const char *name, unsigned int index, char *value, size_t size)
{
	EXPECT_STR(name, "virtio_mmio.device");
	if (!words[index])
		return false;
	snprintf(value, size, "%s", words[index]);
	return true;
}

void *arch_device_map(paddr_t paddr, size_t size)
{
	return paddr >= ADDRESS && paddr < ADDRESS + sizeof(registers) ?
		       (char *)registers + (paddr - ADDRESS) :
		       NULL;
}

static void (*interrupt)(void);
static unsigned int registrations;
static unsigned int line_registered; /* the last one */
static bool lines_fail;

int arch_irq_register(unsigned int line, void (*handler)(void))
{
	if (lines_fail)
		return -EINVAL;
	registrations++;
	line_registered = line;
	interrupt = handler;
	return 0;
}

/* --- the driver --- */

static struct virtio_device *probed; /* the last one */
static struct virtio_queue *queue;
static unsigned int calls, acknowledged;

static uint32_t *at(unsigned int offset)
{
	return &registers[place][offset / 4];
}

static void callback(struct virtio_queue *of, void *arg)
{
	calls++;
	acknowledged = *at(ACKNOWLEDGE);
}

static int probe(struct virtio_device *device)
{
	probed = device;
	queue = virtio_queue_new(device, 2, 8, callback, NULL);
	virtio_device_ready(device);
	return 0;
}

VIRTIO_DRIVER(driver, .name = "test", .id = ID, .features = OWN_FEATURE, .probe = probe);

/* Devices stay for the whole program. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* Gives PLACE a device. It has the low half of its features in both halves, as memory does not look at the selection. */
static void put_device(unsigned int at_place)
{
	place = at_place;
	memset(registers[place], 0, sizeof(registers[place]));
	*at(MAGIC) = 0x74726976;
	*at(VERSION) = 2;
	*at(DEVICE_ID) = ID;
	*at(FEATURES) = 1u | (uint32_t)OWN_FEATURE;
	*at(QUEUE_MOST) = 8;
}

static void begin(void)
{
	sim_start(1);
	boot_info.ram[0] = (struct page_range){ 0, 0x10000000 };
	boot_info.ram_count = 1;
	probed = NULL;
	queue = NULL;
	calls = 0;
	registrations = 0;
	lines_fail = false;
}

static void find_words(const char *first, const char *second)
{
	words[0] = first;
	words[1] = second;
	probed = NULL;
	run_start_steps(START_DEVICES);
}

static void find_word(const char *word)
{
	find_words(word, NULL);
}

/* A device at the next free place is found. */
static void find_device(void)
{
	static unsigned int next = 10;
	char word[64];

	put_device(next++);
	snprintf(word, sizeof(word), "0x200@0x%llx:5", (unsigned long long)ADDRESS + SIZE * place);
	find_word(word);
	EXPECT_AT(probed, "%s", word);
}

static void end(void)
{
	(void)sim_end();
}

/* --- rules --- */

static void words_name_devices(void)
{
	static const struct {
		const char *word;
		unsigned int place, line;
		uint32_t config_size;
		bool registers; /* the line is new */
	} rows[] = {
		{ "512@0xfeb00000:5", 0, 5, 0x100, true },
		{ "0x200@0xfeb00200:5", 1, 5, 0x100, false },
		{ "1K@0xFEB00400:15", 2, 15, 0x300, true },
		{ "1k@0Xfeb00600:0", 3, 0, 0x300, true },
		{ "2M@4272949248:0x6", 4, 6, 0x1fff00, true },
		{ "257@0xfeb00a00:5", 5, 5, 1, false },
	};

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int before = registrations;

		put_device(rows[i].place);
		find_word(rows[i].word);
		EXPECT_AT(probed, "%s", rows[i].word);
		EXPECT_EQ_AT(registrations - before, rows[i].registers, "%s", rows[i].word);
		if (rows[i].registers)
			EXPECT_EQ_AT(line_registered, rows[i].line, "%s", rows[i].word);
		if (probed)
			EXPECT_EQ_AT(probed->config_size, rows[i].config_size, "%s", rows[i].word);
	}
	EXPECT_STR(probed ? probed->name : "none", "mmio-feb00a00");
	end();
}

static void other_words_are_left_alone(void)
{
	static const char form[] = "not of the form", no_registers[] = "no registers can be there",
			  no_line[] = "no such interrupts", none[] = "there is no such device";
	static const struct {
		const char *word, *reason;
	} rows[] = {
		{ "", form },
		{ "512", form },
		{ "@0xfeb01000:5", form },
		{ "512@", form },
		{ "512@0xfeb01000", form },
		{ "512@0xfeb01000:", form },
		{ "512@0xfeb01000:5x", form },
		{ "512@0xfeb01000:5:1", form },
		{ "512@0x:5", form },
		{ "512@0xfeg01000:5", form },
		{ "K@0xfeb01000:5", form },
		{ "5f@0xfeb01000:5", form },
		{ "1KK@0xfeb01000:5", form },
		{ "1K2M@0xfeb01000:5", form },
		{ "1M,M@0xfeb01000:5", form },
		{ "4294967296@0xfeb01000:5", form },
		{ "512@0x100000000feb01000:5", form },
		{ "512@18446744073709551616:5", form },
		{ "512@0xfeb01000:16", no_line },
		{ "256@0xfeb01000:5", no_registers },
		{ "512@0xfeb01002:5", no_registers },
		{ "512@0xfffffffffffffe04:5", no_registers },
		{ "512@0x1000:5", no_registers },
		{ "512@0xffffffc:5", no_registers },
		{ "512@0x10000000:5", none },
		{ "512@0xffffffff00000000:5", none },
	};

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_device(8);
		find_word(rows[i].word);
		EXPECT_AT(!probed, "%s", rows[i].word);
		EXPECT_AT(strstr(sim_log_last(), rows[i].reason), "%s: %s", rows[i].word,
			  sim_log_last());
		EXPECT_EQ_AT(registrations, 0, "%s", rows[i].word);
	}
	/* Those after them still count. */
	find_words("512", "512@0xfeb01000:5");
	EXPECT(probed);
	end();
}

static void a_place_without_a_device(void)
{
	static const struct {
		const char *what;
		unsigned int offset;
		uint32_t value;
		const char *reason; /* NULL: a machine has such places, and nothing is said */
	} rows[] = {
		{ "no magic number", MAGIC, 0x74726975, "there is no such device" },
		{ "version 1", VERSION, 1, "it has the old interface" },
		{ "version 3", VERSION, 3, "it has the old interface" },
		{ "an empty place", DEVICE_ID, 0, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		put_device(8);
		*at(rows[i].offset) = rows[i].value;
		log_info("%s", rows[i].what);
		find_word("512@0xfeb01000:5");
		EXPECT_AT(!probed, "%s", rows[i].what);
		EXPECT_AT(strstr(sim_log_last(), rows[i].reason ? rows[i].reason : rows[i].what),
			  "%s: %s", rows[i].what, sim_log_last());
		EXPECT_EQ_AT(sim_end(), 0, "%s", rows[i].what);
	}
}

static void a_line_that_fails_is_tried_again(void)
{
	begin();
	put_device(8);
	lines_fail = true;
	find_word("512@0xfeb01000:9");
	EXPECT(!probed);
	EXPECT(sim_log_has("its interrupt cannot be delivered"));
	lines_fail = false;
	find_word("512@0xfeb01000:9");
	EXPECT(probed);
	EXPECT_EQ(registrations, 1);
	end();
}

static void features_have_two_halves(void)
{
	begin();
	find_device();
	EXPECT_EQ(probed->features, VIRTIO_BIT(VIRTIO_F_VERSION_1) | OWN_FEATURE);
	/* The high half was accepted last. */
	EXPECT_EQ(*at(DRIVER_SELECT), 1);
	EXPECT_EQ(*at(DRIVER), 1);
	end();
}

static void queues_have_their_parts(void)
{
	begin();
	find_device();
	EXPECT(queue);
	EXPECT_EQ(*at(QUEUE_SELECT), 2);
	EXPECT_EQ(*at(QUEUE_SIZE), 8);
	EXPECT_EQ(*at(QUEUE_READY), 1);
	uint64_t parts[3] = { *at(DESCRIPTORS) | (uint64_t)*at(DESCRIPTORS + 4) << 32,
			      *at(AVAIL) | (uint64_t)*at(AVAIL + 4) << 32,
			      *at(USED) | (uint64_t)*at(USED + 4) << 32 };
	/* Eight descriptors of 16 bytes; flags, an index, eight words and an event. */
	EXPECT(parts[0] && parts[1] >= parts[0] + 128 && parts[2] >= parts[1] + 22);
	static char bytes[4];
	const struct virtio_buffer out = { (paddr_t)bytes, sizeof(bytes) };

	EXPECT_EQ(virtio_queue_add(queue, &out, 1, NULL, 0, bytes), 0);
	EXPECT_EQ(*(uint64_t *)parts[0], out.address);
	EXPECT_EQ(((uint16_t *)parts[1])[1], 1);
	*at(NOTIFY) = UINT32_MAX;
	virtio_queue_kick(queue);
	EXPECT_EQ(*at(NOTIFY), 2);
	end();
}

/* Queues that are absent, or that this driver did not make. */
static void queues_are_refused(void)
{
	static const struct {
		const char *what;
		uint32_t most, ready;
		unsigned int size;
	} rows[] = {
		{ "8 descriptors", 8, 0, 8 },
		{ "fewer than the driver wants", 4, 0, 4 },
		{ "more than 16 bits have", 0x10000, 0, 8 },
		{ "no queue", 0, 0, 0 },
		{ "a queue that is ready", 8, 1, 0 },
	};
	char word[64];

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_device((unsigned int)(20 + i));
		*at(QUEUE_MOST) = rows[i].most;
		*at(QUEUE_READY) = rows[i].ready;
		snprintf(word, sizeof(word), "0x200@0x%llx:5",
			 (unsigned long long)ADDRESS + SIZE * place);
		find_word(word);
		EXPECT_AT(probed, "%s", rows[i].what);
		EXPECT_EQ_AT(queue ? virtio_queue_size(queue) : 0, rows[i].size, "%s",
			     rows[i].what);
	}
	end();
}

static void the_configuration_has_widths(void)
{
	uint64_t eight = 0;
	uint32_t four = 0;
	uint16_t two = 0;
	uint8_t one = 0;

	begin();
	find_device();
	for (unsigned int i = 0; i < SIZE - CONFIG; i++)
		((uint8_t *)at(CONFIG))[i] = (uint8_t)i;
	EXPECT(virtio_config_read(probed, 3, &one, 1));
	EXPECT_EQ(one, 3);
	EXPECT(virtio_config_read(probed, 6, &two, 2));
	EXPECT_EQ(two, 0x0706);
	EXPECT(virtio_config_read(probed, 0xfc, &four, 4));
	EXPECT_EQ(four, 0xfffefdfc);
	EXPECT(virtio_config_read(probed, 8, &eight, 8));
	EXPECT_EQ(eight, 0x0f0e0d0c0b0a0908);
	/* The page of registers ends there. */
	EXPECT(!virtio_config_read(probed, 0xfd, &four, 4));
	end();
}

/* The device returns a request, which the driver gives it. */
static void return_request(void)
{
	static char bytes[4];
	const struct virtio_buffer out = { (paddr_t)bytes, sizeof(bytes) };
	uint16_t *used = (uint16_t *)(*at(USED) | (uint64_t)*at(USED + 4) << 32);

	EXPECT_EQ(virtio_queue_add(queue, &out, 1, NULL, 0, bytes), 0);
	used[1]++;
}

static void one_handler_asks_all_devices(void)
{
	static const struct {
		const char *what;
		uint32_t status, acknowledged;
		unsigned int calls;
	} rows[] = {
		{ "nothing", 0, 0, 0 },		  { "used buffers", 1, 1, 1 },
		{ "the configuration", 2, 2, 1 }, { "both", 3, 3, 1 },
		{ "a reserved bit", 4, 0, 0 },	  { "a reserved bit beside another one", 5, 1, 1 },
	};

	begin();
	find_device();
	return_request();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		calls = acknowledged = 0;
		*at(ACKNOWLEDGE) = 0;
		*at(STATUS) = rows[i].status;
		interrupt();
		EXPECT_EQ_AT(*at(ACKNOWLEDGE), rows[i].acknowledged, "%s", rows[i].what);
		EXPECT_EQ_AT(calls, rows[i].calls, "%s", rows[i].what);
		/* Before the queues are looked at: a request that comes meanwhile interrupts again. */
		EXPECT_EQ_AT(acknowledged, rows[i].acknowledged, "%s", rows[i].what);
	}
	*at(STATUS) = 0;
	end();
}

/* The last rule: afterwards no device can be added. */
static void devices_are_limited(void)
{
	char word[64];

	begin();
	for (unsigned int i = 0; i <= DEVICES_MAX && !sim_log_has("too many"); i++) {
		put_device(30);
		snprintf(word, sizeof(word), "0x200@0x%llx:5",
			 (unsigned long long)ADDRESS + SIZE * place);
		find_word(word);
	}
	EXPECT(sim_log_has("there are too many"));
	EXPECT(!probed);
	calls = 0;
	interrupt();
	EXPECT_EQ(calls, 0);
	end();
}

static const struct tap_rule rules[] = {
	{ "words of the command line name devices", words_name_devices },
	{ "words that can name none are left alone, with a reason", other_words_are_left_alone },
	{ "a place without a device of version 2 has no driver, and leaves no memory",
	  a_place_without_a_device },
	{ "a line that cannot be delivered is tried again", a_line_that_fails_is_tried_again },
	{ "features have two halves", features_have_two_halves },
	{ "the device gets the parts of a queue, and kicks", queues_have_their_parts },
	{ "a queue that is absent or ready already is refused", queues_are_refused },
	{ "the configuration is read in words of their width", the_configuration_has_widths },
	{ "one handler asks all devices, and acknowledges first", one_handler_asks_all_devices },
	{ "devices beyond the greatest number are left alone", devices_are_limited },
};

TAP_MAIN(rules)

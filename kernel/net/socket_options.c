/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getsockopt and setsockopt. A table lists the options of SOL_SOCKET, socket(7), with the functions that read and change their values.
 */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>
#include <uapi/linux/time.h>

#include "socket.h"

/* Buffer sizes, as on Linux: twice the requested size, within limits. */
#define BUFFER_MAX_BYTES    212992u
#define SEND_LEAST_BYTES    4608u
#define RECEIVE_LEAST_BYTES 2304u

/* Greatest priority that any user may set. */
#define PRIORITY_FREE_MAX   6

struct option {
	int name;
	size_t size; /* bytes of the value */
	void (*get)(struct socket *socket, int name, union option_value *value);
	/* 0 or a negative error. NULL: a read-only option. */
	int (*set)(struct socket *socket, int name, const union option_value *value);
};

/* --- properties --- */

static void get_property(struct socket *socket, int name, union option_value *value)
{
	value->number = name == SO_TYPE	      ? socket->type :
			name == SO_DOMAIN     ? socket->domain :
			name == SO_PROTOCOL   ? socket->protocol :
			name == SO_ACCEPTCONN ? socket->listening :
			name == SO_SNDLOWAT   ? 1 :
			name == SO_ERROR      ? -socket_take_error(socket) :
						0;
}

static void get_peer_credentials(struct socket *socket, int name, union option_value *value)
{
	static const struct kernel_ucred no_process = { 0, UINT32_MAX, UINT32_MAX };

	value->credentials = socket->family->peer_credentials ?
				     socket->family->peer_credentials(socket) :
				     no_process;
}

/* --- on or off --- */

/* An option's index here is its bit in socket->switches: the options' own numbers depend on the ISA and
 * may be large. */
static const int switches[] = { SO_DEBUG,     SO_REUSEADDR, SO_DONTROUTE, SO_BROADCAST,
				SO_KEEPALIVE, SO_OOBINLINE, SO_REUSEPORT, SO_LINGER };

static uint32_t switch_bit(int name)
{
	uint32_t bit = 0;

	while (switches[bit] != name)
		bit++;
	return (uint32_t)1 << bit;
}

bool socket_option_is_on(struct socket *socket, int name)
{
	return socket->switches & switch_bit(name);
}

static void get_switch(struct socket *socket, int name, union option_value *value)
{
	value->number = socket_option_is_on(socket, name);
}

static int set_switch(struct socket *socket, int name, const union option_value *value)
{
	uint32_t bit = switch_bit(name);

	if (value->number)
		atomic_fetch_or(&socket->switches, bit);
	else
		atomic_fetch_and(&socket->switches, ~bit);
	return 0;
}

static int set_debug(struct socket *socket, int name, const union option_value *value)
{
	if (value->number && !capable(CAP_NET_ADMIN))
		return -EACCES;
	return set_switch(socket, name, value);
}

/* No family shares a port among listeners. */
static int set_reuse_port(struct socket *socket, int name, const union option_value *value)
{
	return value->number ? -EOPNOTSUPP : 0;
}

static void get_pass_credentials(struct socket *socket, int name, union option_value *value)
{
	value->number = socket->pass_credentials;
}

static int set_pass_credentials(struct socket *socket, int name, const union option_value *value)
{
	socket->pass_credentials = value->number;
	return 0;
}

/* --- sizes --- */

static uint32_t buffer_bytes(int32_t requested, uint32_t most, uint32_t least)
{
	uint32_t bytes = (uint32_t)requested;

	if (bytes > most)
		bytes = most;
	return bytes * 2 > least ? bytes * 2 : least;
}

static void get_buffer(struct socket *socket, int name, union option_value *value)
{
	value->number = (int32_t)(name == SO_SNDBUF ? socket->send_buffer : socket->receive_buffer);
}

static void set_size(struct socket *socket, int name, int32_t requested, uint32_t most)
{
	if (name == SO_SNDBUF || name == SO_SNDBUFFORCE) {
		socket->send_buffer = buffer_bytes(requested, most, SEND_LEAST_BYTES);
		socket_notify(socket, POLL_OUT);
	} else {
		socket->receive_buffer = buffer_bytes(requested, most, RECEIVE_LEAST_BYTES);
	}
}

static int set_buffer(struct socket *socket, int name, const union option_value *value)
{
	set_size(socket, name, value->number, BUFFER_MAX_BYTES);
	return 0;
}

static int force_buffer(struct socket *socket, int name, const union option_value *value)
{
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	set_size(socket, name, value->number < 0 ? 0 : value->number, INT32_MAX / 2);
	return 0;
}

static void get_receive_least(struct socket *socket, int name, union option_value *value)
{
	value->number = (int32_t)socket->receive_least;
}

static int set_receive_least(struct socket *socket, int name, const union option_value *value)
{
	socket->receive_least = value->number < 0  ? INT32_MAX :
				value->number == 0 ? 1 :
						     (uint32_t)value->number;
	return 0;
}

static void get_priority(struct socket *socket, int name, union option_value *value)
{
	value->number = socket->priority;
}

static int set_priority(struct socket *socket, int name, const union option_value *value)
{
	if ((value->number < 0 || value->number > PRIORITY_FREE_MAX) && !capable(CAP_NET_ADMIN) &&
	    !capable(CAP_NET_RAW))
		return -EPERM;
	socket->priority = value->number;
	return 0;
}

static void get_mark(struct socket *socket, int name, union option_value *value)
{
	value->number = socket->mark;
}

static int set_mark(struct socket *socket, int name, const union option_value *value)
{
	if (!capable(CAP_NET_ADMIN) && !capable(CAP_NET_RAW))
		return -EPERM;
	socket->mark = value->number;
	return 0;
}

/* --- times --- */

static void get_linger(struct socket *socket, int name, union option_value *value)
{
	value->linger.l_onoff = (socket->switches & switch_bit(SO_LINGER)) != 0;
	value->linger.l_linger = socket->linger_s;
}

static int set_linger(struct socket *socket, int name, const union option_value *value)
{
	const union option_value on = { .number = value->linger.l_onoff };

	if (value->linger.l_onoff)
		socket->linger_s = value->linger.l_linger;
	return set_switch(socket, SO_LINGER, &on);
}

static _Atomic uint64_t *timeout_of(struct socket *socket, int name)
{
	bool sends = name == SO_SNDTIMEO || name == SO_SNDTIMEO_NEW;

	return sends ? &socket->send_timeout_ns : &socket->receive_timeout_ns;
}

static void get_timeout(struct socket *socket, int name, union option_value *value)
{
	uint64_t timeout_ns = *timeout_of(socket, name);

	value->time = (struct kernel_timeval){ 0 };
	if (timeout_ns == UINT64_MAX)
		return;
	value->time.tv_sec = (int64_t)(timeout_ns / NSEC_PER_SEC);
	value->time.tv_usec = (int64_t)(timeout_ns % NSEC_PER_SEC / 1000);
}

static int set_timeout(struct socket *socket, int name, const union option_value *value)
{
	const struct kernel_timeval *time = &value->time;
	uint64_t timeout_ns = UINT64_MAX;

	if (time->tv_usec < 0 || time->tv_usec >= 1000000)
		return -EDOM;
	if (time->tv_sec < 0)
		timeout_ns = 0;
	else if ((time->tv_sec || time->tv_usec) &&
		 (uint64_t)time->tv_sec < UINT64_MAX / NSEC_PER_SEC - 1)
		timeout_ns = (uint64_t)time->tv_sec * NSEC_PER_SEC + (uint64_t)time->tv_usec * 1000;
	*timeout_of(socket, name) = timeout_ns;
	return 0;
}

/* --- the table --- */

#define SWITCH(name)                                          \
	{                                                     \
		name, sizeof(int32_t), get_switch, set_switch \
	}
#define PROPERTY(name)                                    \
	{                                                 \
		name, sizeof(int32_t), get_property, NULL \
	}
#define TIME(name)                                                            \
	{                                                                     \
		name, sizeof(struct kernel_timeval), get_timeout, set_timeout \
	}

static const struct option options[] = {
	{ SO_DEBUG, sizeof(int32_t), get_switch, set_debug },
	SWITCH(SO_REUSEADDR),
	SWITCH(SO_DONTROUTE),
	SWITCH(SO_BROADCAST),
	SWITCH(SO_KEEPALIVE),
	SWITCH(SO_OOBINLINE),
	{ SO_REUSEPORT, sizeof(int32_t), get_switch, set_reuse_port },
	PROPERTY(SO_TYPE),
	PROPERTY(SO_DOMAIN),
	PROPERTY(SO_PROTOCOL),
	PROPERTY(SO_ERROR),
	PROPERTY(SO_ACCEPTCONN),
	PROPERTY(SO_SNDLOWAT),
	{ SO_SNDBUF, sizeof(int32_t), get_buffer, set_buffer },
	{ SO_RCVBUF, sizeof(int32_t), get_buffer, set_buffer },
	{ SO_SNDBUFFORCE, sizeof(int32_t), NULL, force_buffer },
	{ SO_RCVBUFFORCE, sizeof(int32_t), NULL, force_buffer },
	{ SO_RCVLOWAT, sizeof(int32_t), get_receive_least, set_receive_least },
	{ SO_PRIORITY, sizeof(int32_t), get_priority, set_priority },
	{ SO_MARK, sizeof(int32_t), get_mark, set_mark },
	{ SO_LINGER, sizeof(struct kernel_linger), get_linger, set_linger },
	{ SO_PASSCRED, sizeof(int32_t), get_pass_credentials, set_pass_credentials },
	{ SO_PEERCRED, sizeof(struct kernel_ucred), get_peer_credentials, NULL },
	TIME(SO_RCVTIMEO),
	TIME(SO_SNDTIMEO),
	TIME(SO_RCVTIMEO_NEW),
	TIME(SO_SNDTIMEO_NEW),
};

static const struct option *find_option(int name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].name == name)
			return &options[i];
	return NULL;
}

/* --- calls --- */

static int get_option(struct socket *socket, int name, uintptr_t user_value, uintptr_t user_size)
{
	const struct option *option = find_option(name);
	union option_value value;
	int32_t size;

	if (copy_from_user(&size, (const void *)user_size, sizeof(size)))
		return -EFAULT;
	if (size < 0)
		return -EINVAL;
	if (!option || !option->get)
		return -ENOPROTOOPT;
	option->get(socket, name, &value);
	if ((size_t)size > option->size)
		size = (int32_t)option->size;
	if (copy_to_user((void *)user_value, &value, (size_t)size) ||
	    copy_to_user((void *)user_size, &size, sizeof(size)))
		return -EFAULT;
	return 0;
}

/* The same for a LEVEL of the socket's family. */
static int get_option_of_level(struct socket *socket, int level, int name, uintptr_t user_value,
			       uintptr_t user_size)
{
	union option_value value = { 0 };
	int32_t room;

	if (!socket->family->get_option)
		return -EOPNOTSUPP;
	if (copy_from_user(&room, (const void *)user_size, sizeof(room)))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	size_t size = sizeof(value);
	int error = socket->family->get_option(socket, level, name, &value, &size);

	if (error)
		return error;
	if ((size_t)room > size)
		room = (int32_t)size;
	return copy_to_user((void *)user_value, &value, (size_t)room) ||
			       copy_to_user((void *)user_size, &room, sizeof(room)) ?
		       -EFAULT :
		       0;
}

long sys_getsockopt(const unsigned long arg[6])
{
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	error = (int)arg[1] == SOL_SOCKET ? get_option(file->private, (int)arg[2], arg[3], arg[4]) :
					    get_option_of_level(file->private, (int)arg[1],
								(int)arg[2], arg[3], arg[4]);
	file_put(file);
	return error;
}

static int set_option(struct socket *socket, int name, uintptr_t user_value, int size)
{
	const struct option *option = find_option(name);
	union option_value value;

	/* Every value begins with a number; check that number's bytes first. */
	if (size < (int)sizeof(value.number))
		return -EINVAL;
	if (copy_from_user(&value, (const void *)user_value, sizeof(value.number)))
		return -EFAULT;
	if (!option || !option->set)
		return -ENOPROTOOPT;
	if ((size_t)size < option->size)
		return -EINVAL;
	if (copy_from_user(&value, (const void *)user_value, option->size))
		return -EFAULT;
	int error = option->set(socket, name, &value);

	if (!error && socket->family->option_changed)
		socket->family->option_changed(socket, name);
	return error;
}

/* The same for a LEVEL of the socket's family. */
static int set_option_of_level(struct socket *socket, int level, int name, uintptr_t user_value,
			       size_t size)
{
	union option_value value = { 0 };

	if (!socket->family->set_option)
		return -EOPNOTSUPP;
	if (size > sizeof(value))
		size = sizeof(value);
	if (copy_from_user(&value, (const void *)user_value, size))
		return -EFAULT;
	return socket->family->set_option(socket, level, name, &value, size);
}

long sys_setsockopt(const unsigned long arg[6])
{
	struct file *file;
	int error = socket_get((int)arg[0], &file);

	if (error)
		return error;
	if ((int)arg[4] < 0)
		error = -EINVAL;
	else if ((int)arg[1] != SOL_SOCKET)
		error = set_option_of_level(file->private, (int)arg[1], (int)arg[2], arg[3],
					    (size_t)arg[4]);
	else
		error = set_option(file->private, (int)arg[2], arg[3], (int)arg[4]);
	file_put(file);
	return error;
}

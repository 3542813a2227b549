// SPDX-License-Identifier: BSD-2-Clause
/* The guest of ethernet.t, which is every other machine of its Ethernet. Prints what its sockets get; see there. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CODES = 16, MARKED = 7000, DATAGRAM = 8000, CONNECT = 9000, SLOW = 9100, BYTES = 32768 };

static int open_socket(int type, unsigned int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, type, 0);

	inet_pton(AF_INET, "10.0.2.2", &to.sin_addr);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static void print_marked(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(MARKED) }, to = own;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char text[2000];
	ssize_t size;

	inet_pton(AF_INET, "10.0.2.2", &to.sin_addr);
	bind(fd, (struct sockaddr *)&own, sizeof(own));
	sendto(fd, "go", 2, 0, (struct sockaddr *)&to, sizeof(to));
	do {
		size = recv(fd, text, sizeof(text), 0);
		printf("marked %zd %.*s\n", size, size > 0 ? (int)size : 0, text);
	} while (size >= 0 && strncmp(text, "end", 3) != 0);
	close(fd);
}

static void print_datagram_error(unsigned int port)
{
	int fd = open_socket(SOCK_DGRAM, port);
	char text[10];

	send(fd, "x", 1, 0);
	while (recv(fd, text, sizeof(text), 0) < 0)
		printf("datagram %u %d\n", port - DATAGRAM, errno);
	close(fd);
}

static void print_connect_error(unsigned int port)
{
	int fd = open_socket(SOCK_STREAM, port);

	printf("connect %u %d\n", port - CONNECT, fd < 0 ? errno : 0);
	close(fd);
}

static void send_slowly(void)
{
	static char bytes[BYTES];
	int fd = open_socket(SOCK_STREAM, SLOW);
	char text[10];

	for (int i = 0; i < BYTES; i++)
		bytes[i] = (char)(i % 251);
	ssize_t sent = send(fd, bytes, sizeof(bytes), 0);

	shutdown(fd, SHUT_WR);
	printf("slow %zd %zd\n", sent, recv(fd, text, sizeof(text), 0));
	close(fd);
}

int main(void)
{
	print_marked();
	/* After the codes, messages that the kernel must not believe. */
	for (unsigned int i = 0; i < CODES + 4; i++)
		print_datagram_error(DATAGRAM + i);
	for (unsigned int i = 0; i < CODES; i++)
		print_connect_error(CONNECT + i);
	send_slowly();
	return 0;
}

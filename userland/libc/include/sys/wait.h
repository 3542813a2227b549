/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/wait.h - waiting for children, and taking their status word apart as Linux composes it.
 */
#ifndef _SYS_WAIT_H
#define _SYS_WAIT_H

#include <linux/wait.h>
#include <sys/types.h>
#include <sys/resource.h>

#define WTERMSIG(status)    ((status)&0x7f)
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WSTOPSIG(status)    WEXITSTATUS(status)
#define WIFEXITED(status)   (WTERMSIG(status) == 0)
#define WIFSTOPPED(status)  (((status)&0xff) == 0x7f)
#define WIFSIGNALED(status) (WTERMSIG(status) != 0 && WTERMSIG(status) != 0x7f)
#define WCOREDUMP(status)   (((status)&0x80) != 0)

#ifdef __cplusplus
extern "C" {
#endif

pid_t wait(int *status);
pid_t waitpid(pid_t pid, int *status, int options);
pid_t wait4(pid_t pid, int *status, int options, struct rusage *use);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_WAIT_H */

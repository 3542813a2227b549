# SPDX-License-Identifier: BSD-2-Clause
"""The program's standard input and output as two ports of a virtio console, many times as fast as the serial line.

QEMU inherits standard output and writes to it at once what the program writes: a write of the program returns when the
bytes are out (kernel: drivers/virtio/port.c). Standard input comes through here, by a socket, whose end the port's close
tells. A reader of the output that goes away is seen here, and that port is closed by the end of QEMU's own standard input:
the program gets SIGPIPE, as at a pipe. Where there is no such console (--arch alpha, --under, a terminal, an image, `tally
count`, --kernel of a kernel that does not know the ports) the serial line does it (machine.py).
"""

import select

from . import kernel_file

# docs/boot.md, for the kernel; kernel/tty/stream.c has the ports' names.
WORD = "console=virtio"
# COM1 has nothing to say or to hear.
CONSOLE = "null,id=console"
_BUS = "streams"
# kernel/tty/stream.c knows the ports by their names.
_OUTPUT_NAME = "tally.output"
_INPUT_NAME = "tally.input"
_OUTPUT = 1


def _knows_ports(kernel):
    """Whether this kernel, a file, is one of Tally's with the driver: such a kernel has the name of a port in it."""
    return kernel_file.has_text(kernel, _OUTPUT_NAME.encode())


def suits(options, words):
    """Whether the machine of these options, whose kernel gets these words, has the console."""
    # A word of the user's comes first, and decides.
    chosen = any(word.startswith("console=") for word in options.append.split())
    return ("console=raw" in words.split() and not chosen and options.arch == "x86_64" and not options.under and
            options.command != "count" and (not options.kernel or _knows_ports(options.kernel)))


class Streams:
    """The host's side. `feed`: standard input goes to the program."""

    PIECE = 65536

    def __init__(self, feed):
        self._ours = self._theirs = None
        if feed:
            # Most runs have no input, and do not pay for loading it.
            import socket
            self._ours, self._theirs = socket.socketpair()
        self._is_watched = True

    def words(self):
        """QEMU's words for the console and its ports. QEMU handles what the kernel submits at once, in the same instruction
        each time: ioeventfd=off."""
        words = ["-chardev", "stdio,id=output,signal=off",
                 "-device", f"virtio-serial-pci,id={_BUS},max_ports=3,vectors=8,ioeventfd=off,disable-legacy=on",
                 "-device", f"virtserialport,bus={_BUS}.0,nr=1,chardev=output,name={_OUTPUT_NAME}"]
        if self._theirs:
            words += ["-chardev", f"socket,id=input,fd={self._theirs.fileno()}",
                      "-device", f"virtserialport,bus={_BUS}.0,nr=2,chardev=input,name={_INPUT_NAME}"]
        return words

    def inherited(self):
        """The descriptors that QEMU inherits beside the standard ones."""
        return (self._theirs.fileno(),) if self._theirs else ()

    def started(self):
        """QEMU runs, and has what it inherits. Returns the descriptor to write the program's input to, or None."""
        if self._theirs is None:
            return None
        self._theirs.close()
        self._ours.setblocking(False)
        return self._ours.fileno()

    def end_input(self):
        """The program finds the end of its input after what was written."""
        if self._ours is not None:
            import socket
            self._ours.shutdown(socket.SHUT_WR)

    def watch(self, poll):
        """Has POLL tell of an output without a reader."""
        if self._is_watched:
            poll.register(_OUTPUT, 0)

    def attend(self, ready, process):
        """Closes the port of an output that has no reader any more. `ready`: poll's answer."""
        if self._is_watched and ready.get(_OUTPUT, 0) & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
            self._is_watched = False
            process.stdin.close()

    def close(self):
        """The machine has ended."""
        for end in (self._ours, self._theirs):
            if end is not None:
                end.close()

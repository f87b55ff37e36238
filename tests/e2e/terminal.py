#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs a command in a terminal of its own and prints what it wrote there, byte for byte.

usage: terminal.py [--columns N] [--interrupt-at TEXT] COMMAND...

With --interrupt-at, ^C is typed once, a little after TEXT was written. The exit status is the
command's, 128 + N if it died of signal N, 124 if it has not ended after two minutes.
"""

import argparse
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--interrupt-at")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()

    pid, terminal = pty.fork()
    if not pid:
        size = struct.pack("HHHH", 24, options.columns, 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(options.command[0], options.command)

    wanted = options.interrupt_at and options.interrupt_at.encode()
    seen, type_at, end = b"", None, time.monotonic() + 120
    while time.monotonic() < end:
        if wanted and wanted in seen:
            wanted, type_at = None, time.monotonic() + 0.2
        if type_at and time.monotonic() >= type_at:
            os.write(terminal, b"\x03")
            type_at = None
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            got = os.read(terminal, 65536)
        except OSError:  # nobody has it open any more
            got = b""
        if not got:
            break
        seen += got
    else:
        os.kill(pid, signal.SIGKILL)
        return 124
    sys.stdout.buffer.write(seen.replace(b"\r\n", b"\n"))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status if status >= 0 else 128 - status


sys.exit(main())

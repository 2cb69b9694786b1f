"""A helper process that turns LLVM text into machine code: started by `build.py`, one for each core.

Reads (length, text) from standard input and writes (length, code) to standard output until its input closes; length is
eight bytes, little endian. A failure is written as length 2**63 + n followed by n bytes of message.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Compile until the input closes."""
    from corten.kernel.native import compile_text

    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(8)) == 8:
        text = source.read(int.from_bytes(head, "little")).decode()
        try:
            reply = compile_text(text)
            size = len(reply)
        except RuntimeError as error:
            reply = str(error).encode()
            size = len(reply) + 2**63
        sink.write(size.to_bytes(8, "little") + reply)
        sink.flush()


if __name__ == "__main__":
    main()

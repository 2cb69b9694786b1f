"""The first channel of a PNG image at eight bits, which is what height fields are made of.

Implements the PNG specification (W3C, third edition) for all colour types, bit depths and interlacing; ancillary chunks
are skipped, so there is no colour management. As in the reference, colour images count by their red channel and 16-bit
samples by their high byte.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .errors import MeshError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_PIXELS = 2**27
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by colour type
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
PALETTE = 3
# first column, first row, column step, row step of the seven passes of an interlaced image
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def read_png(content: bytes) -> NDArray[np.uint8]:
    """Rows of the image from top to bottom."""
    chunks = list(_chunks(content))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != 13:
        raise MeshError("PNG file does not begin with a header chunk")
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    if depth not in DEPTHS.get(colour, ()) or compression or filtering or interlace > 1:
        raise MeshError(f"PNG file has an invalid header (colour type {colour}, bit depth {depth})")
    if width == 0 or height == 0 or width * height > MAX_PIXELS:
        raise MeshError(f"PNG image of {width} by {height} pixels is empty or too large")

    passes = ADAM7 if interlace else ((0, 0, 1, 1),)
    shapes = [(-(-(height - y) // dy), -(-(width - x) // dx)) for x, y, dx, dy in passes]
    bits = depth * CHANNELS[colour]
    expected = sum(h * (1 + (w * bits + 7) // 8) for h, w in shapes if w > 0 and h > 0)
    data = _inflate(b"".join(body for kind, body in chunks if kind == b"IDAT"), expected)

    image = np.zeros((height, width), np.uint8)
    at = 0
    for (x, y, dx, dy), (h, w) in zip(passes, shapes, strict=True):
        if w > 0 and h > 0:
            stride = 1 + (w * bits + 7) // 8
            block = np.frombuffer(data, np.uint8, h * stride, at).reshape(h, stride)
            at += h * stride
            image[y::dy, x::dx] = _first_channel(_unfilter(block, max(1, bits // 8)), w, depth, bits)
    if colour == PALETTE:
        palette = np.frombuffer(b"".join(body for kind, body in chunks if kind == b"PLTE")[:768], np.uint8)
        if len(palette) % 3 or int(image.max()) >= len(palette) // 3:
            raise MeshError("PNG image refers to colours that its palette does not have")
        return palette[::3][image]
    return (image.astype(np.uint16) * 255 // (2**depth - 1)).astype(np.uint8) if depth < 8 else image


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Type and body of each chunk up to the end chunk, with checksums verified."""
    if not content.startswith(SIGNATURE):
        raise MeshError("PNG file does not begin with the PNG signature")
    at = len(SIGNATURE)
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        if at + 12 + length > len(content):
            break
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack_from(">I", content, at + 8 + length)
        if zlib.crc32(kind + body) != checksum:
            raise MeshError(f"PNG file has a wrong checksum in chunk {kind.decode('latin-1')}")
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + length
    raise MeshError("PNG file is cut off")


def _inflate(data: bytes, expected: int) -> bytes:
    try:
        pixels = zlib.decompressobj().decompress(data, expected)
    except zlib.error as error:
        raise MeshError(f"PNG image cannot be decompressed ({error})") from None
    if len(pixels) != expected:
        raise MeshError(f"PNG image has {len(pixels)} bytes of pixels, not {expected}")
    return pixels


def _unfilter(block: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Undo the prediction of each row; the first byte of a row names the predictor, `step` is bytes per pixel."""
    result = np.zeros((len(block), block.shape[1] - 1), np.uint8)
    above = np.zeros(block.shape[1] - 1, np.uint8)
    for row, line in enumerate(block):
        kind, coded = line[0], line[1:]
        if kind == 0:
            decoded = coded
        elif kind == 1:
            decoded = np.cumsum(coded.reshape(-1, step), axis=0, dtype=np.uint8).ravel()
        elif kind == 2:
            decoded = coded + above
        elif kind == 3:
            decoded = _undo_average(coded.tobytes(), above.tobytes(), step)
        elif kind == 4:
            decoded = _undo_paeth(coded.tobytes(), above.tobytes(), step)
        else:
            raise MeshError(f"PNG image has an unknown filter {kind} in row {row}")
        result[row] = above = decoded
    return result


def _undo_average(coded: bytes, above: bytes, step: int) -> NDArray[np.uint8]:
    out = bytearray(step) + coded
    for i, (value, up) in enumerate(zip(coded, above, strict=True)):
        out[i + step] = (value + (out[i] + up) // 2) & 255
    return np.frombuffer(out, np.uint8)[step:]


def _undo_paeth(coded: bytes, above: bytes, step: int) -> NDArray[np.uint8]:
    out = bytearray(step) + coded
    corners = bytes(step) + above
    for i, (value, up, corner) in enumerate(zip(coded, above, corners, strict=False)):
        left = out[i]
        from_left, from_up = abs(up - corner), abs(left - corner)
        from_corner = abs(left + up - 2 * corner)
        if from_left <= from_up and from_left <= from_corner:
            nearest = left
        else:
            nearest = up if from_up <= from_corner else corner
        out[i + step] = (value + nearest) & 255
    return np.frombuffer(out, np.uint8)[step:]


def _first_channel(rows: NDArray[np.uint8], width: int, depth: int, bits: int) -> NDArray[np.uint8]:
    if bits >= 8:
        return rows[:, :: bits // 8][:, :width]
    samples = np.unpackbits(rows, axis=1).reshape(len(rows), -1, depth)[:, :width]
    return samples @ (1 << np.arange(depth - 1, -1, -1, dtype=np.uint8))

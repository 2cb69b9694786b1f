"""Height fields against the reference: numbers, the binary format and PNG images of every kind."""

import io
import itertools
import struct
import zlib

import numpy as np
import pytest

from corten.mjcf.assets.errors import MeshError
from corten.mjcf.assets.hfield import load_hfield

pytestmark = [pytest.mark.reference, pytest.mark.plain]

names = itertools.count()  # the reference caches assets by name


def reference(attributes="", content=None, extension="bin"):
    import mujoco

    files = {}
    if content is not None:
        name = f"hfield{next(names)}.{extension}"
        files[name] = content
        attributes += f" file='{name}'"
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><asset><hfield name='h' size='1 1 1 1' {attributes}/></asset>"
        "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
        files,
    )


def assert_same(field, model):
    assert (field.nrow, field.ncol) == (model.hfield_nrow[0], model.hfield_ncol[0])
    np.testing.assert_array_equal(field.data, model.hfield_data)


def binary(elevation):
    return struct.pack("<ii", *elevation.shape) + elevation.astype("<f4").tobytes()


def png(rows, depth, colour, palette=b"", filters=(0,), interlace=0):
    """A PNG file from rows of samples (height, width, channels); all rows of a pass are coded with its own filter."""
    height, width, channels = rows.shape
    passes = ADAM7 if interlace else ((0, 0, 1, 1),)
    step = max(1, depth * channels // 8)
    data = b""
    for (x, y, dx, dy), kind in zip(passes, itertools.cycle(filters)):
        part = rows[y::dy, x::dx]
        if part.size == 0:
            continue
        if depth == 16:
            packed = part.astype(">u2").view(np.uint8).reshape(len(part), -1)
        elif depth == 8:
            packed = part.astype(np.uint8).reshape(len(part), -1)
        else:
            digits = (part[:, :, 0, None] >> np.arange(depth - 1, -1, -1)) & 1
            packed = np.packbits(digits.reshape(len(part), -1).astype(np.uint8), axis=1)
        above = np.zeros(packed.shape[1], int)
        for line in packed.astype(int):
            left = np.r_[np.zeros(step, int), line[:-step]] if len(line) > step else np.zeros(len(line), int)
            corner = np.r_[np.zeros(step, int), above[:-step]] if len(line) > step else np.zeros(len(line), int)
            guess = {0: 0 * line, 1: left, 2: above, 3: (left + above) // 2, 4: paeth(left, above, corner)}[kind]
            data += bytes([kind]) + ((line - guess) % 256).astype(np.uint8).tobytes()
            above = line
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    chunks = [(b"IHDR", header)] + ([(b"PLTE", palette)] if palette else [])
    chunks += [(b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    out = b"\x89PNG\r\n\x1a\n"
    for kind, body in chunks:
        out += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return out


ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def paeth(left, above, corner):
    distances = np.abs([above - corner, left - corner, left + above - 2 * corner])
    return np.choose(np.argmin(distances, axis=0), [left, above, corner])


def test_elevation_rows_run_from_the_top():
    elevation = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    text = " ".join(repr(float(x)) for x in elevation.ravel())
    field = load_hfield(nrow=4, ncol=3, elevation=elevation)
    assert_same(field, reference(f"nrow='4' ncol='3' elevation='{text}'"))
    assert field.data.min() == 0 and field.data.max() == 1


def test_flat_and_empty():
    assert_same(load_hfield(nrow=2, ncol=3), reference("nrow='2' ncol='3'"))
    assert_same(
        load_hfield(nrow=2, ncol=2, elevation=[7, 7, 7, 7]), reference("nrow='2' ncol='2' elevation='7 7 7 7'")
    )


def test_binary_format():
    content = binary(np.random.default_rng(1).normal(size=(5, 7)) * 1e3)
    assert_same(load_hfield(content, "hfield"), reference(content=content))


@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize("depth,colour,channels", [
    (1, 0, 1), (2, 0, 1), (4, 0, 1), (8, 0, 1), (16, 0, 1), (8, 2, 3), (16, 2, 3),
    (1, 3, 1), (2, 3, 1), (4, 3, 1), (8, 3, 1), (8, 4, 2), (16, 4, 2), (8, 6, 4), (16, 6, 4),
])  # fmt: skip
def test_png(depth, colour, channels, interlace):
    rng = np.random.default_rng(depth + 100 * colour)
    for size in ((5, 9), (1, 1), (13, 6)):
        samples = rng.integers(0, 2**depth, (*size, channels))
        palette = rng.integers(0, 256, 3 * 2**depth).astype(np.uint8).tobytes() if colour == 3 else b""
        for filters in ((0,), (1,), (2,), (3,), (4,), (4, 3, 2, 1)):
            content = png(samples, depth, colour, palette, filters, interlace)
            assert_same(load_hfield(content, "png"), reference(content=content, extension="png"))


def test_png_from_another_writer():
    image = pytest.importorskip("PIL.Image")
    x, y = np.meshgrid(np.arange(60), np.arange(40))
    rows = (100 + 50 * np.sin(x / 9) + 40 * np.cos(y / 7)).astype(np.uint8)
    buffer = io.BytesIO()
    image.fromarray(rows).save(buffer, "PNG")
    assert_same(load_hfield(buffer.getvalue(), "png"), reference(content=buffer.getvalue(), extension="png"))


GREY = png(np.arange(12).reshape(3, 4, 1), 8, 0)
LARGER_HEADER = png(np.zeros((9, 9, 1), int), 8, 0)[:33]


@pytest.mark.parametrize("content,message", [
    (b"", "signature"),
    (GREY[:-5], "cut off"),
    (GREY.replace(b"IDAT", b"IDOT"), "checksum"),
    (LARGER_HEADER + GREY[33:], "15 bytes of pixels, not 90"),
    (png(np.full((2, 2, 1), 9), 8, 3, palette=bytes(6)), "palette"),
    (png(np.zeros((2, 2, 1), int), 8, 5), "header"),
])  # fmt: skip
def test_bad_png(content, message):
    with pytest.raises(MeshError, match=message):
        load_hfield(content, "png")


def test_damaged_png_gives_fields_or_errors():
    """Random damage inside the chunks, with checksums put right, never raises anything but `MeshError`."""
    rng = np.random.default_rng(3)
    good = [
        png(rng.integers(0, 256, (9, 7, 3)), 8, 2, filters=(4, 3), interlace=1),
        png(rng.integers(0, 4, (9, 7, 1)), 2, 3, palette=bytes(range(12))),
    ]
    errors = 0
    for turn in range(600):
        damaged = bytearray(good[turn % 2])
        at = 8
        while at < len(damaged):
            (length,) = struct.unpack_from(">I", damaged, at)
            body = slice(at + 8, at + 8 + length)
            if length and rng.random() < 0.5:
                damaged[int(rng.integers(body.start, body.stop))] = rng.integers(256)
            struct.pack_into(">I", damaged, body.stop, zlib.crc32(damaged[at + 4 : body.stop]))
            at = body.stop + 4
        try:
            load_hfield(bytes(damaged), "png")
        except MeshError:
            errors += 1
    assert 0 < errors < 600


@pytest.mark.parametrize("content,message", [
    (b"", "0 bytes"),
    (struct.pack("<ii", 2**30, 2**30), "too large"),
    (struct.pack("<ii", -1, 2), "-1 rows"),
    (binary(np.ones((2, 2))) + b"x", "header asks for 24"),
    (binary(np.array([[1, np.inf]])), "not finite"),
])  # fmt: skip
def test_bad_binary(content, message):
    with pytest.raises(MeshError, match=message):
        load_hfield(content, "hfield")


def test_bad_arguments():
    with pytest.raises(MeshError, match="0 rows"):
        load_hfield(nrow=0, ncol=3)
    with pytest.raises(MeshError, match="too large"):
        load_hfield(nrow=10**5, ncol=10**5)
    with pytest.raises(MeshError, match="3 elevations for 2 rows of 2"):
        load_hfield(nrow=2, ncol=2, elevation=[1, 2, 3])
    with pytest.raises(MeshError, match="'tiff'"):
        load_hfield(b"x", "tiff")

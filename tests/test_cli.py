"""The command: what it prints, what it writes, what it returns, and that it never shows a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from corten import models
from corten.cli.main import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command in this process: exit code, output, errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return call


def test_help_names_the_subcommands(run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert all(name in out for name in ("simulate", "info", "conform", "bench", "warmup"))


def test_version(run) -> None:
    code, out, _ = run("--version")
    assert code == 0 and out.startswith("corten 0.")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["simulate", "humanoidd"], "did you mean 'humanoid'?"),
        (["simulate", "nowhere/robot.xml"], "no such file: nowhere/robot.xml"),
        (["simulate", "pendulum", "--time", "1", "--steps", "5"], "not both"),
        (["simulate", "pendulum", "--keyframe", "sideways"], "horizontal, upright"),
        (["simulate", "pendulum", "--steps", "0"], "--steps"),
        (["simulate", "pendulum", "--ctrl", "wild"], "--ctrl"),
        (["simulate", "pendulum", "--out", "nowhere/run.npz"], "no folder nowhere"),
        (["simulat", "pendulum"], "simulate"),
        (["info", "."], "is a folder"),
        (["conform", "pendulum", "--stage", "speed"], "no stage is called 'speed'"),
        (["conform", "pendulum", "--disable", "gravitation"], "no disable flag is called 'gravitation'"),
        (["conform", "pendulum", "--integrator", "verlet"], "no integrator is called 'verlet'"),
        (["conform", "pendulum", "--solver", "jacobi"], "no solver is called 'jacobi'"),
        (["conform", "pendulum", "--cone", "square"], "no cone is called 'square'"),
        (["bench", "pendulum", "--disable", "gravitation"], "no disable flag is called 'gravitation'"),
    ],
)
def test_wrong_use_is_told_and_returns_2(run, arguments: list[str], says: str) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert says in err


def test_a_bad_file_is_told_with_its_place(run, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco>\n  <worldbody>\n    <body>\n      <joint dampng="1"/>\n      <geom size="1"/>\n'
        "    </body>\n  </worldbody>\n</mujoco>\n"
    )
    code, _, err = run("simulate", path)
    assert code == 2
    assert "robot.xml:4" in err and "dampng" in err and "did you mean 'damping'?" in err


def test_a_strange_file_is_told_with_its_place_and_used(run, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text('<mujoco>\n<worldbody><geom size="1" solref="1 -1"/></worldbody></mujoco>')
    code, out, err = run("info", path)
    assert code == 0 and "robot.xml" in out
    assert "warning: robot.xml:2: <geom> attribute 'solref': 1 and -1 have different signs" in err


@pytest.mark.parametrize("content", [b"", b"not xml", b"<mujoco><worldbody></mujoco>", b"\xff\xfe\x00", b"<robot/>"])
def test_no_content_makes_a_traceback(run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.xml"
    path.write_bytes(content)
    code, _, err = run("info", path)
    assert code == 2 and "broken.xml" in err


@pytest.mark.plain
def test_simulate_prints_the_speed_and_a_summary(run) -> None:
    code, out, _ = run("simulate", "pendulum", "--keyframe", "horizontal", "--steps", 50)
    assert code == 0
    assert "steps/s" in out and "times real time" in out
    assert "0.1 s" in out  # 50 steps of 2 ms
    assert "energy at start" in out and "warnings" in out


def test_simulate_writes_rows_that_follow_from_each_other(run, tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    arguments = ("simulate", "double_pendulum", "--keyframe", "swinging", "--time", 0.5, "--out", file, "--every", 5)
    assert run(*arguments)[0] == 0
    with np.load(file) as saved:
        assert set(saved) == {"time", "qpos", "qvel", "act", "ctrl", "sensordata", "energy"}
        assert saved["qpos"].shape == (50, 2)
        np.testing.assert_allclose(np.diff(saved["time"]), 0.01, rtol=1e-9)
        np.testing.assert_allclose(saved["qpos"][0], [0.5, -0.3])
        np.testing.assert_allclose(np.diff(saved["qpos"][:, 0]) / 0.01, saved["qvel"][:-1, 0], atol=0.5)
        total = saved["energy"].sum(axis=1)
        np.testing.assert_allclose(total, total[0], rtol=1e-6)  # no losses, RK4


def test_random_controls_are_repeatable_and_in_range(run, tmp_path: Path) -> None:
    rows = []
    for seed in (1, 1, 2):
        file = tmp_path / f"{len(rows)}.npz"
        assert run("simulate", "cartpole", "--steps", 40, "--ctrl", "random", "--seed", seed, "--out", file)[0] == 0
        with np.load(file) as saved:
            rows.append((saved["ctrl"], saved["qpos"]))
    assert np.array_equal(rows[0][1], rows[1][1]) and not np.array_equal(rows[0][1], rows[2][1])
    assert np.abs(rows[0][0]).max() <= 1 and len(np.unique(rows[0][0])) == 4  # held for 0.05 s


def test_plot(run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "run.png"
    assert run("simulate", "cartpole", "--steps", 20, "--plot", file)[0] == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    code, _, err = run("simulate", "cartpole", "--steps", 20, "--plot", tmp_path / "run.doc")
    assert code == 2 and "run.doc" in err


@pytest.mark.parametrize("name", models.names())
def test_info_of_every_bundled_model(run, name: str) -> None:
    code, out, _ = run("info", name)
    assert code == 0 and "degrees of freedom" in out and "timestep" in out


def test_info_lists_names(run) -> None:
    _, out, _ = run("info", "arm6")
    assert "wrist_pitch" in out and "home, reach" in out and "-2 .. 2" in out.replace("-2.01 .. 2.01", "-2 .. 2")


@pytest.mark.reference
def test_conform_passes_and_says_what_it_leaves_out(run, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    code, out, _ = run("conform", "pendulum", "cartpole", "--json", file)
    assert code == 0, out
    assert "2 models: 2 passed, 0 failed" in out
    assert "not compared in this run" in out
    told = json.loads(file.read_text())
    assert [m["status"] for m in told["models"]] == ["passed", "passed"]
    assert told["scope"]["never compared"]


@pytest.mark.reference
def test_conform_fails_with_1(run, monkeypatch: pytest.MonkeyPatch) -> None:
    from corten.conformance.engines import Corten

    forward = Corten.forward

    def wrong(self, m, d) -> None:
        forward(self, m, d)
        d.cvel[...] = d.cvel + 1e-6

    monkeypatch.setattr(Corten, "forward", wrong)
    code, out, _ = run("conform", "pendulum", "--stage", "position,velocity")
    assert code == 1
    assert "FAIL" in out and "velocity cvel" in out and "1 failed" in out


@pytest.mark.reference
def test_conform_counts_what_we_refuse_and_what_nobody_takes(run, tmp_path: Path) -> None:
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody></mujoco>")
    code, out, _ = run("conform", tmp_path)
    assert code == 0 and "1 skipped" in out


def test_a_missing_reference_is_told(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    for command in ("conform", "bench"):
        code, _, err = run(command, "pendulum")
        assert code == 2 and "pip install 'corten[test]'" in err


@pytest.mark.reference
def test_bench_measures_both(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from corten.cli.benchmark import single

    monkeypatch.setattr(single, "SECONDS", 0.0)
    file = tmp_path / "bench.json"
    code, out, _ = run("bench", "--single", "pendulum", "cartpole", "--disable", "constraint", "--json", file)
    assert code == 0 and "geometric mean" in out
    rows = json.loads(file.read_text())["one world"]
    assert [r["name"] for r in rows] == ["pendulum", "cartpole"]
    assert all(r["corten"] > 0 and r["reference"] > 0 for r in rows)
    assert rows[0]["ratio"] == pytest.approx(rows[0]["corten"] / rows[0]["reference"])


def test_help_is_quick_and_needs_no_reference() -> None:
    """A process of its own: help must not load what only a subcommand needs."""
    program = (
        "import sys\nfrom corten.cli.main import main\nmain(['--help'])\n"
        "heavy = {'mujoco', 'matplotlib', 'rich.table'} & set(sys.modules)\nassert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=60)


def test_internal_errors_are_short_unless_debugging(run, monkeypatch: pytest.MonkeyPatch) -> None:
    from corten.cli import loading

    def fault(name: str) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(loading, "load", fault)
    code, _, err = run("info", "pendulum")
    assert code == 1 and "internal error: ZeroDivisionError" in err and "CORTEN_DEBUG" in err
    monkeypatch.setenv("CORTEN_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["info", "pendulum"])

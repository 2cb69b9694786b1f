"""Model as an object: named access, saving, copying."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from mjcf_cases import CHILD, WORLD

from corten.model.model import Model, ModelFileError
from corten.model.model_fields import MODEL_FIELDS

pytestmark = pytest.mark.plain


@pytest.fixture(scope="module")
def model() -> Model:
    custom = '<custom><numeric name="n" data="1 2"/><text name="t" data="hé"/></custom>'
    key = '<keyframe><key name="k"/></keyframe>'
    return Model.from_xml_string(f'<mujoco model="m">{WORLD}{custom}{key}</mujoco>')


def same(a: Model, b: Model) -> None:
    for f in MODEL_FIELDS:
        if f.dtype == "size":
            assert getattr(a, f.name) == getattr(b, f.name)
        else:
            np.testing.assert_array_equal(a.array(f.name), b.array(f.name), err_msg=f.name)
    assert a.names.as_dict() == b.names.as_dict()
    assert a.name == b.name


def test_named_access(model: Model) -> None:
    assert model.body("a").mass == model.body_mass[1]
    assert model.body(1).name == "a"
    assert model.geom("box").size.tolist() == [0.1, 0.2, 0.3]
    assert model.key("k").qpos.shape == (model.nq,)
    assert model.numeric("n").tolist() == [1, 2]
    assert model.text("t") == "hé"
    assert model.names.body[0] == "world"


def test_fields_of_dofs_are_fields_of_their_joint(model: Model) -> None:
    assert model.joint("hinge").damping.shape == (1,)
    assert model.joint("free").damping.shape == (6,)
    assert model.joint("socket").qpos0.tolist() == [1, 0, 0, 0]


def test_writing_through_a_name() -> None:
    m = Model.from_xml_string(f"<mujoco>{WORLD}</mujoco>")
    m.body("a").mass = 7
    m.geom("box").size[0] = 3
    m.joint("free").armature = 2
    m.opt.timestep = 0.5
    assert (m.body_mass[1], m.opt.timestep) == (7, 0.5)
    assert m.geom_size[m.geom("box").id, 0] == 3
    assert m.dof_armature[-6:].tolist() == [2] * 6


def test_unknown_names_are_explained(model: Model) -> None:
    with pytest.raises(KeyError, match=r"no geom 'bal' \(did you mean 'ball'\?\)"):
        model.geom("bal")
    with pytest.raises(KeyError, match="no body number 99: there are 5"):
        model.body(99)
    with pytest.raises(KeyError, match=r"no hfield 'h' \(there are: none with a name\)"):
        model.hfield("h")
    with pytest.raises(AttributeError, match=r"body 'a' has no field 'mas' \(did you mean 'mass'\?\)"):
        model.body("a").mas  # noqa: B018  # the access itself is the test


def test_save_and_load(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m.npz")
    same(model, Model.load(tmp_path / "m.npz"))


def test_mesh_model_survives(tmp_path: Path) -> None:
    m = Model.from_xml_string(CHILD.decode())
    m.save(tmp_path / "m.npz")
    same(m, Model.load(tmp_path / "m.npz"))


def test_pickle_and_copy_are_independent(model: Model) -> None:
    same(model, pickle.loads(pickle.dumps(model)))
    other = model.copy()
    same(model, other)
    other.body_mass[1] = 99
    assert model.body_mass[1] != 99


def test_what_is_no_saved_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(ModelFileError, match="is not a saved model"):
        Model.load(path)
    np.savez(path, header=np.frombuffer(b'{"format": "corten model", "version": 0}', np.uint8))
    with pytest.raises(ModelFileError, match="of version 1"):
        Model.load(path)
    np.savez(path, header=np.array([object()], dtype=object))
    with pytest.raises(ModelFileError, match="is not a saved model"):
        Model.load(path)

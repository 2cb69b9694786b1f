"""Random models: a fixed mechanism whose elements get random attributes, drawn by the grammar's own types."""

from __future__ import annotations

import random

from corten.mjcf.grammar import MUJOCO, Attribute, Rule
from corten.mjcf.grammar.tree import BODY, ORIENTATION_KINDS

SHAPES = ["sphere", "capsule", "ellipsoid", "cylinder", "box"]
NAMES = {
    "joint": ["hinge", "slide"],
    "geom": ["g1", "g2", "post"],
    "site": ["s1", "s2", "s3"],
    "body": ["b1", "b2", "b3"],
    "tendon": ["t1", "t2"],
    "camera": ["eye"],
    "actuator": ["a1"],
    "material": ["paint"],
}
# left out: what needs a file, another attribute or dynamics, or is an error more often than not
SKIPPED = {
    "name",
    "class",
    "childclass",
    "file",
    "hfield",
    "mesh",
    "fitscale",
    "coordinate",
    "eulerseq",
    "memory",
    "njmax",
    "nstack",
    "fusestatic",
    "discardvisual",
    "autolimits",
    "timestep",
    "lengthrange",
    "sor",
    "strict",
    "nkey",
    "springdamper",
    "dampratio",
    "inheritrange",
    "actlimited",
    "limited",
    "ctrllimited",
    "forcelimited",
    "actuatorfrclimited",
    "delay",
    "focal",
    "focalpixel",
    "principal",
    "principalpixel",
    "interval",
    "mocap",
    "sleep",
    "fromto",
    "settotalmass",
    "texture",
    "target",
    "actuatorgroupdisable",
    "integrator",
    "boundmass",
    "boundinertia",
    "gravcomp",
    "cranklength",
    "actrange",
    "joint",
    "jointinparent",
    "tendon",
    "site",
    "refsite",
    "slidersite",
    "cranksite",
    "body",
    "actdim",
    "tausmooth",
}
POSITIVE = {
    "size",
    "mass",
    "density",
    "kp",
    "kv",
    "timeconst",
    "cutoff",
    "noise",
    "armature",
    "damping",
    "stiffness",
    "margin",
    "frictionloss",
    "gap",
    "width",
    "friction",
    "solmix",
    "solimp",
    "area",
    "gain",
    "fovy",
    "extent",
    "sensorsize",
}
RANGES = {"range", "actuatorfrcrange", "forcerange"}


class Maker:
    """Draws models from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, a: Attribute, tag: str) -> str:
        """A legal value of an attribute."""
        pick, uniform = self.random.choice, self.random.uniform
        if a.keywords is not None:
            return pick(list(a.keywords))
        if a.name == "condim":
            return pick(["1", "3", "4", "6"])
        if a.name in RANGES and tag != "light":
            return f"{-uniform(0, 1):g} {uniform(0, 1):g}"
        if a.name == "ctrlrange":
            return f"0 {uniform(0.1, 1):g}"
        if a.name == "springlength":
            return pick(["0.1", "0.1 0.3"])
        count = self.random.randint(a.least, a.most if a.most is not None else 4)
        if a.type == "int":
            return " ".join(str(self.random.randint(0, 3)) for _ in range(count))
        low = 0.1 if a.name in POSITIVE else -2
        return " ".join(f"{uniform(low, 2):g}" for _ in range(count))

    def element(self, rule: Rule, inner: str = "", chance: float = 0.2, tag: str = "", **fixed: str) -> str:
        """An element with some attributes given and some drawn."""
        said = dict(fixed)
        turned = False
        for a in rule.attributes.values():
            if a.name in SKIPPED or a.name in said or a.type in ("reference", "text", "name", "file"):
                continue
            if self.random.random() > chance and not a.required:
                continue
            if a.name in ORIENTATION_KINDS:
                if not turned and self.random.random() < 0.3:
                    said[a.name], turned = self.value(a, rule.tag), True
            elif a.name == "type" and rule.tag in ("geom", "site"):
                said["type"] = self.random.choice(SHAPES)
            elif a.name not in ("type", "objtype", "reftype"):
                said[a.name] = self.value(a, rule.tag)
        for group in rule.exclusive:
            for name in [name for name in group if name in said][1:]:
                del said[name]
        text = " ".join(f'{name}="{value}"' for name, value in said.items())
        return f"<{tag or rule.tag} {text}>{inner}</{tag or rule.tag}>"

    def body(self, name: str, joint: str, inner: str = "") -> str:
        """A body with some geoms."""
        size = {"size": ".2 .3 .4"}
        geoms = "".join(self.element(BODY.children["geom"], **size) for _ in range(self.random.randint(1, 3)))
        if self.random.random() < 0.3:
            geoms = f'<frame pos="1 0 .5" euler="30 20 10">{geoms}</frame>'
        return self.element(BODY, joint + geoms + inner, name=name)

    def model(self) -> str:
        """A whole model."""
        top, inside = MUJOCO.children, BODY.children
        defaults = "".join(
            self.element(rule, tag=tag)
            for tag, rule in top["default"].children.items()
            if tag not in ("default", "material", "muscle", "mesh", "light") and self.random.random() < 0.2
        )
        sites = "".join(self.element(inside["site"], name=name) for name in ("s2", "s3"))
        hinge = self.element(inside["joint"], name="hinge", type="hinge")
        slide = self.element(inside["joint"], name="slide", type="slide", axis="1 0 0")
        eye = self.element(inside["camera"], name="eye") + self.element(inside["light"])
        world = (
            self.body("b1", hinge, self.body("b2", slide, self.element(inside["site"], name="s1")) + sites)
            + self.body("b3", "<freejoint/>", eye)
            + '<geom name="g1" size=".3" pos="1 1 1"/><geom name="post" type="cylinder" size=".1 .2" pos="3 0 0"/>'
            + self.element(inside["geom"], name="g2", type="box", size=".1 .1 .1")
        )
        spatial, fixed = top["tendon"].children["spatial"], top["tendon"].children["fixed"]
        terms = '<joint joint="hinge" coef="1.5"/><joint joint="slide" coef="-1"/>'
        path = '<site site="s1"/><geom geom="g1"/><site site="s2"/>'
        tendons = self.element(spatial, path, name="t1", armature="0") + self.element(fixed, terms, name="t2")
        actuators = '<motor name="a1" joint="hinge"/>'
        for tag in self.random.sample(["motor", "position", "velocity", "general", "damper", "cylinder"], 2):
            kind = self.random.choice(["joint", "tendon", "site"])
            target = {kind: self.random.choice(NAMES[kind]), "ctrlrange": "0 1"}
            actuators += self.element(top["actuator"].children[tag], **target)
        flag = self.element(top["option"].children["flag"])
        return (
            f"<mujoco>{self.element(top['compiler'])}{self.element(top['option'], flag)}"
            f"<default>{defaults}</default><worldbody>{world}</worldbody><tendon>{tendons}</tendon>"
            f"<contact>{self.element(top['contact'].children['pair'], geom1='g1', geom2='g2')}</contact>"
            f"<actuator>{actuators}</actuator></mujoco>"
        )

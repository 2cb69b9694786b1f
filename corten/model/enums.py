"""Enumerations of the model, with the values that MuJoCo 3.5 gives them."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class DisableBit(IntFlag):
    """Standard features that `opt.disableflags` switches off."""

    CONSTRAINT = 1 << 0
    EQUALITY = 1 << 1
    FRICTIONLOSS = 1 << 2
    LIMIT = 1 << 3
    CONTACT = 1 << 4
    SPRING = 1 << 5
    DAMPER = 1 << 6
    GRAVITY = 1 << 7
    CLAMPCTRL = 1 << 8
    WARMSTART = 1 << 9
    FILTERPARENT = 1 << 10
    ACTUATION = 1 << 11
    REFSAFE = 1 << 12
    SENSOR = 1 << 13
    MIDPHASE = 1 << 14
    EULERDAMP = 1 << 15
    AUTORESET = 1 << 16
    NATIVECCD = 1 << 17
    ISLAND = 1 << 18


class EnableBit(IntFlag):
    """Optional features that `opt.enableflags` switches on."""

    OVERRIDE = 1 << 0
    ENERGY = 1 << 1
    FWDINV = 1 << 2
    INVDISCRETE = 1 << 3
    MULTICCD = 1 << 4
    SLEEP = 1 << 5


class JointType(IntEnum):
    """Kinds of joint; a free joint has 7 coordinates, a ball 4, the others 1."""

    FREE = 0
    BALL = 1
    SLIDE = 2
    HINGE = 3


DOFS = {JointType.FREE: 6, JointType.BALL: 3, JointType.SLIDE: 1, JointType.HINGE: 1}
COORDINATES = {JointType.FREE: 7, JointType.BALL: 4, JointType.SLIDE: 1, JointType.HINGE: 1}


class GeomType(IntEnum):
    """Shapes of geoms and sites."""

    PLANE = 0
    HFIELD = 1
    SPHERE = 2
    CAPSULE = 3
    ELLIPSOID = 4
    CYLINDER = 5
    BOX = 6
    MESH = 7
    SDF = 8


class CameraProjection(IntEnum):
    """How a camera projects."""

    PERSPECTIVE = 0
    ORTHOGRAPHIC = 1


class TrackingMode(IntEnum):
    """How a camera or light follows bodies."""

    FIXED = 0
    TRACK = 1
    TRACKCOM = 2
    TARGETBODY = 3
    TARGETBODYCOM = 4


class LightType(IntEnum):
    """Kinds of light."""

    SPOT = 0
    DIRECTIONAL = 1
    POINT = 2
    IMAGE = 3


class Integrator(IntEnum):
    """Time integration schemes."""

    EULER = 0
    RK4 = 1
    IMPLICIT = 2
    IMPLICITFAST = 3
    IMPLICITSPRINGDAMPER = 4  # ours: implicit in the diagonal springs and dampers of the joints


class Cone(IntEnum):
    """Shapes of the friction cone."""

    PYRAMIDAL = 0
    ELLIPTIC = 1


class Jacobian(IntEnum):
    """Storage of the constraint Jacobian."""

    DENSE = 0
    SPARSE = 1
    AUTO = 2


class Solver(IntEnum):
    """Constraint solvers."""

    PGS = 0
    CG = 1
    NEWTON = 2


class EqualityType(IntEnum):
    """Kinds of equality constraint."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3
    FLEX = 4
    FLEXVERT = 5
    DISTANCE = 6


class FlexSelf(IntEnum):
    """How contacts between elements of the same flex are found."""

    NONE = 0
    NARROW = 1
    BVH = 2
    SAP = 3
    AUTO = 4


class WrapType(IntEnum):
    """Kinds of object on a tendon's path."""

    NONE = 0
    JOINT = 1
    PULLEY = 2
    SITE = 3
    SPHERE = 4
    CYLINDER = 5


class TrnType(IntEnum):
    """What an actuator acts on."""

    JOINT = 0
    JOINTINPARENT = 1
    SLIDERCRANK = 2
    TENDON = 3
    SITE = 4
    BODY = 5
    UNDEFINED = 1000


class DynType(IntEnum):
    """Activation dynamics of an actuator."""

    NONE = 0
    INTEGRATOR = 1
    FILTER = 2
    FILTEREXACT = 3
    MUSCLE = 4
    USER = 5


class GainType(IntEnum):
    """Gain of an actuator."""

    FIXED = 0
    AFFINE = 1
    MUSCLE = 2
    USER = 3


class BiasType(IntEnum):
    """Bias of an actuator."""

    NONE = 0
    AFFINE = 1
    MUSCLE = 2
    USER = 3


class ObjType(IntEnum):
    """Kinds of named object."""

    UNKNOWN = 0
    BODY = 1
    XBODY = 2
    JOINT = 3
    DOF = 4
    GEOM = 5
    SITE = 6
    CAMERA = 7
    LIGHT = 8
    FLEX = 9
    MESH = 10
    SKIN = 11
    HFIELD = 12
    TEXTURE = 13
    MATERIAL = 14
    PAIR = 15
    EXCLUDE = 16
    EQUALITY = 17
    TENDON = 18
    ACTUATOR = 19
    SENSOR = 20
    NUMERIC = 21
    TEXT = 22
    TUPLE = 23
    KEY = 24
    PLUGIN = 25
    FRAME = 100
    DEFAULT = 101
    MODEL = 102


class SensorType(IntEnum):
    """Kinds of sensor."""

    TOUCH = 0
    ACCELEROMETER = 1
    VELOCIMETER = 2
    GYRO = 3
    FORCE = 4
    TORQUE = 5
    MAGNETOMETER = 6
    RANGEFINDER = 7
    CAMPROJECTION = 8
    JOINTPOS = 9
    JOINTVEL = 10
    TENDONPOS = 11
    TENDONVEL = 12
    ACTUATORPOS = 13
    ACTUATORVEL = 14
    ACTUATORFRC = 15
    JOINTACTFRC = 16
    TENDONACTFRC = 17
    BALLQUAT = 18
    BALLANGVEL = 19
    JOINTLIMITPOS = 20
    JOINTLIMITVEL = 21
    JOINTLIMITFRC = 22
    TENDONLIMITPOS = 23
    TENDONLIMITVEL = 24
    TENDONLIMITFRC = 25
    FRAMEPOS = 26
    FRAMEQUAT = 27
    FRAMEXAXIS = 28
    FRAMEYAXIS = 29
    FRAMEZAXIS = 30
    FRAMELINVEL = 31
    FRAMEANGVEL = 32
    FRAMELINACC = 33
    FRAMEANGACC = 34
    SUBTREECOM = 35
    SUBTREELINVEL = 36
    SUBTREEANGMOM = 37
    INSIDESITE = 38
    GEOMDIST = 39
    GEOMNORMAL = 40
    GEOMFROMTO = 41
    CONTACT = 42
    E_POTENTIAL = 43
    E_KINETIC = 44
    CLOCK = 45
    TACTILE = 46
    PLUGIN = 47
    USER = 48


class Stage(IntEnum):
    """Stage of the pipeline after which a sensor can be read."""

    NONE = 0
    POS = 1
    VEL = 2
    ACC = 3


class DataType(IntEnum):
    """Meaning of a sensor's values, for cutoff and noise."""

    REAL = 0
    POSITIVE = 1
    AXIS = 2
    QUATERNION = 3


class ContactData(IntEnum):
    """What a contact sensor reports, in this order."""

    FOUND = 0
    FORCE = 1
    TORQUE = 2
    DIST = 3
    POS = 4
    NORMAL = 5
    TANGENT = 6


class RayData(IntEnum):
    """What a range finder reports, in this order."""

    DIST = 0
    DIR = 1
    ORIGIN = 2
    POINT = 3
    NORMAL = 4
    DEPTH = 5


class CameraOutput(IntFlag):
    """Images that a camera renders."""

    RGB = 1 << 0
    DEPTH = 1 << 1
    DIST = 1 << 2
    NORMAL = 1 << 3
    SEG = 1 << 4


class SameFrame(IntEnum):
    """Which frame of its body coincides with a frame, so that kinematics can copy it."""

    NONE = 0
    BODY = 1
    INERTIA = 2
    BODYROT = 3
    INERTIAROT = 4


class SleepPolicy(IntEnum):
    """Whether a kinematic tree may fall asleep."""

    AUTO = 0
    AUTO_NEVER = 1
    AUTO_ALLOWED = 2
    NEVER = 3
    ALLOWED = 4
    INIT = 5


class Warning(IntEnum):
    """Kinds of warning that a step may give."""

    INERTIA = 0
    CONTACTFULL = 1
    CNSTRFULL = 2
    VGEOMFULL = 3
    BADQPOS = 4
    BADQVEL = 5
    BADQACC = 6
    BADCTRL = 7


class LengthRangeMode(IntEnum):
    """Which actuators get their length range computed."""

    NONE = 0
    MUSCLE = 1
    MUSCLEUSER = 2
    ALL = 3


class MeshInertia(IntEnum):
    """How the inertia of a mesh is computed."""

    CONVEX = 0
    EXACT = 1
    LEGACY = 2
    SHELL = 3


class MeshBuiltin(IntEnum):
    """Meshes that the compiler generates."""

    NONE = 0
    SPHERE = 1
    HEMISPHERE = 2
    CONE = 3
    SUPERSPHERE = 4
    SUPERTORUS = 5
    WEDGE = 6
    PLATE = 7



class ConstraintType(IntEnum):
    """What a constraint row comes from."""

    EQUALITY = 0
    FRICTION_DOF = 1
    FRICTION_TENDON = 2
    LIMIT_JOINT = 3
    LIMIT_TENDON = 4
    CONTACT_FRICTIONLESS = 5
    CONTACT_PYRAMIDAL = 6
    CONTACT_ELLIPTIC = 7


class ConstraintState(IntEnum):
    """Which part of its cost a row is on."""

    SATISFIED = 0
    QUADRATIC = 1
    LINEARNEG = 2
    LINEARPOS = 3
    CONE = 4

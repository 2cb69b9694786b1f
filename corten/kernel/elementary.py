"""Elementary functions, written in the kernel language so that every element type takes the same operations.

A lane of a block and a single world thereby agree to the last bit; `float` in the signatures stands for any of these
types. No function branches: each reduces its argument, evaluates a polynomial, and selects between cases at the end.
The errors measured stay below 0.9 units of the last place (ulp); below 1.2 for atan, atan2, and powers near the ends of
double. Values at zeros, infinities and NaN are those of C, except that sines of angles beyond 1e12 are NaN.

Every polynomial is a minimax fit made for this file (Remez exchange at 50 digits, the leading coefficients rounded to
double one after another and the rest fitted again); the comment above each gives its range and its largest relative
error in the function. Tables are split into the lower and the higher powers, each highest first, which halves the chain
of dependent operations.

After s = a + b, `b - (s - a)` is the rounding error of s, exactly, if |a| >= |b| or a = 0 (Dekker). A product that has
a name is not fused into a sum, and `fma(a, b, -p)` is its exact error.
"""

from __future__ import annotations

from corten.kernel import copysign, exponent, floor, fma, kernel, mantissa, scalb, sqrt, unroll, where

NAN = float("nan")
INFINITY = float("inf")

# Constants as unevaluated sums of doubles, largest first. The second part of pi/2 has 27 bits: see `quarter_turns`.
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267948966, 6.123233932053594e-17, 6.36831716351095e-25
PI = 3.141592653589793
PI_TAIL_RATIO = 3.8981718325193755e-17  # (pi - PI) / PI, the same for all powers of two times PI
LN2_1, LN2_2 = 0.6931471805599453, 2.3190468138462996e-17
THIRD_1, THIRD_2 = 0.3333333333333333, 1.850371707708594e-17
TWO_OVER_PI = 0.6366197723675814
LOG2_E = 1.4426950408889634
SQRT_2 = 1.4142135623730951

# The reduction keeps its accuracy up to 5e7; from there its error grows to 1e-13 here, where doubles lie 1e-4 apart.
LARGEST_ANGLE = 1.0e12
# exp overflows above 709.79 and rounds to zero below -745.14: arguments beyond these ends give the result of the end.
EXP_HIGHEST, EXP_LOWEST = 710.0, -746.0
SMALLEST_NORMAL = 2.2250738585072014e-308
TWO_TO_54 = 18014398509481984.0
TANH_SATURATED = 20.0  # 1 - tanh(20) is below a quarter ulp of 1

# (sin(r)/r - 1) / r^2 in r^2, |r| <= pi/4: 2^-57.9
SIN_LOW = (-0.00019841269829358506, 0.00833333333332184, -0.1666666666666663)
SIN_HIGH = (1.5895432868075061e-10, -2.5050734384323212e-08, 2.7557313538495853e-06)
# (cos(r) - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4: 2^-63.9
COS_LOW = (2.480158728899516e-05, -0.0013888888888873335, 0.041666666666666595)
COS_HIGH = (-1.13587243185731e-11, 2.0875704971275043e-09, -2.755731421441447e-07)
# (asin(s)/s - 1) / s^2 in s^2, |s| <= 1/2: 2^-55.9
ASIN_LOW = (
    0.017359727293650342,
    0.022371756612449775,
    0.030381959194330788,
    0.04464285682700787,
    0.07500000000338522,
    0.16666666666665403,
)
ASIN_HIGH = (
    0.03193405104324359,
    -0.016255368112419625,
    0.01954765120979808,
    0.006521062486747396,
    0.012170767837420398,
    0.013885005370942748,
)
# (atan(t)/t - 1) / t^2 in t^2, |t| <= 1: 2^-57.5
ATAN_LOW = (
    0.04722349690310859,
    -0.05253527187396822,
    0.05880529904422507,
    -0.06666404440706257,
    0.07692279891219553,
    -0.09090907008013678,
    0.11111111007355103,
    -0.14285714282588546,
    0.19999999999951756,
    -0.3333333333333307,
)
ATAN_HIGH = (
    1.3230301880587299e-05,
    -0.0001522142329473833,
    0.0008315743051293721,
    -0.0028856526051174473,
    0.0071979717128941665,
    -0.013902702329389043,
    0.021987210931122953,
    -0.029905855878733626,
    0.03664322859786267,
    -0.04219246981746798,
)
# (e^r - 1 - r) / r^2 in r, |r| <= ln(2)/2: 2^-60.2
EXP_LOW = (
    0.00019841269896404427,
    0.001388888888911422,
    0.008333333333317025,
    0.041666666666666095,
    0.16666666666666682,
    0.5,
)
EXP_HIGH = (
    2.082703130414164e-09,
    2.511204247725506e-08,
    2.7557580341075746e-07,
    2.7557234843856835e-06,
    2.480158692876366e-05,
)
# (atanh(s)/s - 1 - s^2/3) / s^4 in s^2, |s| <= (sqrt(2) - 1) / (sqrt(2) + 1): 2^-73.5
LOG_LOW = (0.09090909421853807, 0.11111111108895891, 0.14285714285721918, 0.1999999999999999)
LOG_HIGH = (0.05990824709242889, 0.05837897267012614, 0.06668131882485297, 0.07692279224187469)


@kernel
def polynomial(x, shift, low, high):
    """low(x) + shift high(x) from coefficients, highest power first; `shift` is x to the number of those in `low`."""
    p = low[0]
    for i in unroll(1, len(low)):
        p = p * x + low[i]
    q = high[0]
    for i in unroll(1, len(high)):
        q = q * x + high[i]
    return q * shift + p


@kernel
def quarter_turns(x):
    """(odd, opposite, r, s, w, c): x = k pi/2 + turn with |turn| <= pi/4, sin(turn) = r + s and cos(turn) = w + c.

    `odd` says that k is odd, `opposite` that k pi/2, less a quarter if odd, is half a turn away. r and w are the
    leading parts; s and c hold the series and the rounding errors.

    The first subtraction is exact: it cancels to less than 1 in a sum whose terms are multiples of 2^-52 or of x's last
    bit. The second has an error that `tail` takes exactly: either `near` dominates, or both terms are multiples of
    2^-80 that are small enough (k < 2^25) for the difference to have no error. So the turn keeps all its digits next to
    multiples of pi/2.
    """
    angle = where(abs(x) <= LARGEST_ANGLE, x, NAN)
    k = floor(angle * TWO_OVER_PI + 0.5)
    near = fma(k, -HALF_PI_1, angle)
    r = fma(k, -HALF_PI_2, near)
    tail = fma(k, -HALF_PI_3, fma(k, -HALF_PI_2, near - r))

    z = r * r
    zz = z * z
    zzz = z * zz
    half = 0.5 * r
    w = fma(-half, r, 1.0)
    w_error = fma(-half, r, 1.0 - w)
    s = fma(z * r, polynomial(z, zzz, SIN_LOW, SIN_HIGH), tail * w)
    c = fma(zz, polynomial(z, zzz, COS_LOW, COS_HIGH), fma(-r, tail, w_error))

    pairs = floor(0.5 * k)
    quads = floor(0.5 * pairs)
    return pairs + pairs < k, quads + quads < pairs, r, s, w, c


@kernel
def sincos(x: float) -> tuple[float, float]:
    """Sine and cosine: those of what is left of x after quarter turns, swapped and negated for the turns taken."""
    odd, opposite, r, s, w, c = quarter_turns(x)
    sine = r + s
    cosine = w + c
    y = where(odd, cosine, sine)
    x_turned = where(odd, -sine, cosine)
    # The series loses the sign of zero.
    return where(x == 0.0, x, where(opposite, -y, y)), where(opposite, -x_turned, x_turned)


@kernel
def sin(x: float) -> float:
    """Sine."""
    return sincos(x)[0]


@kernel
def cos(x: float) -> float:
    """Cosine."""
    return sincos(x)[1]


@kernel
def quotient(a, a_error, b, b_error):
    """(a + a_error) / (b + b_error), rounded nearly once."""
    q = a / b
    return q + (fma(-q, b, a) + fma(-q, b_error, a_error)) / b


@kernel
def tan(x: float) -> float:
    """Tangent, the quotient of sine and cosine before these are rounded."""
    odd, _, r, s, w, c = quarter_turns(x)
    sine = r + s
    cosine = w + c
    sine_error = s - (sine - r)
    cosine_error = c - (cosine - w)
    y, y_error = where(odd, cosine, sine), where(odd, cosine_error, sine_error)
    x_turned, x_error = where(odd, -sine, cosine), where(odd, -sine_error, cosine_error)
    return where(x == 0.0, x, quotient(y, y_error, x_turned, x_error))


@kernel
def angle_sum(base, large, small):
    """base + large + small: `base` is 0, PI/2 or PI and stands for the true angle; |large| <= |base| or base = 0."""
    s = base + large
    error = large - (s - base)
    return s + (error + fma(base, PI_TAIL_RATIO, small))


@kernel
def arcsine_parts(x):
    """(inner, s, u): asin(|x|) is s + u where inner, |x| <= 1/2, and pi/2 - 2 (s + u) elsewhere.

    Outside, s is the sine of half the complement, sqrt((1 - |x|) / 2), and u also holds the rounding error of the root.
    """
    a = abs(x)
    inner = a <= 0.5
    z = where(inner, a * a, 0.5 - 0.5 * a)
    root = sqrt(z)
    s = where(inner, a, root)
    # The small addend makes 0/0 a zero and is lost in any other root, which is at least 2^-27.
    root_error = where(inner, 0.0, fma(-root, root, z) / (root + root + SMALLEST_NORMAL))
    zz = z * z
    series = polynomial(z, zz * (zz * zz), ASIN_LOW, ASIN_HIGH)
    return inner, s, fma(z * s, series, root_error)


@kernel
def asin(x: float) -> float:
    """Arc sine; NaN outside [-1, 1]."""
    inner, s, u = arcsine_parts(x)
    factor = where(inner, 1.0, -2.0)
    return copysign(angle_sum(where(inner, 0.0, HALF_PI_1), factor * s, factor * u), x)


@kernel
def acos(x: float) -> float:
    """Arc cosine; NaN outside [-1, 1]."""
    inner, s, u = arcsine_parts(x)
    negative = x < 0.0
    base = where(inner, HALF_PI_1, where(negative, PI, 0.0))
    size = where(inner, -1.0, 2.0)
    factor = where(negative, -size, size)
    return angle_sum(base, factor * s, factor * u)


@kernel
def atan2(y: float, x: float) -> float:
    """The angle of (x, y), with C's signs of zero and values at infinity.

    atan of t, the smaller over the larger magnitude, and of what t lost in rounding; reflected at diagonal and axes.
    """
    ax = abs(x)
    ay = abs(y)
    steep = ay > ax
    leftward = copysign(1.0, x) < 0.0
    low = where(steep, ax, ay)
    high = where(steep, ay, ax)
    # Equal magnitudes include the two quotients that are not numbers: 0/0, taken as 0, and inf/inf, taken as 1.
    t = where(low == high, where(high == 0.0, 0.0, 1.0), low / high)
    z = t * t
    lost = where((high > 0.0) & (high < INFINITY), fma(-t, high, low) / fma(z, high, high), 0.0)
    zz = z * z
    z4 = zz * zz
    u = fma(z * t, polynomial(z, (z4 * z4) * zz, ATAN_LOW, ATAN_HIGH), lost)
    flip = where(leftward, -1.0, 1.0)
    factor = where(steep, -flip, flip)
    base = where(steep, HALF_PI_1, where(leftward, PI, 0.0))
    return copysign(angle_sum(base, factor * t, factor * u), y)


@kernel
def atan(x: float) -> float:
    """Arc tangent."""
    return atan2(x, 1.0)


@kernel
def exp_parts(x, low):
    """(k, r, m) with e^(x + low) = 2^k (1 + r + m), |r| <= ln(2)/2 and m of the order of r^2.

    x - k ln2 is exact in its first step, as in `quarter_turns`; `low` is at most an ulp of x.
    """
    k = floor(x * LOG2_E + 0.5)
    near = fma(k, -LN2_1, x)
    rest = fma(k, -LN2_2, low)
    r = near + rest
    tail = rest - (r - near)
    z = r * r
    series = polynomial(r, z * (z * z), EXP_LOW, EXP_HIGH)
    return k, r, fma(z, series, fma(tail, r, tail))


@kernel
def exp_sum(x, low):
    """e^(x + low), where x may also be infinite; subnormal results are rounded once."""
    bounded = where(x > EXP_HIGHEST, EXP_HIGHEST, where(x < EXP_LOWEST, EXP_LOWEST, x))
    k, r, m = exp_parts(bounded, low)
    s = 1.0 + r
    error = r - (s - 1.0)
    value = s + (error + m)
    # k may lie beyond the exponents of normal numbers, its halves do not.
    first = floor(0.5 * k)
    return scalb(scalb(value, first), k - first)


@kernel
def exp(x: float) -> float:
    """The exponential function."""
    return exp_sum(x, 0.0)


@kernel
def log_parts(x):
    """log(x) of a positive finite x and its rounding error, together good to about 2^-64 of the result.

    x = 2^e m with m in [sqrt(1/2), sqrt(2)]; log m = 2 atanh(s), s = (m - 1) / (m + 1). Here s, s^2/3 and their product
    are carried with their rounding errors; the rest of the series is small enough for one number.
    """
    subnormal = x < SMALLEST_NORMAL
    normal = where(subnormal, x * TWO_TO_54, x)
    m1 = mantissa(normal)
    e1 = exponent(normal) - where(subnormal, 54.0, 0.0)
    upper = m1 > SQRT_2
    m = where(upper, 0.5 * m1, m1)
    e = where(upper, e1 + 1.0, e1)

    f = m - 1.0
    d = m + 1.0
    d_error = m - (d - 1.0)
    inverse = 1.0 / d
    s = f * inverse
    s_error = inverse * fma(-s, d_error, fma(-s, d, f))
    z = s * s
    z_error = fma(s, s_error + s_error, fma(s, s, -z))
    third = z * THIRD_1
    zz = z * z
    series = zz * polynomial(z, zz * zz, LOG_LOW, LOG_HIGH)
    third_error = fma(z, THIRD_1, -third) + fma(z, THIRD_2, z_error * THIRD_1)

    twice = s + s
    cubic = twice * third
    cubic_error = fma(twice, third, -cubic)
    log_m = twice + cubic
    log_m_error = (cubic - (log_m - twice)) + fma(
        twice, series + third_error, fma(s_error + s_error, 1.0 + third, cubic_error)
    )

    powers = e * LN2_1
    powers_error = fma(e, LN2_2, fma(e, LN2_1, -powers))
    main = powers + log_m
    rest = (log_m - (main - powers)) + (log_m_error + powers_error)
    high = main + rest
    return high, rest - (high - main)


@kernel
def log(x: float) -> float:
    """The natural logarithm; -inf at zero, NaN below."""
    high = log_parts(x)[0]
    outside = where(x == 0.0, -INFINITY, where(x < 0.0, NAN, x))
    return where((x > 0.0) & (x < INFINITY), high, outside)


@kernel
def power(x: float, y: float) -> float:
    """x to the power y: e^(y log |x|) with the product in two parts; zeros, infinities and negative x as in C."""
    a = abs(x)
    high, low = log_parts(a)
    log_a = where((a > 0.0) & (a < INFINITY), high, where(a == 0.0, -INFINITY, a))
    product = y * log_a
    product_error = fma(y, low, fma(y, log_a, -product))
    magnitude = exp_sum(product, where(abs(product) < -EXP_LOWEST, product_error, 0.0))
    known = where((y == 0.0) | (a == 1.0), 1.0, magnitude)

    half = 0.5 * y
    odd = (floor(y) == y) & (floor(half) != half)
    signed = where(odd & (copysign(1.0, x) < 0.0), -known, known)
    return where((x < 0.0) & (x > -INFINITY) & (floor(y) != y), NAN, signed)


@kernel
def tanh(x: float) -> float:
    """The hyperbolic tangent, t / (t + 2) with t = e^(2|x|) - 1; the quotient is corrected for what both have lost."""
    a = abs(x)
    k, r, m = exp_parts(2.0 * where(a > TANH_SATURATED, TANH_SATURATED, a), 0.0)
    scale = scalb(1.0, k)
    s = r + m
    whole = scale - 1.0
    t = fma(scale, s, whole)
    t_error = fma(scale, m - (s - r), fma(scale, s, whole - t))
    d = t + 2.0
    d_error = where(t > 2.0, 2.0 - (d - t), t - (d - 2.0)) + t_error
    return copysign(quotient(t, t_error, d, d_error), x)


# Derivatives, for the chain rule of dual numbers. Where one is infinite it is given as zero: the engine reaches such a
# point exactly only with a zero tangent (the norm of a zero vector, a clamped cosine), which infinity would make NaN.


@kernel
def d_sin(x, f):
    return cos(x)


@kernel
def d_cos(x, f):
    return -sin(x)


@kernel
def d_sincos(x, s, c):
    return c, -s


@kernel
def d_tan(x, f):
    return 1.0 + f * f


@kernel
def d_asin(x, f):
    root = sqrt((1.0 - x) * (1.0 + x))
    return where(root == 0.0, 0.0, 1.0 / root)


@kernel
def d_acos(x, f):
    return -d_asin(x, f)


@kernel
def d_atan(x, f):
    return 1.0 / (1.0 + x * x)


@kernel
def d_atan2(y, x, f):
    square = x * x + y * y
    inverse = where(square == 0.0, 0.0, 1.0 / square)
    return x * inverse, -y * inverse


@kernel
def d_exp(x, f):
    return f


@kernel
def d_log(x, f):
    return 1.0 / x


@kernel
def d_power(x, y, f):
    """By x: y x^(y - 1), at x = 0 taken as 1 for y = 1 and else 0; by y: f log x, zero where x has no logarithm."""
    at_zero = where(y == 1.0, 1.0, 0.0)
    return where(x == 0.0, at_zero, y * f / x), where(x > 0.0, f * log(x), 0.0)


@kernel
def d_tanh(x, f):
    return 1.0 - f * f


# function -> its derivative: (arguments..., value) -> one partial per argument; `sincos` gives one per value.
DERIVATIVES = {
    "sin": d_sin,
    "cos": d_cos,
    "sincos": d_sincos,
    "tan": d_tan,
    "asin": d_asin,
    "acos": d_acos,
    "atan": d_atan,
    "atan2": d_atan2,
    "exp": d_exp,
    "log": d_log,
    "power": d_power,
    "tanh": d_tanh,
}

"""Numbers as Go's fmt prints them."""

import math


def go_shortest(value: float) -> str:
    """Return the shortest text that reads back as the value, as Go prints it with ``%v``."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    sign = "-" if value < 0 else ""
    digits, exponent = _digits(repr(abs(value)))
    if exponent < -4 or exponent >= 6:
        point = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{point}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if len(digits) <= exponent + 1:
        return f"{sign}{digits}{'0' * (exponent + 1 - len(digits))}"
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :]}"


def _digits(text: str) -> tuple[str, int]:
    """Return the significant digits and the decimal exponent of the first."""
    mantissa, _, exponent_text = text.partition("e")
    whole, _, decimals = mantissa.partition(".")
    exponent = int(exponent_text or 0) + len(whole) - 1
    digits = whole + decimals
    stripped = digits.lstrip("0")
    exponent -= len(digits) - len(stripped)
    return stripped.rstrip("0") or "0", exponent


def signed_percent(ratio: float) -> str:
    """Return a ratio of two values as a signed change in percent."""
    return signed_fixed((ratio - 1.0) * 100.0) + "%"


def signed_fixed(value: float) -> str:
    """Return a number with its sign and two digits after the point."""
    if math.isfinite(value):
        return f"{value:+.2f}"
    return "+NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"

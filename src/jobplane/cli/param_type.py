"""The base class of our own types of options and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click import ParamType
else:

    class ParamType(click.ParamType):
        """Takes the type of its values as an argument, which `click.ParamType` does not do before click 8.4."""

        def __class_getitem__(cls, value):
            return cls


__all__ = ["ParamType"]

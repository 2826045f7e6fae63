"""How Pydantic's types look as JSON Schema, where its own words are not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind

if TYPE_CHECKING:
    from pydantic_core import core_schema

# Pydantic's own pattern looks ahead, which no regular expression in linear time can.
_DECIMAL: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class Shapes(GenerateJsonSchema):
    """Formats only where every value that Pydantic writes has that format."""

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """A default that is no JSON is left out of the schema, and stays the handler's."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _DECIMAL}]}

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonSchemaValue:
        """The format asks for a zone; a time of day may have none."""
        return {"type": "string"}

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        """The format knows neither parts of seconds nor less than nothing."""
        return {"type": "string"}

"""Documents of small nouns, judged by a model before a store sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from jobplane.core.bounds import show
from jobplane.core.documents import documents
from jobplane.core.errors import Invalid
from jobplane.core.faults import describe_faults, group_faults
from jobplane.core.model import Document
from jobplane.core.payload import fault_of


def _require_storable(text: str) -> str:
    if fault := fault_of(text):
        raise ValueError(f"The text has {fault}.")
    return text


Text = Annotated[str, AfterValidator(_require_storable)]  # a text that every store can keep


class Model(BaseModel):
    """The fields of a noun's document. An unknown field is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


def judge(model: type[Model], given: Sequence[str | Document], key: str = "name") -> list[Document]:
    """The documents with what they name; raises Invalid, with the place and the fault of the first bad value."""
    return [_judge(model, document, key) for document in documents(given, key)]


def _judge(model: type[Model], document: Document, key: str) -> Document:
    return judge_one(model, document, f"the document of {key} {show(document[key])}")


def judge_one(model: type[Model], document: Document, what: str) -> Document:
    """The document with what it names, times as texts; raises Invalid, with the place and the fault of a bad value."""
    return cast("Document", _validated(model, document, what).model_dump(mode="json", exclude_unset=True))


def require(model: type[Model], document: Document, what: str) -> Document:
    """The document itself; raises Invalid, with the place and the fault of the first bad value."""
    _validated(model, document, what)
    return document


def _validated(model: type[Model], document: Document, what: str) -> Model:
    try:
        return model.model_validate(document)
    except ValidationError as error:
        pointer, found = next(iter(group_faults(error.errors(include_url=False), document).items()))
        place = pointer[1:] or "value"
        raise Invalid(f"Invalid {place} in {what}. {describe_faults(found)}", pointer=pointer) from None

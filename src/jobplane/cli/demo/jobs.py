"""The jobs of a small shop: most succeed, some fail, some are retried."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Final

from jobplane import Backoff, Context, Fail, Jobplane

jp = Jobplane()
_DICE: Final = random.SystemRandom()
_SOON: Final = Backoff(base=1.0, cap=5.0)


@jp.job("send-receipt", queue="mail", backoff=_SOON)
async def send_receipt(ctx: Context, order: int) -> None:
    """Fails sometimes, and succeeds when it is retried."""
    ctx.log.info("Sending the receipt.", order=order)
    await asyncio.sleep(_DICE.uniform(0.05, 0.4))
    if _DICE.random() < 0.2:
        raise ConnectionError("the mail server did not answer")


@jp.job("resize-image", queue="images")
def resize_image(ctx: Context, pixels: int) -> dict[str, int]:
    """Takes a while, and reports its progress."""
    for step in range(1, 5):
        time.sleep(_DICE.uniform(0.1, 0.5))
        ctx.progress(step / 4)
        ctx.checkpoint()
    return {"pixels": pixels // 4}


@jp.job("import-catalog", queue="imports", max_attempts=2, backoff=_SOON)
async def import_catalog(ctx: Context, rows: int) -> dict[str, int]:
    """Some catalogs are broken for good."""
    ctx.log.info("Reading the catalog.", rows=rows)
    await asyncio.sleep(_DICE.uniform(0.2, 1.5))
    if rows % 7 == 0:
        raise Fail(f"row {rows // 2} has no price")
    return {"rows": rows}


@jp.job("sync-stock", queue="imports", max_running_per_tenant=1)
async def sync_stock(ctx: Context, shop: int) -> dict[str, int]:
    """One at a time for each tenant: the others wait, and `jobplane explain` says why."""
    for page in range(1, 6):
        ctx.log.info("Reading a page.", shop=shop, page=page)
        await asyncio.sleep(_DICE.uniform(0.3, 0.9))
        ctx.progress(page / 5, f"page {page} of 5")
    return {"pages": 5}


@jp.job("send-report", queue="mail")
async def send_report(ctx: Context, day: int) -> None:
    """Is enqueued for a later time."""
    ctx.log.info("Sending the report.", day=day)
    await asyncio.sleep(_DICE.uniform(0.05, 0.2))

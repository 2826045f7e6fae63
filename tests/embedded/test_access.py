"""Who may connect: two users of the operating system, as the logins of jobplane, and nobody as the superuser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from jobplane.embedded.account import launcher, server_account
from tests.embedded.conftest import Serve, account_of, connect_as
from tests.embedded.holder import ROLES

LOGINS: Final = [f"jobplane_{name}" for name in ("owner", "app", "worker", "scheduler", "admin", "maintenance")]
OTHERS: Final = """
create role other login;
create role mighty login superuser;
create role jobplane_mighty login superuser;
create role jobplane_asleep;
"""


def test_both_users_may_be_every_login_and_never_the_superuser(serve: Serve, data: Path) -> None:
    refusal = 'pg_hba.conf rejects connection for host "[local]", user "postgres"'
    with serve() as server:
        for account in (launcher(), server_account(data)):
            assert [connect_as(account, server, login) for login in LOGINS] == LOGINS
            assert refusal in connect_as(account, server, "postgres")


def test_both_users_may_be_nothing_else(serve: Serve, data: Path) -> None:
    with serve(sql=ROLES + OTHERS) as server:
        for account in (launcher(), server_account(data)):
            for role in ("jobplane_doors", "jobplane_asleep", "jobplane_mighty", "mighty", "other", account.name):
                assert "FATAL" in connect_as(account, server, role), f"{account.name} is {role}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_other_users_are_not_let_in(serve: Serve, data: Path) -> None:
    with serve() as server:
        server.socket_dir.chmod(0o755)
        (server.socket_dir / ".s.PGSQL.5432").chmod(0o777)

        assert "Peer authentication failed" in connect_as(account_of("daemon"), server, "jobplane_app")

from __future__ import annotations

import os
import stat
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from jobplane.core.errors import StorageFull, StoreUnavailable, UnsafeRole
from jobplane.embedded import EmbeddedError, find_binaries
from jobplane.embedded.errors import explain_errors, failure
from tests.embedded.conftest import Serve, ask, postmaster_pid
from tests.embedded.holder import ROLES

WHEEL_16 = find_binaries().bin.parent.parent / "pginstall/bin"
DEBIAN_15 = Path("/usr/lib/postgresql/15/bin")
AWKWARD = "do $$ begin\n  perform 1;\n\n  perform 'a;\n\nb';\n\nend $$;\n\n-- the end"


@pytest.mark.parametrize("bin_dir", [None, WHEEL_16, DEBIAN_15], ids=["newest", "wheel's 16", "Debian's 15"])
def test_it_serves_with_the_programs_that_it_is_given(serve: Serve, bin_dir: Path | None) -> None:
    if bin_dir == DEBIAN_15 and not DEBIAN_15.exists():
        pytest.skip("Debian's PostgreSQL 15 is not installed")

    with serve(bin_dir=bin_dir) as server:
        major = ask(server.url("jobplane_app"), "select current_setting('server_version_num')::int / 10000")

        assert server.version == find_binaries(bin_dir).version
        assert server.version[0] == major


def test_the_url_names_role_database_and_socket(serve: Serve, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPORT", raising=False)
    with serve() as server:
        host = quote(str(server.socket_dir), safe="")

        assert server.url("jobplane_app", "a b") == f"postgresql://jobplane_app@/a%20b?host={host}"
        monkeypatch.setenv("PGPORT", "6543")
        assert server.url("jobplane_app").endswith(f"host={host}&port=5432")
        assert ask(server.url("jobplane_app"), "select current_user") == "jobplane_app"


def test_another_port_is_in_the_url(serve: Serve, data: Path) -> None:
    with serve(settings={"fsync": "off", "port": "6000"}) as server:
        assert server.url("jobplane_app").endswith("&port=6000")
        assert ask(server.url("jobplane_app"), "select 1") == 1


def test_before_the_start_and_after_the_stop_there_is_no_url(serve: Serve, data: Path) -> None:
    server = serve()
    with pytest.raises(StoreUnavailable, match="not started"):
        server.url("jobplane_app")

    server.start()
    server.stop()
    server.stop()

    with pytest.raises(StoreUnavailable, match="not started"):
        _ = server.socket_dir


def test_nobody_gets_a_url_for_the_superuser(serve: Serve, data: Path) -> None:
    with serve() as server, pytest.raises(UnsafeRole):
        server.url("postgres")


def test_no_login_is_a_superuser_or_sees_through_policies(serve: Serve, data: Path) -> None:
    mighty = "rolsuper or rolbypassrls or rolcreaterole or rolreplication or pg_has_role(oid, 'pg_monitor', 'member')"
    with serve() as server:
        url = server.url("jobplane_owner")
        assert ask(url, f"select count(*) from pg_roles where ({mighty}) and rolname ~ '^jobplane'") == 0
        assert ask(url, "select string_agg(rolname, ' ') from pg_roles where rolsuper") == "postgres"


def test_the_owner_owns_the_database_and_may_make_more(serve: Serve, data: Path) -> None:
    with serve() as server:
        url = server.url("jobplane_owner")
        assert ask(url, "select datdba::regrole::text from pg_database where datname = 'jobplane'") == "jobplane_owner"
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("create database copy template jobplane")
        with psycopg.connect(server.url("jobplane_app"), autocommit=True) as conn, pytest.raises(psycopg.Error):
            conn.execute("create database theirs")


def test_it_listens_to_the_socket_alone(serve: Serve, data: Path) -> None:
    with serve(settings={"fsync": "off", "listen_addresses": "*", "unix_socket_permissions": "0777"}) as server:
        url = server.url("jobplane_app")

        assert ask(url, "show listen_addresses") == ""
        assert stat.S_IMODE((server.socket_dir / ".s.PGSQL.5432").stat().st_mode) == 0o700
        assert stat.S_IMODE(server.socket_dir.stat().st_mode) == 0o700
        assert (server.data_dir / "pg_hba.conf").read_text().splitlines()[-1].endswith("reject")


def test_data_are_durable_private_and_owned_by_the_server(serve: Serve, data_dir: Path) -> None:
    with serve(settings={}) as server:
        url = server.url("jobplane_app")

        assert [ask(url, f"show {name}") for name in ("fsync", "synchronous_commit", "full_page_writes")] == ["on"] * 3
        assert ask(url, "show data_checksums") == "on"
        assert ask(url, "show max_connections") == "200"
        assert ask(url, "show log_rotation_size") == "10MB"
        assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
        assert {path.stat().st_uid for path in data_dir.rglob("*") if path.exists()} == {data_dir.stat().st_uid}
        assert not [path for path in data_dir.rglob("*") if path.exists() and path.stat().st_mode & 0o077]


def test_text_is_ordered_by_code_point_and_knows_all_letters(serve: Serve, data: Path) -> None:
    with serve() as server:
        url = server.url("jobplane_app")

        assert ask(url, "show server_encoding") == "UTF8"
        assert ask(url, "select 'Z' < 'a'") is True
        assert ask(url, "select lower('ÄÖÉ')") == "äöé"


def test_started_again_it_has_its_data_and_its_own_settings(serve: Serve, data: Path) -> None:
    with serve() as server:
        ask(server.url("jobplane_owner"), "create schema kept; create table kept.t as select 7 as n")
    with (data / "postgresql.conf").open("a") as configuration:
        configuration.write("work_mem = '7MB'\nmax_connections = 30\n")

    with serve(settings={"fsync": "off", "max_connections": "25"}) as server:
        url = server.url("jobplane_owner")

        assert ask(url, "select n from kept.t") == 7
        assert ask(url, "show work_mem") == "7MB"
        assert ask(url, "show max_connections") == "25"


def test_access_is_written_anew_at_each_start(serve: Serve, data: Path) -> None:
    with serve():
        pass
    for name in ("pg_hba.conf", "pg_ident.conf", "jobplane.conf"):
        (data / name).write_text("local all all trust\n")

    with serve() as server, pytest.raises(psycopg.OperationalError, match="rejects connection"):
        ask(server.url("jobplane_app").replace("jobplane_app", "postgres"), "select 1")


def test_a_changed_bootstrap_runs_again_and_an_unchanged_one_does_not(serve: Serve, data: Path) -> None:
    counted = f"{ROLES}\ncreate role made_{{}};"
    with serve(sql=counted.format(1)):
        pass
    with serve(sql=counted.format(1)):
        pass  # to make the role once more would be an error

    with serve(sql=counted.format(2) + "\ncreate role jobplane_late login;") as server:
        assert ask(server.url("jobplane_late"), "select count(*) from pg_roles where rolname like 'made\\__'") == 2


def test_without_a_bootstrap_there_is_the_owner(serve: Serve) -> None:
    with serve(sql="") as server:
        assert ask(server.url("jobplane_owner"), "select current_database()") == "jobplane"


def test_a_bootstrap_may_hold_empty_lines_anywhere(serve: Serve, data: Path) -> None:
    with serve(sql=f"{ROLES}\r\n\r\n{AWKWARD}") as server:
        assert ask(server.url("jobplane_app"), "select 1") == 1


def test_a_bootstrap_that_fails_leaves_nothing_behind(serve: Serve, data_dir: Path) -> None:
    with pytest.raises(EmbeddedError, match='role "nobody_knows" does not exist'):
        serve(sql=f"{ROLES}\nalter role nobody_knows login;").start()

    assert not (data_dir / "PG_VERSION").exists()
    with serve() as server:
        assert ask(server.url("jobplane_app"), "select 1") == 1


def test_a_setting_that_does_not_exist_is_named(serve: Serve, data: Path) -> None:
    with pytest.raises(EmbeddedError, match='unrecognized configuration parameter "no_such_setting"'):
        serve(settings={"no_such_setting": "1"}).start()


def test_old_logs_go_and_new_ones_stay(serve: Serve, data: Path) -> None:
    latest = data / "log/server-20300101-000000.log"
    for number in range(20):
        (data / "log" / f"server-20200101-0000{number:02}.log").touch()
    latest.touch()

    with serve():
        logs = list((data / "log").glob("server-*.log"))

    assert len(logs) == 10
    assert latest in logs


def test_the_server_is_no_child_of_ours_and_none_is_left(serve: Serve, data: Path) -> None:
    with serve() as server:
        pid = postmaster_pid(data)
        assert pid
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        socket_dir = server.socket_dir

    assert postmaster_pid(data) is None
    assert not socket_dir.exists()


def test_a_full_disk_has_its_own_error(data_dir: Path) -> None:
    assert isinstance(failure("initdb failed", "could not write: No space left on device"), StorageFull)
    with pytest.raises(StorageFull), explain_errors(data_dir):
        Path("/dev/full").write_text("x")

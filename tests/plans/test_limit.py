from tests.database import Database
from tests.plans.seed import login


def test_a_claim_never_returns_more_than_its_limit(statistics: Database) -> None:
    """A plan that ran the inner LIMIT again for each outer row would take the whole lane."""
    with login(statistics, "worker") as conn, conn.transaction(force_rollback=True):
        taken: list[tuple[int, int]] = []
        for turn in range(500):
            limit = 1 + turn % 5
            rows = conn.execute("select job_id from jobplane.claim('default', 'w', %s)", [limit]).fetchall()
            taken.append((limit, len(rows)))

    assert [pair for pair in taken if pair[0] != pair[1]] == []

-- sessions: people who are signed in with a browser, and links that sign in once
-- oldest program: 1

-- A principal is an API key, or a database login that acts as super admin. No login reads these tables: `find_session` compares the digest.
create table jobplane.sessions (
  digest          bytea primary key check (octet_length(digest) = 32),
  principal_type  text not null check (principal_type in ('key', 'login')),
  principal_id    text not null check (length(principal_id) between 1 and 500),
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  idle_until      timestamptz not null check (idle_until <= expires_at)      -- each use moves it; the session has ended once it has passed
);
create index sessions_principal on jobplane.sessions (principal_type, principal_id, created_at);
create index sessions_idle on jobplane.sessions (idle_until);

create table jobplane.session_links (
  digest          bytea primary key check (octet_length(digest) = 32),
  principal_type  text not null check (principal_type in ('key', 'login')),
  principal_id    text not null check (length(principal_id) between 1 and 500),
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  session_until   timestamptz                                                -- when its session ends at the latest: with the session that made the link
);
create index session_links_principal on jobplane.session_links (principal_type, principal_id, created_at);
create index session_links_expires on jobplane.session_links (expires_at);

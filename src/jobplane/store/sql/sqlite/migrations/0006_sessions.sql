-- sessions: people who are signed in with a browser, and links that sign in once

-- A principal is an API key, or a user of the operating system who acts as super admin.
create table jobplane_sessions (
  digest          blob primary key check (length(digest) = 32),
  principal_type  text not null check (principal_type in ('key', 'login')),
  principal_id    text not null check (length(principal_id) between 1 and 500),
  created_at      integer not null,
  expires_at      integer not null,
  idle_until      integer not null check (idle_until <= expires_at)          -- each use moves it; the session has ended once it has passed
) strict, without rowid;
create index jobplane_sessions_principal on jobplane_sessions (principal_type, principal_id, created_at);
create index jobplane_sessions_idle on jobplane_sessions (idle_until);

create table jobplane_session_links (
  digest          blob primary key check (length(digest) = 32),
  principal_type  text not null check (principal_type in ('key', 'login')),
  principal_id    text not null check (length(principal_id) between 1 and 500),
  created_at      integer not null,
  expires_at      integer not null,
  session_until   integer                                                    -- when its session ends at the latest: with the session that made the link
) strict, without rowid;
create index jobplane_session_links_principal on jobplane_session_links (principal_type, principal_id, created_at);
create index jobplane_session_links_expires on jobplane_session_links (expires_at);

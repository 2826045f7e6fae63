-- logs: what handlers wrote.

create table jobplane_logs (
  id          integer primary key autoincrement,              -- never used again: the words of a search go by it
  seq         integer not null,
  attempt_no  integer not null,
  line        integer not null,                               -- counts within the attempt; (attempt_no, line) is the order, and where a reader goes on
  at          integer not null,
  level       text not null,
  message     text not null,
  fields      text,
  unique (seq, attempt_no, line)
) strict;

-- The words of the lines, as far as the upkeep has come; a search reads the later ones itself. Left out where SQLite has no FTS5.
create virtual table jobplane_log_words using fts5(message, content = 'jobplane_logs', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0');

-- upkeep: which process does the upkeep at the moment, so that many workers do not all look for the same work
-- oldest program: 1

-- One row. The turn is a hint: whoever cannot take it, although it is over, does the upkeep all the same.
create table jobplane.upkeep (
  one      boolean primary key default true check (one),
  done_by  text not null default '',
  until    timestamptz not null default '-infinity',
  told_at  timestamptz not null default '-infinity'           -- when workers that listen were last told of it
);
insert into jobplane.upkeep default values;

-- queues: what each is for, and the names of those that were deleted.

alter table jobplane_queues add column description text not null default '' check (length(description) <= 1000);

-- Ended jobs still show the name of their queue, and put_queues brings the queue back under the same id.
create table jobplane_deleted_queues (
  queue_id  integer primary key,
  name      text not null unique
) strict;

-- put_queues: make the queues that are not there yet
-- out: the names that were made

-- statement: insert
insert into jobplane_queues (name, created_at) select distinct value, ? from json_each(?) where true order by value on conflict do nothing returning name

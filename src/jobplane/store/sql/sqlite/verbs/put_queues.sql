-- put_queues: make or change queues, each given by its name, or as a JSON object with its name; what a document does not name keeps its value, or the default
-- in:  names; documents: name, description
-- out: the names that were made. A queue that was deleted comes back, and its ended jobs belong to it again

-- statement: restore
insert into jobplane_queues (queue_id, name, created_at) select queue_id, name, ? from jobplane_deleted_queues where name in (select value from json_each(?)) returning name

-- statement: described
select name, description from jobplane_queues where name in (select value from json_each(?))

-- statement: restored
delete from jobplane_deleted_queues where name in (select value from json_each(?))

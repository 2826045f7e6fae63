-- get_definitions: definitions in the order of their keys, all or those named by key or id. Without names those that were deleted are left out
-- in:  include_system: whether those of the system come too, where none is named

-- statement: page
select /*statement:definition_columns*/
  from jobplane_definitions d join jobplane_queues q using (queue_id)
 where d.key > cast(? as text) and d.deleted_at is null and (? or not d.system) order by d.key limit ?

-- statement: named
select /*statement:definition_columns*/
  from jobplane_definitions d join jobplane_queues q using (queue_id)
 where d.key > cast(? as text) and d.key in (select value from json_each(?)) order by d.key limit ?

-- statement: identified
select /*statement:definition_columns*/
  from jobplane_definitions d join jobplane_queues q using (queue_id)
 where d.key > cast(? as text) and d.id in (select value from json_each(?)) order by d.key limit ?

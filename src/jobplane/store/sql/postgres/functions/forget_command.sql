-- forget_command: no worker runs a command of this key until it has registered again and compared it with its policy
create or replace function jobplane.forget_command(p_key text, p_id int) returns void language sql volatile as $$
  update jobplane.workers w
     set definitions = array_remove(w.definitions, p_key), definition_ids = array_remove(w.definition_ids, p_id), outdated = true
   where w.worker_id > '' and (p_key = any (w.definitions) or p_key = any (w.mismatched))      -- by the primary key: all of them
$$;

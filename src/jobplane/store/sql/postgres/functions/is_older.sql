-- is_older: whether one version of an app comes before another: by their orders where both have one, else as texts. An empty version is never older
create or replace function jobplane.is_older(p_version text, p_order text, p_than text, p_than_order text) returns boolean language sql immutable as $$
  select p_version <> '' and p_than <> '' and
         case when p_order is not null and p_than_order is not null then p_order < p_than_order collate "C" else p_version < p_than collate "C" end
$$;

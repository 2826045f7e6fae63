--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: jobplane; Type: SCHEMA; Schema: -; Owner: jobplane_owner
--

CREATE SCHEMA jobplane;


ALTER SCHEMA jobplane OWNER TO jobplane_owner;

--
-- Name: jobplane_locks; Type: SCHEMA; Schema: -; Owner: jobplane_owner
--

CREATE SCHEMA jobplane_locks;


ALTER SCHEMA jobplane_locks OWNER TO jobplane_owner;

--
-- Name: attempt_outcome; Type: TYPE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TYPE jobplane.attempt_outcome AS ENUM (
    'succeeded',
    'failed',
    'fatal',
    'timeout',
    'canceled',
    'lost',
    'released'
);


ALTER TYPE jobplane.attempt_outcome OWNER TO jobplane_owner;

--
-- Name: candidate; Type: TYPE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TYPE jobplane.candidate AS (
	tid tid,
	tag bigint,
	keys text[],
	maxes integer[],
	gate text,
	reason text,
	expired boolean
);


ALTER TYPE jobplane.candidate OWNER TO jobplane_owner;

--
-- Name: job; Type: TYPE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TYPE jobplane.job AS (
	id uuid,
	tenant_id uuid,
	definition_key text,
	queue text,
	status text,
	priority integer,
	payload jsonb,
	source text,
	source_ref text,
	correlation_id text,
	created_by text,
	trace_context text,
	artifact_ref text,
	dedupe_key text,
	idempotency_key text,
	tags text[],
	metadata jsonb,
	created_at timestamp with time zone,
	scheduled_for timestamp with time zone,
	expires_at timestamp with time zone,
	started_at timestamp with time zone,
	first_started_at timestamp with time zone,
	finished_at timestamp with time zone,
	attempt_no integer,
	attempts integer,
	max_attempts integer,
	timeout_seconds integer,
	worker_id text,
	lease_expires_at timestamp with time zone,
	cancel_requested_at timestamp with time zone,
	cancel_reason text,
	held_by text,
	reason text,
	error text,
	progress real,
	progress_message text,
	result jsonb,
	cursor bigint,
	canceled_at timestamp with time zone,
	queued_at timestamp with time zone
);


ALTER TYPE jobplane.job OWNER TO jobplane_owner;

--
-- Name: job_source; Type: TYPE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TYPE jobplane.job_source AS ENUM (
    'manual',
    'event',
    'schedule',
    'system'
);


ALTER TYPE jobplane.job_source OWNER TO jobplane_owner;

--
-- Name: job_status; Type: TYPE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TYPE jobplane.job_status AS ENUM (
    'queued',
    'running',
    'succeeded',
    'failed',
    'dead_letter',
    'canceled'
);


ALTER TYPE jobplane.job_status OWNER TO jobplane_owner;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: ready; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.ready (
    seq bigint NOT NULL,
    tag bigint NOT NULL,
    tenant_id uuid NOT NULL,
    scheduled_for timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    queue_id integer NOT NULL,
    definition_id integer NOT NULL,
    attempt_no integer NOT NULL,
    priority smallint NOT NULL,
    attempts_left smallint NOT NULL,
    interruptions smallint NOT NULL,
    deduped boolean NOT NULL,
    alone boolean NOT NULL
);

ALTER TABLE ONLY jobplane.ready FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.ready OWNER TO jobplane_hot;

--
-- Name: admit(jobplane.ready[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.admit(p_rows jobplane.ready[]) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'on'
    SET enable_mergejoin TO 'on'
    AS $$
#variable_conflict use_column
begin
  with r as materialized (
    select *, row_number() over (partition by queue_id, priority, tenant_id order by tag, seq) as place from unnest(p_rows)),
  lane as materialized (
    select l.*, jobplane.line(l.queue_id, l.priority, l.tenant_id, coalesce(c.v, 0), 1000000 / t.weight, l.n) as base, 1000000 / t.weight as step
      from (select queue_id, priority, tenant_id, count(*) as n from r group by 1, 2, 3) l
      join jobplane.tenants t using (tenant_id)
      left join jobplane.clocks c using (queue_id, priority)),
  n as (select r.*, lane.base + lane.step * r.place as new_tag from r join lane using (queue_id, priority, tenant_id))
  insert into jobplane.ready (seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, new_tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone from n;
  perform jobplane.wake(queue_id) from jobplane.queues
    where queue_id = any (array(select distinct queue_id from unnest(p_rows))) and wanted_until > jobplane.clock();
  return coalesce(cardinality(p_rows), 0);
end $$;


ALTER FUNCTION jobplane.admit(p_rows jobplane.ready[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION admit(p_rows jobplane.ready[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.admit(p_rows jobplane.ready[]) IS 'admit: rows into ready, each with a new tag. An old one means nothing after an hour in held or upcoming. Wakes whoever waits for them.';


--
-- Name: apportion(jobplane.candidate[], text[], integer[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]) RETURNS jobplane.candidate[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  v_gates text[] := array_fill(null::text, array[cardinality(p_batch)]);
  v_at    int;
  v       record;
begin
  for v in
    select x.ord, array_agg(x.at order by x.n) as ats
      from (select y.ord, y.n, dense_rank() over (order by y.k) as at
              from (select c.ord, generate_subscripts(c.keys, 1) as n, unnest(c.keys) collate "C" as k
                      from unnest(p_batch) with ordinality c(tid, tag, keys, maxes, gate, reason, expired, ord) where c.gate is null
                    union all select 0, 0, unnest(p_keys) collate "C") y) x
     where x.ord > 0 group by x.ord order by x.ord
  loop
    foreach v_at in array v.ats loop
      if p_rooms[v_at] <= 0 then
        v_gates[v.ord] := p_keys[v_at];
        exit;
      end if;
    end loop;
    continue when v_gates[v.ord] is not null;
    foreach v_at in array v.ats loop
      p_rooms[v_at] := p_rooms[v_at] - 1;
    end loop;
  end loop;
  return array(
    select row(c.tid, c.tag, c.keys, c.maxes, coalesce(c.gate, c.shut),
               coalesce(c.reason, case split_part(c.shut, '/', 1) when 't' then 'tenant_limit' when 'd' then 'definition_limit' when 'dt' then 'definition_tenant_limit' end),
               c.expired)::jobplane.candidate
      from unnest(p_batch, v_gates) c(tid, tag, keys, maxes, gate, reason, expired, shut));
end $$;


ALTER FUNCTION jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]) IS 'apportion: who of a batch finds room: one by one, in order, and a job that one gate shuts takes no room at its others. The keys come in their order and by';


--
-- Name: jobs; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.jobs (
    seq bigint NOT NULL,
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    scheduled_for timestamp with time zone NOT NULL,
    definition_id integer NOT NULL,
    queue_id integer NOT NULL,
    timeout_seconds integer,
    backoff_base real NOT NULL,
    backoff_factor real NOT NULL,
    backoff_cap real NOT NULL,
    backoff_jitter real NOT NULL,
    priority smallint NOT NULL,
    max_attempts smallint NOT NULL,
    source jobplane.job_source DEFAULT 'manual'::jobplane.job_source NOT NULL,
    source_ref text,
    correlation_id text,
    created_by text,
    trace_context text,
    artifact_ref text,
    dedupe_key text,
    idempotency_key text,
    definition_key text NOT NULL,
    expires_at timestamp with time zone,
    tags text[],
    metadata jsonb,
    payload jsonb NOT NULL
);

ALTER TABLE ONLY jobplane.jobs FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.jobs OWNER TO jobplane_owner;

--
-- Name: backoff_delay(jobplane.jobs, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.backoff_delay(p_job jobplane.jobs, p_n integer) RETURNS double precision
    LANGUAGE sql
    AS $$
  select least(greatest(least((p_job).backoff_cap::float8, (p_job).backoff_base::float8 * exp(least(greatest(p_n - 1, 0) * ln(greatest((p_job).backoff_factor::float8, 1)), 600)))
         * (1 - (p_job).backoff_jitter::float8 * jobplane.dice()), 0), 31536000)
$$;


ALTER FUNCTION jobplane.backoff_delay(p_job jobplane.jobs, p_n integer) OWNER TO jobplane_owner;

--
-- Name: FUNCTION backoff_delay(p_job jobplane.jobs, p_n integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.backoff_delay(p_job jobplane.jobs, p_n integer) IS 'backoff_delay: seconds until the next attempt after p_n of the budget are spent; never above the cap, and no overflow however high p_n is.';


--
-- Name: cancel(uuid[], text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.cancel(p_ids uuid[], p_reason text DEFAULT NULL::text) RETURNS TABLE(job_id uuid, outcome text, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_row    jobplane.upcoming;
  v_seq    bigint;
  v_key    text;
  v_worker text;
  v_is_new boolean;
begin
  foreach job_id in array p_ids loop
    select j.seq, j.dedupe_key into v_seq, v_key from jobplane.jobs j where j.tenant_id = v_tenant and j.id = job_id;
    outcome := case when found then null else 'not_found' end;
    status := null;
    for v_round in 1..100 loop
      exit when outcome is not null;
      select * into v_row from jobplane.take_waiting(v_tenant, v_seq);
      if found then
        insert into jobplane.endings values (v_seq, v_tenant, jobplane.clock(), v_row.attempt_no, 'canceled', v_row.attempts_left, p_reason);
        delete from jobplane.dedupe d where v_row.deduped and d.tenant_id = v_tenant and d.dedupe_key = v_key and d.seq = v_seq;
        outcome := 'canceled';
        status := 'canceled';
        exit;
      end if;
      select l.worker_id, l.cancel_requested_at is null into v_worker, v_is_new from jobplane.leases l where l.seq = v_seq for no key update;
      if found then
        if v_is_new then                                                       -- or who asks again and again would have all leases of the worker renewed each time
          update jobplane.leases l set cancel_reason = p_reason, cancel_requested_at = jobplane.clock() where l.seq = v_seq;
          perform pg_notify('jobplane_wake', 'cancel ' || v_worker);
        end if;
        outcome := 'requested';
        status := 'running';
        exit;
      end if;
      status := jobplane.ending_of(v_tenant, v_seq);
      if status is not null then outcome := 'ended'; end if;
    end loop;
    if outcome is null then
      raise exception 'job % keeps moving; try again', job_id using errcode = '40001';
    end if;
    return next;
  end loop;
end $$;


ALTER FUNCTION jobplane.cancel(p_ids uuid[], p_reason text) OWNER TO jobplane_doors;

--
-- Name: FUNCTION cancel(p_ids uuid[], p_reason text); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.cancel(p_ids uuid[], p_reason text) IS 'cancel: at once if the job waits, a request if it runs; a job that is over stays as it is';


--
-- Name: definitions; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.definitions (
    definition_id integer NOT NULL,
    key text NOT NULL,
    kind text,
    description text DEFAULT ''::text NOT NULL,
    arg_schema jsonb DEFAULT '{"type": "object", "additionalProperties": false}'::jsonb NOT NULL,
    queue_id integer NOT NULL,
    priority smallint DEFAULT 100 NOT NULL,
    timeout_seconds integer DEFAULT 3600,
    max_attempts smallint DEFAULT 3 NOT NULL,
    backoff_base real DEFAULT 5 NOT NULL,
    backoff_factor real DEFAULT 2 NOT NULL,
    backoff_cap real DEFAULT 300 NOT NULL,
    backoff_jitter real DEFAULT 0.5 NOT NULL,
    max_running integer,
    max_running_per_tenant integer,
    retention_days integer,
    retention_days_logs integer,
    active boolean DEFAULT true NOT NULL,
    origin text DEFAULT 'db'::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    isolation text DEFAULT 'shared'::text NOT NULL,
    on_lost_contact text DEFAULT 'stop'::text NOT NULL,
    CONSTRAINT definitions_arg_schema_check CHECK ((jsonb_typeof(arg_schema) = ANY (ARRAY['object'::text, 'boolean'::text]))),
    CONSTRAINT definitions_backoff_base_check CHECK (((backoff_base >= (0)::double precision) AND (backoff_base <= (86400)::double precision))),
    CONSTRAINT definitions_backoff_cap_check CHECK (((backoff_cap >= (0)::double precision) AND (backoff_cap <= (2592000)::double precision))),
    CONSTRAINT definitions_backoff_factor_check CHECK (((backoff_factor >= (1)::double precision) AND (backoff_factor <= (100)::double precision))),
    CONSTRAINT definitions_backoff_jitter_check CHECK (((backoff_jitter >= (0)::double precision) AND (backoff_jitter <= (1)::double precision))),
    CONSTRAINT definitions_isolation_check CHECK ((isolation = ANY (ARRAY['shared'::text, 'process'::text]))),
    CONSTRAINT definitions_key_check CHECK ((key ~ '^[A-Za-z0-9]([A-Za-z0-9._-]{0,198}[A-Za-z0-9])?$'::text)),
    CONSTRAINT definitions_kind_check CHECK ((kind = ANY (ARRAY['python'::text, 'command'::text, 'connector'::text]))),
    CONSTRAINT definitions_max_attempts_check CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
    CONSTRAINT definitions_max_running_check CHECK ((max_running >= 0)),
    CONSTRAINT definitions_max_running_per_tenant_check CHECK ((max_running_per_tenant >= 0)),
    CONSTRAINT definitions_on_lost_contact_check CHECK ((on_lost_contact = ANY (ARRAY['stop'::text, 'continue'::text]))),
    CONSTRAINT definitions_origin_check CHECK ((origin = ANY (ARRAY['code'::text, 'db'::text, 'builtin'::text, 'manager'::text]))),
    CONSTRAINT definitions_priority_check CHECK (((priority >= 0) AND (priority <= 1000))),
    CONSTRAINT definitions_retention_days_check CHECK ((retention_days >= 0)),
    CONSTRAINT definitions_retention_days_logs_check CHECK ((retention_days_logs >= 0)),
    CONSTRAINT definitions_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 2592000)))
);


ALTER TABLE jobplane.definitions OWNER TO jobplane_owner;

--
-- Name: changed_definition(jobplane.definitions, jsonb); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.changed_definition(p_old jobplane.definitions, p_doc jsonb) RETURNS jobplane.definitions
    LANGUAGE plpgsql
    AS $_$
declare
  v_new     jobplane.definitions := p_old;
  v_backoff constant jsonb := coalesce(p_doc -> 'backoff', '{}');
begin
  if p_doc ? 'kind' then v_new.kind := p_doc ->> 'kind'; end if;
  v_new.description := coalesce(p_doc ->> 'description', p_old.description);
  v_new.arg_schema := coalesce(nullif(p_doc -> 'arg_schema', 'null'), p_old.arg_schema);
  if octet_length(v_new.arg_schema::text) > 65536 then
    raise exception 'the arg_schema has more than 65536 bytes' using errcode = 'JP002';
  end if;
  if jsonb_path_exists(p_doc -> 'arg_schema', '$.** ? (@."$ref".type() == "string" && !(@."$ref" like_regex "^#(/|$)")
                                                    || @."$dynamicRef".type() == "string" && !(@."$dynamicRef" like_regex "^#(/|$)")
                                                    || @."$recursiveRef".type() == "string" && !(@."$recursiveRef" like_regex "^#(/|$)"))') then
    raise exception 'Definition % cannot have this arg_schema: it refers to something outside the schema. Use references that begin with #/.', quote_literal(p_old.key)
      using errcode = 'JP018';
  end if;
  if p_doc ->> 'queue' is not null then
    select q.queue_id into v_new.queue_id from jobplane.queues q where q.name = p_doc ->> 'queue';
    if not found then
      raise exception 'there is no queue %', quote_literal(p_doc ->> 'queue') using errcode = 'JP006';
    end if;
  end if;
  v_new.priority := coalesce((p_doc ->> 'priority')::smallint, p_old.priority);
  v_new.max_attempts := coalesce((p_doc ->> 'max_attempts')::smallint, p_old.max_attempts);
  if p_doc ? 'timeout_seconds' then v_new.timeout_seconds := (p_doc ->> 'timeout_seconds')::int; end if;
  v_new.backoff_base := coalesce((v_backoff ->> 'base')::real, p_old.backoff_base);
  v_new.backoff_factor := coalesce((v_backoff ->> 'factor')::real, p_old.backoff_factor);
  v_new.backoff_cap := coalesce((v_backoff ->> 'cap')::real, p_old.backoff_cap);
  v_new.backoff_jitter := coalesce((v_backoff ->> 'jitter')::real, p_old.backoff_jitter);
  if p_doc ? 'max_running' then v_new.max_running := (p_doc ->> 'max_running')::int; end if;
  if p_doc ? 'max_running_per_tenant' then v_new.max_running_per_tenant := (p_doc ->> 'max_running_per_tenant')::int; end if;
  if p_doc ? 'retention_days' then v_new.retention_days := (p_doc ->> 'retention_days')::int; end if;
  if p_doc ? 'retention_days_logs' then v_new.retention_days_logs := (p_doc ->> 'retention_days_logs')::int; end if;
  v_new.active := coalesce((p_doc ->> 'active')::boolean, p_old.active);
  v_new.origin := coalesce(p_doc ->> 'origin', p_old.origin);
  if p_doc ? 'tags' then v_new.tags := array(select jsonb_array_elements_text(p_doc -> 'tags')); end if;
  v_new.isolation := coalesce(p_doc ->> 'isolation', p_old.isolation);
  v_new.on_lost_contact := coalesce(p_doc ->> 'on_lost_contact', p_old.on_lost_contact);
  return v_new;
end $_$;


ALTER FUNCTION jobplane.changed_definition(p_old jobplane.definitions, p_doc jsonb) OWNER TO jobplane_owner;

--
-- Name: FUNCTION changed_definition(p_old jobplane.definitions, p_doc jsonb); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.changed_definition(p_old jobplane.definitions, p_doc jsonb) IS 'changed_definition: a definition with what a document names changed; null takes a limit, a timeout or a retention away';


--
-- Name: changed_facts(jobplane.jobs, jsonb); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.changed_facts(p_job jobplane.jobs, p_changes jsonb) RETURNS jobplane.jobs
    LANGUAGE plpgsql
    AS $_$
declare
  v_unknown text;
  v_fault   text;
begin
  select string_agg(k, ', ') into v_unknown from jsonb_object_keys(p_changes) k
   where k not in ('payload', 'priority', 'queue', 'max_attempts', 'timeout_seconds', 'expires_at', 'tags', 'metadata');
  if v_unknown is not null then
    raise exception 'a job has nothing to edit called %', v_unknown using errcode = 'JP002';
  end if;
  if p_changes ? 'payload' then
    v_fault := jobplane.payload_fault(p_changes -> 'payload');
    if v_fault is not null then raise exception '%', v_fault using errcode = 'JP003'; end if;
    p_job.payload := p_changes -> 'payload';
  end if;
  v_fault := jobplane.facts_fault((p_changes ->> 'priority')::int, (p_changes ->> 'max_attempts')::int, (p_changes ->> 'timeout_seconds')::int, null, null,
                                  nullif(p_changes -> 'tags', 'null'), nullif(p_changes -> 'metadata', 'null'), null);
  if v_fault is not null then raise exception '%', v_fault using errcode = 'JP002'; end if;
  p_job.priority := coalesce((p_changes ->> 'priority')::smallint, p_job.priority);
  p_job.max_attempts := coalesce((p_changes ->> 'max_attempts')::smallint, p_job.max_attempts);
  if p_changes ? 'timeout_seconds' then p_job.timeout_seconds := (p_changes ->> 'timeout_seconds')::int; end if;
  if p_changes ->> 'expires_at' !~ '^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$'
     or jobplane.due_time((p_changes ->> 'expires_at')::timestamptz, null, null) is null and p_changes ->> 'expires_at' is not null then
    raise exception 'expires_at must be a time between 2000 and 9999 with its zone, like 2026-11-15T12:00:00Z' using errcode = 'JP002';
  end if;
  if p_changes ? 'expires_at' then p_job.expires_at := jobplane.due_time((p_changes ->> 'expires_at')::timestamptz, null, null); end if;
  if p_changes ? 'tags' then p_job.tags := array(select jsonb_array_elements_text(nullif(p_changes -> 'tags', 'null'))); end if;
  if p_changes ? 'metadata' then p_job.metadata := nullif(p_changes -> 'metadata', 'null'); end if;
  if p_changes ->> 'queue' is not null then
    select q.queue_id into p_job.queue_id from jobplane.queues q where q.name = p_changes ->> 'queue';
    if not found then raise exception 'there is no queue %', quote_literal(p_changes ->> 'queue') using errcode = 'JP006'; end if;
  end if;
  return p_job;
exception when invalid_text_representation or invalid_datetime_format or numeric_value_out_of_range or datetime_field_overflow then
  raise exception 'a change has a value of the wrong type: %', sqlerrm using errcode = 'JP002';
end $_$;


ALTER FUNCTION jobplane.changed_facts(p_job jobplane.jobs, p_changes jsonb) OWNER TO jobplane_owner;

--
-- Name: FUNCTION changed_facts(p_job jobplane.jobs, p_changes jsonb); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.changed_facts(p_job jobplane.jobs, p_changes jsonb) IS 'changed_facts: a job''s facts with some of them changed, each judged as at enqueue';


--
-- Name: claim(text, text, integer, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.claim(p_queue text, p_worker_id text, p_limit integer DEFAULT 1, p_lease_seconds integer DEFAULT 30) RETURNS TABLE(seq bigint, job_id uuid, tenant_id uuid, definition_id integer, definition_key text, attempt_no integer, attempts_left integer, token uuid, lease_expires_at timestamp with time zone, scheduled_for timestamp with time zone, timeout_seconds integer, priority smallint, alone boolean, payload jsonb, artifact_ref text, correlation_id text, trace_context text, source text, source_ref text, more boolean, created_by text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_token constant uuid := gen_random_uuid();
begin
  return query
  select t.seq, (t.job).id, t.tenant_id, t.definition_id, (t.job).definition_key, t.attempt_no, t.attempts_left, case when t.seq is not null then v_token end,
         t.lease_expires_at, t.scheduled_for, (t.job).timeout_seconds, t.priority, t.alone, (t.job).payload, (t.job).artifact_ref, (t.job).correlation_id,
         (t.job).trace_context, (t.job).source::text, (t.job).source_ref, t.more, (t.job).created_by
    from jobplane.take(p_queue, p_worker_id, p_limit, p_lease_seconds, true, v_token) t;
end $$;


ALTER FUNCTION jobplane.claim(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION claim(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.claim(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer) IS 'claim: lease up to p_limit jobs of one queue, urgent ones first, fair between tenants; what a gate shuts moves to held';


--
-- Name: claim_lines(text, text, integer, integer, boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.claim_lines(p_queue text, p_worker_id text, p_limit integer DEFAULT 1, p_lease_seconds integer DEFAULT 30, p_begun boolean DEFAULT false) RETURNS TABLE(seqs bigint[], attempt_nos integer[], token uuid, alone bigint[], lasting bigint[], lines bytea, more boolean, lease_expires_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_token   constant uuid := gen_random_uuid();
  v_first   constant timestamptz := '0001-01-01Z';
  v_last    constant timestamptz := '9999-12-31Z';
  v_alone   int[];
  v_lasting int[];
begin
  select array_agg(d.definition_id), array_agg(d.definition_id) filter (where d.on_lost_contact = 'continue') into v_alone, v_lasting
    from jobplane.definitions d where d.isolation = 'process' or d.on_lost_contact = 'continue';
  return query
  select array_agg(t.seq) filter (where t.seq is not null), array_agg(t.attempt_no) filter (where t.seq is not null), v_token,
         array_agg(t.seq) filter (where t.alone or t.definition_id = any (v_alone)), array_agg(t.seq) filter (where t.definition_id = any (v_lasting)),
         convert_to(string_agg(concat(
           t.seq, e'\t', t.attempt_no, e'\t', (t.job).definition_key, e'\t', (t.job).timeout_seconds, e'\t', t.attempts_left, e'\t', (t.job).id, e'\t', t.tenant_id, e'\t',
           case when t.scheduled_for between v_first and v_last then (extract(epoch from t.scheduled_for) * 1000000)::bigint end, e'\t', (t.job).source, e'\t',
           case when t.priority <> 100 or coalesce((t.job).artifact_ref, (t.job).correlation_id, (t.job).trace_context, (t.job).source_ref, (t.job).created_by) is not null
                  or t.scheduled_for not between v_first and v_last
                then jsonb_strip_nulls(jsonb_build_object(
             'artifact_ref', (t.job).artifact_ref, 'correlation_id', (t.job).correlation_id, 'trace_context', (t.job).trace_context, 'source_ref', (t.job).source_ref,
             'created_by', (t.job).created_by,
             'priority', nullif(t.priority, 100), 'undecodable', case when t.scheduled_for not between v_first and v_last then '["scheduled_for"]'::jsonb end)) end, e'\t',
           left((t.job).payload::text, 16777216)), e'\n') filter (where t.seq is not null), 'utf8'),
         coalesce(bool_or(t.more), false), max(t.lease_expires_at)
    from jobplane.take(p_queue, p_worker_id, p_limit, p_lease_seconds, coalesce(p_begun, false), v_token) t;
end $$;


ALTER FUNCTION jobplane.claim_lines(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean) OWNER TO jobplane_engine;

--
-- Name: FUNCTION claim_lines(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.claim_lines(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean) IS 'claim_lines: a claim for a worker that passes jobs on unread: numbers to keep, and each job as one line of text';


--
-- Name: clock(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.clock() RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$ select clock_timestamp() $$;


ALTER FUNCTION jobplane.clock() OWNER TO jobplane_owner;

--
-- Name: FUNCTION clock(); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.clock() IS 'clock: the only clock of every due, lease and backoff decision. Tests replace this function; no verb takes the time as an argument.';


--
-- Name: count_leases(text[], bigint[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.count_leases(p_keys text[], p_seqs bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_until constant timestamptz := clock_timestamp() + interval '250 ms';
begin
  loop
    with c as materialized (
      select l.ctid as tid, x.key from unnest(p_seqs, p_keys) x(seq, key), lateral (select l.ctid, l.limit_keys from jobplane.leases l where l.seq = x.seq for update skip locked) l
       where l.limit_keys is null or x.key <> all (l.limit_keys)),
    u as (update jobplane.leases l set limit_keys = l.limit_keys || c.key from c where l.ctid = c.tid returning c.key)
    insert into jobplane.limits (limit_key, used) select key, count(*) from u group by key order by key collate "C"
    on conflict (limit_key) do update set used = limits.used + excluded.used;
    exit when clock_timestamp() > v_until or not exists (
      select from unnest(p_seqs, p_keys) x(seq, key) join jobplane.leases l on l.seq = x.seq where l.limit_keys is null or x.key <> all (l.limit_keys));
    perform pg_sleep(0.01);
  end loop;
end $$;


ALTER FUNCTION jobplane.count_leases(p_keys text[], p_seqs bigint[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION count_leases(p_keys text[], p_seqs bigint[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.count_leases(p_keys text[], p_seqs bigint[]) IS 'count_leases: leases that began before a limit was set count against it too. Called by who holds the claims off, so that none is made meanwhile. A renewal that';


--
-- Name: tenants; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.tenants (
    tenant_id uuid NOT NULL,
    slug text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    weight integer DEFAULT 1 NOT NULL,
    max_in_flight integer,
    max_pending integer,
    paused_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT tenants_max_in_flight_check CHECK ((max_in_flight >= 0)),
    CONSTRAINT tenants_max_pending_check CHECK ((max_pending >= 0)),
    CONSTRAINT tenants_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
    CONSTRAINT tenants_weight_check CHECK (((weight >= 1) AND (weight <= 1000)))
);

ALTER TABLE ONLY jobplane.tenants FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.tenants OWNER TO jobplane_owner;

--
-- Name: create_tenant(text, text, integer, integer, integer, uuid); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.create_tenant(p_slug text, p_name text DEFAULT ''::text, p_weight integer DEFAULT 1, p_max_in_flight integer DEFAULT NULL::integer, p_max_pending integer DEFAULT NULL::integer, p_tenant_id uuid DEFAULT NULL::uuid) RETURNS jobplane.tenants
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
declare
  v_tenant jobplane.tenants;
begin
  insert into jobplane.tenants (tenant_id, slug, name, weight, max_in_flight, max_pending)
  values (coalesce(p_tenant_id, jobplane.new_id()), p_slug, coalesce(p_name, ''), coalesce(p_weight, 1), p_max_in_flight, p_max_pending) returning * into v_tenant;
  return v_tenant;
exception
  when unique_violation then
    raise exception 'there is a tenant with this slug or id already' using errcode = 'JP016';
  when check_violation or not_null_violation then
    raise exception 'a tenant needs a slug (a-z, 0-9 and -, up to 63), a weight of 1 to 1000 and limits that are not negative' using errcode = 'JP002';
end $$;


ALTER FUNCTION jobplane.create_tenant(p_slug text, p_name text, p_weight integer, p_max_in_flight integer, p_max_pending integer, p_tenant_id uuid) OWNER TO jobplane_engine;

--
-- Name: FUNCTION create_tenant(p_slug text, p_name text, p_weight integer, p_max_in_flight integer, p_max_pending integer, p_tenant_id uuid); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.create_tenant(p_slug text, p_name text, p_weight integer, p_max_in_flight integer, p_max_pending integer, p_tenant_id uuid) IS 'create_tenant: a new owner of jobs, known by a uuid and a slug';


--
-- Name: current_tenant(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.current_tenant() RETURNS uuid
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant constant text := nullif(current_setting('jobplane.tenant_id', true), '');
begin
  if v_tenant is null then
    raise exception 'tenant_id is required' using errcode = 'JP001',
      hint = 'set it in the same transaction: select set_config(''jobplane.tenant_id'', ''<uuid>'', true)';
  end if;
  return v_tenant;
end $$;


ALTER FUNCTION jobplane.current_tenant() OWNER TO jobplane_owner;

--
-- Name: FUNCTION current_tenant(); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.current_tenant() IS 'current_tenant: the tenant that the caller has set for this statement or transaction. Unset is an error, never "all of them"; no uuid is one, too.';


--
-- Name: delete_queues(text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.delete_queues(p_names text[]) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
begin
  perform set_config('lock_timeout', '200ms', true);
  begin
    lock table jobplane.deleted_queues in share update exclusive mode;              -- one call at a time: two that had looked would deadlock
    perform jobplane.refuse_used(p_names);                                          -- without the lock that others wait for
    -- Whoever puts a job into a queue has read this table, and keeps its weakest lock on it until the end of the transaction. So the strongest one comes
    -- after all such transactions, at no cost to them. Those that begin now wait for this call: not for long.
    lock table jobplane.queues in access exclusive mode;
  exception when lock_not_available then
    raise exception 'Cannot delete queues while a transaction that may enqueue into them is open. Try again.' using errcode = '55P03';
  end;
  perform jobplane.refuse_used(p_names);
  return query
  with q as (delete from jobplane.queues q where q.name = any (p_names) returning q.queue_id, q.name)
  insert into jobplane.deleted_queues (queue_id, name) select q.queue_id, q.name from q order by q.name returning name;
end $$;


ALTER FUNCTION jobplane.delete_queues(p_names text[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION delete_queues(p_names text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.delete_queues(p_names text[]) IS 'delete_queues: delete queues that nothing uses; their ended jobs still show the name, and put_queues brings a queue back';


--
-- Name: deregister_worker(text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.deregister_worker(p_worker_id text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
declare
  v_was boolean;
begin
  delete from jobplane.workers w where w.worker_id = p_worker_id;
  v_was := found;
  update jobplane.upkeep t set until = '-infinity'
   where t.ctid = (select x.ctid from jobplane.upkeep x where x.done_by = p_worker_id for update skip locked);
  return v_was;
end $$;


ALTER FUNCTION jobplane.deregister_worker(p_worker_id text) OWNER TO jobplane_engine;

--
-- Name: FUNCTION deregister_worker(p_worker_id text); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.deregister_worker(p_worker_id text) IS 'deregister_worker: a worker is gone for good; its leases, if it left any, are the reaper''s, and another does the upkeep';


--
-- Name: describe(uuid, bigint[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.describe(p_tenant uuid, p_seqs bigint[]) RETURNS SETOF jobplane.job
    LANGUAGE sql STABLE
    AS $$
  select j.id, j.tenant_id, j.definition_key, coalesce(q.name, (select x.name from jobplane.deleted_queues x where x.queue_id = j.queue_id)),
         case when r.seq is not null or h.seq is not null or u.seq is not null then 'queued' when l.seq is not null then 'running' else e.status end,
         coalesce(r.priority, h.priority, u.priority, l.priority, j.priority)::int, j.payload, j.source::text, j.source_ref, j.correlation_id, j.created_by, j.trace_context,
         j.artifact_ref, j.dedupe_key, j.idempotency_key, coalesce(j.tags, '{}'), coalesce(j.metadata, '{}'), j.created_at,
         coalesce(r.scheduled_for, h.scheduled_for, u.scheduled_for, l.scheduled_for, a.scheduled_for, j.scheduled_for), j.expires_at,
         coalesce(l.started_at, case when e.seq is not null then a.started_at end), coalesce(f.started_at, l.started_at), e.finished_at,
         coalesce(r.attempt_no, h.attempt_no, u.attempt_no, l.attempt_no, e.attempt_no, 0),
         j.max_attempts::int - coalesce(r.attempts_left, h.attempts_left, u.attempts_left, l.attempts_left, e.attempts_left), j.max_attempts::int, j.timeout_seconds,
         coalesce(l.worker_id, case when e.seq is not null then a.worker_id end), l.expires_at, l.cancel_requested_at, l.cancel_reason, h.reason, e.reason, a.error,
         case when l.seq is not null then l.progress when e.status = 'succeeded' then 1 else a.progress end,
         case when l.seq is null then a.progress_message else l.progress_message end, x.result, j.seq,
         case when e.status = 'canceled' then e.finished_at end, j.created_at
    from unnest(p_seqs) with ordinality i(seq, ord)
    join lateral (select * from jobplane.jobs j where j.seq = i.seq and j.tenant_id = p_tenant offset 0) j on true
    left join lateral (select * from jobplane.queues q where q.queue_id = j.queue_id offset 0) q on true
    left join lateral (select * from jobplane.ready r where r.tenant_id = p_tenant and r.seq = i.seq offset 0) r on true
    left join lateral (select * from jobplane.held h where h.tenant_id = p_tenant and h.seq = i.seq offset 0) h on true
    left join lateral (select * from jobplane.upcoming u where u.tenant_id = p_tenant and u.seq = i.seq offset 0) u on true
    left join lateral (select * from jobplane.leases l where l.seq = i.seq offset 0) l on true
    left join lateral (select e.* from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
                              lateral (select * from jobplane.endings e where e.tenant_id = p_tenant and e.status = s.status and e.seq = i.seq offset 0) e offset 0) e on true
    left join lateral (select * from jobplane.attempts a where a.seq = i.seq order by a.attempt_no desc limit 1) a on true
    left join lateral (select * from jobplane.attempts f where f.seq = i.seq order by f.attempt_no limit 1) f on true
    left join lateral (select * from jobplane.results x where x.seq = i.seq offset 0) x on true
   order by i.ord
$$;


ALTER FUNCTION jobplane.describe(p_tenant uuid, p_seqs bigint[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION describe(p_tenant uuid, p_seqs bigint[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.describe(p_tenant uuid, p_seqs bigint[]) IS 'describe: whole jobs from their seqs: the facts, and what the table that holds each says of its state. One snapshot, so each is found in one of them.';


--
-- Name: dice(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.dice() RETURNS double precision
    LANGUAGE sql
    AS $$ select random() $$;


ALTER FUNCTION jobplane.dice() OWNER TO jobplane_owner;

--
-- Name: FUNCTION dice(); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.dice() IS 'dice: the only chance in a decision, in [0, 1). Tests replace this function.';


--
-- Name: documents(jsonb, text, text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.documents(p_documents jsonb, p_key text, p_known text[]) RETURNS SETOF jsonb
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if jsonb_typeof(p_documents) is distinct from 'array' then
    raise exception 'the documents must be a JSON array' using errcode = 'JP002';
  end if;
  perform jobplane.refuse_unknown(d, p_known) from jsonb_array_elements(p_documents) d;
  return query select distinct on (d ->> p_key) d from jsonb_array_elements(p_documents) with ordinality e(d, ord) order by d ->> p_key, ord desc;
end $$;


ALTER FUNCTION jobplane.documents(p_documents jsonb, p_key text, p_known text[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION documents(p_documents jsonb, p_key text, p_known text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.documents(p_documents jsonb, p_key text, p_known text[]) IS 'documents: what a put was given, in the order of the keys, the last document of each key; refuses what no document may name';


--
-- Name: drop_log_block(bigint); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.drop_log_block(p_block bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET lock_timeout TO '100ms'
    AS $$
begin
  execute format('drop table jobplane.%I', 'logs_' || p_block);
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;


ALTER FUNCTION jobplane.drop_log_block(p_block bigint) OWNER TO jobplane_owner;

--
-- Name: FUNCTION drop_log_block(p_block bigint); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.drop_log_block(p_block bigint) IS 'drop_log_block: drop one block of logs; false: somebody is reading or writing logs just now, and nobody may wait long behind us';


--
-- Name: due_chores(text[], text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.due_chores(p_chores text[], p_by text DEFAULT NULL::text) RETURNS TABLE(other_seconds double precision, next_seconds double precision, due boolean[], took double precision[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_now   timestamptz;
  v_began timestamptz;
  v_chore text;
begin
  if 'reap' = any (p_chores) then lock table jobplane.leases in row exclusive mode; end if;
  other_seconds := jobplane.take_turn(p_by);
  if other_seconds is null then
    v_now := jobplane.clock();
    select extract(epoch from scheduled_for - v_now) into next_seconds from jobplane.upcoming where scheduled_for > v_now order by scheduled_for limit 1;
    foreach v_chore in array p_chores loop
      v_began := clock_timestamp();
      due := due || jobplane.is_due(v_chore);
      took := took || extract(epoch from clock_timestamp() - v_began)::float8;
    end loop;
  end if;
  return next;
end $$;


ALTER FUNCTION jobplane.due_chores(p_chores text[], p_by text) OWNER TO jobplane_engine;

--
-- Name: FUNCTION due_chores(p_chores text[], p_by text); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.due_chores(p_chores text[], p_by text) IS 'due_chores: which chores of the upkeep have something to do. Processes that name themselves take turns: one does the upkeep, the others look again later.';


--
-- Name: due_time(timestamp with time zone, double precision, timestamp with time zone); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select case when p_scheduled_for is not null then case when p_scheduled_for >= '2000-01-01Z' and p_scheduled_for < '9999-01-01Z' then p_scheduled_for end
              when p_delay_seconds is not null then case when p_delay_seconds >= 0 and p_delay_seconds <= 3153600000 then p_now + make_interval(secs => p_delay_seconds) end
              else p_now end
$$;


ALTER FUNCTION jobplane.due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone) OWNER TO jobplane_owner;

--
-- Name: FUNCTION due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone) IS 'due_time: when a job may be claimed, by an instant or by a delay from now; null where neither is a time between 2000 and 9999';


--
-- Name: edit(uuid, jsonb); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.edit(p_id uuid, p_changes jsonb) RETURNS TABLE(job_id uuid, outcome text, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_row    jobplane.upcoming;
  v_job    jobplane.jobs;
  v_new    jobplane.jobs;
begin
  job_id := p_id;
  select * into v_job from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    outcome := 'not_found';
    return next;
    return;
  end if;
  for v_round in 1..100 loop
    select * into v_row from jobplane.take_waiting(v_tenant, v_job.seq);
    if found then
      select * into v_job from jobplane.jobs j where j.seq = v_job.seq;           -- again: another edit may have been first
      v_new := jobplane.changed_facts(v_job, p_changes);
      update jobplane.jobs j
         set payload = v_new.payload, priority = v_new.priority, queue_id = v_new.queue_id, max_attempts = v_new.max_attempts, timeout_seconds = v_new.timeout_seconds,
             expires_at = v_new.expires_at, tags = v_new.tags, metadata = v_new.metadata
       where j.seq = v_job.seq;
      insert into jobplane.upcoming
      values (v_row.seq, v_tenant, v_row.scheduled_for, case when v_row.attempt_no = 0 then v_new.expires_at end, v_new.queue_id, v_row.definition_id, v_row.attempt_no,
              v_new.priority, greatest(v_row.attempts_left + v_new.max_attempts - v_job.max_attempts, 1), v_row.interruptions, v_row.deduped, v_row.alone);
      if v_new.expires_at is distinct from v_job.expires_at then
        delete from jobplane.expiring x where x.expires_at = v_job.expires_at and x.seq = v_job.seq;
        insert into jobplane.expiring select v_new.expires_at, v_job.seq, v_tenant where v_new.expires_at is not null;
      end if;
      outcome := 'queued';
      status := 'queued';
      return next;
      return;
    end if;
    status := coalesce(jobplane.ending_of(v_tenant, v_job.seq)::text, case when exists (select from jobplane.leases l where l.seq = v_job.seq) then 'running' end);
    if status is not null then
      outcome := 'illegal_move';
      return next;
      return;
    end if;
  end loop;
  raise exception 'job % keeps moving; try again', p_id using errcode = '40001';
end $$;


ALTER FUNCTION jobplane.edit(p_id uuid, p_changes jsonb) OWNER TO jobplane_doors;

--
-- Name: FUNCTION edit(p_id uuid, p_changes jsonb); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.edit(p_id uuid, p_changes jsonb) IS 'edit: change a waiting job: payload, priority, queue, max_attempts, timeout_seconds, expires_at, tags, metadata; what the document does not name stays';


--
-- Name: ending_of(uuid, bigint); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.ending_of(p_tenant uuid, p_seq bigint) RETURNS text
    LANGUAGE sql
    AS $$
  select e.status from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
         lateral (select e.status from jobplane.endings e where e.tenant_id = p_tenant and e.status = s.status and e.seq = p_seq offset 0) e
$$;


ALTER FUNCTION jobplane.ending_of(p_tenant uuid, p_seq bigint) OWNER TO jobplane_owner;

--
-- Name: FUNCTION ending_of(p_tenant uuid, p_seq bigint); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.ending_of(p_tenant uuid, p_seq bigint) IS 'ending_of: how a job ended, if it has; by the list''s index, one probe for each status';


--
-- Name: enqueue(text, jsonb, text, integer, timestamp with time zone, double precision, timestamp with time zone, text, text, text, text, text[], jsonb, text, text, text, text, text, integer, integer, uuid); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.enqueue(p_definition text, p_payload jsonb DEFAULT '{}'::jsonb, p_queue text DEFAULT NULL::text, p_priority integer DEFAULT NULL::integer, p_scheduled_for timestamp with time zone DEFAULT NULL::timestamp with time zone, p_delay_seconds double precision DEFAULT NULL::double precision, p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_dedupe_key text DEFAULT NULL::text, p_on_duplicate text DEFAULT NULL::text, p_idempotency_key text DEFAULT NULL::text, p_correlation_id text DEFAULT NULL::text, p_tags text[] DEFAULT NULL::text[], p_metadata jsonb DEFAULT NULL::jsonb, p_source text DEFAULT NULL::text, p_source_ref text DEFAULT NULL::text, p_created_by text DEFAULT NULL::text, p_trace_context text DEFAULT NULL::text, p_artifact_ref text DEFAULT NULL::text, p_max_attempts integer DEFAULT NULL::integer, p_timeout_seconds integer DEFAULT NULL::integer, p_id uuid DEFAULT NULL::uuid) RETURNS TABLE(job_id uuid, created boolean, outcome text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_tenant constant uuid := nullif(current_setting('jobplane.tenant_id', true), '');
  v_at     timestamptz;
  v_fault  text;
  v_end    bigint;
  v        record;
begin
  if num_nonnulls(p_priority, p_scheduled_for, p_delay_seconds, p_max_attempts, p_timeout_seconds, p_source, p_correlation_id, p_source_ref, p_created_by,
                  p_artifact_ref, p_trace_context) > 0 then
    v_fault := jobplane.facts_fault(p_priority, p_max_attempts, p_timeout_seconds, p_source, null, null, null,
                                    array[p_correlation_id, p_source_ref, p_created_by, p_artifact_ref, p_trace_context]);
    if v_fault is not null then raise exception '%', v_fault using errcode = 'JP002'; end if;
    v_at := jobplane.due_time(p_scheduled_for, p_delay_seconds, v_now);
    if v_at is null then
      raise exception 'scheduled_for must be a time between 2000 and 9999, a delay 0 to 3153600000 seconds' using errcode = 'JP002';
    end if;
  end if;
  select nextval('jobplane.jobs_seq_seq') as seq, d.definition_id, d.queue_id, d.timeout_seconds, d.backoff_base, d.backoff_factor, d.backoff_cap, d.backoff_jitter,
         coalesce(p_priority::smallint, d.priority) as priority, coalesce(p_max_attempts::smallint, d.max_attempts) as max_attempts,
         (select 1000000 / t.weight from jobplane.tenants t where t.tenant_id = v_tenant and t.max_pending is null) as step,
         coalesce((select c.v from jobplane.clocks c where c.queue_id = d.queue_id and c.priority = coalesce(p_priority, d.priority)), 0) as clock,
         (select q.wanted_until > v_now from jobplane.queues q where q.queue_id = d.queue_id) as wanted
    into v from jobplane.definitions d where d.key = p_definition and d.active;
  -- A job without a key goes the short way; what needs a key, a limit, another queue or a longer look goes the general one.
  if v.step is null or num_nonnulls(p_dedupe_key, p_idempotency_key, p_id, p_queue, p_tags, p_metadata, p_expires_at, p_on_duplicate) > 0 then
    return query select o.* from jobplane.enqueue_many(
      array[p_definition], array[p_payload], case when p_id is not null then array[p_id] end, case when p_queue is not null then array[p_queue] end, array[p_priority],
      array[p_scheduled_for], array[p_delay_seconds], array[p_expires_at], case when p_dedupe_key is not null then array[p_dedupe_key] end, array[p_on_duplicate],
      case when p_idempotency_key is not null then array[p_idempotency_key] end, array[p_correlation_id], array[to_jsonb(p_tags)], array[p_metadata], array[p_source],
      array[p_source_ref], array[p_created_by], array[p_trace_context], array[p_artifact_ref], array[p_max_attempts], array[p_timeout_seconds]) m,
      lateral jobplane.enqueue_one(m.job_id, m.outcome, m.error_code, m.error) o;
    return;
  end if;
  if jsonb_typeof(p_payload) is distinct from 'object' or octet_length(p_payload::text) >= 128 then
    v_fault := jobplane.payload_fault(p_payload);
    if v_fault is not null then raise exception '%', v_fault using errcode = 'JP003'; end if;
  end if;
  job_id := jobplane.new_id();
  with r as (
    select v.seq, job_id as id, v_tenant as tenant_id, v_now as created_at, coalesce(v_at, v_now) as scheduled_for, v.definition_id, v.queue_id,
           coalesce(p_timeout_seconds, v.timeout_seconds) as timeout_seconds, v.backoff_base, v.backoff_factor, v.backoff_cap, v.backoff_jitter, v.priority,
           v.max_attempts, p_source as source, p_source_ref as source_ref, p_correlation_id as correlation_id, p_created_by as created_by,
           p_trace_context as trace_context, p_artifact_ref as artifact_ref, p_definition as definition_key, p_payload as payload, true as new, null as dedupe_key, null as idempotency_key, null::timestamptz as expires_at, null::jsonb as tags, null::jsonb as metadata)
  insert into jobplane.jobs (seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                           backoff_jitter, priority, max_attempts, source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
                           idempotency_key, definition_key, expires_at, tags, metadata, payload) overriding system value
select seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
       backoff_jitter, priority, max_attempts, coalesce(source, 'manual')::jobplane.job_source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
       idempotency_key, definition_key, expires_at, case when tags is not null then array(select jsonb_array_elements_text(tags)) end, metadata, payload
  from r where new;
  if v_at > v_now then
    insert into jobplane.upcoming values (v.seq, v_tenant, v_at, null, v.queue_id, v.definition_id, 0, v.priority, v.max_attempts, 0, false, false);
  else
    -- line() for one producer, written out: as a call it costs a tenth of an enqueue
    select case when count(*) = 0 then v.clock - 1
                when max(tag) >= case when count(*) < 8 then v.clock + count(*) * v.step else min(tag) + 7 * v.step end then max(tag) end into v_end
      from (select r.tag from jobplane.ready r
             where r.tenant_id = v_tenant and r.queue_id = v.queue_id and r.priority = v.priority and r.tag > v.clock order by r.tag desc limit 8) newest;
    if v_end is null then v_end := jobplane.line(v.queue_id, v.priority, v_tenant, v.clock, v.step, 1, true); end if;
    with n as (
      select v.seq, v_end + v.step as new_tag, v_tenant as tenant_id, coalesce(v_at, v_now) as scheduled_for, null::timestamptz as expires_at, v.queue_id,
             v.definition_id, 0 as attempt_no, v.priority, v.max_attempts as attempts_left, 0 as interruptions, false as deduped, false as alone)
    insert into jobplane.ready (seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, new_tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone from n;
    if v.wanted then perform jobplane.wake(v.queue_id); end if;
  end if;
  created := true;
  outcome := 'created';
  return next;
end $$;


ALTER FUNCTION jobplane.enqueue(p_definition text, p_payload jsonb, p_queue text, p_priority integer, p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_expires_at timestamp with time zone, p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags text[], p_metadata jsonb, p_source text, p_source_ref text, p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts integer, p_timeout_seconds integer, p_id uuid) OWNER TO jobplane_doors;

--
-- Name: FUNCTION enqueue(p_definition text, p_payload jsonb, p_queue text, p_priority integer, p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_expires_at timestamp with time zone, p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags text[], p_metadata jsonb, p_source text, p_source_ref text, p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts integer, p_timeout_seconds integer, p_id uuid); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.enqueue(p_definition text, p_payload jsonb, p_queue text, p_priority integer, p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_expires_at timestamp with time zone, p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags text[], p_metadata jsonb, p_source text, p_source_ref text, p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts integer, p_timeout_seconds integer, p_id uuid) IS 'enqueue: one job of the tenant that is set, in the caller''s transaction; the plain door for SQL users. With the tenant in the same statement:';


--
-- Name: enqueue_fault(text, boolean, boolean, text, boolean, jsonb, timestamp with time zone, timestamp with time zone, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text) RETURNS text
    LANGUAGE plpgsql
    AS $$
begin
  return case when not p_found then format('unknown_definition: there is no definition %s', quote_nullable(left(p_definition, 200)))
              when not p_active then format('definition_inactive: the definition %L is not active', p_definition)
              when p_queue is not null and not p_queue_found then format('unknown_queue: there is no queue %L', left(p_queue, 200))
              when p_scheduled_for is null then 'invalid: scheduled_for must be a time between 2000 and 9999, a delay 0 to 3153600000 seconds'
              when p_expires_at is not null and jobplane.due_time(p_expires_at, null, null) is null then 'invalid: expires_at must be a time between 2000 and 9999'
              else coalesce('invalid_payload: ' || jobplane.payload_fault(p_payload), 'invalid: ' || p_facts) end;
end $$;


ALTER FUNCTION jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text) OWNER TO jobplane_owner;

--
-- Name: FUNCTION enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text) IS 'enqueue_fault: why a row cannot become a job, as ''code: sentence'', or null. Called only for a row that is not plain.';


--
-- Name: enqueue_many(text[], jsonb[], uuid[], text[], integer[], timestamp with time zone[], double precision[], timestamp with time zone[], text[], text[], text[], text[], jsonb[], jsonb[], text[], text[], text[], text[], text[], integer[], integer[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[] DEFAULT NULL::uuid[], p_queues text[] DEFAULT NULL::text[], p_priorities integer[] DEFAULT NULL::integer[], p_scheduled_fors timestamp with time zone[] DEFAULT NULL::timestamp with time zone[], p_delays double precision[] DEFAULT NULL::double precision[], p_expires_ats timestamp with time zone[] DEFAULT NULL::timestamp with time zone[], p_dedupe_keys text[] DEFAULT NULL::text[], p_on_duplicates text[] DEFAULT NULL::text[], p_idempotency_keys text[] DEFAULT NULL::text[], p_correlation_ids text[] DEFAULT NULL::text[], p_tags jsonb[] DEFAULT NULL::jsonb[], p_metadata jsonb[] DEFAULT NULL::jsonb[], p_sources text[] DEFAULT NULL::text[], p_source_refs text[] DEFAULT NULL::text[], p_created_bys text[] DEFAULT NULL::text[], p_trace_contexts text[] DEFAULT NULL::text[], p_artifact_refs text[] DEFAULT NULL::text[], p_max_attempts integer[] DEFAULT NULL::integer[], p_timeouts integer[] DEFAULT NULL::integer[]) RETURNS TABLE(ord bigint, job_id uuid, outcome text, error_code text, error text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'on'
    SET enable_incremental_sort TO 'on'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant         jobplane.tenants;
  v_step           bigint;
  v_now            timestamptz := jobplane.clock();
  v_count          constant int := coalesce(cardinality(p_definitions), 0);
  v_facts          constant boolean := num_nonnulls(p_priorities, p_max_attempts, p_timeouts, p_sources, p_on_duplicates, p_tags, p_metadata, p_dedupe_keys,
                                                    p_idempotency_keys, p_correlation_ids, p_source_refs, p_created_bys, p_artifact_refs, p_trace_contexts) > 0;
  v_seqs           bigint[];
  v_given          boolean[];
  v_found          uuid[];
  v_outcomes       text[];
  v_faults         text[];
  v_definition_ids int[];
  v_times          timestamptz[];
  v_room           int;
  v_end            bigint;
  v                record;
begin
  select * into v_tenant from jobplane.tenants t where t.tenant_id = jobplane.current_tenant();
  if not found then
    raise exception 'there is no such tenant' using errcode = 'JP011';
  elsif v_count > 10000 then
    raise exception 'at most 10000 jobs in one call, not %', v_count using errcode = 'JP002';
  elsif coalesce(cardinality(p_payloads), 0) <> v_count then
    raise exception '% definitions but % payloads', v_count, coalesce(cardinality(p_payloads), 0) using errcode = 'JP002';
  end if;
  v_step := 1000000 / v_tenant.weight;
  -- One plain row goes a short way, at half the cost. What it would refuse goes the general one, which answers with a row.
  if v_count = 1 and not v_facts and v_tenant.max_pending is null and num_nonnulls(p_ids, p_queues, p_scheduled_fors, p_delays, p_expires_ats) = 0
     and jobplane.payload_fault(p_payloads[1]) is null then
    select nextval('jobplane.jobs_seq_seq') as seq, d.*, coalesce(c.v, 0) as clock, q.wanted_until > v_now as wanted into v
      from jobplane.definitions d join jobplane.queues q using (queue_id) left join jobplane.clocks c on c.queue_id = d.queue_id and c.priority = d.priority
     where d.key = p_definitions[1] and d.active;
    if found then
      ord := 1;
      job_id := jobplane.new_id();
      outcome := 'created';
      with r as (
        select v.seq, job_id as id, v_tenant.tenant_id, v_now as created_at, v_now as scheduled_for, v.definition_id, v.queue_id, v.timeout_seconds, v.backoff_base,
               v.backoff_factor, v.backoff_cap, v.backoff_jitter, v.priority, v.max_attempts, null as source, null as source_ref, null as correlation_id,
               null as created_by, null as trace_context, null as artifact_ref, v.key as definition_key, p_payloads[1] as payload, true as new, null as dedupe_key, null as idempotency_key, null::timestamptz as expires_at, null::jsonb as tags, null::jsonb as metadata)
      insert into jobplane.jobs (seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                           backoff_jitter, priority, max_attempts, source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
                           idempotency_key, definition_key, expires_at, tags, metadata, payload) overriding system value
select seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
       backoff_jitter, priority, max_attempts, coalesce(source, 'manual')::jobplane.job_source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
       idempotency_key, definition_key, expires_at, case when tags is not null then array(select jsonb_array_elements_text(tags)) end, metadata, payload
  from r where new;
      v_end := jobplane.line(v.queue_id, v.priority, v_tenant.tenant_id, v.clock, v_step, 1);
      with n as (
        select v.seq, v_end + v_step as new_tag, v_tenant.tenant_id, v_now as scheduled_for,
               null::timestamptz as expires_at, v.queue_id, v.definition_id, 0 as attempt_no, v.priority, v.max_attempts as attempts_left, 0 as interruptions,
               false as deduped, false as alone)
      insert into jobplane.ready (seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, new_tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone from n;
      if v.wanted then perform jobplane.wake(v.queue_id); end if;
      return next;
      return;
    end if;
  end if;
  if p_dedupe_keys is not null or p_idempotency_keys is not null or p_ids is not null or v_tenant.max_pending is not null then
    if v_tenant.max_pending is not null then perform jobplane.stand_in_line(v_tenant.tenant_id); end if;
    v_seqs := array(select nextval('jobplane.jobs_seq_seq') from generate_series(1, v_count));
    v_given := array(select u.id is not null from generate_series(1, v_count) i left join unnest(p_ids) with ordinality u(id, ord) on u.ord = i order by i);
    p_ids := array(select coalesce(u.id, jobplane.new_id()) from generate_series(1, v_count) i left join unnest(p_ids) with ordinality u(id, ord) on u.ord = i order by i);
    -- looked at one by one only where a row has a key or its tenant a limit
    select array_agg(case when d.active and not v_facts and u.queue is null and u.asked_time is null and u.delay is null and u.expires_at is null
      and jsonb_typeof(u.payload) = 'object' and octet_length(u.payload::text) < 128
     then null
     else jobplane.enqueue_fault(u.definition, d.definition_id is not null, d.active, u.queue, q.queue_id is not null, u.payload,
            jobplane.due_time(u.asked_time, u.delay, v_now), u.expires_at,
            case when v_facts then jobplane.facts_fault(u.asked_priority, u.asked_attempts, u.asked_timeout, u.source, u.on_duplicate, u.tags, u.metadata,
              array[u.dedupe_key, u.idempotency_key, u.correlation_id, u.source_ref, u.created_by, u.artifact_ref, u.trace_context]) end) end order by u.ord), array_agg(d.definition_id order by u.ord),
           array_agg(jobplane.due_time(u.asked_time, u.delay, v_now) order by u.ord)
      into v_faults, v_definition_ids, v_times from unnest(p_definitions, p_payloads, v_seqs, p_ids, p_queues, p_priorities, p_scheduled_fors, p_delays, p_expires_ats, p_dedupe_keys, p_on_duplicates,
       p_idempotency_keys, p_correlation_ids, p_tags, p_metadata, p_sources, p_source_refs, p_created_bys, p_trace_contexts, p_artifact_refs, p_max_attempts,
       p_timeouts, v_found, v_outcomes, v_faults) with ordinality
  u(definition, payload, given_seq, given_id, queue, asked_priority, asked_time, delay, expires_at, dedupe_key, on_duplicate, idempotency_key, correlation_id,
    tags, metadata, source, source_ref, created_by, trace_context, artifact_ref, asked_attempts, asked_timeout, found, outcome, judged, ord)
  left join jobplane.definitions d on d.key = u.definition
  left join jobplane.queues q on q.name = u.queue;
    select h.payloads, h.scheduled_fors, h.holders, h.outcomes into p_payloads, p_scheduled_fors, v_found, v_outcomes
      from jobplane.hold_keys(v_tenant.tenant_id, v_definition_ids, v_seqs, p_ids, v_given, v_faults, p_dedupe_keys, p_on_duplicates, p_idempotency_keys, p_payloads, v_times) h;
    if v_tenant.max_pending is not null then
      v_room := jobplane.pending_room(v_tenant.tenant_id, v_tenant.max_pending);
      for i in 1..v_count loop
        continue when v_outcomes[i] is not null or v_faults[i] is not null;
        v_room := v_room - 1;
        if v_room < 0 then
          perform jobplane.let_go(v_tenant.tenant_id, v_seqs[i], p_dedupe_keys[i], u.definition_id, u.key)
            from unnest(v_found, v_definition_ids, p_idempotency_keys) with ordinality u(found, definition_id, key, ord) where u.ord = i or u.found = p_ids[i];
          v_outcomes := array(select case when i = u.ord or u.found = p_ids[i] then 'quota_exceeded' else u.outcome end
                                from unnest(v_outcomes, v_found) with ordinality u(outcome, found, ord) order by u.ord);
          v_found := array_replace(v_found, p_ids[i], null);
        end if;
      end loop;
    end if;
  end if;
  return query
  with r as materialized (
  select u.ord, u.payload, u.expires_at, u.dedupe_key, u.idempotency_key, u.correlation_id, u.tags, u.metadata, u.source, u.source_ref, u.created_by,
         u.trace_context, u.artifact_ref, u.found, u.outcome, v_tenant.tenant_id, v_now as created_at, d.definition_id, d.key as definition_key, d.backoff_base, d.backoff_factor, d.backoff_cap, d.backoff_jitter,
         coalesce(q.queue_id, d.queue_id) as queue_id, greatest(least(coalesce(u.asked_priority, d.priority), 1001), -1)::smallint as priority,
         greatest(least(coalesce(u.asked_attempts, d.max_attempts), 1001), 0)::smallint as max_attempts,
         coalesce(u.asked_timeout, d.timeout_seconds) as timeout_seconds, jobplane.due_time(u.asked_time, u.delay, v_now) as scheduled_for,
         x.fault, u.outcome is null and x.fault is null as new,
         coalesce(u.given_seq, nextval('jobplane.jobs_seq_seq')) as seq, coalesce(u.given_id, jobplane.new_id()) as id
    from unnest(p_definitions, p_payloads, v_seqs, p_ids, p_queues, p_priorities, p_scheduled_fors, p_delays, p_expires_ats, p_dedupe_keys, p_on_duplicates,
       p_idempotency_keys, p_correlation_ids, p_tags, p_metadata, p_sources, p_source_refs, p_created_bys, p_trace_contexts, p_artifact_refs, p_max_attempts,
       p_timeouts, v_found, v_outcomes, v_faults) with ordinality
  u(definition, payload, given_seq, given_id, queue, asked_priority, asked_time, delay, expires_at, dedupe_key, on_duplicate, idempotency_key, correlation_id,
    tags, metadata, source, source_ref, created_by, trace_context, artifact_ref, asked_attempts, asked_timeout, found, outcome, judged, ord)
  left join jobplane.definitions d on d.key = u.definition
  left join jobplane.queues q on q.name = u.queue,
         lateral (select case when v_faults is not null then u.judged          -- looked at already, for its keys
                              else case when d.active and not v_facts and u.queue is null and u.asked_time is null and u.delay is null and u.expires_at is null
      and jsonb_typeof(u.payload) = 'object' and octet_length(u.payload::text) < 128
     then null
     else jobplane.enqueue_fault(u.definition, d.definition_id is not null, d.active, u.queue, q.queue_id is not null, u.payload,
            jobplane.due_time(u.asked_time, u.delay, v_now), u.expires_at,
            case when v_facts then jobplane.facts_fault(u.asked_priority, u.asked_attempts, u.asked_timeout, u.source, u.on_duplicate, u.tags, u.metadata,
              array[u.dedupe_key, u.idempotency_key, u.correlation_id, u.source_ref, u.created_by, u.artifact_ref, u.trace_context]) end) end end as fault) x),
j as (
  insert into jobplane.jobs (seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                           backoff_jitter, priority, max_attempts, source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
                           idempotency_key, definition_key, expires_at, tags, metadata, payload) overriding system value
select seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
       backoff_jitter, priority, max_attempts, coalesce(source, 'manual')::jobplane.job_source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
       idempotency_key, definition_key, expires_at, case when tags is not null then array(select jsonb_array_elements_text(tags)) end, metadata, payload
  from r where new),
l as (
  select seq, scheduled_for, expires_at, queue_id, definition_id, priority, max_attempts, dedupe_key is not null as deduped,
         row_number() over (partition by queue_id, priority order by ord) as place
    from r where new and scheduled_for <= v_now),
g as materialized (
  select l.queue_id, l.priority, jobplane.line(l.queue_id, l.priority, v_tenant.tenant_id, coalesce(c.v, 0), v_step, l.n) as base
    from (select queue_id, priority, count(*) as n from l group by 1, 2) l left join jobplane.clocks c using (queue_id, priority)),
n as (
  select l.*, g.base + v_step * l.place as new_tag, v_tenant.tenant_id, 0 as attempt_no, max_attempts as attempts_left, 0 as interruptions, false as alone
    from l join g using (queue_id, priority)),
q as (
  insert into jobplane.ready (seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, new_tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone from n),
u as (
  insert into jobplane.upcoming
  select seq, v_tenant.tenant_id, scheduled_for, expires_at, queue_id, definition_id, 0, priority, max_attempts, 0, dedupe_key is not null, false
    from r where new and scheduled_for > v_now),
e as (
  insert into jobplane.expiring (expires_at, seq, tenant_id) select expires_at, seq, v_tenant.tenant_id from r where new and expires_at is not null)
select r.ord, case when r.new then r.id else r.found end,
       case when r.new then 'created' when r.outcome in ('existing', 'replaced', 'postponed') then r.outcome else 'refused' end,
       case when not r.new and r.outcome is null then split_part(r.fault, ': ', 1) when r.outcome in ('idempotency_mismatch', 'quota_exceeded', 'duplicate_job') then r.outcome end,
       case when not r.new and r.outcome is null then substr(r.fault, position(': ' in r.fault) + 2)
            when r.outcome = 'idempotency_mismatch' then 'the idempotency key was used for another payload'
            when r.outcome = 'duplicate_job' then format('Job %s of another definition holds the dedupe key. Use another key, or leave on_duplicate out to get that job.', r.found)
            when r.outcome = 'quota_exceeded' then 'Job limit exceeded for tenant' end
  from r order by r.ord;
  perform jobplane.wake(q.queue_id) from jobplane.queues q
    where q.wanted_until > v_now and q.queue_id in (
      select coalesce(n.queue_id, d.queue_id) from (select distinct u.definition, u.queue from unnest(p_definitions, p_queues) u(definition, queue)) u
        join jobplane.definitions d on d.key = u.definition left join jobplane.queues n on n.name = u.queue);
end $$;


ALTER FUNCTION jobplane.enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[], p_queues text[], p_priorities integer[], p_scheduled_fors timestamp with time zone[], p_delays double precision[], p_expires_ats timestamp with time zone[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], p_correlation_ids text[], p_tags jsonb[], p_metadata jsonb[], p_sources text[], p_source_refs text[], p_created_bys text[], p_trace_contexts text[], p_artifact_refs text[], p_max_attempts integer[], p_timeouts integer[]) OWNER TO jobplane_doors;

--
-- Name: FUNCTION enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[], p_queues text[], p_priorities integer[], p_scheduled_fors timestamp with time zone[], p_delays double precision[], p_expires_ats timestamp with time zone[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], p_correlation_ids text[], p_tags jsonb[], p_metadata jsonb[], p_sources text[], p_source_refs text[], p_created_bys text[], p_trace_contexts text[], p_artifact_refs text[], p_max_attempts integer[], p_timeouts integer[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[], p_queues text[], p_priorities integer[], p_scheduled_fors timestamp with time zone[], p_delays double precision[], p_expires_ats timestamp with time zone[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], p_correlation_ids text[], p_tags jsonb[], p_metadata jsonb[], p_sources text[], p_source_refs text[], p_created_bys text[], p_trace_contexts text[], p_artifact_refs text[], p_max_attempts integer[], p_timeouts integer[]) IS 'enqueue_many: many jobs of the tenant that is set, in the caller''s transaction, columns as arrays; one answer for each row, and no row sinks another';


--
-- Name: enqueue_one(uuid, text, text, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text) RETURNS TABLE(job_id uuid, created boolean, outcome text)
    LANGUAGE plpgsql
    AS $$
declare
  v_hint constant text := case p_error_code when 'unknown_definition' then 'jobplane.put_definitions makes it' when 'unknown_queue' then 'jobplane.put_queues makes it' end;
begin
  if p_outcome = 'refused' then
    raise exception '%', p_error using hint = coalesce(v_hint, 'the reference of errors says what to do about ' || p_error_code), errcode = case p_error_code
      when 'unknown_definition' then 'JP004' when 'definition_inactive' then 'JP005' when 'unknown_queue' then 'JP006' when 'idempotency_mismatch' then 'JP007' when 'duplicate_job' then 'JP008'
      when 'quota_exceeded' then 'JP014' when 'invalid_payload' then 'JP003' else 'JP002' end;
  end if;
  return query select p_job_id, p_outcome = 'created', p_outcome;
end $$;


ALTER FUNCTION jobplane.enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text) OWNER TO jobplane_owner;

--
-- Name: FUNCTION enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text) IS 'enqueue_one: an answer of enqueue_many as that of enqueue; a refusal is an exception';


--
-- Name: expire(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.expire(p_limit integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_now   timestamptz := jobplane.clock();
  v_seqs  bigint[];
  v_ids   uuid[];
  v_ended int;
begin
  select array_agg(seq), array_agg(tenant_id) into v_seqs, v_ids
    from (select seq, tenant_id from jobplane.expiring where expires_at <= v_now order by expires_at limit p_limit for update skip locked) x;
  if v_seqs is null then return 0; end if;
  with x as (select * from unnest(v_seqs, v_ids) x(seq, tenant_id)),
  r as (delete from jobplane.ready w using (select w.ctid as tid from x, lateral (select ctid from jobplane.ready
          where tenant_id = x.tenant_id and seq = x.seq and attempt_no = 0 and expires_at <= v_now for update skip locked) w) c where w.ctid = c.tid returning w.*),
  h as (delete from jobplane.held w using (select w.ctid as tid from x, lateral (select ctid from jobplane.held
          where tenant_id = x.tenant_id and seq = x.seq and attempt_no = 0 and expires_at <= v_now for update skip locked) w) c where w.ctid = c.tid returning w.*),
  u as (delete from jobplane.upcoming w using (select w.ctid as tid from x, lateral (select ctid from jobplane.upcoming
          where tenant_id = x.tenant_id and seq = x.seq and attempt_no = 0 and expires_at <= v_now for update skip locked) w) c where w.ctid = c.tid returning w.*),
  gone as materialized (select seq, tenant_id, attempts_left, deduped from r union all select seq, tenant_id, attempts_left, deduped from h
                        union all select seq, tenant_id, attempts_left, deduped from u),
  e as (insert into jobplane.endings select seq, tenant_id, v_now, 0, 'canceled', attempts_left, 'expired' from gone),
  p as (delete from jobplane.dedupe p using gone g, lateral (select j.dedupe_key from jobplane.jobs j where j.seq = g.seq offset 0) j
         where g.deduped and p.tenant_id = g.tenant_id and p.dedupe_key = j.dedupe_key and p.seq = g.seq)
  select count(*) into v_ended from gone;
  -- What is still waiting is locked by somebody, or was put off: the first stays for the next time.
  delete from jobplane.expiring x where x.expires_at <= v_now and x.seq = any (v_seqs) and not exists (
    select from jobplane.ready w where w.tenant_id = x.tenant_id and w.seq = x.seq and w.attempt_no = 0 union all
    select from jobplane.held w where w.tenant_id = x.tenant_id and w.seq = x.seq and w.attempt_no = 0 union all
    select from jobplane.upcoming w where w.tenant_id = x.tenant_id and w.seq = x.seq and w.attempt_no = 0);
  return v_ended;
end $$;


ALTER FUNCTION jobplane.expire(p_limit integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION expire(p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.expire(p_limit integer) IS 'expire: cancel the jobs whose time to start has passed before they started';


--
-- Name: facts_fault(integer, integer, integer, text, text, jsonb, jsonb, text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if p_priority not between 0 and 1000 then
    return format('priority must be between 0 and 1000, not %s', p_priority);
  elsif p_max_attempts not between 1 and 1000 then
    return format('max_attempts must be between 1 and 1000, not %s', p_max_attempts);
  elsif p_timeout_seconds not between 1 and 2592000 then
    return format('timeout_seconds must be between 1 and 2592000, not %s', p_timeout_seconds);
  elsif p_source not in ('manual', 'event', 'schedule', 'system') then
    return 'source must be manual, event, schedule or system';
  elsif p_on_duplicate not in ('return', 'replace', 'postpone') then
    return 'on_duplicate must be return, replace or postpone';
  elsif exists (select from unnest(p_texts) t where length(t) > 500 or t = '') then
    return 'keys, references and ids must have 1 to 500 characters';
  end if;
  if p_tags is not null then
    if jsonb_typeof(p_tags) <> 'array' then
      return 'tags must be a list of strings';
    elsif jsonb_array_length(p_tags) > 50 or exists (select from jsonb_array_elements(p_tags) t where jsonb_typeof(t) <> 'string' or length(t #>> '{}') not between 1 and 200) then
      return 'tags must be at most 50 strings of 1 to 200 characters';
    end if;
  end if;
  if p_metadata is not null then
    if jsonb_typeof(p_metadata) <> 'object' then
      return 'metadata must be a JSON object';
    elsif (select count(*) > 50 or max(length(m.key)) > 100 or max(length(m.value #>> '{}')) > 500 from jsonb_each(p_metadata) m) then
      return 'metadata may have 50 keys of 100 characters, each value 500';
    end if;
  end if;
  return null;
end $$;


ALTER FUNCTION jobplane.facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]) IS 'facts_fault: why what stands beside a payload cannot be taken, or null';


--
-- Name: gate_room(text, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.gate_room(p_gate text, p_limit integer) RETURNS integer
    LANGUAGE plpgsql
    AS $_$
declare
  v_kind constant text := split_part(p_gate, '/', 1);
  v_ref  constant text := split_part(p_gate, '/', 2);
  v_open boolean;
  v_max  int;
  v_used int;
begin
  if p_gate !~ '^(g/|t/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|(d|dt|w)/[0-9]{1,9}(/|$))' then
    return p_limit;
  end if;
  if v_kind = 'g' then                                  -- gone: the definition of this key was not there
    v_open := exists (select from jobplane.definitions d where d.key = substr(p_gate, 3));
  elsif v_kind = 't' then
    select t.paused_at is null, t.max_in_flight into v_open, v_max from jobplane.tenants t where t.tenant_id = v_ref::uuid;
  else
    select case when v_kind = 'w' then exists (select from jobplane.workers w where w.worker_id > '' and w.last_seen_at > jobplane.clock() - interval '60 s'
                                                 and (w.definition_ids is null or d.definition_id = any (w.definition_ids)))
                else d.active end,
           case v_kind when 'd' then d.max_running when 'dt' then d.max_running_per_tenant end
      into v_open, v_max from jobplane.definitions d where d.definition_id = v_ref::int;
  end if;
  if not coalesce(v_open, true) then return 0; end if;
  if v_max is null then return p_limit; end if;
  select l.used into v_used from jobplane.limits l where l.limit_key = p_gate;
  return greatest(least(v_max - coalesce(v_used, 0), p_limit), 0);
end $_$;


ALTER FUNCTION jobplane.gate_room(p_gate text, p_limit integer) OWNER TO jobplane_owner;

--
-- Name: FUNCTION gate_room(p_gate text, p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.gate_room(p_gate text, p_limit integer) IS 'gate_room: how many jobs a gate would let pass now, at most p_limit; a text that names no gate lets all pass, and the claim judges them again';


--
-- Name: get_definitions(text[], integer, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.get_definitions(p_keys text[] DEFAULT NULL::text[], p_limit integer DEFAULT 100, p_after text DEFAULT ''::text) RETURNS TABLE(definition_id integer, key text, kind text, description text, arg_schema jsonb, queue text, priority integer, timeout_seconds integer, max_attempts integer, backoff_base real, backoff_factor real, backoff_cap real, backoff_jitter real, max_running integer, max_running_per_tenant integer, retention_days integer, retention_days_logs integer, active boolean, origin text, tags text[], isolation text, on_lost_contact text, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  select d.definition_id, d.key, d.kind, d.description, d.arg_schema, q.name, d.priority::int, d.timeout_seconds, d.max_attempts::int, d.backoff_base, d.backoff_factor,
         d.backoff_cap, d.backoff_jitter, d.max_running, d.max_running_per_tenant, d.retention_days, d.retention_days_logs, d.active, d.origin, d.tags,
         d.isolation, d.on_lost_contact, d.created_at, d.updated_at
    from jobplane.definitions d join jobplane.queues q using (queue_id)
   where d.key > p_after and (p_keys is null or d.key = any (p_keys)) order by d.key limit least(greatest(p_limit, 1), 1000)
$$;


ALTER FUNCTION jobplane.get_definitions(p_keys text[], p_limit integer, p_after text) OWNER TO jobplane_engine;

--
-- Name: FUNCTION get_definitions(p_keys text[], p_limit integer, p_after text); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.get_definitions(p_keys text[], p_limit integer, p_after text) IS 'get_definitions: definitions in the order of their keys, all or those named';


--
-- Name: get_jobs(uuid[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.get_jobs(p_ids uuid[]) RETURNS SETOF jobplane.job
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_ids    constant uuid[] := array(select i.id from unnest(p_ids) with ordinality i(id, ord) group by i.id order by min(i.ord));
begin
  if cardinality(v_ids) > 1000 then
    raise exception 'Cannot get % jobs in one call. Ask for at most 1000 ids at a time.', cardinality(v_ids) using errcode = 'JP002';
  end if;
  return query select * from jobplane.describe(v_tenant, array(
    select j.seq from unnest(v_ids) with ordinality i(id, ord), lateral (select j.seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = i.id offset 0) j order by i.ord));
end $$;


ALTER FUNCTION jobplane.get_jobs(p_ids uuid[]) OWNER TO jobplane_doors;

--
-- Name: FUNCTION get_jobs(p_ids uuid[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.get_jobs(p_ids uuid[]) IS 'get_jobs: whole jobs of the tenant that is set, in the order asked for, each once; an id that is not there, or another tenant''s, is left out';


--
-- Name: get_result(uuid); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.get_result(p_id uuid) RETURNS TABLE(status text, result jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
begin
  return query select d.status, d.result from jobplane.jobs j, lateral jobplane.describe(v_tenant, array[j.seq]) d where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    raise exception 'there is no such job' using errcode = 'JP010';
  end if;
end $$;


ALTER FUNCTION jobplane.get_result(p_id uuid) OWNER TO jobplane_doors;

--
-- Name: FUNCTION get_result(p_id uuid); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.get_result(p_id uuid) IS 'get_result: what a job of the tenant that is set returned, with its status; null while there is none';


--
-- Name: give_back(text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.give_back(p_keys text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_keys    text[];
  v_n       int[];
  v_waiting text[];
  v_free    int[];
begin
  select array_agg(k order by k), array_agg(n order by k) into v_keys, v_n from (select k collate "C" as k, count(*)::int as n from unnest(p_keys) k group by 1) x;
  perform from jobplane.limits where limit_key = any (v_keys) order by limit_key for update;
  with u as (
    update jobplane.limits l set used = l.used - m.n from unnest(v_keys, v_n) m(k, n) where l.limit_key = m.k returning l.limit_key, l.waiting, m.n)
  select array_agg(u.limit_key), array_agg(u.n) into v_waiting, v_free from u where u.waiting;
  if v_waiting is null then return; end if;
  if jobplane.release_held(v_waiting, v_free, false) < (select sum(n) from unnest(v_free) n) then
    update jobplane.limits l set waiting = false
     where l.limit_key = any (v_waiting) and l.waiting and not exists (select from jobplane.held h where h.gate = l.limit_key);
  end if;
end $$;


ALTER FUNCTION jobplane.give_back(p_keys text[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION give_back(p_keys text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.give_back(p_keys text[]) IS 'give_back: slots come back. Lock, in the order of the keys, then look who waits for them: a claim that found the gate full has either moved its rows';


--
-- Name: held_snapshots(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.held_snapshots() RETURNS TABLE(kind text, pid integer, login text, name text, xmin text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  with now as materialized (select age(pg_snapshot_xmin(pg_current_snapshot())::xid) as age),
  sessions as (
    select a.pid, a.usename, x.xid from pg_stat_activity a, now, lateral (
             select coalesce(a.backend_xid, case when age(a.backend_xmin) > now.age and (a.datid is null or a.datname = current_database()) then a.backend_xmin end)) x(xid)
     where a.usesysid is not null and a.pid <> pg_backend_pid() and x.xid is not null
       and not exists (select from pg_stat_progress_vacuum v where v.pid = a.pid))
  select 'session', min(s.pid), s.usename::text, null, s.xid::text from sessions s group by s.usename, s.xid::text
  union all
  select 'prepared', null, p.owner::text, p.gid, p.transaction::text from pg_prepared_xacts p
  union all
  select 'slot', null, null, r.slot_name::text, r.xmin::text from pg_replication_slots r, now where age(r.xmin) > now.age
$$;


ALTER FUNCTION jobplane.held_snapshots() OWNER TO jobplane_engine;

--
-- Name: FUNCTION held_snapshots(); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.held_snapshots() IS 'held_snapshots: who keeps vacuum from removing dead rows: sessions with an old snapshot or an open transaction, prepared transactions, replication slots';


--
-- Name: hold_dedupe(uuid, text, bigint); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
declare
  v_holder bigint;
begin
  for v_round in 1..20 loop
    insert into jobplane.dedupe (tenant_id, dedupe_key, seq) values (p_tenant, p_dedupe_key, p_seq) on conflict do nothing;
    if found then return null; end if;
    select d.seq into v_holder from jobplane.dedupe d where d.tenant_id = p_tenant and d.dedupe_key = p_dedupe_key;
    if found then return v_holder; end if;
  end loop;
  raise exception 'the dedupe key % is contended; try again', quote_literal(p_dedupe_key) using errcode = '40001';
end $$;


ALTER FUNCTION jobplane.hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint) OWNER TO jobplane_owner;

--
-- Name: FUNCTION hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint) IS 'hold_dedupe: take a dedupe key for a job, or find who has it. First insert, then look: a new statement sees who was first; if that one ended meanwhile the';


--
-- Name: hold_keys(uuid, integer[], bigint[], uuid[], boolean[], text[], text[], text[], text[], jsonb[], timestamp with time zone[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
  i         int;
  v_n       constant int := cardinality(p_seqs);
  v_holder  bigint;
  v_mine    int;
  v_receipt jobplane.receipts;
  v_id      uuid;
  v_key     text;
  v_print   bytea;
begin
  holders := array_fill(null::uuid, array[v_n]);
  outcomes := array_fill(null::text, array[v_n]);
  if true = any (p_given) then
    -- The second one with an id waits at the index for the first, also when that one has deleted its row, and learns with its next statement what became of it.
    insert into jobplane.new_ids (tenant_id, id)
    select p_tenant, u.id from unnest(p_ids, p_given) with ordinality u(id, given, ord) where u.given and p_faults[u.ord] is null group by u.id order by u.id
    on conflict do nothing;
    delete from jobplane.new_ids i where i.tenant_id = p_tenant and i.id = any (p_ids);
  end if;
  for i, v_mine in
    select u.ord, min(u.ord) over (partition by u.id) from unnest(p_ids, p_given) with ordinality u(id, given, ord)
     where u.given and p_faults[u.ord] is null order by u.id, u.ord
  loop
    if v_mine < i or exists (select from jobplane.jobs j where j.tenant_id = p_tenant and j.id = p_ids[i]) then
      holders[i] := p_ids[i];
      outcomes[i] := 'existing';
    end if;
  end loop;
  for i in
    select u.ord from unnest(p_idempotency_keys, p_definition_ids) with ordinality u(key, definition_id, ord)
     where u.key is not null and p_faults[u.ord] is null and outcomes[u.ord] is null order by u.definition_id, u.key, u.ord
  loop
    v_print := sha256(convert_to(payloads[i]::text, 'UTF8'));
    insert into jobplane.receipts values (p_tenant, p_definition_ids[i], p_idempotency_keys[i], p_seqs[i], v_print) on conflict do nothing;
    continue when found;
    select * into strict v_receipt from jobplane.receipts r
     where r.tenant_id = p_tenant and r.definition_id = p_definition_ids[i] and r.idempotency_key = p_idempotency_keys[i];
    v_mine := array_position(p_seqs, v_receipt.seq);
    holders[i] := case when v_mine is null then (select j.id from jobplane.jobs j where j.seq = v_receipt.seq) else p_ids[v_mine] end;
    outcomes[i] := case when v_receipt.fingerprint = v_print then 'existing' else 'idempotency_mismatch' end;
  end loop;
  for i in
    select u.ord from unnest(p_dedupe_keys) with ordinality u(key, ord)
     where u.key is not null and p_faults[u.ord] is null and outcomes[u.ord] is null order by u.key, u.ord
  loop
    for v_round in 1..20 loop
      v_holder := jobplane.hold_dedupe(p_tenant, p_dedupe_keys[i], p_seqs[i]);
      exit when v_holder is null;
      v_mine := array_position(p_seqs, v_holder);
      if v_mine is null then
        select j.id, j.definition_key into v_id, v_key from jobplane.jobs j where j.seq = v_holder;
        holders[i] := v_id;
        if p_on_duplicates[i] in ('replace', 'postpone') and v_key is distinct from (select d.key from jobplane.definitions d where d.definition_id = p_definition_ids[i]) then
          outcomes[i] := 'duplicate_job';
        else
          outcomes[i] := jobplane.meet_duplicate(p_tenant, v_holder, coalesce(p_on_duplicates[i], 'return'), payloads[i], scheduled_fors[i]);
        end if;
      elsif p_on_duplicates[i] in ('replace', 'postpone') and p_definition_ids[v_mine] <> p_definition_ids[i] then
        holders[i] := p_ids[v_mine];
        outcomes[i] := 'duplicate_job';
      else
        holders[i] := p_ids[v_mine];
        outcomes[i] := case coalesce(p_on_duplicates[i], 'return') when 'replace' then 'replaced' when 'postpone' then 'postponed' else 'existing' end;
        if p_on_duplicates[i] = 'replace' then payloads[v_mine] := payloads[i]; end if;
        if p_on_duplicates[i] = 'postpone' then scheduled_fors[v_mine] := scheduled_fors[i]; end if;
      end if;
      exit when outcomes[i] is not null;                -- else it has ended meanwhile
      holders[i] := null;
    end loop;
    if outcomes[i] = 'duplicate_job' then                -- refused, and with it each row that would have been answered with it
      perform jobplane.let_go(p_tenant, p_seqs[i], null, p_definition_ids[i], p_idempotency_keys[i]);
      outcomes := array(select case when u.holder = p_ids[i] then 'duplicate_job' else u.outcome end
                          from unnest(holders, outcomes) with ordinality u(holder, outcome, ord) order by u.ord);
    end if;
    if v_holder is not null then holders := array_replace(holders, p_ids[i], holders[i]); end if;      -- who was answered with this row gets the job it met
    if v_holder is not null and p_idempotency_keys[i] is not null and outcomes[i] <> 'duplicate_job' then        -- the receipt speaks of the job that is there
      update jobplane.receipts r set seq = v_holder
       where r.tenant_id = p_tenant and r.definition_id = p_definition_ids[i] and r.idempotency_key = p_idempotency_keys[i];
    end if;
  end loop;
  for i, v_mine in                                      -- a row with the id of an earlier one gets the answer of that one
    select u.ord, u.first
      from (select u.ord, min(u.ord) over (partition by u.id) as first from unnest(p_ids, p_given) with ordinality u(id, given, ord)
             where u.given and p_faults[u.ord] is null) u
     where u.first < u.ord and outcomes[u.first] is not null order by u.ord
  loop
    holders[i] := holders[v_mine];
    if outcomes[v_mine] in ('idempotency_mismatch', 'duplicate_job') then outcomes[i] := outcomes[v_mine]; end if;
  end loop;
end $$;


ALTER FUNCTION jobplane.hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]) IS 'hold_keys: before a batch is written, take the keys of its rows: first all ids, then all idempotency keys, then all dedupe keys, each in their order, so that two';


--
-- Name: is_due(text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.is_due(p_chore text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  v_now  constant timestamptz := jobplane.clock();
  v_lane jobplane.clocks;
  v_gate text := '';
begin
  case p_chore
  when 'promote' then
    return exists (select from jobplane.upcoming where scheduled_for <= v_now);
  when 'expire' then
    return exists (select from jobplane.expiring where expires_at <= v_now);
  when 'reap' then
    perform from jobplane.leases where expires_at < v_now order by seq limit 1;      -- by an index: enable_seqscan is off
    return found;
  when 'wake' then
    return exists (select from jobplane.unheard_queues());
  when 'tick' then
    for v_lane in select * from jobplane.clocks order by queue_id, priority loop
      if v_lane.mark <> v_lane.v or jobplane.low_of(v_lane, false) <> v_lane.low then return true; end if;
    end loop;
  when 'sweep' then
    loop
      select gate into v_gate from jobplane.held where gate > v_gate order by gate limit 1;
      exit when not found;
      if jobplane.gate_room(v_gate, 1) > 0 then return true; end if;
    end loop;
  else
    raise exception 'there is no chore "%" to look for', p_chore using errcode = 'JP002';
  end case;
  return false;
end $$;


ALTER FUNCTION jobplane.is_due(p_chore text) OWNER TO jobplane_owner;

--
-- Name: FUNCTION is_due(p_chore text); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.is_due(p_chore text) IS 'is_due: whether a chore of the upkeep has something to do';


--
-- Name: let_back(text, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.let_back(p_gate text, p_n integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_room constant int := jobplane.gate_room(p_gate, p_n);
begin
  if v_room = 0 then return 0; end if;
  if p_gate like 'g/%' then perform jobplane.rebind(p_gate, v_room); end if;
  return jobplane.release_held(array[p_gate], array[v_room], true);
end $$;


ALTER FUNCTION jobplane.let_back(p_gate text, p_n integer) OWNER TO jobplane_owner;

--
-- Name: FUNCTION let_back(p_gate text, p_n integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.let_back(p_gate text, p_n integer) IS 'let_back: up to p_n rows that a gate holds go back to ready, as far as it has room';


--
-- Name: let_go(uuid, bigint, text, integer, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text) RETURNS void
    LANGUAGE sql
    AS $$
  delete from jobplane.dedupe d where d.tenant_id = p_tenant and d.dedupe_key = p_dedupe_key and d.seq = p_seq;
  delete from jobplane.receipts r where r.tenant_id = p_tenant and r.definition_id = p_definition_id and r.idempotency_key = p_idempotency_key and r.seq = p_seq;
$$;


ALTER FUNCTION jobplane.let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text) OWNER TO jobplane_owner;

--
-- Name: FUNCTION let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text) IS 'let_go: give up the keys that a refused row has taken';


--
-- Name: line(integer, smallint, uuid, bigint, bigint, bigint, boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean DEFAULT false) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
declare
  v_last  bigint;
  v_end   bigint;
  v_place int := 0;
  v_probe bigint := case when p_n > 1 then 128 + 8 * p_n when p_crowded then 128 else 8 end;
begin
  loop
    select max(newest.tag),
       case when count(*) = 0 then p_now - 1 when count(*) < v_probe then p_now + count(*) * p_step else min(newest.tag) + (count(*) - 1) * p_step end
  into v_last, v_end
  from (select r.tag from jobplane.ready r
         where r.tenant_id = p_tenant and r.queue_id = p_queue and r.priority = p_priority and r.tag > p_now
         order by r.tag desc limit v_probe) newest;
    exit when v_probe > 8;
    if v_end <= v_last or v_last is null then
      return coalesce(v_last, v_end);
    end if;
    v_probe := 128;
  end loop;
  while v_place < 32
    and not pg_try_advisory_xact_lock(74100 + v_place, hashtext(concat_ws('/', p_tenant, p_queue, p_priority, case when p_n > 1 then log(4, p_n)::int end))) loop
    v_place := v_place + 1;
  end loop;
  return v_end + 2 * v_place * p_n * p_step;
end $$;


ALTER FUNCTION jobplane.line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean) OWNER TO jobplane_owner;

--
-- Name: FUNCTION line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean) IS 'line: the end of a tenant''s line in one queue and priority; its next p_n jobs get base + step, base + 2 * step, …';


--
-- Name: list_attempts(uuid, integer, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.list_attempts(p_id uuid, p_limit integer DEFAULT 100, p_before integer DEFAULT NULL::integer) RETURNS TABLE(attempt_no integer, status text, outcome text, worker_id text, scheduled_for timestamp with time zone, started_at timestamp with time zone, finished_at timestamp with time zone, exit_code integer, reason text, error text, progress real, progress_message text, led_to text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_seq    bigint;
begin
  select j.seq into v_seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    raise exception 'there is no such job' using errcode = 'JP010';
  end if;
  return query
  select * from (select l.attempt_no, 'running', null, l.worker_id, l.scheduled_for, l.started_at, null::timestamptz, null::int, null, null, l.progress, l.progress_message, null
    from jobplane.leases l where l.seq = v_seq and l.attempt_no < coalesce(p_before, 2147483647)
  union all (
    select a.attempt_no, case a.outcome when 'fatal' then 'failed' else a.outcome::text end, a.outcome::text, a.worker_id, a.scheduled_for, a.started_at, a.finished_at,
           a.exit_code, a.reason, a.error, a.progress, a.progress_message, a.led_to::text
      from jobplane.attempts a where a.seq = v_seq and a.attempt_no < coalesce(p_before, 2147483647)
     order by a.attempt_no desc limit least(greatest(p_limit, 1), 1000))) x
   order by attempt_no desc limit least(greatest(p_limit, 1), 1000);
end $$;


ALTER FUNCTION jobplane.list_attempts(p_id uuid, p_limit integer, p_before integer) OWNER TO jobplane_doors;

--
-- Name: FUNCTION list_attempts(p_id uuid, p_limit integer, p_before integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.list_attempts(p_id uuid, p_limit integer, p_before integer) IS 'list_attempts: the attempts of one job of the tenant that is set, the newest first; the one that runs is the lease';


--
-- Name: list_definitions(text[], integer, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.list_definitions(p_keys text[] DEFAULT NULL::text[], p_limit integer DEFAULT 100, p_after text DEFAULT ''::text) RETURNS TABLE(definition_id integer, key text, kind text, description text, arg_schema jsonb, queue text, priority integer, timeout_seconds integer, max_attempts integer, backoff_base real, backoff_factor real, backoff_cap real, backoff_jitter real, max_running integer, max_running_per_tenant integer, retention_days integer, retention_days_logs integer, active boolean, origin text, tags text[], created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  select d.definition_id, d.key, d.kind, d.description, d.arg_schema, q.name, d.priority::int, d.timeout_seconds, d.max_attempts::int, d.backoff_base, d.backoff_factor,
         d.backoff_cap, d.backoff_jitter, d.max_running, d.max_running_per_tenant, d.retention_days, d.retention_days_logs, d.active, d.origin, d.tags, d.created_at,
         d.updated_at
    from jobplane.definitions d join jobplane.queues q using (queue_id)
   where d.key > p_after and (p_keys is null or d.key = any (p_keys)) order by d.key limit least(greatest(p_limit, 1), 1000)
$$;


ALTER FUNCTION jobplane.list_definitions(p_keys text[], p_limit integer, p_after text) OWNER TO jobplane_engine;

--
-- Name: FUNCTION list_definitions(p_keys text[], p_limit integer, p_after text); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.list_definitions(p_keys text[], p_limit integer, p_after text) IS 'list_definitions: definitions as get_definitions has them, without isolation and on_lost_contact, for programs of schema 1';


--
-- Name: list_jobs(text[], text[], text[], text, text, text, text[], jsonb, timestamp with time zone, timestamp with time zone, integer, bigint, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.list_jobs(p_statuses text[] DEFAULT NULL::text[], p_definitions text[] DEFAULT NULL::text[], p_queues text[] DEFAULT NULL::text[], p_correlation_id text DEFAULT NULL::text, p_source text DEFAULT NULL::text, p_worker_id text DEFAULT NULL::text, p_tags text[] DEFAULT NULL::text[], p_metadata jsonb DEFAULT NULL::jsonb, p_created_after timestamp with time zone DEFAULT NULL::timestamp with time zone, p_created_before timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 50, p_before bigint DEFAULT NULL::bigint, p_source_ref text DEFAULT NULL::text) RETURNS SETOF jobplane.job
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant   constant uuid := jobplane.current_tenant();
  v_statuses text[] := coalesce(p_statuses, '{queued,running,succeeded,failed,dead_letter,canceled}');
  v_before   constant bigint := coalesce(p_before, 9223372036854775807);
  v_narrow   constant boolean := num_nonnulls(p_definitions, p_queues, p_source, p_tags, p_metadata, p_created_after, p_created_before, p_correlation_id, p_source_ref) > 0;
  v_scan     constant int := case when v_narrow then 10000 else p_limit end;
  v_owner    constant jsonb := case when jsonb_typeof(p_metadata -> 'owner_user_id') in ('string', 'number') then p_metadata -> 'owner_user_id' end;
  v_project  constant jsonb := case when jsonb_typeof(p_metadata -> 'project_id') in ('string', 'number') then p_metadata -> 'project_id' end;
  v_by_facts constant boolean := num_nonnulls(p_correlation_id, v_owner, v_project) > 0;      -- then the status is looked up for each job, else it is where the look begins
  v_seqs     bigint[];
  v_hits     bigint[];
  v_rest     jobplane.job;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'limit must be between 1 and 1000, not %', p_limit using errcode = 'JP002';
  elsif not v_statuses <@ '{queued,running,succeeded,failed,dead_letter,canceled}' then
    raise exception 'a status is one of queued, running, succeeded, failed, dead_letter, canceled' using errcode = 'JP002';
  end if;
  if p_worker_id is not null then v_statuses := array(select s from unnest(v_statuses) s where s = 'running'); end if;
  if p_correlation_id is not null then
    v_seqs := array(select j.seq from jobplane.jobs j where j.tenant_id = v_tenant and j.correlation_id = p_correlation_id and j.seq + 0 < v_before order by j.seq + 0 desc limit v_scan);
  elsif v_by_facts then
    v_seqs := jobplane.owned_seqs(v_owner, v_project, v_before, v_scan);
  else
    select array_agg(s.seq order by s.seq desc) into v_seqs from (
  select x.seq from (
    (select r.seq from jobplane.ready r where 'queued' = any (v_statuses) and r.tenant_id = v_tenant and r.seq < v_before order by r.tenant_id desc, r.seq desc limit v_scan) union all
    (select h.seq from jobplane.held h where 'queued' = any (v_statuses) and h.tenant_id = v_tenant and h.seq < v_before order by h.tenant_id desc, h.seq desc limit v_scan) union all
    (select u.seq from jobplane.upcoming u where 'queued' = any (v_statuses) and u.tenant_id = v_tenant and u.seq < v_before order by u.tenant_id desc, u.seq desc limit v_scan) union all
    (select l.seq from (select l.seq + 0 as seq, l.worker_id from jobplane.leases l where 'running' = any (v_statuses) and l.tenant_id = v_tenant and l.attempt_no > 0 offset 0) l
      where l.seq < v_before and (p_worker_id is null or l.worker_id = p_worker_id) order by l.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'succeeded' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'succeeded' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'failed' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'failed' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'dead_letter' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'dead_letter' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'canceled' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'canceled' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan)) x
   order by x.seq desc limit v_scan) s;
  end if;
  if v_narrow then
    v_hits := array(
      select j.seq from unnest(v_seqs) s(seq), lateral (select * from jobplane.jobs j where j.seq = s.seq offset 0) j
       where (p_definitions is null or j.definition_key = any (p_definitions))
         and (p_queues is null or j.queue_id = any (array(select q.queue_id from jobplane.queues q where q.name = any (p_queues)
                                                                  union all select x.queue_id from jobplane.deleted_queues x where x.name = any (p_queues))))
         and (p_source is null or j.source::text = p_source) and (p_source_ref is null or j.source_ref = p_source_ref) and (p_tags is null or j.tags @> p_tags) and (p_metadata is null or j.metadata @> p_metadata)
         and (p_created_after is null or j.created_at >= p_created_after) and (p_created_before is null or j.created_at < p_created_before)
         and (not v_by_facts or coalesce(jobplane.ending_of(v_tenant, j.seq)::text,
              case when exists (select from jobplane.leases l where l.seq = j.seq) then 'running' else 'queued' end) = any (v_statuses))
         and (not v_by_facts or p_worker_id is null or exists (select from jobplane.leases l where l.seq = j.seq and l.worker_id = p_worker_id))
       limit p_limit);
  else
    v_hits := v_seqs;
  end if;
  return query select * from jobplane.describe(v_tenant, v_hits);
  if cardinality(v_hits) < p_limit and cardinality(v_seqs) = v_scan then
    v_rest.cursor := v_seqs[v_scan];
    return next v_rest;
  end if;
end $$;


ALTER FUNCTION jobplane.list_jobs(p_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_limit integer, p_before bigint, p_source_ref text) OWNER TO jobplane_doors;

--
-- Name: FUNCTION list_jobs(p_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_limit integer, p_before bigint, p_source_ref text); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.list_jobs(p_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_limit integer, p_before bigint, p_source_ref text) IS 'list_jobs: jobs of the tenant that is set, the newest first, from the tables that hold the statuses asked for';


--
-- Name: list_queues(text[], integer, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.list_queues(p_names text[] DEFAULT NULL::text[], p_limit integer DEFAULT NULL::integer, p_after text DEFAULT ''::text) RETURNS TABLE(name text, paused_at timestamp with time zone, ready bigint, held bigint, upcoming bigint, running bigint, description text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  select q.name, q.paused_at,
         (select count(*) from (select from jobplane.ready r where r.queue_id = q.queue_id and r.seq > 0 limit 10000) x),
         (select count(*) from (select from jobplane.held h where h.queue_id = q.queue_id limit 10000) x),
         (select count(*) from (select from jobplane.upcoming u where u.queue_id = q.queue_id limit 10000) x),
         (select count(*) from (select from jobplane.leases l where l.queue_id = q.queue_id limit 10000) x),
         q.description
    from jobplane.queues q where q.name > p_after and (p_names is null or q.name = any (p_names))
   order by q.name limit case when p_limit is not null then least(greatest(p_limit, 1), 1000) end
$$;


ALTER FUNCTION jobplane.list_queues(p_names text[], p_limit integer, p_after text) OWNER TO jobplane_engine;

--
-- Name: FUNCTION list_queues(p_names text[], p_limit integer, p_after text); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.list_queues(p_names text[], p_limit integer, p_after text) IS 'list_queues: queues by name, with what waits and runs in each, counted up to 10,000';


--
-- Name: list_tenants(uuid[], text[], integer, text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.list_tenants(p_tenant_ids uuid[] DEFAULT NULL::uuid[], p_slugs text[] DEFAULT NULL::text[], p_limit integer DEFAULT 100, p_after text DEFAULT ''::text) RETURNS SETOF jobplane.tenants
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  select * from jobplane.tenants t
   where t.slug > p_after and (p_tenant_ids is null or t.tenant_id = any (p_tenant_ids)) and (p_slugs is null or t.slug = any (p_slugs))
   order by t.slug limit least(greatest(p_limit, 1), 1000)
$$;


ALTER FUNCTION jobplane.list_tenants(p_tenant_ids uuid[], p_slugs text[], p_limit integer, p_after text) OWNER TO jobplane_engine;

--
-- Name: FUNCTION list_tenants(p_tenant_ids uuid[], p_slugs text[], p_limit integer, p_after text); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.list_tenants(p_tenant_ids uuid[], p_slugs text[], p_limit integer, p_after text) IS 'list_tenants: tenants in the order of their slugs, all or those named by id or slug';


--
-- Name: list_workers(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.list_workers(p_limit integer DEFAULT 100) RETURNS TABLE(worker_id text, hostname text, pid integer, version text, queues text[], definitions text[], slots integer, running_count integer, metadata jsonb, started_at timestamp with time zone, last_seen_at timestamp with time zone, live boolean)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  select w.worker_id, w.hostname, w.pid, w.version, w.queues, w.definitions, w.slots, w.running_count, w.metadata, w.started_at, w.last_seen_at,
         w.last_seen_at > jobplane.clock() - interval '60 s'
    from jobplane.workers w order by w.last_seen_at desc, w.worker_id limit least(greatest(p_limit, 1), 1000)
$$;


ALTER FUNCTION jobplane.list_workers(p_limit integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION list_workers(p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.list_workers(p_limit integer) IS 'list_workers: workers, the latest seen first; live: seen within a minute';


--
-- Name: lock_clock(integer, smallint); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.lock_clock(p_queue integer, p_priority smallint) RETURNS boolean
    LANGUAGE sql
    AS $$
  select coalesce((select true from jobplane.lanes l where l.queue_id = p_queue and l.priority = p_priority for update skip locked), false)
$$;


ALTER FUNCTION jobplane.lock_clock(p_queue integer, p_priority smallint) OWNER TO jobplane_owner;

--
-- Name: FUNCTION lock_clock(p_queue integer, p_priority smallint); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.lock_clock(p_queue integer, p_priority smallint) IS 'lock_clock: whether this transaction alone may move a lane''s clock; who may not leaves it. The clock''s own row does not serve as the lock: SKIP LOCKED waits all';


--
-- Name: lock_gates(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.lock_gates() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  lock table jobplane_locks.gates in exclusive mode;
end $$;


ALTER FUNCTION jobplane.lock_gates() OWNER TO jobplane_owner;

--
-- Name: FUNCTION lock_gates(); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.lock_gates() IS 'lock_gates: before a gate changes, wait for the claims that are under way, and keep new ones waiting until commit: from then on no claim has read the old value';


--
-- Name: lock_limits(text[], integer[], integer[], boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
begin
  if p_wait then
    if (select count(*) from jobplane.limits l where l.limit_key = any (p_keys)) < cardinality(p_keys) then
      insert into jobplane.limits (limit_key) select k from unnest(p_keys) k order by k collate "C" on conflict (limit_key) do update set used = limits.used;
    else
      perform from jobplane.limits l where l.limit_key = any (p_keys) order by l.limit_key for update;
    end if;
  end if;
  select array_agg(x.limit_key), array_agg(x.room), coalesce(bool_and(x.want <= x.room) and count(*) = cardinality(p_keys), false) into keys, rooms, roomy from (
    select l.limit_key, m.want, m.max - l.used as room from unnest(p_keys, p_maxes, p_wants) m(key, max, want) join jobplane.limits l on l.limit_key = m.key
     order by l.limit_key for update of l skip locked) x;
end $$;


ALTER FUNCTION jobplane.lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean) OWNER TO jobplane_owner;

--
-- Name: FUNCTION lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean) IS 'lock_limits: the room that each key has, under its row''s lock, always taken in the order of the keys; roomy: every key is ours and has room for all who want it.';


--
-- Name: log_lines(bigint[], integer[], uuid[], integer[], timestamp with time zone[], text[], text[], jsonb[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[] DEFAULT NULL::jsonb[]) RETURNS TABLE(seq bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_refused bigint[];
begin
  select array_agg(distinct x.seq) into v_refused
  from (select distinct x.seq, x.no, x.token from unnest(p_seqs, p_attempt_nos, p_tokens) x(seq, no, token)) x
  left join lateral (select l.seq from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
 where l.seq is null;
  if exists (select from (select distinct s / 1000000 as block from unnest(p_seqs) s) b where to_regclass('jobplane.logs_' || b.block) is null) then
    perform jobplane.make_log_blocks(array(select s from unnest(p_seqs) s where s <> all (coalesce(v_refused, '{}'))));
  end if;
  insert into jobplane.logs (seq, tenant_id, at, attempt_no, line, level, message, fields)
select x.seq, l.tenant_id, x.at, x.no, x.line, case when x.level in ('debug', 'warning', 'error') then x.level else 'info' end,
       case when length(x.message) > 17000 then left(x.message, 16384) || '… [cut]' else x.message end, x.fields
  from unnest(p_seqs, p_attempt_nos, p_tokens, p_lines, p_ats, p_levels, p_messages, p_fields) x(seq, no, token, line, at, level, message, fields),
       lateral (select l.tenant_id from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l
on conflict do nothing;
  return query select * from unnest(v_refused);
end $$;


ALTER FUNCTION jobplane.log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[]) IS 'log_lines: keep lines that handlers wrote, each with the proof of the lease that it was written under';


--
-- Name: clocks; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.clocks (
    queue_id integer NOT NULL,
    priority smallint NOT NULL,
    v bigint DEFAULT 0 NOT NULL,
    low bigint DEFAULT 0 NOT NULL,
    mark bigint DEFAULT 0 NOT NULL,
    advanced_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
)
WITH (fillfactor='20');


ALTER TABLE jobplane.clocks OWNER TO jobplane_hot;

--
-- Name: low_of(jobplane.clocks, boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.low_of(p_lane jobplane.clocks, p_full boolean) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
declare
  v_tag bigint;
begin
  select tag into v_tag from jobplane.ready
   where queue_id = p_lane.queue_id and priority = p_lane.priority and seq > 0 and tag >= case when p_full then -9223372036854775808 else p_lane.low end
   order by tag limit 1;
  return least(v_tag, p_lane.mark);
end $$;


ALTER FUNCTION jobplane.low_of(p_lane jobplane.clocks, p_full boolean) OWNER TO jobplane_owner;

--
-- Name: FUNCTION low_of(p_lane jobplane.clocks, p_full boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.low_of(p_lane jobplane.clocks, p_full boolean) IS 'low_of: where a lane''s low mark belongs: at its first row, and a tick behind the clock. A full look starts at the very beginning.';


--
-- Name: make_log_blocks(bigint[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.make_log_blocks(p_seqs bigint[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_logs   constant regclass := 'jobplane.logs';
  v_block  bigint;
  v_name   text;
  v_policy record;
  v_made   int := 0;
begin
  lock table only jobplane.logs in share update exclusive mode;   -- one at a time, as attaching does: who comes second finds them made
  for v_block in select distinct s / 1000000 from unnest(p_seqs) s where s >= 0 order by 1 loop
    v_name := 'logs_' || v_block;
    continue when to_regclass('jobplane.' || v_name) is not null;
    execute format('create table jobplane.%I (like jobplane.logs including all)', v_name);
    if (select relrowsecurity from pg_class where oid = v_logs) then
      execute format('alter table jobplane.%I enable row level security', v_name);
      execute format('alter table jobplane.%I force row level security', v_name);
      for v_policy in select p.polname as name, pg_get_expr(p.polqual, v_logs) as seen, pg_get_expr(p.polwithcheck, v_logs) as written,
                             (select string_agg(quote_ident(r.rolname), ', ') from pg_roles r where r.oid = any (p.polroles)) as roles
                        from pg_policy p where p.polrelid = v_logs loop
        execute format('create policy %I on jobplane.%I to %s using (%s) with check (%s)', v_policy.name, v_name, v_policy.roles, v_policy.seen, v_policy.written);
      end loop;
      execute format('grant select, insert, update, delete on jobplane.%I to jobplane_engine', v_name);
    end if;
    execute format('alter table jobplane.logs attach partition jobplane.%I for values from (%s) to (%s)', v_name, v_block * 1000000, (v_block + 1) * 1000000);
    v_made := v_made + 1;
  end loop;
  return v_made;
end $$;


ALTER FUNCTION jobplane.make_log_blocks(p_seqs bigint[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION make_log_blocks(p_seqs bigint[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.make_log_blocks(p_seqs bigint[]) IS 'make_log_blocks: make the blocks of logs that hold these jobs, each with the walls of the whole table. Attaching waits for nobody who reads or writes.';


--
-- Name: meet_duplicate(uuid, bigint, text, jsonb, timestamp with time zone); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  v_row jobplane.upcoming;
begin
  if p_on_duplicate = 'return' then return 'existing'; end if;
  for v_round in 1..100 loop
    select * into v_row from jobplane.take_waiting(p_tenant, p_seq);
    if found then
      if p_on_duplicate = 'replace' then
        update jobplane.jobs set payload = p_payload where seq = p_seq;
      else
        v_row.scheduled_for := p_scheduled_for;
      end if;
      insert into jobplane.upcoming select v_row.*;
      return case p_on_duplicate when 'replace' then 'replaced' else 'postponed' end;
    end if;
    perform from jobplane.leases where seq = p_seq;
    if found then return 'existing'; end if;
    if jobplane.ending_of(p_tenant, p_seq) is not null then return null; end if;
  end loop;
  raise exception 'the job keeps moving; try again' using errcode = '40001';
end $$;


ALTER FUNCTION jobplane.meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone) OWNER TO jobplane_owner;

--
-- Name: FUNCTION meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone) IS 'meet_duplicate: what an enqueue does to the active job that holds its dedupe key: leave it, give it the new payload, or put it off. Only a waiting job changes.';


--
-- Name: new_id(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.new_id() RETURNS uuid
    LANGUAGE sql
    AS $$
      select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
             placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
    $$;


ALTER FUNCTION jobplane.new_id() OWNER TO jobplane_owner;

--
-- Name: FUNCTION new_id(); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.new_id() IS 'new_id: a UUIDv7, the name of a job outside. PostgreSQL has its own from 18 on.';


--
-- Name: open_lane(integer, smallint); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.open_lane(p_queue integer, p_priority smallint) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into jobplane.clocks (queue_id, priority) values (p_queue, p_priority) on conflict do nothing;
  insert into jobplane.lanes (queue_id, priority) values (p_queue, p_priority) on conflict do nothing;
end $$;


ALTER FUNCTION jobplane.open_lane(p_queue integer, p_priority smallint) OWNER TO jobplane_owner;

--
-- Name: FUNCTION open_lane(p_queue integer, p_priority smallint); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.open_lane(p_queue integer, p_priority smallint) IS 'open_lane: a clock for a queue and priority, and the row that is locked to move it';


--
-- Name: open_lanes(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.open_lanes(p_queue integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_after    int := -1;
  v_before   int;
  v_priority int;
  v_opened   int := 0;
begin
  while v_after < 32767 loop
    select coalesce(min(c.priority), 32767) into v_before from jobplane.clocks c where c.queue_id = p_queue and c.priority > v_after;
    loop
      select r.priority into v_priority from jobplane.ready r
       where r.queue_id = p_queue and r.seq > 0 and r.priority > v_after and r.priority < v_before order by r.queue_id, r.priority limit 1;
      exit when not found;
      perform jobplane.open_lane(p_queue, v_priority::smallint);
      v_opened := v_opened + 1;
      v_after := v_priority;
    end loop;
    v_after := v_before;
  end loop;
  return v_opened;
end $$;


ALTER FUNCTION jobplane.open_lanes(p_queue integer) OWNER TO jobplane_owner;

--
-- Name: FUNCTION open_lanes(p_queue integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.open_lanes(p_queue integer) IS 'open_lanes: the priorities of a queue that have rows but no clock yet. Looks between the known ones only, where no dead rows lie.';


--
-- Name: owned_seqs(jsonb, jsonb, bigint, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit integer) RETURNS bigint[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
begin
  if p_owner is not null then
    return array(select j.seq from jobplane.jobs j
                  where j.tenant_id = v_tenant and j.metadata -> 'owner_user_id' = p_owner and j.seq < p_before
                  order by j.tenant_id desc, j.metadata -> 'owner_user_id' desc, j.seq desc limit p_limit);
  end if;
  return array(select j.seq from jobplane.jobs j
                where j.tenant_id = v_tenant and j.metadata -> 'project_id' = p_project and j.seq < p_before
                order by j.tenant_id desc, j.metadata -> 'project_id' desc, j.seq desc limit p_limit);
end $$;


ALTER FUNCTION jobplane.owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit integer) IS 'owned_seqs: the newest jobs of the tenant that is set whose metadata has this owner_user_id, or this project_id. By the engine: under the tenants'' policy no';


--
-- Name: pause_queues(text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.pause_queues(p_names text[]) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
begin
  perform jobplane.lock_gates();
  return query update jobplane.queues q set paused_at = coalesce(q.paused_at, jobplane.clock()) where q.name = any (p_names) returning q.name;
end $$;


ALTER FUNCTION jobplane.pause_queues(p_names text[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION pause_queues(p_names text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.pause_queues(p_names text[]) IS 'pause_queues: a paused queue hands out nothing; its rows stay where they are, what runs, runs on';


--
-- Name: pause_tenants(uuid[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.pause_tenants(p_tenant_ids uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
begin
  perform jobplane.lock_gates();
  return query update jobplane.tenants t set paused_at = coalesce(t.paused_at, jobplane.clock()), updated_at = jobplane.clock()
    where t.tenant_id = any (p_tenant_ids) returning t.tenant_id;
end $$;


ALTER FUNCTION jobplane.pause_tenants(p_tenant_ids uuid[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION pause_tenants(p_tenant_ids uuid[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.pause_tenants(p_tenant_ids uuid[]) IS 'pause_tenants: from its commit on no claim starts their jobs; what runs, runs on';


--
-- Name: payload_fault(jsonb); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.payload_fault(p_payload jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $_$
declare
  v_bytes int;
begin
  if p_payload is null or jsonb_typeof(p_payload) <> 'object' then
    return 'the payload must be a JSON object';
  end if;
  v_bytes := octet_length(p_payload::text);
  if v_bytes < 128 then
    return null;
  end if;
  if v_bytes > 65536 then                               -- the text of jsonb has a space at each comma and colon, which do not count
    v_bytes := v_bytes - (select sum(case jsonb_typeof(n) when 'object' then greatest(2 * (select count(*) from jsonb_object_keys(n)) - 1, 0)
                                                          else greatest(jsonb_array_length(n) - 1, 0) end)
                            from jsonb_path_query(p_payload, '$.** ? (@.type() == "object" || @.type() == "array")') n);
  end if;
  if v_bytes > 65536 then
    return format('the payload has %s bytes, more than 65536; keep large data elsewhere and pass an artifact_ref', v_bytes);
  elsif jsonb_path_exists(p_payload, '$.**{64 to last}') then
    return 'the payload is nested deeper than 64 levels';
  elsif v_bytes > 309 and jsonb_path_exists(p_payload, '$.** ? (@.type() == "number" && (@ >= 1e309 || @ <= -1e309))') then
    return 'the payload has a number of more than 309 digits';
  elsif v_bytes > 20000 and (select count(*) from jsonb_path_query(p_payload, '$.**')) > 10000 then
    return 'the payload has more than 10000 values';
  end if;
  return null;
end $_$;


ALTER FUNCTION jobplane.payload_fault(p_payload jsonb) OWNER TO jobplane_owner;

--
-- Name: FUNCTION payload_fault(p_payload jsonb); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.payload_fault(p_payload jsonb) IS 'payload_fault: why a payload cannot be taken, or null: an object, 64 KiB as text, 64 levels, 10,000 values, no number beyond 309 digits.';


--
-- Name: pending_room(uuid, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.pending_room(p_tenant uuid, p_max_pending integer) RETURNS integer
    LANGUAGE sql
    AS $$
  select p_max_pending - (
    select count(*) from (
      select from jobplane.ready where tenant_id = p_tenant and tag is not null union all select from jobplane.held where tenant_id = p_tenant union all
      select from jobplane.upcoming where tenant_id = p_tenant union all select from jobplane.leases where tenant_id = p_tenant and attempt_no > 0
      limit p_max_pending) waiting)::int
$$;


ALTER FUNCTION jobplane.pending_room(p_tenant uuid, p_max_pending integer) OWNER TO jobplane_owner;

--
-- Name: FUNCTION pending_room(p_tenant uuid, p_max_pending integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.pending_room(p_tenant uuid, p_max_pending integer) IS 'pending_room: how many more jobs may wait or run for a tenant. All states in one statement: one snapshot, in which each job stands in one table.';


--
-- Name: promote(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.promote(p_limit integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_now  timestamptz := jobplane.clock();
  v_rows jobplane.ready[];
begin
  with c as materialized (
  select ctid as tid from jobplane.upcoming where scheduled_for <= v_now order by scheduled_for limit p_limit for update skip locked),
d as (delete from jobplane.upcoming u using c where u.ctid = c.tid returning u.*)
select array_agg(row(seq, extract(epoch from greatest(scheduled_for, 'epoch')) * 1000000, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority,
                     attempts_left, interruptions, deduped, alone)::jobplane.ready)
  into v_rows from d;
  if v_rows is null then return 0; end if;
  return jobplane.admit(v_rows);
end $$;


ALTER FUNCTION jobplane.promote(p_limit integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION promote(p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.promote(p_limit integer) IS 'promote: what came due goes from upcoming to ready; several may call it at once';


--
-- Name: prune_logs(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.prune_logs(p_retention_days integer DEFAULT 7) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_now   constant timestamptz := jobplane.clock();
  v_last  constant bigint := coalesce(pg_sequence_last_value('jobplane.jobs_seq_seq'), 0);
  v_most  interval;
  v_block bigint;
  v_from  bigint;
  v_to    bigint;
begin
  if p_retention_days is null or p_retention_days not between 0 and 36500 then
    raise exception 'retention_days must be between 0 and 36500, not %', p_retention_days using errcode = 'JP002';
  end if;
  select make_interval(days => greatest(max(d.retention_days_logs), p_retention_days)) into v_most from jobplane.definitions d;
  for v_block in select substr(c.relname, 6)::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'jobplane.logs'::regclass order by 1 loop
    v_from := v_block * 1000000;
    v_to := v_from + 1000000;
    exit when v_to > v_last;
    continue when exists (select from jobplane.leases l where l.seq >= v_from and l.seq < v_to)
               or exists (select from jobplane.ready w where w.seq >= v_from and w.seq < v_to and w.attempt_no > 0)
               or exists (select from jobplane.held w where w.seq >= v_from and w.seq < v_to and w.attempt_no > 0)
               or exists (select from jobplane.upcoming w where w.seq >= v_from and w.seq < v_to and w.attempt_no > 0);
    perform from (select a.seq, a.finished_at from jobplane.attempts a where a.seq >= v_from and a.seq < v_to and a.finished_at > v_now - v_most order by a.seq desc offset 0) a
      left join jobplane.jobs j on j.seq = a.seq left join jobplane.definitions d on d.definition_id = j.definition_id
     where a.finished_at > v_now - make_interval(days => coalesce(d.retention_days_logs, p_retention_days)) limit 1;
    continue when found;
    return jobplane.drop_log_block(v_block)::int;
  end loop;
  return 0;
end $$;


ALTER FUNCTION jobplane.prune_logs(p_retention_days integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION prune_logs(p_retention_days integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.prune_logs(p_retention_days integer) IS 'prune_logs: drop the oldest block of a million jobs'' logs, once all of these jobs have ended and their logs are past their time';


--
-- Name: put_definitions(jsonb[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.put_definitions(p_definitions jsonb[]) RETURNS TABLE(key text, definition_id integer, created boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_doc jsonb;
  v_old jobplane.definitions;
  v_new jobplane.definitions;
begin
  perform jobplane.lock_gates();
  for v_doc in select d from unnest(p_definitions) d order by d ->> 'key' loop
    perform jobplane.refuse_unknown(v_doc, '{key,kind,description,arg_schema,queue,priority,timeout_seconds,max_attempts,backoff,max_running,max_running_per_tenant,retention_days,retention_days_logs,active,origin,tags,isolation,on_lost_contact}');
    perform jobplane.refuse_unknown(coalesce(v_doc -> 'backoff', '{}'), '{base,factor,cap,jitter}');
    select * into v_old from jobplane.definitions d where d.key = v_doc ->> 'key' for update;
    created := not found;
    if created then
      if not exists (select from jobplane.queues q where q.name = coalesce(v_doc ->> 'queue', 'default')) then
        raise exception 'there is no queue %', quote_literal(v_doc ->> 'queue') using errcode = 'JP006', hint = 'jobplane.put_queues makes it';
      end if;
      insert into jobplane.definitions (key, queue_id) values (v_doc ->> 'key', (select q.queue_id from jobplane.queues q where q.name = coalesce(v_doc ->> 'queue', 'default')))
      returning * into v_old;
    end if;
    v_new := jobplane.changed_definition(v_old, v_doc);
    update jobplane.definitions d
       set kind = v_new.kind, description = v_new.description, arg_schema = v_new.arg_schema, queue_id = v_new.queue_id, priority = v_new.priority,
           timeout_seconds = v_new.timeout_seconds, max_attempts = v_new.max_attempts, backoff_base = v_new.backoff_base, backoff_factor = v_new.backoff_factor,
           backoff_cap = v_new.backoff_cap, backoff_jitter = v_new.backoff_jitter, max_running = v_new.max_running,
           max_running_per_tenant = v_new.max_running_per_tenant, retention_days = v_new.retention_days, retention_days_logs = v_new.retention_days_logs,
           active = v_new.active, origin = v_new.origin, tags = v_new.tags, isolation = v_new.isolation, on_lost_contact = v_new.on_lost_contact, updated_at = jobplane.clock()
     where d.definition_id = v_old.definition_id;
    perform jobplane.open_lane(v_new.queue_id, v_new.priority);
    if created then
      update jobplane.workers w set definition_ids = w.definition_ids || v_old.definition_id where w.worker_id > '' and v_old.key = any (w.definitions);      -- by the primary key: all of them
    else
      perform jobplane.count_leases(array_agg(k.key), array_agg(l.seq)) from jobplane.leases l,
        unnest(array_remove(array[case when v_new.max_running is not null then 'd/' || l.definition_id end,
                                  case when v_new.max_running_per_tenant is not null then 'dt/' || l.definition_id || '/' || l.tenant_id end], null)) k(key)
        where l.seq > 0 and l.definition_id = v_old.definition_id;      -- by the primary key: all of them
      perform jobplane.release_held(array['d/' || v_old.definition_id], array[jobplane.gate_room('d/' || v_old.definition_id, 1000)], true);
    end if;
    key := v_old.key;
    definition_id := v_old.definition_id;
    return next;
  end loop;
exception when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datatype_mismatch then
  raise exception 'the definition % has a value that cannot be: %', coalesce(quote_literal(left(v_doc ->> 'key', 200)), 'without a key'), sqlerrm using errcode = 'JP002';
end $$;


ALTER FUNCTION jobplane.put_definitions(p_definitions jsonb[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION put_definitions(p_definitions jsonb[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.put_definitions(p_definitions jsonb[]) IS 'put_definitions: make or change definitions, each given as a JSON object with its key; what a document does not name keeps its value, or the default';


--
-- Name: put_queues(text[], jsonb); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.put_queues(p_names text[] DEFAULT '{}'::text[], p_documents jsonb DEFAULT '[]'::jsonb) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_documents constant jsonb[] := array(select jobplane.documents(
    (select coalesce(jsonb_agg(jsonb_build_object('name', n)), '[]') from unnest(p_names) n) || p_documents, 'name', '{name,description}'));
begin
  return query select jobplane.restore_queues(array(select d ->> 'name' from unnest(v_documents) d));
  return query
  with q as (insert into jobplane.queues (name) select d ->> 'name' from unnest(v_documents) d on conflict do nothing returning queue_id, name),
  c as (insert into jobplane.clocks (queue_id, priority) select q.queue_id, 100 from q),
  l as (insert into jobplane.lanes (queue_id, priority) select q.queue_id, 100 from q)
  select q.name from q;
  perform from jobplane.queues q where q.name in (select d ->> 'name' from unnest(v_documents) d where d - 'name' <> '{}') order by q.name for no key update;
  update jobplane.queues q set description = n.description
    from unnest(v_documents) d join jobplane.queues o on o.name = d ->> 'name', lateral jsonb_populate_record(o, d) n
   where q.queue_id = o.queue_id and d - 'name' <> '{}';
exception when check_violation or not_null_violation then
  raise exception '%', case when sqlerrm like '%description%' then 'a queue''s description is a text of up to 1000 characters'
                            else 'a queue''s name has a-z, 0-9, dot, dash and underscore, up to 100' end using errcode = 'JP002';
end $$;


ALTER FUNCTION jobplane.put_queues(p_names text[], p_documents jsonb) OWNER TO jobplane_engine;

--
-- Name: FUNCTION put_queues(p_names text[], p_documents jsonb); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.put_queues(p_names text[], p_documents jsonb) IS 'put_queues: make or change queues, each given by its name, or as a JSON object with its name; what a document does not name keeps its value, or the default';


--
-- Name: read_logs(uuid, integer, integer, integer, boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.read_logs(p_id uuid, p_after_attempt integer DEFAULT 0, p_after_line integer DEFAULT 0, p_limit integer DEFAULT 1000, p_follow boolean DEFAULT false) RETURNS TABLE(attempt_no integer, line integer, at timestamp with time zone, level text, message text, fields jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_now    constant timestamptz := jobplane.clock();
  v_seq    bigint;
begin
  if p_limit is null or p_limit not between 1 and 10000 then
    raise exception 'limit must be between 1 and 10000, not %', p_limit using errcode = 'JP002';
  end if;
  select j.seq into v_seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    raise exception 'there is no such job' using errcode = 'JP010';
  end if;
  if p_follow then                                      -- once in two seconds is enough, and a lease that somebody has locked is told the next time
    perform from jobplane.leases l where l.seq = v_seq and l.tenant_id = v_tenant and (l.followed_until is null or l.followed_until < v_now + interval '3 s')
        for update skip locked;
    if found then
      update jobplane.leases l set followed_until = v_now + interval '5 s' where l.seq = v_seq and l.tenant_id = v_tenant;
    end if;
  end if;
  return query
  select l.attempt_no, l.line, l.at, l.level, l.message, l.fields
  from jobplane.logs l
 where l.seq = v_seq and (l.attempt_no, l.line) > (p_after_attempt, p_after_line) and l.tenant_id = v_tenant
 order by l.seq, l.attempt_no, l.line limit p_limit;
end $$;


ALTER FUNCTION jobplane.read_logs(p_id uuid, p_after_attempt integer, p_after_line integer, p_limit integer, p_follow boolean) OWNER TO jobplane_doors;

--
-- Name: FUNCTION read_logs(p_id uuid, p_after_attempt integer, p_after_line integer, p_limit integer, p_follow boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.read_logs(p_id uuid, p_after_attempt integer, p_after_line integer, p_limit integer, p_follow boolean) IS 'read_logs: what one job of the tenant that is set has written, in order, over all its attempts';


--
-- Name: reap(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.reap(p_limit integer DEFAULT 500) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  select count(*)::int from jobplane.reap_all(p_limit)
$$;


ALTER FUNCTION jobplane.reap(p_limit integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION reap(p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.reap(p_limit integer) IS 'reap: settle for workers that are gone; reap_all says how';


--
-- Name: reap_all(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.reap_all(p_limit integer DEFAULT 500) RETURNS TABLE(job_id uuid, tenant_id uuid, definition_key text, attempt_no integer, worker_id text, trace_context text, outcome text, status text, held_ms bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_seqs   bigint[];
  v_nos    int[];
  v_tokens uuid[];
  v_ends   jobplane.attempt_outcome[];
  v_n      constant int := least(greatest(p_limit, 1), 1000);
begin
  select array_agg(seq), array_agg(attempt_no), array_agg(token), array_agg((case when begun then 'lost' else 'released' end)::jobplane.attempt_outcome)
    into v_seqs, v_nos, v_tokens, v_ends
    from (select seq, attempt_no, token, begun from jobplane.leases where expires_at < jobplane.clock() limit v_n for update skip locked) x;
  if v_seqs is null then return; end if;
  select array_agg(s.seq), array_agg(s.attempt_no) into v_seqs, v_nos
    from jobplane.settle(v_seqs, v_nos, v_tokens, v_ends, array_fill('lease_expired'::text, array[cardinality(v_seqs)])) s where s.accepted;
  -- Another statement: the attempts were written by the one before.
  return query
  select j.id, j.tenant_id, j.definition_key, a.attempt_no, a.worker_id, j.trace_context, a.outcome::text, a.led_to::text,
         case when isfinite(a.started_at) then (extract(epoch from a.finished_at - a.started_at) * 1000)::bigint end
    from unnest(v_seqs, v_nos) x(seq, no),
         lateral (select * from jobplane.attempts a where a.seq = x.seq and a.attempt_no = x.no offset 0) a,
         lateral (select * from jobplane.jobs j where j.seq = x.seq offset 0) j;
end $$;


ALTER FUNCTION jobplane.reap_all(p_limit integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION reap_all(p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.reap_all(p_limit integer) IS 'reap_all: settle for workers that are gone, as lost; as released, which is refunded, where the handler had not begun';


--
-- Name: rebind(text, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.rebind(p_gate text, p_n integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_id   constant int := (select d.definition_id from jobplane.definitions d where d.key = substr(p_gate, 3));
  v_seqs bigint[];
begin
  with c as materialized (
    select ctid as tid from jobplane.held where gate = p_gate order by priority, tag limit p_n for update skip locked),
  u as (update jobplane.held h set definition_id = v_id from c where h.ctid = c.tid returning h.seq)
  select array_agg(u.seq) into v_seqs from u;
  update jobplane.jobs j set definition_id = v_id where j.seq = any (v_seqs) and j.definition_id <> v_id;
end $$;


ALTER FUNCTION jobplane.rebind(p_gate text, p_n integer) OWNER TO jobplane_owner;

--
-- Name: FUNCTION rebind(p_gate text, p_n integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.rebind(p_gate text, p_n integer) IS 'rebind: the first p_n rows that wait for a definition of their key, which is there now, get its id';


--
-- Name: refuse_unknown(jsonb, text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.refuse_unknown(p_changes jsonb, p_known text[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  v_unknown text;
begin
  if p_changes is null or jsonb_typeof(p_changes) <> 'object' then
    raise exception 'the changes must be a JSON object' using errcode = 'JP002';
  end if;
  select string_agg(k, ', ') into v_unknown from jsonb_object_keys(p_changes) k where k <> all (p_known);
  if v_unknown is not null then
    raise exception 'unknown: %; known: %', v_unknown, array_to_string(p_known, ', ') using errcode = 'JP002';
  end if;
end $$;


ALTER FUNCTION jobplane.refuse_unknown(p_changes jsonb, p_known text[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION refuse_unknown(p_changes jsonb, p_known text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.refuse_unknown(p_changes jsonb, p_known text[]) IS 'refuse_unknown: a document of changes names only what can be changed';


--
-- Name: refuse_used(text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.refuse_used(p_names text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_queue record;
begin
  select u.* into v_queue from (
    select q.name, case when q.name in ('default', 'system') then 'jobplane'
                        when exists (select from jobplane.ready r where r.queue_id = q.queue_id and r.seq > 0)
                          or exists (select from jobplane.held h where h.queue_id = q.queue_id)
                          or exists (select from jobplane.upcoming u where u.queue_id = q.queue_id)
                          or exists (select from jobplane.leases l where l.queue_id = q.queue_id) then 'jobs'
                        when exists (select from jobplane.definitions d where d.queue_id = q.queue_id) then 'definitions'
                        when exists (select from jobplane.workers w where q.name = any (w.queues) and w.last_seen_at > jobplane.clock() - interval '60 s') then 'workers'
                   end as used_by
      from jobplane.queues q where q.name = any (p_names)) u
   where u.used_by is not null order by u.name limit 1;
  if found then
    raise exception 'Cannot delete queue %: %', quote_literal(v_queue.name), case v_queue.used_by
      when 'jobplane' then 'jobplane needs it.'
      when 'jobs' then 'it has waiting or running jobs. Cancel them, or wait until they have ended.'
      when 'definitions' then 'a definition names it. Give the definition another queue first.'
      else 'a live worker serves it. Stop the worker first.' end
      using errcode = 'JP019', detail = jsonb_build_object('queue', v_queue.name, 'used_by', v_queue.used_by);
  end if;
end $$;


ALTER FUNCTION jobplane.refuse_used(p_names text[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION refuse_used(p_names text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.refuse_used(p_names text[]) IS 'refuse_used: refuse to delete queues of which one is in use; one statement, so that no job moves from table to table meanwhile';


--
-- Name: register_worker(text, text[], text[], text, integer, text, integer, jsonb); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[] DEFAULT NULL::text[], p_hostname text DEFAULT ''::text, p_pid integer DEFAULT NULL::integer, p_version text DEFAULT ''::text, p_slots integer DEFAULT 0, p_metadata jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
declare
  v_now constant timestamptz := jobplane.clock();
  v_ids constant int[] := case when p_definitions is not null then array(select d.definition_id from jobplane.definitions d where d.key = any (p_definitions)) end;
begin
  if exists (select from unnest(p_queues) n where not exists (select from jobplane.queues q where q.name = n)) then
    raise exception 'there is no queue %', (select quote_literal(n) from unnest(p_queues) n where not exists (select from jobplane.queues q where q.name = n) limit 1)
      using errcode = 'JP006', hint = 'jobplane.put_queues makes it';
  end if;
  insert into jobplane.workers values (p_worker_id, p_hostname, p_pid, p_version, p_queues, p_definitions, v_ids, p_slots, 0, coalesce(p_metadata, '{}'), v_now, v_now)
  on conflict (worker_id) do update
    set hostname = excluded.hostname, pid = excluded.pid, version = excluded.version, queues = excluded.queues, definitions = excluded.definitions,
        definition_ids = excluded.definition_ids, slots = excluded.slots, metadata = excluded.metadata, last_seen_at = excluded.last_seen_at;
  perform jobplane.release_held(array[g.gate], array[1000], true)
    from (select distinct h.gate from jobplane.held h where h.gate >= 'w/' and h.gate < 'w0' and (v_ids is null or substr(h.gate, 3)::int = any (v_ids))) g;
exception when check_violation or not_null_violation then
  raise exception 'a worker needs an id of 1 to 200 characters and its queues' using errcode = 'JP002';
end $$;


ALTER FUNCTION jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[], p_hostname text, p_pid integer, p_version text, p_slots integer, p_metadata jsonb) OWNER TO jobplane_engine;

--
-- Name: FUNCTION register_worker(p_worker_id text, p_queues text[], p_definitions text[], p_hostname text, p_pid integer, p_version text, p_slots integer, p_metadata jsonb); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[], p_hostname text, p_pid integer, p_version text, p_slots integer, p_metadata jsonb) IS 'register_worker: make a worker known, with the queues it serves and the definitions it can run (null: any); the same id again replaces it';


--
-- Name: release(bigint[], integer[], uuid[], text, double precision); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text DEFAULT 'shutdown'::text, p_after double precision DEFAULT 0) RETURNS TABLE(seq bigint, attempt_no integer, accepted boolean, status text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
  select * from jobplane.settle(p_seqs, p_attempt_nos, p_tokens, array_fill('released'::jobplane.attempt_outcome, array[cardinality(p_seqs)]),
                                array_fill(p_reason, array[cardinality(p_seqs)]), p_retry_afters => array_fill(p_after, array[cardinality(p_seqs)]))
$$;


ALTER FUNCTION jobplane.release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text, p_after double precision) OWNER TO jobplane_engine;

--
-- Name: FUNCTION release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text, p_after double precision); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text, p_after double precision) IS 'release: give leases back unspent: the attempt is refunded and the job may be claimed again at once';


--
-- Name: release_held(text[], integer[], boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.release_held(p_gates text[], p_n integer[], p_retag boolean) RETURNS integer
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
  v_rows jobplane.ready[];
begin
  with c as materialized (
    select h.tid from unnest(p_gates, p_n) g(gate, n)
     cross join lateral (select ctid as tid from jobplane.held where gate = g.gate order by priority, tag limit g.n for update skip locked) h),
  d as (delete from jobplane.held h using c where h.ctid = c.tid returning h.*)
  select array_agg(row(d.seq, case when p_retag then d.tag else greatest(d.tag, coalesce(k.v, 0)) end, d.tenant_id, d.scheduled_for, d.expires_at, d.queue_id,
                       d.definition_id, d.attempt_no, d.priority, d.attempts_left, d.interruptions, d.deduped, d.alone)::jobplane.ready)
    into v_rows from d left join jobplane.clocks k on k.queue_id = d.queue_id and k.priority = d.priority;
  if v_rows is null then return 0; end if;
  if p_retag then
    return jobplane.admit(v_rows);
  end if;
  with n as (select *, tag as new_tag from unnest(v_rows)) insert into jobplane.ready (seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, new_tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone from n;
  perform jobplane.wake(queue_id) from jobplane.queues
    where queue_id = any (array(select distinct queue_id from unnest(v_rows))) and wanted_until > jobplane.clock();
  return cardinality(v_rows);
end $$;


ALTER FUNCTION jobplane.release_held(p_gates text[], p_n integer[], p_retag boolean) OWNER TO jobplane_owner;

--
-- Name: FUNCTION release_held(p_gates text[], p_n integer[], p_retag boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.release_held(p_gates text[], p_n integer[], p_retag boolean) IS 'release_held: up to p_n rows that each gate holds go back to ready. The claim looks again, so one too many does no harm.';


--
-- Name: renew(bigint[], integer[], uuid[], integer, real[], text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer DEFAULT 30, p_progress real[] DEFAULT NULL::real[], p_messages text[] DEFAULT NULL::text[]) RETURNS TABLE(seq bigint, answer text, lease_expires_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_until timestamptz := jobplane.clock() + make_interval(secs => p_lease_seconds);
  v_n     int;
begin
  if p_lease_seconds is null or p_lease_seconds not between 5 and 3600 then
    raise exception 'lease_seconds must be between 5 and 3600, not %', p_lease_seconds using errcode = 'JP002';
  end if;
  return query
  with c as materialized (
  select l.tid, x.progress, x.message
    from unnest(p_seqs, p_attempt_nos, p_tokens, p_progress, p_messages) x(seq, no, token, progress, message),
         lateral (select l.ctid as tid from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update skip locked) l)
update jobplane.leases l
   set expires_at = v_until, progress = coalesce(c.progress, l.progress), progress_message = coalesce(c.message, l.progress_message)
  from c where l.ctid = c.tid
returning l.seq, case when l.cancel_requested_at is null then 'renewed' else 'cancel' end, l.expires_at;
  get diagnostics v_n = row_count;
  if v_n < cardinality(p_seqs) then                     -- a tenant cancels it just now, or it is no longer ours
    return query
    select x.seq, case when l.seq is null then 'gone' else 'busy' end, l.expires_at
      from unnest(p_seqs, p_attempt_nos, p_tokens) x(seq, no, token)
      left join lateral (select * from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
     where l.seq is null or l.expires_at is distinct from v_until;
  end if;
end $$;


ALTER FUNCTION jobplane.renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_progress real[], p_messages text[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_progress real[], p_messages text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_progress real[], p_messages text[]) IS 'renew: prolong leases, with progress where it is given; tells the worker which jobs are to be canceled';


--
-- Name: renew_all(bigint[], integer[], uuid[], integer, boolean[], real[], text[], boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer DEFAULT 30, p_begun boolean[] DEFAULT NULL::boolean[], p_progress real[] DEFAULT NULL::real[], p_messages text[] DEFAULT NULL::text[], p_until boolean DEFAULT false) RETURNS TABLE(seq bigint, answer text, lease_expires_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_now      constant timestamptz := jobplane.clock();
  v_until    constant timestamptz := v_now + make_interval(secs => p_lease_seconds);
  v_count    int;
  v_canceled bigint[];
  v_followed bigint[];
begin
  if p_lease_seconds is null or p_lease_seconds not between 5 and 3600 then
    raise exception 'lease_seconds must be between 5 and 3600, not %', p_lease_seconds using errcode = 'JP002';
  end if;
  with c as materialized (
  select l.tid, x.begun, x.progress, x.message
    from unnest(p_seqs, p_attempt_nos, p_tokens, p_begun, p_progress, p_messages) x(seq, no, token, begun, progress, message),
         lateral (select l.ctid as tid from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update skip locked) l),
u as (
  update jobplane.leases l
     set expires_at = v_until, begun = l.begun or c.begun is true, progress = coalesce(c.progress, l.progress), progress_message = coalesce(c.message, l.progress_message)
    from c where l.ctid = c.tid
  returning l.seq, l.cancel_requested_at is not null as canceled, l.followed_until > v_now as followed)
select count(*), array_agg(u.seq) filter (where u.canceled), array_agg(u.seq) filter (where u.followed and not u.canceled)
  into v_count, v_canceled, v_followed from u;
  return query select s, 'cancel', null::timestamptz from unnest(v_canceled) s union all select s, 'followed', null from unnest(v_followed) s;
  if v_count < cardinality(p_seqs) then                 -- a tenant cancels it just now, or it is no longer ours
    return query
    select x.seq, case when l.seq is null then 'gone' else 'busy' end, null::timestamptz
      from unnest(p_seqs, p_attempt_nos, p_tokens) x(seq, no, token)
      left join lateral (select * from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
     where l.seq is null or l.expires_at is distinct from v_until;
  end if;
  if p_until then
    return query select null::bigint, null::text, v_until;
  end if;
end $$;


ALTER FUNCTION jobplane.renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_begun boolean[], p_progress real[], p_messages text[], p_until boolean) OWNER TO jobplane_engine;

--
-- Name: FUNCTION renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_begun boolean[], p_progress real[], p_messages text[], p_until boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_begun boolean[], p_progress real[], p_messages text[], p_until boolean) IS 'renew_all: renew for a worker that holds many leases; it says which have begun, and hears only of those that need something';


--
-- Name: reschedule(uuid[], timestamp with time zone, double precision); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone DEFAULT NULL::timestamp with time zone, p_delay_seconds double precision DEFAULT NULL::double precision) RETURNS TABLE(job_id uuid, outcome text, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_at     constant timestamptz := jobplane.due_time(p_scheduled_for, p_delay_seconds, jobplane.clock());
  v_row    jobplane.upcoming;
  v_seq    bigint;
begin
  if v_at is null then
    raise exception 'scheduled_for must be a time between 2000 and 9999, a delay 0 to 3153600000 seconds' using errcode = 'JP002';
  end if;
  for job_id in select distinct i from unnest(p_ids) i order by i loop
    select j.seq into v_seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = job_id;
    outcome := case when found then null else 'not_found' end;
    status := null;
    for v_round in 1..100 loop
      exit when outcome is not null;
      select * into v_row from jobplane.take_waiting(v_tenant, v_seq);
      if found then
        v_row.scheduled_for := v_at;
        insert into jobplane.upcoming select v_row.*;
        outcome := 'queued';
        status := 'queued';
        exit;
      end if;
      status := coalesce(jobplane.ending_of(v_tenant, v_seq)::text, case when exists (select from jobplane.leases l where l.seq = v_seq) then 'running' end);
      if status is not null then outcome := 'illegal_move'; end if;
    end loop;
    if outcome is null then
      raise exception 'job % keeps moving; try again', job_id using errcode = '40001';
    end if;
    return next;
  end loop;
end $$;


ALTER FUNCTION jobplane.reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone, p_delay_seconds double precision) OWNER TO jobplane_doors;

--
-- Name: FUNCTION reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone, p_delay_seconds double precision); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone, p_delay_seconds double precision) IS 'reschedule: another time for a waiting job; an ended one is started by retry';


--
-- Name: restore_queues(text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.restore_queues(p_names text[]) RETURNS SETOF text
    LANGUAGE sql
    AS $$
  with d as (delete from jobplane.deleted_queues d where d.name = any (p_names) returning d.queue_id, d.name)
  insert into jobplane.queues (queue_id, name) overriding system value select d.queue_id, d.name from d order by d.name returning name
$$;


ALTER FUNCTION jobplane.restore_queues(p_names text[]) OWNER TO jobplane_owner;

--
-- Name: FUNCTION restore_queues(p_names text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.restore_queues(p_names text[]) IS 'restore_queues: bring deleted queues back under their ids, which their jobs and clocks still have; the names of those that came back';


--
-- Name: resume_queues(text[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.resume_queues(p_names text[]) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
begin
  return query update jobplane.queues q set paused_at = null where q.name = any (p_names) returning q.name;
  perform jobplane.wake(q.queue_id) from jobplane.queues q where q.name = any (p_names);
end $$;


ALTER FUNCTION jobplane.resume_queues(p_names text[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION resume_queues(p_names text[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.resume_queues(p_names text[]) IS 'resume_queues: hand out jobs again';


--
-- Name: resume_tenants(uuid[]); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.resume_tenants(p_tenant_ids uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
begin
  return query update jobplane.tenants t set paused_at = null, updated_at = jobplane.clock() where t.tenant_id = any (p_tenant_ids) returning t.tenant_id;
  perform jobplane.release_held(array[g.gate], array[jobplane.gate_room(g.gate, 1000)], true) from (select distinct 't/' || t as gate from unnest(p_tenant_ids) t order by 1) g;
end $$;


ALTER FUNCTION jobplane.resume_tenants(p_tenant_ids uuid[]) OWNER TO jobplane_engine;

--
-- Name: FUNCTION resume_tenants(p_tenant_ids uuid[]); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.resume_tenants(p_tenant_ids uuid[]) IS 'resume_tenants: open the gate; the first thousand of what it held go back to ready at once, the sweep brings the rest';


--
-- Name: retry(uuid[], integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.retry(p_ids uuid[], p_max_attempts integer DEFAULT NULL::integer) RETURNS TABLE(job_id uuid, outcome text, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_tenant  constant uuid := jobplane.current_tenant();
  v_pending int;
  v_job     jobplane.jobs;
  v_ending  jobplane.endings;
  v_id      int;
  v_active  boolean;
begin
  if p_max_attempts not between 1 and 1000 then
    raise exception 'max_attempts must be between 1 and 1000, not %', p_max_attempts using errcode = 'JP002';
  end if;
  select t.max_pending into v_pending from jobplane.tenants t where t.tenant_id = v_tenant;
  if v_pending is not null then perform jobplane.stand_in_line(v_tenant); end if;
  for job_id in select distinct i from unnest(p_ids) i order by i loop
    select * into v_job from jobplane.jobs j where j.tenant_id = v_tenant and j.id = job_id;
    if not found then
      outcome := 'not_found';
      status := null;
      return next;
      continue;
    end if;
    select d.definition_id, d.active into v_id, v_active from jobplane.definitions d where d.key = v_job.definition_key;
    -- First lock, then look: who waited for another's retry finds no ending any more.
    select e.* into v_ending from unnest('{failed,dead_letter,canceled}'::text[]) s(status),
           lateral (select * from jobplane.endings e where e.tenant_id = v_tenant and e.status = s.status and e.seq = v_job.seq for update) e;
    if not found then
      outcome := 'illegal_move';
      status := coalesce(jobplane.ending_of(v_tenant, v_job.seq)::text, case when exists (select from jobplane.leases l where l.seq = v_job.seq) then 'running' else 'queued' end);
    elsif not v_active then                            -- null: its definition is gone, and the claim holds it
      outcome := 'definition_inactive';
      status := v_ending.status;
    elsif not exists (select from jobplane.queues q where q.queue_id = v_job.queue_id) then
      outcome := 'unknown_queue';
      status := v_ending.status;
    elsif v_pending is not null and jobplane.pending_room(v_tenant, v_pending) < 1 then
      outcome := 'quota_exceeded';
      status := v_ending.status;
    elsif v_job.dedupe_key is not null and jobplane.hold_dedupe(v_tenant, v_job.dedupe_key, v_job.seq) is not null then
      outcome := 'duplicate_job';
      status := v_ending.status;
    else
      delete from jobplane.endings e where e.tenant_id = v_tenant and e.status = v_ending.status and e.seq = v_job.seq;
      insert into jobplane.upcoming
      values (v_job.seq, v_tenant, jobplane.clock(), null, v_job.queue_id, coalesce(v_id, 0), v_ending.attempt_no, v_job.priority,
              coalesce(p_max_attempts, v_job.max_attempts), 0, v_job.dedupe_key is not null, false);
      if p_max_attempts <> v_job.max_attempts then
        update jobplane.jobs j set max_attempts = p_max_attempts where j.seq = v_job.seq;
      end if;
      outcome := 'queued';
      status := 'queued';
    end if;
    return next;
  end loop;
end $$;


ALTER FUNCTION jobplane.retry(p_ids uuid[], p_max_attempts integer) OWNER TO jobplane_doors;

--
-- Name: FUNCTION retry(p_ids uuid[], p_max_attempts integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.retry(p_ids uuid[], p_max_attempts integer) IS 'retry: a person''s second chance for a job that failed, died or was canceled: fresh budget, attempt_no goes on counting';


--
-- Name: search_logs(text, text[], timestamp with time zone, integer, text, uuid); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.search_logs(p_text text, p_definitions text[] DEFAULT NULL::text[], p_since timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 100, p_level text DEFAULT NULL::text, p_job uuid DEFAULT NULL::uuid) RETURNS TABLE(job_id uuid, definition_key text, attempt_no integer, line integer, at timestamp with time zone, level text, message text, fields jsonb, stopped boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_tenant    constant uuid := jobplane.current_tenant();
  v_statuses  constant text[] := '{running,succeeded,failed,dead_letter,canceled}';
  p_worker_id constant text := null;
  v_scan      int := 10;                                                       -- jobs at a time: a few, which are enough for a common word, and ever more
  v_depth     constant int := 100000;
  v_page      constant int := 10000;                                           -- lines of one job at a time
  v_until     constant timestamptz := clock_timestamp() + interval '2 s';      -- of the machine's own clock: this bounds work and decides nothing
  v_words     constant text[] := array(select distinct w from regexp_split_to_table(lower(left(p_text, 500)), '[^[:alnum:]]+') w where w <> '');
  v_parts     constant text[] := array(select '%' || w || '%' from unnest(v_words) w);
  v_patterns  constant text[] := array(select '(^|[^[:alnum:]])' || w from unnest(v_words) w);
  v_levels    constant text[] := ('{debug,info,warning,error}'::text[])[array_position('{debug,info,warning,error}', p_level):];
  v_before    bigint := 9223372036854775807;
  v_seqs      bigint[];
  v_left      int := p_limit;
  v_n         int;
  v_seq       bigint;
  v_key       text;
  v_attempt_no int := 0;                                                       -- the last that was read
  v_line      int := 0;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'limit must be between 1 and 1000, not %', p_limit using errcode = 'JP002';
  elsif p_text is null or length(p_text) > 500 or cardinality(v_words) not between 1 and 16 then
    raise exception 'a search has 1 to 16 words of letters and digits, and 500 characters at most' using errcode = 'JP002';
  elsif p_level is not null and v_levels is null then
    raise exception 'level must be debug, info, warning or error, not %', quote_literal(left(p_level, 100)) using errcode = 'JP002';
  end if;
  select j.seq, j.definition_key into v_seq, v_key from jobplane.jobs j
   where j.tenant_id = v_tenant and j.id = p_job and (p_definitions is null or j.definition_key = any (p_definitions));
  while v_seq is not null loop
    return query
    select p_job, v_key, l.attempt_no, l.line, l.at, l.level, l.message, l.fields, false
      from (select l.* from jobplane.logs l where l.seq = v_seq and (l.attempt_no, l.line) > (v_attempt_no, v_line) and l.tenant_id = v_tenant
             order by l.seq, l.attempt_no, l.line limit v_page) l
     where clock_timestamp() < v_until and (p_since is null or l.at >= p_since) and (v_levels is null or l.level = any (v_levels))
       and lower(l.message) like all (v_parts) and lower(l.message) ~ all (v_patterns)
     order by l.attempt_no, l.line limit v_left;
    get diagnostics v_n = row_count;
    v_left := v_left - v_n;
    exit when v_left <= 0 or clock_timestamp() >= v_until;
    select l.attempt_no, l.line into v_attempt_no, v_line from jobplane.logs l
     where l.seq = v_seq and (l.attempt_no, l.line) > (v_attempt_no, v_line) and l.tenant_id = v_tenant
     order by l.seq, l.attempt_no, l.line offset v_page - 1 limit 1;
    exit when not found;
  end loop;
  while p_job is null loop
    select array_agg(s.seq order by s.seq desc) into v_seqs from (
  select x.seq from (
    (select r.seq from jobplane.ready r where 'queued' = any (v_statuses) and r.tenant_id = v_tenant and r.seq < v_before order by r.tenant_id desc, r.seq desc limit v_scan) union all
    (select h.seq from jobplane.held h where 'queued' = any (v_statuses) and h.tenant_id = v_tenant and h.seq < v_before order by h.tenant_id desc, h.seq desc limit v_scan) union all
    (select u.seq from jobplane.upcoming u where 'queued' = any (v_statuses) and u.tenant_id = v_tenant and u.seq < v_before order by u.tenant_id desc, u.seq desc limit v_scan) union all
    (select l.seq from (select l.seq + 0 as seq, l.worker_id from jobplane.leases l where 'running' = any (v_statuses) and l.tenant_id = v_tenant and l.attempt_no > 0 offset 0) l
      where l.seq < v_before and (p_worker_id is null or l.worker_id = p_worker_id) order by l.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'succeeded' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'succeeded' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'failed' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'failed' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'dead_letter' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'dead_letter' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan) union all
    (select e.seq from jobplane.endings e where 'canceled' = any (v_statuses) and e.tenant_id = v_tenant and e.status = 'canceled' and e.seq < v_before
      order by e.tenant_id desc, e.status desc, e.seq desc limit v_scan)) x
   order by x.seq desc limit v_scan) s;
    exit when v_seqs is null;
    v_before := v_seqs[cardinality(v_seqs)];
    return query
    select j.id, j.definition_key, l.attempt_no, l.line, l.at, l.level, l.message, l.fields, false
  from unnest(v_seqs) s(seq),
       lateral (select j.seq, j.id, j.definition_key from jobplane.jobs j
                 where j.seq = s.seq and j.tenant_id = v_tenant and (p_definitions is null or j.definition_key = any (p_definitions)) and clock_timestamp() < v_until offset 0) j,
       lateral (select l.* from jobplane.logs l where l.seq = j.seq and l.tenant_id = v_tenant order by l.seq desc, l.attempt_no desc, l.line desc limit v_depth) l
 where clock_timestamp() < v_until and (p_since is null or l.at >= p_since) and (v_levels is null or l.level = any (v_levels))
   and lower(l.message) like all (v_parts) and lower(l.message) ~ all (v_patterns)
 order by j.seq desc, l.attempt_no, l.line limit v_left;
    get diagnostics v_n = row_count;
    v_left := v_left - v_n;
    exit when v_left <= 0 or cardinality(v_seqs) < v_scan or clock_timestamp() >= v_until;
    v_scan := least(2 * v_scan, 200);
  end loop;
  if p_job is null and v_left > 0 and clock_timestamp() < v_until then
    select array_agg(w.seq) filter (where w.attempt_no > 0), count(*) >= v_depth into v_seqs, stopped from (
  (select r.seq, r.attempt_no from jobplane.ready r where r.tenant_id = v_tenant order by r.tenant_id desc, r.seq desc limit v_depth) union all
  (select h.seq, h.attempt_no from jobplane.held h where h.tenant_id = v_tenant order by h.tenant_id desc, h.seq desc limit v_depth) union all
  (select u.seq, u.attempt_no from jobplane.upcoming u where u.tenant_id = v_tenant order by u.tenant_id desc, u.seq desc limit v_depth)) w;
    return query
    select j.id, j.definition_key, l.attempt_no, l.line, l.at, l.level, l.message, l.fields, false
  from unnest(v_seqs) s(seq),
       lateral (select j.seq, j.id, j.definition_key from jobplane.jobs j
                 where j.seq = s.seq and j.tenant_id = v_tenant and (p_definitions is null or j.definition_key = any (p_definitions)) and clock_timestamp() < v_until offset 0) j,
       lateral (select l.* from jobplane.logs l where l.seq = j.seq and l.tenant_id = v_tenant order by l.seq desc, l.attempt_no desc, l.line desc limit v_depth) l
 where clock_timestamp() < v_until and (p_since is null or l.at >= p_since) and (v_levels is null or l.level = any (v_levels))
   and lower(l.message) like all (v_parts) and lower(l.message) ~ all (v_patterns)
 order by j.seq desc, l.attempt_no, l.line limit v_left;
  end if;
  if stopped or clock_timestamp() >= v_until then
    stopped := true;
    return next;
  end if;
end $$;


ALTER FUNCTION jobplane.search_logs(p_text text, p_definitions text[], p_since timestamp with time zone, p_limit integer, p_level text, p_job uuid) OWNER TO jobplane_engine;

--
-- Name: FUNCTION search_logs(p_text text, p_definitions text[], p_since timestamp with time zone, p_limit integer, p_level text, p_job uuid); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.search_logs(p_text text, p_definitions text[], p_since timestamp with time zone, p_limit integer, p_level text, p_job uuid) IS 'search_logs: lines of the tenant that is set whose message has all words of a text; a word stands for all that begin with it, in upper or lower case';


--
-- Name: see_worker(text, integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.see_worker(p_worker_id text, p_running_count integer DEFAULT 0) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
begin
  update jobplane.workers w set last_seen_at = jobplane.clock(), running_count = p_running_count where w.worker_id = p_worker_id;
  return found;
end $$;


ALTER FUNCTION jobplane.see_worker(p_worker_id text, p_running_count integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION see_worker(p_worker_id text, p_running_count integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.see_worker(p_worker_id text, p_running_count integer) IS 'see_worker: a worker is alive and runs so many jobs';


--
-- Name: set_tenant(uuid, jsonb); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.set_tenant(p_tenant_id uuid, p_changes jsonb) RETURNS jobplane.tenants
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
declare
  v_tenant jobplane.tenants;
begin
  perform jobplane.refuse_unknown(p_changes, '{name,weight,max_in_flight,max_pending}');
  if p_changes ? 'max_in_flight' then perform jobplane.lock_gates(); end if;
  update jobplane.tenants t
     set name = coalesce(p_changes ->> 'name', t.name),
         weight = coalesce((p_changes ->> 'weight')::int, t.weight),
         max_in_flight = case when p_changes ? 'max_in_flight' then (p_changes ->> 'max_in_flight')::int else t.max_in_flight end,
         max_pending = case when p_changes ? 'max_pending' then (p_changes ->> 'max_pending')::int else t.max_pending end,
         updated_at = jobplane.clock()
   where t.tenant_id = p_tenant_id returning * into v_tenant;
  if not found then
    raise exception 'there is no such tenant' using errcode = 'JP011';
  end if;
  if p_changes ->> 'max_in_flight' is not null then
    perform jobplane.count_leases(array_agg('t/' || p_tenant_id), array_agg(l.seq)) from jobplane.leases l where l.tenant_id = p_tenant_id and l.attempt_no > 0;      -- names the partial index
  end if;
  return v_tenant;
exception when check_violation or invalid_text_representation or numeric_value_out_of_range then
  raise exception 'weight must be 1 to 1000, a limit 0 or more: %', sqlerrm using errcode = 'JP002';
end $$;


ALTER FUNCTION jobplane.set_tenant(p_tenant_id uuid, p_changes jsonb) OWNER TO jobplane_engine;

--
-- Name: FUNCTION set_tenant(p_tenant_id uuid, p_changes jsonb); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.set_tenant(p_tenant_id uuid, p_changes jsonb) IS 'set_tenant: change name, weight, max_in_flight or max_pending; null takes a limit away. From its commit on no claim exceeds the limit.';


--
-- Name: settle(bigint[], integer[], uuid[], jobplane.attempt_outcome[], text[], text[], integer[], double precision[], jsonb[], real[], integer, boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[] DEFAULT NULL::text[], p_errors text[] DEFAULT NULL::text[], p_exit_codes integer[] DEFAULT NULL::integer[], p_retry_afters double precision[] DEFAULT NULL::double precision[], p_results jsonb[] DEFAULT NULL::jsonb[], p_progress real[] DEFAULT NULL::real[], p_max_interruptions integer DEFAULT 20, p_quiet boolean DEFAULT false) RETURNS TABLE(seq bigint, attempt_no integer, accepted boolean, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_now   timestamptz := jobplane.clock();
  v_count int;
  v_seqs  bigint[];
  v_nos   int[];
  v_led   jobplane.job_status[];
  v_freed text[];
begin
  if p_retry_afters is not null and exists (select from unnest(p_retry_afters) r where r < 0 or r > 31536000 or r = 'NaN') then
    raise exception 'retry_after must be between 0 and 31536000 seconds' using errcode = 'JP002';
  end if;
  with c as materialized (
  select l.tid, x.outcome, x.reason, x.error, x.exit_code, x.retry_after, x.result, x.progress
    from unnest(p_seqs, p_attempt_nos, p_tokens, p_outcomes, p_reasons, p_errors, p_exit_codes, p_retry_afters, p_results, p_progress)
           x(seq, no, token, outcome, reason, error, exit_code, retry_after, result, progress),
         lateral (select l.ctid as tid from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update skip locked) l),
w as (                                                  -- what the further parts filter by stands first: a row is taken apart no further than needed
  delete from jobplane.leases l using c where l.ctid = c.tid
  returning (case when c.outcome = 'succeeded' then 'succeeded'
                  when l.cancel_requested_at is not null or c.outcome = 'canceled' then 'canceled'
                  when c.outcome = 'released' then case when c.reason in ('shutdown', 'lease_expired') and l.interruptions >= p_max_interruptions then 'dead_letter' else 'queued' end
                  when c.outcome = 'fatal' then 'failed'
                  when l.attempts_left <= 0 then 'dead_letter'
                  else 'queued' end)::jobplane.job_status as led,
            l.deduped, c.result, l.seq, l.tenant_id, l.attempt_no, l.attempts_left, c.outcome, c.reason, l.cancel_reason, l.token, l.scheduled_for, l.started_at,
            c.exit_code, coalesce(c.progress, l.progress) as progress, l.worker_id, c.error, l.progress_message, l.limit_keys,
            c.retry_after, l.queue_id, l.definition_id, l.priority, l.interruptions, l.alone),
a as (
  insert into jobplane.attempts
  select seq, tenant_id, token, scheduled_for, started_at, v_now, attempt_no, outcome, led, exit_code, progress, worker_id, reason, error, progress_message from w),
e as (
  insert into jobplane.endings
  select seq, tenant_id, v_now, attempt_no, led::text, attempts_left,
         case when led = 'succeeded' then null
              when led = 'canceled' then coalesce(cancel_reason, reason)
              when outcome = 'released' then 'interrupted'
              else coalesce(reason, case when led = 'dead_letter' then outcome::text end) end
    from w where led <> 'queued'),
s as (
  insert into jobplane.results select seq, tenant_id, result from w where led = 'succeeded' and result is not null),
u as (
  insert into jobplane.upcoming
  select w.seq, w.tenant_id, v_now + make_interval(secs => j.delay), null, w.queue_id, j.definition_id, w.attempt_no, w.priority,
         w.attempts_left + (w.outcome = 'released')::int, w.interruptions + (w.outcome = 'released' and coalesce(w.reason, '') in ('shutdown', 'lease_expired'))::int,
         w.deduped, w.alone or w.reason is not distinct from 'suspect'
    from w, lateral (select coalesce(w.retry_after, case w.outcome when 'released' then 0 when 'lost' then jobplane.dice()
                                                     else jobplane.backoff_delay(j, j.max_attempts - w.attempts_left) end) as delay,
                           coalesce((select d.definition_id from jobplane.definitions d where d.key = j.definition_key), 0) as definition_id     -- 0: gone
                       from jobplane.jobs j where j.seq = w.seq offset 0) j
   where w.led = 'queued'),
x as (
  delete from jobplane.dedupe p
   using (select k.tid from w, lateral (select j.dedupe_key from jobplane.jobs j where j.seq = w.seq offset 0) j,
                 lateral (select k.ctid as tid from jobplane.dedupe k where k.tenant_id = w.tenant_id and k.dedupe_key = j.dedupe_key and k.seq = w.seq offset 0) k
           where w.deduped and w.led <> 'queued') k
   where p.ctid = k.tid)
select count(*), array_agg(w.seq) filter (where not p_quiet), array_agg(w.attempt_no) filter (where not p_quiet), array_agg(w.led) filter (where not p_quiet),
       (select array_agg(k) from (select unnest(w.limit_keys) as k from w where w.limit_keys is not null) x)
  into v_count, v_seqs, v_nos, v_led, v_freed from w;
  return query select s, n, true, l::text from unnest(v_seqs, v_nos, v_led) z(s, n, l);
  if v_freed is not null then perform jobplane.give_back(v_freed); end if;
  if v_count < cardinality(p_seqs) then        -- a repeat finds its answer in attempts
    return query
    select x.seq, x.no, case when a.seq is not null then true when l.seq is null then false end,
           coalesce(a.led_to::text, case when l.seq is null then 'stale' else 'busy' end)
      from unnest(p_seqs, p_attempt_nos, p_tokens, p_outcomes) x(seq, no, token, outcome)
      left join lateral (select * from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
      left join lateral (select * from jobplane.attempts a where a.seq = x.seq and a.attempt_no = x.no and a.token = x.token and a.outcome = x.outcome offset 0) a on true
     where case when p_quiet then a.seq is null else not exists (select from unnest(v_seqs, v_nos) z(seq, no) where z.seq = x.seq and z.no = x.no) end;
  end if;
end $$;


ALTER FUNCTION jobplane.settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes integer[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions integer, p_quiet boolean) OWNER TO jobplane_engine;

--
-- Name: FUNCTION settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes integer[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions integer, p_quiet boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes integer[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions integer, p_quiet boolean) IS 'settle: end leased attempts; succeed, requeue, bury, fail, release or cancel by the row''s own policy';


--
-- Name: stand_in_line(uuid); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.stand_in_line(p_tenant uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_timeout constant text := current_setting('lock_timeout');
begin
  if v_timeout = '0' then perform set_config('lock_timeout', '2s', true); end if;
  insert into jobplane.pending (tenant_id, turns) values (p_tenant, 1) on conflict (tenant_id) do update set turns = pending.turns + 1;
  perform set_config('lock_timeout', v_timeout, true);
exception when lock_not_available then
  raise exception 'another transaction of this tenant is enqueuing; try again' using errcode = 'JP015';
end $$;


ALTER FUNCTION jobplane.stand_in_line(p_tenant uuid) OWNER TO jobplane_owner;

--
-- Name: FUNCTION stand_in_line(p_tenant uuid); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.stand_in_line(p_tenant uuid) IS 'stand_in_line: where a tenant has a pending limit, its enqueues and retries take turns until commit, and the limit is exact. Comes before any key, so that';


--
-- Name: summary(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_doors
--

CREATE FUNCTION jobplane.summary() RETURNS TABLE(queued bigint, running bigint, succeeded bigint, failed bigint, dead_letter bigint, canceled bigint, ready bigint, held bigint, upcoming bigint, oldest_due_seconds double precision, is_capped boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_cap    constant int := 10000;
  v_now    constant timestamptz := jobplane.clock();
  v_oldest timestamptz;
  v_queue  int := 0;
  v_prio   int := -1;
  v_at     timestamptz;
begin
  select count(*) into ready from (select from jobplane.ready r where r.tenant_id = v_tenant limit v_cap) x;
  select count(*), min(x.scheduled_for) into held, v_oldest from (select h.scheduled_for from jobplane.held h where h.tenant_id = v_tenant limit v_cap) x;
  select count(*), least(v_oldest, min(x.scheduled_for)) into upcoming, v_oldest from (select u.scheduled_for from jobplane.upcoming u where u.tenant_id = v_tenant limit v_cap) x;
  select count(*) into running from (select from jobplane.leases l where l.tenant_id = v_tenant and l.attempt_no > 0 limit v_cap) x;
  select count(*) filter (where x.status = 'succeeded'), count(*) filter (where x.status = 'failed'), count(*) filter (where x.status = 'dead_letter'),
         count(*) filter (where x.status = 'canceled') into succeeded, failed, dead_letter, canceled
    from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
         lateral (select e.status from jobplane.endings e where e.tenant_id = v_tenant and e.status = s.status limit v_cap) x;
  loop                                                  -- the head of each of the tenant's lines
    select r.queue_id, r.priority, r.scheduled_for into v_queue, v_prio, v_at from jobplane.ready r
     where (r.tenant_id, r.queue_id, r.priority) > (v_tenant, v_queue, v_prio) and r.tenant_id = v_tenant and r.tag > -9223372036854775808
     order by r.tenant_id, r.queue_id, r.priority, r.tag limit 1;
    exit when not found;
    v_oldest := least(v_oldest, v_at);
  end loop;
  queued := ready + held + upcoming;
  oldest_due_seconds := case when v_oldest <= v_now then extract(epoch from v_now - greatest(v_oldest, 'epoch')) end;
  is_capped := greatest(ready, held, upcoming, running, succeeded, failed, dead_letter, canceled) = v_cap;
  return next;
end $$;


ALTER FUNCTION jobplane.summary() OWNER TO jobplane_doors;

--
-- Name: FUNCTION summary(); Type: COMMENT; Schema: jobplane; Owner: jobplane_doors
--

COMMENT ON FUNCTION jobplane.summary() IS 'summary: how many jobs of the tenant that is set are in each status, counted up to 10,000 each, and how long the oldest due one waits';


--
-- Name: sweep(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.sweep(p_limit integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_gate  text := '';
  v_moved int := jobplane.let_back('', p_limit);        -- which is no gate, and before all others
begin
  loop
    select gate into v_gate from jobplane.held where gate > v_gate order by gate limit 1;      -- the next gate, without a look at all it holds
    exit when not found;
    v_moved := v_moved + jobplane.let_back(v_gate, p_limit);
  end loop;
  return v_moved;
end $$;


ALTER FUNCTION jobplane.sweep(p_limit integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION sweep(p_limit integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.sweep(p_limit integer) IS 'sweep: every gate that has room lets some of its rows back to ready. settle does it at once for what it frees; this finds what a cancel, a resume,';


--
-- Name: take(text, text, integer, integer, boolean, uuid); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid) RETURNS TABLE(seq bigint, tenant_id uuid, definition_id integer, attempt_no integer, attempts_left integer, lease_expires_at timestamp with time zone, scheduled_for timestamp with time zone, priority smallint, alone boolean, job jobplane.jobs, more boolean)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
  v_now         timestamptz;
  v_lease       interval := make_interval(secs => p_lease_seconds);
  v_queue       int;
  v_paused      boolean;
  v_unknown     boolean;
  v_knows       int[];
  v_there       int[];
  v_tenants     uuid[];
  v_definitions int[];
  v_turn        bigint;
  v_left        int := p_limit;
  v_looks       int := 10 * p_limit;
  v_waits       boolean := true;
  v_lanes       smallint[];
  v_lows        bigint[];
  v_advances    timestamptz[];
  v_priority    smallint;
  v_low         bigint;
  v_from        bigint;
  v_advanced_at timestamptz;
  v_quota       int;
  v_lower       int[] := '{}';
  v_at          int;
  v_n           int;
  v_batch       jobplane.candidate[];
  v_kept        jobplane.candidate[];
  v_passed      tid[];
  v_keys        text[];
  v_maxes       int[];
  v_wants       int[];
  v_roomy       boolean;
  v_again       boolean := false;                     -- a later round did not get the lock of a limit: the first one of the next claim does; or rows came back
  v_rooms       int[];
  v_elsewhere   text[];
  v_gone        text[] := '{}';
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'limit must be between 1 and 1000, not %', p_limit using errcode = 'JP002';
  elsif p_lease_seconds is null or p_lease_seconds not between 5 and 3600 then
    raise exception 'lease_seconds must be between 5 and 3600, not %', p_lease_seconds using errcode = 'JP002';
  elsif p_worker_id is null or length(p_worker_id) not between 1 and 200 then
    raise exception 'worker_id must have 1 to 200 characters' using errcode = 'JP002';
  end if;
  lock table jobplane_locks.gates in row share mode;    -- first lock, then look: who changes a gate takes it alone and counts what runs
  select q.queue_id, q.paused_at is not null, w.definition_ids,
       case when w.definition_ids is not null then array(select d.definition_id from jobplane.definitions d where d.definition_id = any (w.definition_ids)) end,
       array(select t.tenant_id from jobplane.tenants t where t.max_in_flight is not null or t.paused_at is not null limit 65),
       array(select d.definition_id from jobplane.definitions d where d.max_running is not null or d.max_running_per_tenant is not null or not d.active limit 65),
       c.lanes, c.lows, c.advances,
       exists (select from unnest('{-1}' || c.lanes, c.lanes || '{32767}') g(after, before),
                 lateral (select from jobplane.ready r where r.queue_id = q.queue_id and r.seq > 0 and r.priority > g.after and r.priority < g.before limit 1) r)
  into v_queue, v_paused, v_knows, v_there, v_tenants, v_definitions, v_lanes, v_lows, v_advances, v_unknown
  from jobplane.queues q
  left join jobplane.workers w on w.worker_id = p_worker_id,
       lateral (select coalesce(array_agg(c.priority), '{}') as lanes, array_agg(c.low) as lows, array_agg(c.advanced_at) as advances
                  from (select * from jobplane.clocks c where c.queue_id = q.queue_id order by c.priority) c) c
 where q.name = p_queue;
  if v_queue is null then
    raise exception 'there is no queue %', quote_literal(p_queue) using errcode = 'JP006', hint = 'jobplane.put_queues makes it';
  elsif v_paused then
    return;
  elsif v_unknown then
    perform jobplane.open_lanes(v_queue);
    select q.queue_id, q.paused_at is not null, w.definition_ids,
       case when w.definition_ids is not null then array(select d.definition_id from jobplane.definitions d where d.definition_id = any (w.definition_ids)) end,
       array(select t.tenant_id from jobplane.tenants t where t.max_in_flight is not null or t.paused_at is not null limit 65),
       array(select d.definition_id from jobplane.definitions d where d.max_running is not null or d.max_running_per_tenant is not null or not d.active limit 65),
       c.lanes, c.lows, c.advances,
       exists (select from unnest('{-1}' || c.lanes, c.lanes || '{32767}') g(after, before),
                 lateral (select from jobplane.ready r where r.queue_id = q.queue_id and r.seq > 0 and r.priority > g.after and r.priority < g.before limit 1) r)
  into v_queue, v_paused, v_knows, v_there, v_tenants, v_definitions, v_lanes, v_lows, v_advances, v_unknown
  from jobplane.queues q
  left join jobplane.workers w on w.worker_id = p_worker_id,
       lateral (select coalesce(array_agg(c.priority), '{}') as lanes, array_agg(c.low) as lows, array_agg(c.advanced_at) as advances
                  from (select * from jobplane.clocks c where c.queue_id = q.queue_id order by c.priority) c) c
 where q.name = p_queue;
  end if;
  v_now := jobplane.clock();
  -- Strict priority, but a sixteenth of what a queue hands out comes from one of the lower priorities, in turn; an empty one is skipped.
  -- Turns are counted for all queues together: which of sixteen it is differs from queue to queue and time to time, or a worker that goes round its queues
  -- would come to one of them at the wrong turns only.
  if cardinality(v_lanes) > 1 then                      -- a claim that takes nothing writes nothing, but for a turn in 32
    v_turn := nextval('jobplane.turns');
    v_quota := (p_limit + ((v_turn + hashint8(v_turn / 16 * 1000003 + v_queue)) & 15)) / 16;
  end if;
  if v_quota > 0 then
    v_lower := array(select l.place from unnest(v_lanes, v_lows) with ordinality l(priority, low, place),
                       lateral (select from jobplane.ready r where r.seq > 0 and r.queue_id = v_queue and r.priority = l.priority and r.tag >= l.low limit 1) r
                      where l.place > 1 order by l.place);
  end if;
  if v_lower <> '{}' then
    v_at := v_lower[1 + (v_turn / 16) % cardinality(v_lower)];
    v_advances := v_advances[v_at] || v_advances;
    v_lows := v_lows[v_at] || v_lows;
    v_lanes := v_lanes[v_at] || v_lanes;
  else
    v_quota := 0;
  end if;
  for v_lane in 1..coalesce(cardinality(v_lanes), 0) loop
    v_priority := v_lanes[v_lane];
    v_n := case when v_lane = 1 and v_quota > 0 then v_quota else v_left end;
    v_low := v_lows[v_lane];
    v_advanced_at := v_advances[v_lane];
    if cardinality(v_tenants) <= 64 and cardinality(v_definitions) <= 64 then
      declare
        v_got int;
      begin
        return query
        with c as materialized (
  select ctid as tid, tenant_id, definition_id, expires_at from jobplane.ready
   where queue_id = v_queue and priority = v_priority and seq > 0 and tag >= v_low
   order by tag limit v_n for update skip locked),
d as (
  delete from jobplane.ready r using c
   where r.ctid = c.tid and c.tenant_id <> all (v_tenants) and c.definition_id <> all (v_definitions)
     and case when v_there is null then (select true from jobplane.definitions x where x.definition_id = c.definition_id) else c.definition_id = any (v_there) end
     and (c.expires_at is null or c.expires_at > v_now)
  returning r.*),
l as (
  insert into jobplane.leases (seq, tenant_id, token, scheduled_for, started_at, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left,
                               interruptions, deduped, alone, worker_id, begun)
  select seq, tenant_id, p_token, scheduled_for, greatest(v_now, scheduled_for), v_now + v_lease, queue_id, definition_id, attempt_no + 1, priority, attempts_left - 1,
         interruptions, deduped, alone, p_worker_id, p_begun from d),
k as (
  update jobplane.clocks k set v = m.v, advanced_at = v_now
    from (select max(tag) as v from d having count(*) > 0 and v_advanced_at < v_now - interval '50 ms' and jobplane.lock_clock(v_queue, v_priority)) m,
         lateral (select c.ctid as tid from jobplane.clocks c where c.queue_id = v_queue and c.priority = v_priority and c.v < m.v for update skip locked) c
   where k.ctid = c.tid)
select d.seq, d.tenant_id, d.definition_id, d.attempt_no + 1, d.attempts_left - 1, v_now + v_lease, d.scheduled_for, d.priority, d.alone, j.job, false
  from d, lateral (select x as job from jobplane.jobs x where x.seq = d.seq offset 0) j;
        get diagnostics v_got = row_count;
        v_left := v_left - v_got;
        v_n := v_n - v_got;
      end;
    end if;
    exit when v_left = 0;
    continue when v_n = 0;
    -- What a gate has to look at is rare, and the look at an empty lane is a tenth of the claim of one job: see first whether anything is left.
    continue when not exists (select from jobplane.ready where queue_id = v_queue and priority = v_priority and seq > 0 and tag >= v_low limit 1);
    v_from := v_low;
    v_passed := '{}';
    while v_n > 0 and v_looks > 0 loop                  -- rows that a gate has to look at
      select array_agg(row(
         r.tid, r.tag,
         array_remove(array[case when t.max_in_flight is not null then 't/' || r.tenant_id end,
                            case when d.max_running is not null then 'd/' || r.definition_id end,
                            case when d.max_running_per_tenant is not null then 'dt/' || r.definition_id || '/' || r.tenant_id end], null),
         array_remove(array[t.max_in_flight, d.max_running, d.max_running_per_tenant], null),
         case when t.paused_at is not null then 't/' || r.tenant_id
              when g.key is not null then 'g/' || g.key
              when not d.active then 'd/' || r.definition_id
              when r.definition_id <> all (v_knows) then 'w/' || r.definition_id end,
         case when t.paused_at is not null then 'tenant_paused'
              when g.key is not null then 'definition_gone'
              when not d.active then 'definition_inactive'
              when r.definition_id <> all (v_knows) then case when d.kind is null then 'unbound' else 'no_worker' end end,
         (r.expires_at <= v_now) is true)::jobplane.candidate order by r.tag),
       bool_and(t.paused_at is null and g.key is null and d.active and (r.definition_id = any (v_knows)) is not false and (r.expires_at <= v_now) is not true)
  into v_batch, v_roomy
  from (select ctid as tid, seq, tag, tenant_id, definition_id, expires_at from jobplane.ready
         where queue_id = v_queue and priority = v_priority and seq > 0 and tag >= v_from and ctid <> all (v_passed)
         order by tag limit v_n for update skip locked) r
  cross join lateral (select * from jobplane.tenants where tenant_id = r.tenant_id offset 0) t
  left join lateral (select * from jobplane.definitions where definition_id = r.definition_id offset 0) d on true
  left join lateral (select left(j.definition_key, 200) as key from jobplane.jobs j
                      where j.seq = r.seq and (d.definition_id is null or r.definition_id <> all (v_knows)) and j.definition_key is distinct from d.key offset 0) g on true;
      exit when v_batch is null;
      v_looks := v_looks - cardinality(v_batch);
      if v_from <> v_batch[cardinality(v_batch)].tag then v_passed := '{}'; end if;
      v_from := v_batch[cardinality(v_batch)].tag;
      select array_agg(k), array_agg(m), array_agg(n) into v_keys, v_maxes, v_wants
        from (select k collate "C" as k, min(m) as m, count(*)::int as n
                from (select unnest(c.keys) as k, unnest(c.maxes) as m from unnest(v_batch) c where c.gate is null and not c.expired) u group by 1 order by 1) x;
      if v_keys is not null then
        select l.keys, l.rooms, l.roomy and v_roomy into v_keys, v_rooms, v_roomy from jobplane.lock_limits(v_keys, v_maxes, v_wants, v_waits) l;
        v_waits := false;
        v_now := jobplane.clock();                      -- again: whoever gave the slot back may have ended after we came
      end if;
      if not v_roomy then                               -- some gate is shut, or shuts within this batch
        v_elsewhere := array(select distinct c.gate from unnest(v_batch) c where c.gate like 'w/%');
        -- Of these gates, those that some live worker of the queue could open. `worker_id > ''` holds for all, and lets the primary key serve.
        v_elsewhere := array(select g from unnest(v_elsewhere) g
                              where exists (select from jobplane.workers w where w.worker_id > '' and w.last_seen_at > v_now - interval '60 s' and p_queue = any (w.queues)
                                               and (w.definition_ids is null or substr(g, 3)::int = any (w.definition_ids))));
        v_kept := array(select c from unnest(v_batch) c
                         where not c.expired and (c.gate is not null or c.keys <@ coalesce(v_keys, '{}')) and coalesce(c.gate, '') <> all (v_elsewhere));
        v_again := v_again or exists (select from unnest(v_batch) c where c.gate is null and not c.expired and not c.keys <@ coalesce(v_keys, '{}'));
        v_gone := v_gone || array(select distinct c.gate from unnest(v_batch) c where c.reason = 'definition_gone');
        v_passed := v_passed || array(select c.tid from unnest(v_batch) c where c.tag = v_from and c.tid <> all (array(select k.tid from unnest(v_kept) k)));
        v_batch := jobplane.apportion(v_kept, v_keys, v_rooms);
      end if;
      declare
        v_got int;
      begin
        return query
        with d as (
  delete from jobplane.ready r using unnest(v_batch) c where r.ctid = c.tid returning r.*, c.keys, c.gate, c.reason),
h as (
  insert into jobplane.held
  select seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone, gate, reason
    from d where gate is not null),
l as (
  insert into jobplane.leases (seq, tenant_id, token, scheduled_for, started_at, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left,
                               interruptions, deduped, alone, worker_id, begun, limit_keys)
  select seq, tenant_id, p_token, scheduled_for, greatest(v_now, scheduled_for), v_now + v_lease, queue_id, definition_id, attempt_no + 1, priority, attempts_left - 1,
         interruptions, deduped, alone, p_worker_id, p_begun, nullif(keys, '{}') from d where gate is null),
u as (
  update jobplane.limits x set used = x.used + m.n, waiting = x.waiting or m.waits
    from (select k, count(*) filter (where not shut) as n, bool_or(shut) as waits
            from (select unnest(keys) as k, false as shut from d where gate is null union all select gate, true from d where reason like '%\_limit') y
           group by k) m
   where x.limit_key = m.k),
k as (
  update jobplane.clocks k set v = m.v, advanced_at = v_now
    from (select max(tag) as v from d where gate is null having count(*) > 0 and v_advanced_at < v_now - interval '50 ms' and jobplane.lock_clock(v_queue, v_priority)) m,
         lateral (select c.ctid as tid from jobplane.clocks c where c.queue_id = v_queue and c.priority = v_priority and c.v < m.v for update skip locked) c
   where k.ctid = c.tid)
select d.seq, d.tenant_id, d.definition_id, d.attempt_no + 1, d.attempts_left - 1, v_now + v_lease, d.scheduled_for, d.priority, d.alone, j.job, false
  from d, lateral (select x as job from jobplane.jobs x where x.seq = d.seq offset 0) j where d.gate is null;
        get diagnostics v_got = row_count;
        v_left := v_left - v_got;
        v_n := v_n - v_got;
      end;
    end loop;
    exit when v_left = 0;
  end loop;
  if v_gone <> '{}' then                                -- a definition of their key may be there, with another id
    v_again := (select sum(jobplane.let_back(g, 1000)) > 0 from (select distinct g from unnest(v_gone) g) x) or v_again;
  end if;
  if v_left > 0 and (v_looks <= 0 or v_again) then
    more := true;
    return next;
  end if;
end $$;


ALTER FUNCTION jobplane.take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid) OWNER TO jobplane_owner;

--
-- Name: FUNCTION take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid) IS 'take: what claim and claim_lines do: lease up to p_limit jobs of one queue under one token; begun: their handlers start at once';


--
-- Name: take_turn(text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.take_turn(p_by text) RETURNS double precision
    LANGUAGE plpgsql
    AS $$
declare
  v_now  constant timestamptz := jobplane.clock();
  v_turn constant interval := interval '5 s';
  v_row  jobplane.upkeep;
  v_told boolean;
begin
  if p_by is null then return null; end if;
  select * into v_row from jobplane.upkeep where one;
  if v_row.until between v_now and v_now + v_turn then
    if v_row.done_by <> p_by then return extract(epoch from v_row.until - v_now); end if;
    if v_row.until > v_now + v_turn * 0.6 then return null; end if;
  end if;
  v_told := v_row.told_at not between v_now - interval '6 s' and v_now;
  update jobplane.upkeep t set done_by = p_by, until = v_now + v_turn, told_at = case when v_told then v_now else t.told_at end
   where t.ctid = (select x.ctid from jobplane.upkeep x where x.one and x.until = v_row.until for update skip locked);
  if found and v_told then perform pg_notify('jobplane_wake', 'upkeep'); end if;
  return null;
end $$;


ALTER FUNCTION jobplane.take_turn(p_by text) OWNER TO jobplane_owner;

--
-- Name: FUNCTION take_turn(p_by text); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.take_turn(p_by text) IS 'take_turn: for how many seconds another process still has the turn at the upkeep; null: the caller does it. A turn lasts 5 s and is prolonged in time.';


--
-- Name: upcoming; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.upcoming (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    scheduled_for timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    queue_id integer NOT NULL,
    definition_id integer NOT NULL,
    attempt_no integer NOT NULL,
    priority smallint NOT NULL,
    attempts_left smallint NOT NULL,
    interruptions smallint NOT NULL,
    deduped boolean NOT NULL,
    alone boolean NOT NULL
);

ALTER TABLE ONLY jobplane.upcoming FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.upcoming OWNER TO jobplane_hot;

--
-- Name: take_waiting(uuid, bigint); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.take_waiting(p_tenant uuid, p_seq bigint) RETURNS SETOF jobplane.upcoming
    LANGUAGE plpgsql
    AS $$
begin
  return query delete from jobplane.ready w where w.tenant_id = p_tenant and w.seq = p_seq
    returning w.seq, w.tenant_id, w.scheduled_for, w.expires_at, w.queue_id, w.definition_id, w.attempt_no, w.priority, w.attempts_left, w.interruptions, w.deduped, w.alone;
  if found then return; end if;
  return query delete from jobplane.held w where w.tenant_id = p_tenant and w.seq = p_seq
    returning w.seq, w.tenant_id, w.scheduled_for, w.expires_at, w.queue_id, w.definition_id, w.attempt_no, w.priority, w.attempts_left, w.interruptions, w.deduped, w.alone;
  if found then return; end if;
  return query delete from jobplane.upcoming w where w.tenant_id = p_tenant and w.seq = p_seq returning w.*;
end $$;


ALTER FUNCTION jobplane.take_waiting(p_tenant uuid, p_seq bigint) OWNER TO jobplane_owner;

--
-- Name: FUNCTION take_waiting(p_tenant uuid, p_seq bigint); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.take_waiting(p_tenant uuid, p_seq bigint) IS 'take_waiting: take a waiting job out of its state''s table, whichever it is; waits for a claim that has it. Nothing comes back if it does not wait.';


--
-- Name: tenant_id_of(text); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.tenant_id_of(p_slug text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$ select t.tenant_id from jobplane.tenants t where t.slug = p_slug $$;


ALTER FUNCTION jobplane.tenant_id_of(p_slug text) OWNER TO jobplane_engine;

--
-- Name: FUNCTION tenant_id_of(p_slug text); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.tenant_id_of(p_slug text) IS 'tenant_id_of: the uuid behind a slug, for clients that know their tenant by name; null where there is none';


--
-- Name: tick(boolean); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.tick(p_full boolean DEFAULT true) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_lane  jobplane.clocks;
  v_tag   bigint;
  v_moved int := 0;
begin
  if p_full then
    perform jobplane.open_lanes(queue_id) from jobplane.queues;
    insert into jobplane.lanes (queue_id, priority)      -- of clocks that were made while this schema was being migrated
    select c.queue_id, c.priority from jobplane.clocks c where not exists (select from jobplane.lanes l where (l.queue_id, l.priority) = (c.queue_id, c.priority))
    on conflict do nothing;
  end if;
  for v_lane in select * from jobplane.clocks order by queue_id, priority loop
    v_tag := jobplane.low_of(v_lane, p_full);
    continue when v_tag = v_lane.low and v_lane.mark = v_lane.v or not jobplane.lock_clock(v_lane.queue_id, v_lane.priority);
    update jobplane.clocks set low = v_tag, mark = v
     where ctid = (select ctid from jobplane.clocks where queue_id = v_lane.queue_id and priority = v_lane.priority for update skip locked);
    v_moved := v_moved + 1;
  end loop;
  return v_moved;
end $$;


ALTER FUNCTION jobplane.tick(p_full boolean) OWNER TO jobplane_engine;

--
-- Name: FUNCTION tick(p_full boolean); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.tick(p_full boolean) IS 'tick: move each lane''s low mark. A transaction that is older than the mark may still commit a row below it; so the mark stays a tick behind the';


--
-- Name: tidy(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.tidy() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
declare
  v_limits  int;
  v_workers int;
  v_newest  constant bigint := coalesce(pg_sequence_last_value('jobplane.jobs_seq_seq'), 0);
  v_ahead   constant bigint[] := array[v_newest, v_newest + 1000000, v_newest + 2000000];
begin
  if exists (select from unnest(v_ahead) s where to_regclass('jobplane.logs_' || s / 1000000) is null) then
    perform jobplane.make_log_blocks(v_ahead);
  end if;
  delete from jobplane.limits l where l.ctid = any (array(
    select x.ctid from jobplane.limits x where x.used = 0 and not x.waiting limit 1000 for update skip locked)) and l.used = 0 and not l.waiting;
  get diagnostics v_limits = row_count;
  delete from jobplane.workers w where w.ctid = any (array(
    select x.ctid from jobplane.workers x where x.last_seen_at < jobplane.clock() - interval '1 day' limit 1000 for update skip locked));
  get diagnostics v_workers = row_count;
  perform jobplane.restore_queues(array(
    select d.name from jobplane.deleted_queues d where exists (select from jobplane.ready r where r.queue_id = d.queue_id and r.seq > 0)));
  return v_limits + v_workers;
end $$;


ALTER FUNCTION jobplane.tidy() OWNER TO jobplane_engine;

--
-- Name: FUNCTION tidy(); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.tidy() IS 'tidy: remove limit rows that nothing uses, and workers that were not seen for a day; make blocks of logs for the next two million jobs;';


--
-- Name: unheard_queues(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.unheard_queues() RETURNS SETOF integer
    LANGUAGE plpgsql
    AS $$
declare
  v_queue int;
  v_lane  jobplane.clocks;
begin
  for v_queue in select queue_id from jobplane.queues where wanted_until > jobplane.clock() and paused_at is null order by queue_id loop
    for v_lane in select * from jobplane.clocks where queue_id = v_queue order by queue_id, priority loop
      perform from jobplane.ready where queue_id = v_lane.queue_id and priority = v_lane.priority and seq > 0 and tag >= v_lane.low limit 1;
      if found then
        return next v_queue;
        exit;
      end if;
    end loop;
  end loop;
end $$;


ALTER FUNCTION jobplane.unheard_queues() OWNER TO jobplane_owner;

--
-- Name: FUNCTION unheard_queues(); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.unheard_queues() IS 'unheard_queues: queues that have jobs while idle workers wait for a notification. Mostly none: their claims follow within milliseconds.';


--
-- Name: wake(integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_owner
--

CREATE FUNCTION jobplane.wake(p_queue integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  for v_place in 0..1 loop
    if pg_try_advisory_xact_lock(74000 + v_place, p_queue) then
      perform pg_notify('jobplane_wake', p_queue::text);
      return;
    end if;
  end loop;
end $$;


ALTER FUNCTION jobplane.wake(p_queue integer) OWNER TO jobplane_owner;

--
-- Name: FUNCTION wake(p_queue integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_owner
--

COMMENT ON FUNCTION jobplane.wake(p_queue integer) IS 'wake: tell idle workers that a queue has work. NOTIFY makes commits queue up one behind the other (0.43 of the rate with one in each), so at most';


--
-- Name: wake_idle(); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.wake_idle() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
declare
  v_queues constant int[] := array(select jobplane.unheard_queues());
begin
  perform pg_notify('jobplane_wake', q::text) from unnest(v_queues) q;
  return cardinality(v_queues);
end $$;


ALTER FUNCTION jobplane.wake_idle() OWNER TO jobplane_engine;

--
-- Name: FUNCTION wake_idle(); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.wake_idle() IS 'wake_idle: tell idle workers of queues that have jobs. Whoever makes a job ready tells them, but not always: of many at the same moment two do, and any login can';


--
-- Name: want_work(text[], integer); Type: FUNCTION; Schema: jobplane; Owner: jobplane_engine
--

CREATE FUNCTION jobplane.want_work(p_queues text[], p_seconds integer DEFAULT 5) RETURNS TABLE(name text, queue_id integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'jobplane', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
#variable_conflict use_column
declare
  v_until constant timestamptz := jobplane.clock() + make_interval(secs => least(greatest(p_seconds, 0), 60));
begin
  update jobplane.queues q set wanted_until = v_until
   where q.ctid = any (array(select x.ctid from jobplane.queues x where x.name = any (p_queues) and x.wanted_until < v_until - interval '1 s' for update skip locked));
  return query select q.name, q.queue_id from jobplane.queues q where q.name = any (p_queues);
end $$;


ALTER FUNCTION jobplane.want_work(p_queues text[], p_seconds integer) OWNER TO jobplane_engine;

--
-- Name: FUNCTION want_work(p_queues text[], p_seconds integer); Type: COMMENT; Schema: jobplane; Owner: jobplane_engine
--

COMMENT ON FUNCTION jobplane.want_work(p_queues text[], p_seconds integer) IS 'want_work: an idle worker says for how long it wants to be woken; only then does an enqueue send a notification';


--
-- Name: attempts; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.attempts (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    token uuid NOT NULL,
    scheduled_for timestamp with time zone NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    attempt_no integer NOT NULL,
    outcome jobplane.attempt_outcome NOT NULL,
    led_to jobplane.job_status NOT NULL,
    exit_code integer,
    progress real,
    worker_id text NOT NULL,
    reason text,
    error text,
    progress_message text
);

ALTER TABLE ONLY jobplane.attempts FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.attempts OWNER TO jobplane_owner;

--
-- Name: dedupe; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.dedupe (
    tenant_id uuid NOT NULL,
    dedupe_key text NOT NULL,
    seq bigint NOT NULL
);

ALTER TABLE ONLY jobplane.dedupe FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.dedupe OWNER TO jobplane_hot;

--
-- Name: definitions_definition_id_seq; Type: SEQUENCE; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.definitions ALTER COLUMN definition_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME jobplane.definitions_definition_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: deleted_queues; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.deleted_queues (
    queue_id integer NOT NULL,
    name text NOT NULL
);


ALTER TABLE jobplane.deleted_queues OWNER TO jobplane_owner;

--
-- Name: endings; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.endings (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    attempt_no integer NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    attempts_left smallint NOT NULL,
    reason text
);

ALTER TABLE ONLY jobplane.endings FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.endings OWNER TO jobplane_owner;

--
-- Name: expiring; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.expiring (
    expires_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL
);

ALTER TABLE ONLY jobplane.expiring FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.expiring OWNER TO jobplane_hot;

--
-- Name: held; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.held (
    seq bigint NOT NULL,
    tag bigint NOT NULL,
    tenant_id uuid NOT NULL,
    scheduled_for timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    queue_id integer NOT NULL,
    definition_id integer NOT NULL,
    attempt_no integer NOT NULL,
    priority smallint NOT NULL,
    attempts_left smallint NOT NULL,
    interruptions smallint NOT NULL,
    deduped boolean NOT NULL,
    alone boolean NOT NULL,
    gate text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL
);

ALTER TABLE ONLY jobplane.held FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.held OWNER TO jobplane_hot;

--
-- Name: installation; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.installation (
    one boolean DEFAULT true NOT NULL,
    code_checksum text,
    trust text NOT NULL,
    CONSTRAINT installation_one_check CHECK (one)
);


ALTER TABLE jobplane.installation OWNER TO jobplane_owner;

--
-- Name: jobs_seq_seq; Type: SEQUENCE; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.jobs ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME jobplane.jobs_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: lanes; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.lanes (
    queue_id integer NOT NULL,
    priority smallint NOT NULL
);


ALTER TABLE jobplane.lanes OWNER TO jobplane_owner;

--
-- Name: leases; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.leases (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    token uuid NOT NULL,
    scheduled_for timestamp with time zone NOT NULL,
    started_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    cancel_requested_at timestamp with time zone,
    queue_id integer NOT NULL,
    definition_id integer NOT NULL,
    attempt_no integer NOT NULL,
    progress real,
    priority smallint NOT NULL,
    attempts_left smallint NOT NULL,
    interruptions smallint NOT NULL,
    deduped boolean NOT NULL,
    alone boolean NOT NULL,
    worker_id text NOT NULL,
    limit_keys text[] COLLATE pg_catalog."C",
    cancel_reason text,
    progress_message text,
    begun boolean DEFAULT true NOT NULL,
    followed_until timestamp with time zone
)
WITH (fillfactor='70');

ALTER TABLE ONLY jobplane.leases FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.leases OWNER TO jobplane_hot;

--
-- Name: limits; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.limits (
    limit_key text NOT NULL COLLATE pg_catalog."C",
    used integer DEFAULT 0 NOT NULL,
    waiting boolean DEFAULT false NOT NULL
)
WITH (fillfactor='20');


ALTER TABLE jobplane.limits OWNER TO jobplane_hot;

--
-- Name: logs; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.logs (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    attempt_no integer NOT NULL,
    line integer NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    fields jsonb
)
PARTITION BY RANGE (seq);

ALTER TABLE ONLY jobplane.logs FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.logs OWNER TO jobplane_owner;

--
-- Name: logs_0; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.logs_0 (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    attempt_no integer NOT NULL,
    line integer NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    fields jsonb
);

ALTER TABLE ONLY jobplane.logs_0 FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.logs_0 OWNER TO jobplane_owner;

--
-- Name: logs_1; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.logs_1 (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    attempt_no integer NOT NULL,
    line integer NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    fields jsonb
);

ALTER TABLE ONLY jobplane.logs_1 FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.logs_1 OWNER TO jobplane_owner;

--
-- Name: logs_2; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.logs_2 (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    attempt_no integer NOT NULL,
    line integer NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    fields jsonb
);

ALTER TABLE ONLY jobplane.logs_2 FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.logs_2 OWNER TO jobplane_owner;

--
-- Name: migrations; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    oldest_program integer NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    applied_by text DEFAULT SESSION_USER NOT NULL
);


ALTER TABLE jobplane.migrations OWNER TO jobplane_owner;

--
-- Name: new_ids; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.new_ids (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL
);

ALTER TABLE ONLY jobplane.new_ids FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.new_ids OWNER TO jobplane_hot;

--
-- Name: pending; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.pending (
    tenant_id uuid NOT NULL,
    turns bigint NOT NULL
);

ALTER TABLE ONLY jobplane.pending FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.pending OWNER TO jobplane_hot;

--
-- Name: queues; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.queues (
    queue_id integer NOT NULL,
    name text NOT NULL,
    paused_at timestamp with time zone,
    wanted_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    CONSTRAINT queues_description_check CHECK ((length(description) <= 1000)),
    CONSTRAINT queues_name_check CHECK ((name ~ '^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$'::text))
);


ALTER TABLE jobplane.queues OWNER TO jobplane_hot;

--
-- Name: queues_queue_id_seq; Type: SEQUENCE; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.queues ALTER COLUMN queue_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME jobplane.queues_queue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: receipts; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.receipts (
    tenant_id uuid NOT NULL,
    definition_id integer NOT NULL,
    idempotency_key text NOT NULL,
    seq bigint NOT NULL,
    fingerprint bytea NOT NULL
);

ALTER TABLE ONLY jobplane.receipts FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.receipts OWNER TO jobplane_owner;

--
-- Name: results; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.results (
    seq bigint NOT NULL,
    tenant_id uuid NOT NULL,
    result jsonb NOT NULL
);

ALTER TABLE ONLY jobplane.results FORCE ROW LEVEL SECURITY;


ALTER TABLE jobplane.results OWNER TO jobplane_owner;

--
-- Name: turns; Type: SEQUENCE; Schema: jobplane; Owner: jobplane_owner
--

CREATE SEQUENCE jobplane.turns
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE jobplane.turns OWNER TO jobplane_owner;

--
-- Name: upkeep; Type: TABLE; Schema: jobplane; Owner: jobplane_owner
--

CREATE TABLE jobplane.upkeep (
    one boolean DEFAULT true NOT NULL,
    done_by text DEFAULT ''::text NOT NULL,
    until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    told_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT upkeep_one_check CHECK (one)
);


ALTER TABLE jobplane.upkeep OWNER TO jobplane_owner;

--
-- Name: workers; Type: TABLE; Schema: jobplane; Owner: jobplane_hot
--

CREATE TABLE jobplane.workers (
    worker_id text NOT NULL,
    hostname text DEFAULT ''::text NOT NULL,
    pid integer,
    version text DEFAULT ''::text NOT NULL,
    queues text[] DEFAULT '{}'::text[] NOT NULL,
    definitions text[],
    definition_ids integer[],
    slots integer DEFAULT 0 NOT NULL,
    running_count integer DEFAULT 0 NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    started_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT workers_worker_id_check CHECK (((length(worker_id) >= 1) AND (length(worker_id) <= 200)))
);


ALTER TABLE jobplane.workers OWNER TO jobplane_hot;

--
-- Name: gates; Type: TABLE; Schema: jobplane_locks; Owner: jobplane_owner
--

CREATE TABLE jobplane_locks.gates (
);


ALTER TABLE jobplane_locks.gates OWNER TO jobplane_owner;

--
-- Name: logs_0; Type: TABLE ATTACH; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.logs ATTACH PARTITION jobplane.logs_0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: logs_1; Type: TABLE ATTACH; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.logs ATTACH PARTITION jobplane.logs_1 FOR VALUES FROM ('1000000') TO ('2000000');


--
-- Name: logs_2; Type: TABLE ATTACH; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.logs ATTACH PARTITION jobplane.logs_2 FOR VALUES FROM ('2000000') TO ('3000000');


--
-- Data for Name: attempts; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.attempts VALUES (1, '00000000-0000-7000-8000-000000000001', '76617712-5d10-42f2-a042-b96160924f66', '2026-11-18 02:50:35.144298+00', '2026-11-18 02:50:35.228222+00', '2026-11-18 02:50:35.270726+00', 1, 'succeeded', 'succeeded', NULL, NULL, 'w1', NULL, 'it broke', NULL);
INSERT INTO jobplane.attempts VALUES (2, '00000000-0000-7000-8000-000000000001', '36f83e16-3f37-4b6c-8a93-39d9db5f3240', '2026-11-18 02:50:35.311158+00', '2026-11-18 02:50:35.372327+00', '2026-11-18 02:50:35.401971+00', 1, 'fatal', 'failed', NULL, NULL, 'w1', NULL, 'it broke', NULL);
INSERT INTO jobplane.attempts VALUES (3, '00000000-0000-7000-8000-000000000001', '63790cbf-8995-4fa1-bebb-3cea77419293', '2026-11-18 02:50:35.466624+00', '2026-11-18 02:50:35.518742+00', '2026-11-18 02:50:35.577768+00', 1, 'failed', 'dead_letter', NULL, NULL, 'w1', NULL, 'it broke', NULL);
INSERT INTO jobplane.attempts VALUES (4, '00000000-0000-7000-8000-000000000001', '8559d9fc-ee30-4bc3-bc72-e634ea28a899', '2026-11-18 02:50:35.606316+00', '2026-11-18 02:50:35.64251+00', '2026-11-18 02:50:35.666261+00', 1, 'canceled', 'canceled', NULL, NULL, 'w1', NULL, 'it broke', NULL);
INSERT INTO jobplane.attempts VALUES (5, '00000000-0000-7000-8000-000000000001', '0c41283b-8ae1-4905-bd85-d51f67308d34', '2026-11-18 02:50:35.690435+00', '2026-11-18 02:50:35.71129+00', '2026-11-18 02:50:35.736473+00', 1, 'failed', 'queued', NULL, NULL, 'w1', NULL, 'it broke', NULL);


--
-- Data for Name: clocks; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.clocks VALUES (3, 100, 499999, 0, 0, '2026-11-18 02:50:35.86592+00');
INSERT INTO jobplane.clocks VALUES (1, 100, 7999994, 0, 0, '2026-11-18 02:50:36.111589+00');


--
-- Data for Name: dedupe; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.dedupe VALUES ('01a1ec90-2e5e-7ce6-9069-5a092af078ea', 'k', 6);


--
-- Data for Name: definitions; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.definitions OVERRIDING SYSTEM VALUE VALUES (1, 'd', 'python', '', '{"type": "object", "additionalProperties": false}', 1, 100, 3600, 3, 5, 2, 300, 0, NULL, NULL, NULL, NULL, true, 'db', '{}', '2026-11-18 02:50:34.775136+00', '2026-11-18 02:50:34.776528+00', 'shared', 'stop');
INSERT INTO jobplane.definitions OVERRIDING SYSTEM VALUE VALUES (2, 'few', 'python', '', '{"type": "object", "additionalProperties": false}', 3, 100, 3600, 3, 5, 2, 300, 0.5, 1, NULL, NULL, NULL, true, 'db', '{a,ü}', '2026-11-18 02:50:34.777107+00', '2026-11-18 02:50:34.795393+00', 'shared', 'stop');
INSERT INTO jobplane.definitions OVERRIDING SYSTEM VALUE VALUES (3, 'off', 'python', '', '{"type": "object", "additionalProperties": false}', 1, 100, 3600, 3, 5, 2, 300, 0.5, NULL, NULL, NULL, NULL, false, 'code', '{}', '2026-11-18 02:50:34.795745+00', '2026-11-18 02:50:36.014629+00', 'shared', 'stop');


--
-- Data for Name: deleted_queues; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--



--
-- Data for Name: endings; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.endings VALUES (1, '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.270726+00', 1, 'succeeded', 0, NULL);
INSERT INTO jobplane.endings VALUES (2, '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.401971+00', 1, 'failed', 0, NULL);
INSERT INTO jobplane.endings VALUES (3, '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.577768+00', 1, 'dead_letter', 0, 'failed');
INSERT INTO jobplane.endings VALUES (4, '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.666261+00', 1, 'canceled', 0, NULL);


--
-- Data for Name: expiring; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--



--
-- Data for Name: held; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.held VALUES (7, 1000000, '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:35.842276+00', NULL, 3, 2, 0, 100, 3, 0, false, false, 'd/2', 'definition_limit');
INSERT INTO jobplane.held VALUES (8, 5999994, '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.974423+00', NULL, 1, 3, 0, 100, 3, 0, false, false, 'd/3', 'definition_inactive');


--
-- Data for Name: installation; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.installation VALUES (true, '5ec14deb7b60f07a6e1d581a87ff7d36df29dde293bbb7452ee46564f22662c3/15', 'roles');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (1, '01a1ec90-311b-7538-8222-e3575acaefce', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.144298+00', '2026-11-18 02:50:35.144298+00', 1, 1, 3600, 5, 2, 300, 0, 100, 1, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (2, '01a1ec90-31af-7e82-bd9a-bf6ec9beb2ec', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.311158+00', '2026-11-18 02:50:35.311158+00', 1, 1, 3600, 5, 2, 300, 0, 100, 1, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (3, '01a1ec90-324b-7538-b324-0efc67e2ff3a', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.466624+00', '2026-11-18 02:50:35.466624+00', 1, 1, 3600, 5, 2, 300, 0, 100, 1, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (4, '01a1ec90-32d7-7635-9313-0483c7e5aec2', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.606316+00', '2026-11-18 02:50:35.606316+00', 1, 1, 3600, 5, 2, 300, 0, 100, 1, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (5, '01a1ec90-332b-7bec-b471-71c718784302', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.690435+00', '2026-11-18 02:50:35.690435+00', 1, 1, 3600, 5, 2, 300, 0, 100, 3, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{"again": true}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (6, '01a1ec90-336f-7c35-8b1e-3d50de5e57d2', '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:35.747051+00', '2026-11-18 02:50:35.747051+00', 2, 3, 3600, 5, 2, 300, 0.5, 100, 3, 'manual', NULL, NULL, NULL, NULL, NULL, 'k', NULL, 'few', NULL, NULL, NULL, '{"text": "ü\n\t''\"\\"}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (7, '01a1ec90-33c3-7d75-9e60-bb4175f9b19c', '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:35.842276+00', '2026-11-18 02:50:35.842276+00', 2, 3, 3600, 5, 2, 300, 0.5, 100, 3, 'manual', NULL, 'c', NULL, NULL, NULL, NULL, 'i', 'few', NULL, '{x}', NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (8, '01a1ec90-3447-7166-b784-1f588b7cb971', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:35.974423+00', '2026-11-18 02:50:35.974423+00', 3, 1, 3600, 5, 2, 300, 0.5, 100, 3, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'off', NULL, NULL, '{"owner_user_id": 7}', '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (9, '01a1ec90-3493-7013-a123-7251d34a0ce2', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:36.050462+00', '2026-11-18 02:50:36.050462+00', 1, 1, 3600, 5, 2, 300, 0, 100, 2, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (10, '01a1ec90-34b1-7286-81e8-b74c38b21518', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:36.080787+00', '2026-11-18 02:50:36.080787+00', 1, 1, 3600, 5, 2, 300, 0, 100, 2, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (11, '01a1ec90-351f-7a67-b36f-462d27152868', '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:36.190491+00', '2036-11-15 02:50:36.190491+00', 1, 1, 3600, 5, 2, 300, 0, 100, 3, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (12, '01a1ec90-3532-7c7d-8742-1c15caa3f46e', '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:36.209747+00', '2026-11-18 02:50:36.209747+00', 1, 1, 3600, 5, 2, 300, 0, 5, 3, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (13, '01a1ec90-3532-7ae0-9cb4-a67bfb2a5272', '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:36.209747+00', '2026-11-18 02:50:36.209747+00', 1, 1, 3600, 5, 2, 300, 0, 100, 3, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');
INSERT INTO jobplane.jobs OVERRIDING SYSTEM VALUE VALUES (14, '01a1ec90-3532-7506-bb53-ec3a222a38a4', '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:36.209747+00', '2026-11-18 02:50:36.209747+00', 1, 1, 3600, 5, 2, 300, 0, 100, 3, 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd', NULL, NULL, NULL, '{}');


--
-- Data for Name: lanes; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.lanes VALUES (3, 100);
INSERT INTO jobplane.lanes VALUES (1, 100);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.leases VALUES (6, '01a1ec90-2e5e-7ce6-9069-5a092af078ea', 'ba63eb1a-16d5-48f3-8a61-e15f3067b138', '2026-11-18 02:50:35.747051+00', '2026-11-18 02:50:35.86592+00', '2026-11-18 02:51:05.86592+00', NULL, 3, 2, 1, NULL, 100, 2, 0, true, false, 'w1', '{d/2}', NULL, NULL, true, NULL);
INSERT INTO jobplane.leases VALUES (9, '00000000-0000-7000-8000-000000000001', '5a105c57-74c4-41df-b26a-0c88657c61a7', '2026-11-18 02:50:36.050462+00', '2026-11-18 02:50:36.060865+00', '2026-11-18 02:51:06.155053+00', NULL, 1, 1, 1, 0.25, 100, 1, 0, false, false, 'w1', NULL, NULL, NULL, true, NULL);
INSERT INTO jobplane.leases VALUES (10, '00000000-0000-7000-8000-000000000001', 'b779ddc3-00bf-4d2d-9d22-581108d4d351', '2026-11-18 02:50:36.080787+00', '2026-11-18 02:50:36.111589+00', '2026-11-18 02:51:06.155053+00', '2026-11-18 02:50:36.125749+00', 1, 1, 1, NULL, 100, 1, 0, false, false, 'w1', NULL, 'enough', NULL, true, NULL);


--
-- Data for Name: limits; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.limits VALUES ('d/2', 1, true);


--
-- Data for Name: logs_0; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--



--
-- Data for Name: logs_1; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--



--
-- Data for Name: logs_2; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--



--
-- Data for Name: migrations; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.migrations VALUES (1, '0001_core.sql', '0c75b2139bdee38eabbe2a3de60d21ab4cd12aae43c9d0df83e11d39af653fc3', 1, '2026-11-18 02:50:32.910459+00', 'jobplane_owner');
INSERT INTO jobplane.migrations VALUES (2, '0002_workers.sql', '7f4d313d778ea79e54acd53eaf9b3f933edbddba4743cee8c4cbd26af9d589ef', 1, '2026-11-18 02:50:33.022402+00', 'jobplane_owner');
INSERT INTO jobplane.migrations VALUES (3, '0003_logs.sql', 'db634800b93f99db06e36c482f63842403e9741b4b45cd80898174a59c6ac956', 1, '2026-11-18 02:50:33.158299+00', 'jobplane_owner');
INSERT INTO jobplane.migrations VALUES (4, '0004_locks.sql', 'aedeca238fd1841158ad0290c98fe46344a907ce036d964a131a59d10f7eb832', 1, '2026-11-18 02:50:33.215207+00', 'jobplane_owner');
INSERT INTO jobplane.migrations VALUES (5, '0005_answers.sql', 'a91e5fe956d7e1ff4827bb5b6ed59b15ccb8afd800aabe972032d6e0a5a052f8', 1, '2026-11-18 02:50:33.35479+00', 'jobplane_owner');
INSERT INTO jobplane.migrations VALUES (6, '0006_upkeep.sql', 'ae6c3e26614e824e573ef8298d8dcd5dba4d41bf7e0633e6999da5da693f85fd', 1, '2026-11-18 02:50:33.510286+00', 'jobplane_owner');
INSERT INTO jobplane.migrations VALUES (7, '0007_queues.sql', 'c4244e1d2cd11a61a1b637aa79a2b088515f7272494a8c046ba9f6025d0b3523', 1, '2026-11-18 02:50:33.646378+00', 'jobplane_owner');


--
-- Data for Name: new_ids; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--



--
-- Data for Name: pending; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--



--
-- Data for Name: queues; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.queues OVERRIDING SYSTEM VALUE VALUES (1, 'default', NULL, '-infinity', '2026-11-18 02:50:32.909713+00', '');
INSERT INTO jobplane.queues OVERRIDING SYSTEM VALUE VALUES (2, 'system', NULL, '-infinity', '2026-11-18 02:50:32.909956+00', '');
INSERT INTO jobplane.queues OVERRIDING SYSTEM VALUE VALUES (3, 'sync', NULL, '-infinity', '2026-11-18 02:50:34.750978+00', '');


--
-- Data for Name: ready; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.ready VALUES (12, 499999, '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:36.209747+00', NULL, 1, 1, 0, 5, 3, 0, false, false);
INSERT INTO jobplane.ready VALUES (13, 8499993, '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:36.209747+00', NULL, 1, 1, 0, 100, 3, 0, false, false);
INSERT INTO jobplane.ready VALUES (14, 8999993, '01a1ec90-2e5e-7ce6-9069-5a092af078ea', '2026-11-18 02:50:36.209747+00', NULL, 1, 1, 0, 100, 3, 0, false, false);


--
-- Data for Name: receipts; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.receipts VALUES ('01a1ec90-2e5e-7ce6-9069-5a092af078ea', 2, 'i', 7, '\x44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');


--
-- Data for Name: results; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.results VALUES (1, '00000000-0000-7000-8000-000000000001', '{"files": 12}');


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.tenants VALUES ('00000000-0000-7000-8000-000000000001', 'default', 'Default', 1, NULL, NULL, NULL, '2026-11-18 02:50:32.909254+00', '2026-11-18 02:50:32.909254+00');
INSERT INTO jobplane.tenants VALUES ('00000000-0000-7000-8000-000000000002', 'system', 'System', 1, NULL, NULL, NULL, '2026-11-18 02:50:32.909615+00', '2026-11-18 02:50:32.909615+00');
INSERT INTO jobplane.tenants VALUES ('01a1ec90-2e5e-7ce6-9069-5a092af078ea', 'alice', '', 2, NULL, NULL, NULL, '2026-11-18 02:50:34.461763+00', '2026-11-18 02:50:34.461763+00');


--
-- Data for Name: upcoming; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.upcoming VALUES (5, '00000000-0000-7000-8000-000000000001', '2026-11-18 02:50:40.736473+00', NULL, 1, 1, 1, 100, 2, 0, false, false);
INSERT INTO jobplane.upcoming VALUES (11, '00000000-0000-7000-8000-000000000001', '2036-11-15 02:50:36.190491+00', NULL, 1, 1, 0, 100, 3, 0, false, false);


--
-- Data for Name: upkeep; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_owner
--

INSERT INTO jobplane.upkeep VALUES (true, '', '-infinity', '-infinity');


--
-- Data for Name: workers; Type: TABLE DATA; Schema: jobplane; Owner: jobplane_hot
--

INSERT INTO jobplane.workers VALUES ('w1', 'there', NULL, '', '{default,sync}', NULL, NULL, 0, 0, '{}', '2026-11-18 02:50:35.118505+00', '2026-11-18 02:50:35.118505+00');


--
-- Data for Name: gates; Type: TABLE DATA; Schema: jobplane_locks; Owner: jobplane_owner
--



--
-- Name: definitions_definition_id_seq; Type: SEQUENCE SET; Schema: jobplane; Owner: jobplane_owner
--

SELECT pg_catalog.setval('jobplane.definitions_definition_id_seq', 3, true);


--
-- Name: jobs_seq_seq; Type: SEQUENCE SET; Schema: jobplane; Owner: jobplane_owner
--

SELECT pg_catalog.setval('jobplane.jobs_seq_seq', 14, true);


--
-- Name: queues_queue_id_seq; Type: SEQUENCE SET; Schema: jobplane; Owner: jobplane_hot
--

SELECT pg_catalog.setval('jobplane.queues_queue_id_seq', 3, true);


--
-- Name: turns; Type: SEQUENCE SET; Schema: jobplane; Owner: jobplane_owner
--

SELECT pg_catalog.setval('jobplane.turns', 1, false);


--
-- Name: attempts attempts_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (seq, attempt_no);


--
-- Name: clocks clocks_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.clocks
    ADD CONSTRAINT clocks_pkey PRIMARY KEY (queue_id, priority);


--
-- Name: dedupe dedupe_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.dedupe
    ADD CONSTRAINT dedupe_pkey PRIMARY KEY (tenant_id, dedupe_key);


--
-- Name: definitions definitions_key_key; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.definitions
    ADD CONSTRAINT definitions_key_key UNIQUE (key);


--
-- Name: definitions definitions_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.definitions
    ADD CONSTRAINT definitions_pkey PRIMARY KEY (definition_id);


--
-- Name: deleted_queues deleted_queues_name_key; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.deleted_queues
    ADD CONSTRAINT deleted_queues_name_key UNIQUE (name);


--
-- Name: deleted_queues deleted_queues_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.deleted_queues
    ADD CONSTRAINT deleted_queues_pkey PRIMARY KEY (queue_id);


--
-- Name: endings endings_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.endings
    ADD CONSTRAINT endings_pkey PRIMARY KEY (tenant_id, status, seq);


--
-- Name: expiring expiring_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.expiring
    ADD CONSTRAINT expiring_pkey PRIMARY KEY (expires_at, seq);


--
-- Name: held held_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.held
    ADD CONSTRAINT held_pkey PRIMARY KEY (tenant_id, seq);


--
-- Name: installation installation_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (one);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (seq);


--
-- Name: lanes lanes_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (queue_id, priority);


--
-- Name: leases leases_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (seq);


--
-- Name: limits limits_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.limits
    ADD CONSTRAINT limits_pkey PRIMARY KEY (limit_key);


--
-- Name: logs logs_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (seq, attempt_no, line);


--
-- Name: logs_0 logs_0_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.logs_0
    ADD CONSTRAINT logs_0_pkey PRIMARY KEY (seq, attempt_no, line);


--
-- Name: logs_1 logs_1_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.logs_1
    ADD CONSTRAINT logs_1_pkey PRIMARY KEY (seq, attempt_no, line);


--
-- Name: logs_2 logs_2_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.logs_2
    ADD CONSTRAINT logs_2_pkey PRIMARY KEY (seq, attempt_no, line);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);


--
-- Name: new_ids new_ids_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.new_ids
    ADD CONSTRAINT new_ids_pkey PRIMARY KEY (tenant_id, id);


--
-- Name: pending pending_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.pending
    ADD CONSTRAINT pending_pkey PRIMARY KEY (tenant_id);


--
-- Name: queues queues_name_key; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.queues
    ADD CONSTRAINT queues_name_key UNIQUE (name);


--
-- Name: queues queues_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (queue_id);


--
-- Name: ready ready_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.ready
    ADD CONSTRAINT ready_pkey PRIMARY KEY (tenant_id, seq);


--
-- Name: receipts receipts_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (tenant_id, definition_id, idempotency_key);


--
-- Name: results results_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (seq);


--
-- Name: tenants tenants_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);


--
-- Name: tenants tenants_slug_key; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.tenants
    ADD CONSTRAINT tenants_slug_key UNIQUE (slug);


--
-- Name: upcoming upcoming_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.upcoming
    ADD CONSTRAINT upcoming_pkey PRIMARY KEY (tenant_id, seq);


--
-- Name: upkeep upkeep_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.upkeep
    ADD CONSTRAINT upkeep_pkey PRIMARY KEY (one);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE ONLY jobplane.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (worker_id);


--
-- Name: definitions_alone; Type: INDEX; Schema: jobplane; Owner: jobplane_owner
--

CREATE INDEX definitions_alone ON jobplane.definitions USING btree (definition_id) WHERE ((isolation = 'process'::text) OR (on_lost_contact = 'continue'::text));


--
-- Name: definitions_gated; Type: INDEX; Schema: jobplane; Owner: jobplane_owner
--

CREATE INDEX definitions_gated ON jobplane.definitions USING btree (definition_id) WHERE ((max_running IS NOT NULL) OR (max_running_per_tenant IS NOT NULL) OR (NOT active));


--
-- Name: held_gate; Type: INDEX; Schema: jobplane; Owner: jobplane_hot
--

CREATE INDEX held_gate ON jobplane.held USING btree (gate, priority, tag);


--
-- Name: jobs_correlation; Type: INDEX; Schema: jobplane; Owner: jobplane_owner
--

CREATE INDEX jobs_correlation ON jobplane.jobs USING btree (tenant_id, correlation_id) WHERE (correlation_id IS NOT NULL);


--
-- Name: jobs_id; Type: INDEX; Schema: jobplane; Owner: jobplane_owner
--

CREATE UNIQUE INDEX jobs_id ON jobplane.jobs USING btree (tenant_id, id);


--
-- Name: jobs_owner; Type: INDEX; Schema: jobplane; Owner: jobplane_owner
--

CREATE INDEX jobs_owner ON jobplane.jobs USING btree (tenant_id, ((metadata -> 'owner_user_id'::text)), seq) WHERE ((metadata -> 'owner_user_id'::text) IS NOT NULL);


--
-- Name: jobs_project; Type: INDEX; Schema: jobplane; Owner: jobplane_owner
--

CREATE INDEX jobs_project ON jobplane.jobs USING btree (tenant_id, ((metadata -> 'project_id'::text)), seq) WHERE ((metadata -> 'project_id'::text) IS NOT NULL);


--
-- Name: leases_tenant; Type: INDEX; Schema: jobplane; Owner: jobplane_hot
--

CREATE INDEX leases_tenant ON jobplane.leases USING btree (tenant_id) WHERE (attempt_no > 0);


--
-- Name: ready_claim; Type: INDEX; Schema: jobplane; Owner: jobplane_hot
--

CREATE INDEX ready_claim ON jobplane.ready USING btree (queue_id, priority, tag) WHERE (seq > 0);


--
-- Name: ready_line; Type: INDEX; Schema: jobplane; Owner: jobplane_hot
--

CREATE INDEX ready_line ON jobplane.ready USING btree (tenant_id, queue_id, priority, tag) WHERE (tag IS NOT NULL);


--
-- Name: tenants_gated; Type: INDEX; Schema: jobplane; Owner: jobplane_owner
--

CREATE INDEX tenants_gated ON jobplane.tenants USING btree (tenant_id) WHERE ((max_in_flight IS NOT NULL) OR (paused_at IS NOT NULL));


--
-- Name: upcoming_due; Type: INDEX; Schema: jobplane; Owner: jobplane_hot
--

CREATE INDEX upcoming_due ON jobplane.upcoming USING btree (scheduled_for);


--
-- Name: logs_0_pkey; Type: INDEX ATTACH; Schema: jobplane; Owner: jobplane_owner
--

ALTER INDEX jobplane.logs_pkey ATTACH PARTITION jobplane.logs_0_pkey;


--
-- Name: logs_1_pkey; Type: INDEX ATTACH; Schema: jobplane; Owner: jobplane_owner
--

ALTER INDEX jobplane.logs_pkey ATTACH PARTITION jobplane.logs_1_pkey;


--
-- Name: logs_2_pkey; Type: INDEX ATTACH; Schema: jobplane; Owner: jobplane_owner
--

ALTER INDEX jobplane.logs_pkey ATTACH PARTITION jobplane.logs_2_pkey;


--
-- Name: definitions definitions_queue_id_fkey; Type: FK CONSTRAINT; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE ONLY jobplane.definitions
    ADD CONSTRAINT definitions_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES jobplane.queues(queue_id);


--
-- Name: attempts; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.attempts ENABLE ROW LEVEL SECURITY;

--
-- Name: dedupe; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.dedupe ENABLE ROW LEVEL SECURITY;

--
-- Name: attempts doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.attempts TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: dedupe doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.dedupe TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: endings doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.endings TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: expiring doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.expiring TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: held doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.held TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: jobs doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.jobs TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: leases doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.leases TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: logs doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.logs TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: logs_0 doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.logs_0 TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: logs_1 doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.logs_1 TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: logs_2 doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.logs_2 TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: new_ids doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.new_ids TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: pending doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.pending TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: ready doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.ready TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: receipts doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.receipts TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: results doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.results TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: tenants doors; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY doors ON jobplane.tenants TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: upcoming doors; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY doors ON jobplane.upcoming TO jobplane_doors USING ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")))) WITH CHECK ((NOT (tenant_id IS DISTINCT FROM ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))));


--
-- Name: endings; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.endings ENABLE ROW LEVEL SECURITY;

--
-- Name: attempts engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.attempts TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: dedupe engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.dedupe TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: endings engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.endings TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: expiring engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.expiring TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: held engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.held TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: jobs engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.jobs TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: leases engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.leases TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: logs engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.logs TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: logs_0 engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.logs_0 TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: logs_1 engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.logs_1 TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: logs_2 engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.logs_2 TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: new_ids engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.new_ids TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: pending engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.pending TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: ready engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.ready TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: receipts engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.receipts TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: results engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.results TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: tenants engine; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY engine ON jobplane.tenants TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: upcoming engine; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY engine ON jobplane.upcoming TO jobplane_engine USING (true) WITH CHECK (true);


--
-- Name: expiring; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.expiring ENABLE ROW LEVEL SECURITY;

--
-- Name: held; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.held ENABLE ROW LEVEL SECURITY;

--
-- Name: jobs; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: leases; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.leases ENABLE ROW LEVEL SECURITY;

--
-- Name: logs; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.logs ENABLE ROW LEVEL SECURITY;

--
-- Name: logs_0; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.logs_0 ENABLE ROW LEVEL SECURITY;

--
-- Name: logs_1; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.logs_1 ENABLE ROW LEVEL SECURITY;

--
-- Name: logs_2; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.logs_2 ENABLE ROW LEVEL SECURITY;

--
-- Name: new_ids; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.new_ids ENABLE ROW LEVEL SECURITY;

--
-- Name: pending; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.pending ENABLE ROW LEVEL SECURITY;

--
-- Name: ready; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.ready ENABLE ROW LEVEL SECURITY;

--
-- Name: receipts; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.receipts ENABLE ROW LEVEL SECURITY;

--
-- Name: results; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.results ENABLE ROW LEVEL SECURITY;

--
-- Name: attempts tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.attempts TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: dedupe tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.dedupe TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: endings tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.endings TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: expiring tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.expiring TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: held tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.held TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: jobs tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.jobs TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: leases tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.leases TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: logs tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.logs TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: logs_0 tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.logs_0 TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: logs_1 tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.logs_1 TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: logs_2 tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.logs_2 TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: new_ids tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.new_ids TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: pending tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.pending TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: ready tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.ready TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: receipts tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.receipts TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: results tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.results TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: tenants tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_owner
--

CREATE POLICY tenant ON jobplane.tenants TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: upcoming tenant; Type: POLICY; Schema: jobplane; Owner: jobplane_hot
--

CREATE POLICY tenant ON jobplane.upcoming TO jobplane_app USING ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif"))) WITH CHECK ((tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS "nullif")));


--
-- Name: tenants; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_owner
--

ALTER TABLE jobplane.tenants ENABLE ROW LEVEL SECURITY;

--
-- Name: upcoming; Type: ROW SECURITY; Schema: jobplane; Owner: jobplane_hot
--

ALTER TABLE jobplane.upcoming ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA jobplane; Type: ACL; Schema: -; Owner: jobplane_owner
--

GRANT USAGE ON SCHEMA jobplane TO jobplane_doors;
GRANT USAGE ON SCHEMA jobplane TO jobplane_engine;
GRANT USAGE ON SCHEMA jobplane TO jobplane_hot;
GRANT USAGE ON SCHEMA jobplane TO PUBLIC;
GRANT USAGE ON SCHEMA jobplane TO jobplane_app;
GRANT USAGE ON SCHEMA jobplane TO jobplane_worker;
GRANT USAGE ON SCHEMA jobplane TO jobplane_scheduler;
GRANT USAGE ON SCHEMA jobplane TO jobplane_admin;
GRANT USAGE ON SCHEMA jobplane TO jobplane_maintenance;


--
-- Name: SCHEMA jobplane_locks; Type: ACL; Schema: -; Owner: jobplane_owner
--

GRANT USAGE ON SCHEMA jobplane_locks TO jobplane_engine;


--
-- Name: TABLE ready; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.ready TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.ready TO jobplane_app;
GRANT SELECT,INSERT,DELETE ON TABLE jobplane.ready TO jobplane_doors;


--
-- Name: FUNCTION admit(p_rows jobplane.ready[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.admit(p_rows jobplane.ready[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.admit(p_rows jobplane.ready[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.admit(p_rows jobplane.ready[]) TO jobplane_engine;


--
-- Name: FUNCTION apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms integer[]) TO jobplane_engine;


--
-- Name: TABLE jobs; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.jobs TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.jobs TO jobplane_app;
GRANT SELECT,INSERT,UPDATE ON TABLE jobplane.jobs TO jobplane_doors;


--
-- Name: FUNCTION backoff_delay(p_job jobplane.jobs, p_n integer); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.backoff_delay(p_job jobplane.jobs, p_n integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.backoff_delay(p_job jobplane.jobs, p_n integer) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.backoff_delay(p_job jobplane.jobs, p_n integer) TO jobplane_engine;


--
-- Name: FUNCTION cancel(p_ids uuid[], p_reason text); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.cancel(p_ids uuid[], p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.cancel(p_ids uuid[], p_reason text) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.cancel(p_ids uuid[], p_reason text) TO jobplane_admin;


--
-- Name: TABLE definitions; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.definitions TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.definitions TO jobplane_app;
GRANT SELECT ON TABLE jobplane.definitions TO jobplane_doors;


--
-- Name: FUNCTION changed_definition(p_old jobplane.definitions, p_doc jsonb); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.changed_definition(p_old jobplane.definitions, p_doc jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.changed_definition(p_old jobplane.definitions, p_doc jsonb) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.changed_definition(p_old jobplane.definitions, p_doc jsonb) TO jobplane_engine;


--
-- Name: FUNCTION changed_facts(p_job jobplane.jobs, p_changes jsonb); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.changed_facts(p_job jobplane.jobs, p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.changed_facts(p_job jobplane.jobs, p_changes jsonb) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.changed_facts(p_job jobplane.jobs, p_changes jsonb) TO jobplane_engine;


--
-- Name: FUNCTION claim(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.claim(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.claim(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.claim(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer) TO jobplane_scheduler;


--
-- Name: FUNCTION claim_lines(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.claim_lines(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.claim_lines(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.claim_lines(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean) TO jobplane_scheduler;


--
-- Name: FUNCTION clock(); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.clock() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.clock() TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.clock() TO jobplane_engine;


--
-- Name: FUNCTION count_leases(p_keys text[], p_seqs bigint[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.count_leases(p_keys text[], p_seqs bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.count_leases(p_keys text[], p_seqs bigint[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.count_leases(p_keys text[], p_seqs bigint[]) TO jobplane_engine;


--
-- Name: TABLE tenants; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.tenants TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.tenants TO jobplane_app;
GRANT SELECT ON TABLE jobplane.tenants TO jobplane_doors;


--
-- Name: FUNCTION create_tenant(p_slug text, p_name text, p_weight integer, p_max_in_flight integer, p_max_pending integer, p_tenant_id uuid); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.create_tenant(p_slug text, p_name text, p_weight integer, p_max_in_flight integer, p_max_pending integer, p_tenant_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.create_tenant(p_slug text, p_name text, p_weight integer, p_max_in_flight integer, p_max_pending integer, p_tenant_id uuid) TO jobplane_admin;


--
-- Name: FUNCTION current_tenant(); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.current_tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.current_tenant() TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.current_tenant() TO jobplane_engine;


--
-- Name: FUNCTION delete_queues(p_names text[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.delete_queues(p_names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.delete_queues(p_names text[]) TO jobplane_admin;


--
-- Name: FUNCTION deregister_worker(p_worker_id text); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.deregister_worker(p_worker_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.deregister_worker(p_worker_id text) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.deregister_worker(p_worker_id text) TO jobplane_scheduler;
GRANT ALL ON FUNCTION jobplane.deregister_worker(p_worker_id text) TO jobplane_admin;


--
-- Name: FUNCTION describe(p_tenant uuid, p_seqs bigint[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.describe(p_tenant uuid, p_seqs bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.describe(p_tenant uuid, p_seqs bigint[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.describe(p_tenant uuid, p_seqs bigint[]) TO jobplane_engine;


--
-- Name: FUNCTION dice(); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.dice() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.dice() TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.dice() TO jobplane_engine;


--
-- Name: FUNCTION documents(p_documents jsonb, p_key text, p_known text[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.documents(p_documents jsonb, p_key text, p_known text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.documents(p_documents jsonb, p_key text, p_known text[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.documents(p_documents jsonb, p_key text, p_known text[]) TO jobplane_engine;


--
-- Name: FUNCTION drop_log_block(p_block bigint); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.drop_log_block(p_block bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.drop_log_block(p_block bigint) TO jobplane_engine;


--
-- Name: FUNCTION due_chores(p_chores text[], p_by text); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.due_chores(p_chores text[], p_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.due_chores(p_chores text[], p_by text) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.due_chores(p_chores text[], p_by text) TO jobplane_scheduler;


--
-- Name: FUNCTION due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.due_time(p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_now timestamp with time zone) TO jobplane_engine;


--
-- Name: FUNCTION edit(p_id uuid, p_changes jsonb); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.edit(p_id uuid, p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.edit(p_id uuid, p_changes jsonb) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.edit(p_id uuid, p_changes jsonb) TO jobplane_admin;


--
-- Name: FUNCTION ending_of(p_tenant uuid, p_seq bigint); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.ending_of(p_tenant uuid, p_seq bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.ending_of(p_tenant uuid, p_seq bigint) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.ending_of(p_tenant uuid, p_seq bigint) TO jobplane_engine;


--
-- Name: FUNCTION enqueue(p_definition text, p_payload jsonb, p_queue text, p_priority integer, p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_expires_at timestamp with time zone, p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags text[], p_metadata jsonb, p_source text, p_source_ref text, p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts integer, p_timeout_seconds integer, p_id uuid); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.enqueue(p_definition text, p_payload jsonb, p_queue text, p_priority integer, p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_expires_at timestamp with time zone, p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags text[], p_metadata jsonb, p_source text, p_source_ref text, p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts integer, p_timeout_seconds integer, p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.enqueue(p_definition text, p_payload jsonb, p_queue text, p_priority integer, p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_expires_at timestamp with time zone, p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags text[], p_metadata jsonb, p_source text, p_source_ref text, p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts integer, p_timeout_seconds integer, p_id uuid) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.enqueue(p_definition text, p_payload jsonb, p_queue text, p_priority integer, p_scheduled_for timestamp with time zone, p_delay_seconds double precision, p_expires_at timestamp with time zone, p_dedupe_key text, p_on_duplicate text, p_idempotency_key text, p_correlation_id text, p_tags text[], p_metadata jsonb, p_source text, p_source_ref text, p_created_by text, p_trace_context text, p_artifact_ref text, p_max_attempts integer, p_timeout_seconds integer, p_id uuid) TO jobplane_admin;


--
-- Name: FUNCTION enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.enqueue_fault(p_definition text, p_found boolean, p_active boolean, p_queue text, p_queue_found boolean, p_payload jsonb, p_scheduled_for timestamp with time zone, p_expires_at timestamp with time zone, p_facts text) TO jobplane_engine;


--
-- Name: FUNCTION enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[], p_queues text[], p_priorities integer[], p_scheduled_fors timestamp with time zone[], p_delays double precision[], p_expires_ats timestamp with time zone[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], p_correlation_ids text[], p_tags jsonb[], p_metadata jsonb[], p_sources text[], p_source_refs text[], p_created_bys text[], p_trace_contexts text[], p_artifact_refs text[], p_max_attempts integer[], p_timeouts integer[]); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[], p_queues text[], p_priorities integer[], p_scheduled_fors timestamp with time zone[], p_delays double precision[], p_expires_ats timestamp with time zone[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], p_correlation_ids text[], p_tags jsonb[], p_metadata jsonb[], p_sources text[], p_source_refs text[], p_created_bys text[], p_trace_contexts text[], p_artifact_refs text[], p_max_attempts integer[], p_timeouts integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[], p_queues text[], p_priorities integer[], p_scheduled_fors timestamp with time zone[], p_delays double precision[], p_expires_ats timestamp with time zone[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], p_correlation_ids text[], p_tags jsonb[], p_metadata jsonb[], p_sources text[], p_source_refs text[], p_created_bys text[], p_trace_contexts text[], p_artifact_refs text[], p_max_attempts integer[], p_timeouts integer[]) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.enqueue_many(p_definitions text[], p_payloads jsonb[], p_ids uuid[], p_queues text[], p_priorities integer[], p_scheduled_fors timestamp with time zone[], p_delays double precision[], p_expires_ats timestamp with time zone[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], p_correlation_ids text[], p_tags jsonb[], p_metadata jsonb[], p_sources text[], p_source_refs text[], p_created_bys text[], p_trace_contexts text[], p_artifact_refs text[], p_max_attempts integer[], p_timeouts integer[]) TO jobplane_admin;


--
-- Name: FUNCTION enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.enqueue_one(p_job_id uuid, p_outcome text, p_error_code text, p_error text) TO jobplane_engine;


--
-- Name: FUNCTION expire(p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.expire(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.expire(p_limit integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.expire(p_limit integer) TO jobplane_scheduler;


--
-- Name: FUNCTION facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.facts_fault(p_priority integer, p_max_attempts integer, p_timeout_seconds integer, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb, p_texts text[]) TO jobplane_engine;


--
-- Name: FUNCTION gate_room(p_gate text, p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.gate_room(p_gate text, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.gate_room(p_gate text, p_limit integer) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.gate_room(p_gate text, p_limit integer) TO jobplane_engine;


--
-- Name: FUNCTION get_definitions(p_keys text[], p_limit integer, p_after text); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.get_definitions(p_keys text[], p_limit integer, p_after text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.get_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.get_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.get_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_scheduler;
GRANT ALL ON FUNCTION jobplane.get_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_admin;


--
-- Name: FUNCTION get_jobs(p_ids uuid[]); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.get_jobs(p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.get_jobs(p_ids uuid[]) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.get_jobs(p_ids uuid[]) TO jobplane_admin;


--
-- Name: FUNCTION get_result(p_id uuid); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.get_result(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.get_result(p_id uuid) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.get_result(p_id uuid) TO jobplane_admin;


--
-- Name: FUNCTION give_back(p_keys text[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.give_back(p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.give_back(p_keys text[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.give_back(p_keys text[]) TO jobplane_engine;


--
-- Name: FUNCTION held_snapshots(); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.held_snapshots() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.held_snapshots() TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.held_snapshots() TO jobplane_scheduler;


--
-- Name: FUNCTION hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint) TO jobplane_engine;


--
-- Name: FUNCTION hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.hold_keys(p_tenant uuid, p_definition_ids integer[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[], p_idempotency_keys text[], INOUT payloads jsonb[], INOUT scheduled_fors timestamp with time zone[], OUT holders uuid[], OUT outcomes text[]) TO jobplane_engine;


--
-- Name: FUNCTION is_due(p_chore text); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.is_due(p_chore text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.is_due(p_chore text) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.is_due(p_chore text) TO jobplane_engine;


--
-- Name: FUNCTION let_back(p_gate text, p_n integer); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.let_back(p_gate text, p_n integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.let_back(p_gate text, p_n integer) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.let_back(p_gate text, p_n integer) TO jobplane_engine;


--
-- Name: FUNCTION let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id integer, p_idempotency_key text) TO jobplane_engine;


--
-- Name: FUNCTION line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.line(p_queue integer, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint, p_crowded boolean) TO jobplane_engine;


--
-- Name: FUNCTION list_attempts(p_id uuid, p_limit integer, p_before integer); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.list_attempts(p_id uuid, p_limit integer, p_before integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.list_attempts(p_id uuid, p_limit integer, p_before integer) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.list_attempts(p_id uuid, p_limit integer, p_before integer) TO jobplane_admin;


--
-- Name: FUNCTION list_definitions(p_keys text[], p_limit integer, p_after text); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.list_definitions(p_keys text[], p_limit integer, p_after text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.list_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.list_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.list_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_scheduler;
GRANT ALL ON FUNCTION jobplane.list_definitions(p_keys text[], p_limit integer, p_after text) TO jobplane_admin;


--
-- Name: FUNCTION list_jobs(p_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_limit integer, p_before bigint, p_source_ref text); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.list_jobs(p_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_limit integer, p_before bigint, p_source_ref text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.list_jobs(p_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_limit integer, p_before bigint, p_source_ref text) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.list_jobs(p_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamp with time zone, p_created_before timestamp with time zone, p_limit integer, p_before bigint, p_source_ref text) TO jobplane_admin;


--
-- Name: FUNCTION list_queues(p_names text[], p_limit integer, p_after text); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.list_queues(p_names text[], p_limit integer, p_after text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.list_queues(p_names text[], p_limit integer, p_after text) TO jobplane_admin;
GRANT ALL ON FUNCTION jobplane.list_queues(p_names text[], p_limit integer, p_after text) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.list_queues(p_names text[], p_limit integer, p_after text) TO jobplane_scheduler;


--
-- Name: FUNCTION list_tenants(p_tenant_ids uuid[], p_slugs text[], p_limit integer, p_after text); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.list_tenants(p_tenant_ids uuid[], p_slugs text[], p_limit integer, p_after text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.list_tenants(p_tenant_ids uuid[], p_slugs text[], p_limit integer, p_after text) TO jobplane_admin;


--
-- Name: FUNCTION list_workers(p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.list_workers(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.list_workers(p_limit integer) TO jobplane_admin;
GRANT ALL ON FUNCTION jobplane.list_workers(p_limit integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.list_workers(p_limit integer) TO jobplane_scheduler;


--
-- Name: FUNCTION lock_clock(p_queue integer, p_priority smallint); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.lock_clock(p_queue integer, p_priority smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.lock_clock(p_queue integer, p_priority smallint) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.lock_clock(p_queue integer, p_priority smallint) TO jobplane_engine;


--
-- Name: FUNCTION lock_gates(); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.lock_gates() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.lock_gates() TO jobplane_engine;


--
-- Name: FUNCTION lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.lock_limits(p_keys text[], p_maxes integer[], p_wants integer[], p_wait boolean, OUT keys text[], OUT rooms integer[], OUT roomy boolean) TO jobplane_engine;


--
-- Name: FUNCTION log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[]) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.log_lines(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lines integer[], p_ats timestamp with time zone[], p_levels text[], p_messages text[], p_fields jsonb[]) TO jobplane_scheduler;


--
-- Name: TABLE clocks; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.clocks TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.clocks TO jobplane_doors;


--
-- Name: FUNCTION low_of(p_lane jobplane.clocks, p_full boolean); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.low_of(p_lane jobplane.clocks, p_full boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.low_of(p_lane jobplane.clocks, p_full boolean) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.low_of(p_lane jobplane.clocks, p_full boolean) TO jobplane_engine;


--
-- Name: FUNCTION make_log_blocks(p_seqs bigint[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.make_log_blocks(p_seqs bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.make_log_blocks(p_seqs bigint[]) TO jobplane_engine;


--
-- Name: FUNCTION meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamp with time zone) TO jobplane_engine;


--
-- Name: FUNCTION new_id(); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.new_id() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.new_id() TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.new_id() TO jobplane_engine;


--
-- Name: FUNCTION open_lane(p_queue integer, p_priority smallint); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.open_lane(p_queue integer, p_priority smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.open_lane(p_queue integer, p_priority smallint) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.open_lane(p_queue integer, p_priority smallint) TO jobplane_engine;


--
-- Name: FUNCTION open_lanes(p_queue integer); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.open_lanes(p_queue integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.open_lanes(p_queue integer) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.open_lanes(p_queue integer) TO jobplane_engine;


--
-- Name: FUNCTION owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.owned_seqs(p_owner jsonb, p_project jsonb, p_before bigint, p_limit integer) TO jobplane_doors;


--
-- Name: FUNCTION pause_queues(p_names text[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.pause_queues(p_names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.pause_queues(p_names text[]) TO jobplane_admin;


--
-- Name: FUNCTION pause_tenants(p_tenant_ids uuid[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.pause_tenants(p_tenant_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.pause_tenants(p_tenant_ids uuid[]) TO jobplane_admin;


--
-- Name: FUNCTION payload_fault(p_payload jsonb); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.payload_fault(p_payload jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.payload_fault(p_payload jsonb) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.payload_fault(p_payload jsonb) TO jobplane_engine;


--
-- Name: FUNCTION pending_room(p_tenant uuid, p_max_pending integer); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.pending_room(p_tenant uuid, p_max_pending integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.pending_room(p_tenant uuid, p_max_pending integer) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.pending_room(p_tenant uuid, p_max_pending integer) TO jobplane_engine;


--
-- Name: FUNCTION promote(p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.promote(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.promote(p_limit integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.promote(p_limit integer) TO jobplane_scheduler;


--
-- Name: FUNCTION prune_logs(p_retention_days integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.prune_logs(p_retention_days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.prune_logs(p_retention_days integer) TO jobplane_scheduler;


--
-- Name: FUNCTION put_definitions(p_definitions jsonb[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.put_definitions(p_definitions jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.put_definitions(p_definitions jsonb[]) TO jobplane_admin;
GRANT ALL ON FUNCTION jobplane.put_definitions(p_definitions jsonb[]) TO jobplane_worker;


--
-- Name: FUNCTION put_queues(p_names text[], p_documents jsonb); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.put_queues(p_names text[], p_documents jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.put_queues(p_names text[], p_documents jsonb) TO jobplane_admin;
GRANT ALL ON FUNCTION jobplane.put_queues(p_names text[], p_documents jsonb) TO jobplane_worker;


--
-- Name: FUNCTION read_logs(p_id uuid, p_after_attempt integer, p_after_line integer, p_limit integer, p_follow boolean); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.read_logs(p_id uuid, p_after_attempt integer, p_after_line integer, p_limit integer, p_follow boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.read_logs(p_id uuid, p_after_attempt integer, p_after_line integer, p_limit integer, p_follow boolean) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.read_logs(p_id uuid, p_after_attempt integer, p_after_line integer, p_limit integer, p_follow boolean) TO jobplane_admin;


--
-- Name: FUNCTION reap(p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.reap(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.reap(p_limit integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.reap(p_limit integer) TO jobplane_scheduler;


--
-- Name: FUNCTION reap_all(p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.reap_all(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.reap_all(p_limit integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.reap_all(p_limit integer) TO jobplane_scheduler;


--
-- Name: FUNCTION rebind(p_gate text, p_n integer); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.rebind(p_gate text, p_n integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.rebind(p_gate text, p_n integer) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.rebind(p_gate text, p_n integer) TO jobplane_engine;


--
-- Name: FUNCTION refuse_unknown(p_changes jsonb, p_known text[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.refuse_unknown(p_changes jsonb, p_known text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.refuse_unknown(p_changes jsonb, p_known text[]) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.refuse_unknown(p_changes jsonb, p_known text[]) TO jobplane_engine;


--
-- Name: FUNCTION refuse_used(p_names text[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.refuse_used(p_names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.refuse_used(p_names text[]) TO jobplane_engine;


--
-- Name: FUNCTION register_worker(p_worker_id text, p_queues text[], p_definitions text[], p_hostname text, p_pid integer, p_version text, p_slots integer, p_metadata jsonb); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[], p_hostname text, p_pid integer, p_version text, p_slots integer, p_metadata jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[], p_hostname text, p_pid integer, p_version text, p_slots integer, p_metadata jsonb) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[], p_hostname text, p_pid integer, p_version text, p_slots integer, p_metadata jsonb) TO jobplane_scheduler;


--
-- Name: FUNCTION release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text, p_after double precision); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text, p_after double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text, p_after double precision) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.release(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_reason text, p_after double precision) TO jobplane_scheduler;


--
-- Name: FUNCTION release_held(p_gates text[], p_n integer[], p_retag boolean); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.release_held(p_gates text[], p_n integer[], p_retag boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.release_held(p_gates text[], p_n integer[], p_retag boolean) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.release_held(p_gates text[], p_n integer[], p_retag boolean) TO jobplane_engine;


--
-- Name: FUNCTION renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_progress real[], p_messages text[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_progress real[], p_messages text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_progress real[], p_messages text[]) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.renew(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_progress real[], p_messages text[]) TO jobplane_scheduler;


--
-- Name: FUNCTION renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_begun boolean[], p_progress real[], p_messages text[], p_until boolean); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_begun boolean[], p_progress real[], p_messages text[], p_until boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_begun boolean[], p_progress real[], p_messages text[], p_until boolean) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.renew_all(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_lease_seconds integer, p_begun boolean[], p_progress real[], p_messages text[], p_until boolean) TO jobplane_scheduler;


--
-- Name: FUNCTION reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone, p_delay_seconds double precision); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone, p_delay_seconds double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone, p_delay_seconds double precision) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.reschedule(p_ids uuid[], p_scheduled_for timestamp with time zone, p_delay_seconds double precision) TO jobplane_admin;


--
-- Name: FUNCTION restore_queues(p_names text[]); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.restore_queues(p_names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.restore_queues(p_names text[]) TO jobplane_engine;


--
-- Name: FUNCTION resume_queues(p_names text[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.resume_queues(p_names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.resume_queues(p_names text[]) TO jobplane_admin;


--
-- Name: FUNCTION resume_tenants(p_tenant_ids uuid[]); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.resume_tenants(p_tenant_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.resume_tenants(p_tenant_ids uuid[]) TO jobplane_admin;


--
-- Name: FUNCTION retry(p_ids uuid[], p_max_attempts integer); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.retry(p_ids uuid[], p_max_attempts integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.retry(p_ids uuid[], p_max_attempts integer) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.retry(p_ids uuid[], p_max_attempts integer) TO jobplane_admin;


--
-- Name: FUNCTION search_logs(p_text text, p_definitions text[], p_since timestamp with time zone, p_limit integer, p_level text, p_job uuid); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.search_logs(p_text text, p_definitions text[], p_since timestamp with time zone, p_limit integer, p_level text, p_job uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.search_logs(p_text text, p_definitions text[], p_since timestamp with time zone, p_limit integer, p_level text, p_job uuid) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.search_logs(p_text text, p_definitions text[], p_since timestamp with time zone, p_limit integer, p_level text, p_job uuid) TO jobplane_admin;


--
-- Name: FUNCTION see_worker(p_worker_id text, p_running_count integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.see_worker(p_worker_id text, p_running_count integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.see_worker(p_worker_id text, p_running_count integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.see_worker(p_worker_id text, p_running_count integer) TO jobplane_scheduler;


--
-- Name: FUNCTION set_tenant(p_tenant_id uuid, p_changes jsonb); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.set_tenant(p_tenant_id uuid, p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.set_tenant(p_tenant_id uuid, p_changes jsonb) TO jobplane_admin;


--
-- Name: FUNCTION settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes integer[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions integer, p_quiet boolean); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes integer[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions integer, p_quiet boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes integer[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions integer, p_quiet boolean) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.settle(p_seqs bigint[], p_attempt_nos integer[], p_tokens uuid[], p_outcomes jobplane.attempt_outcome[], p_reasons text[], p_errors text[], p_exit_codes integer[], p_retry_afters double precision[], p_results jsonb[], p_progress real[], p_max_interruptions integer, p_quiet boolean) TO jobplane_scheduler;


--
-- Name: FUNCTION stand_in_line(p_tenant uuid); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.stand_in_line(p_tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.stand_in_line(p_tenant uuid) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.stand_in_line(p_tenant uuid) TO jobplane_engine;


--
-- Name: FUNCTION summary(); Type: ACL; Schema: jobplane; Owner: jobplane_doors
--

REVOKE ALL ON FUNCTION jobplane.summary() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.summary() TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.summary() TO jobplane_admin;


--
-- Name: FUNCTION sweep(p_limit integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.sweep(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.sweep(p_limit integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.sweep(p_limit integer) TO jobplane_scheduler;


--
-- Name: FUNCTION take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.take(p_queue text, p_worker_id text, p_limit integer, p_lease_seconds integer, p_begun boolean, p_token uuid) TO jobplane_engine;


--
-- Name: FUNCTION take_turn(p_by text); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.take_turn(p_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.take_turn(p_by text) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.take_turn(p_by text) TO jobplane_engine;


--
-- Name: TABLE upcoming; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.upcoming TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.upcoming TO jobplane_app;
GRANT SELECT,INSERT,DELETE ON TABLE jobplane.upcoming TO jobplane_doors;


--
-- Name: FUNCTION take_waiting(p_tenant uuid, p_seq bigint); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.take_waiting(p_tenant uuid, p_seq bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.take_waiting(p_tenant uuid, p_seq bigint) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.take_waiting(p_tenant uuid, p_seq bigint) TO jobplane_engine;


--
-- Name: FUNCTION tenant_id_of(p_slug text); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.tenant_id_of(p_slug text) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.tenant_id_of(p_slug text) TO jobplane_app;
GRANT ALL ON FUNCTION jobplane.tenant_id_of(p_slug text) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.tenant_id_of(p_slug text) TO jobplane_scheduler;
GRANT ALL ON FUNCTION jobplane.tenant_id_of(p_slug text) TO jobplane_admin;


--
-- Name: FUNCTION tick(p_full boolean); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.tick(p_full boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.tick(p_full boolean) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.tick(p_full boolean) TO jobplane_scheduler;


--
-- Name: FUNCTION tidy(); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.tidy() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.tidy() TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.tidy() TO jobplane_scheduler;


--
-- Name: FUNCTION unheard_queues(); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.unheard_queues() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.unheard_queues() TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.unheard_queues() TO jobplane_engine;


--
-- Name: FUNCTION wake(p_queue integer); Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

REVOKE ALL ON FUNCTION jobplane.wake(p_queue integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.wake(p_queue integer) TO jobplane_doors;
GRANT ALL ON FUNCTION jobplane.wake(p_queue integer) TO jobplane_engine;


--
-- Name: FUNCTION wake_idle(); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.wake_idle() FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.wake_idle() TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.wake_idle() TO jobplane_scheduler;


--
-- Name: FUNCTION want_work(p_queues text[], p_seconds integer); Type: ACL; Schema: jobplane; Owner: jobplane_engine
--

REVOKE ALL ON FUNCTION jobplane.want_work(p_queues text[], p_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION jobplane.want_work(p_queues text[], p_seconds integer) TO jobplane_worker;
GRANT ALL ON FUNCTION jobplane.want_work(p_queues text[], p_seconds integer) TO jobplane_scheduler;


--
-- Name: TABLE attempts; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.attempts TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.attempts TO jobplane_doors;


--
-- Name: COLUMN attempts.seq; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(seq) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.tenant_id; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(tenant_id) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.scheduled_for; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(scheduled_for) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.started_at; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(started_at) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.finished_at; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(finished_at) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.attempt_no; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(attempt_no) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.outcome; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(outcome) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.led_to; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(led_to) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.exit_code; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(exit_code) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.progress; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(progress) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.worker_id; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(worker_id) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.reason; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(reason) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.error; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(error) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: COLUMN attempts.progress_message; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT(progress_message) ON TABLE jobplane.attempts TO jobplane_app;


--
-- Name: TABLE dedupe; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.dedupe TO jobplane_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobplane.dedupe TO jobplane_doors;


--
-- Name: TABLE deleted_queues; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.deleted_queues TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.deleted_queues TO jobplane_app;
GRANT SELECT ON TABLE jobplane.deleted_queues TO jobplane_doors;


--
-- Name: TABLE endings; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.endings TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.endings TO jobplane_app;
GRANT SELECT,INSERT,DELETE ON TABLE jobplane.endings TO jobplane_doors;


--
-- Name: COLUMN endings.finished_at; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT UPDATE(finished_at) ON TABLE jobplane.endings TO jobplane_doors;


--
-- Name: TABLE expiring; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.expiring TO jobplane_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobplane.expiring TO jobplane_doors;


--
-- Name: TABLE held; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.held TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.held TO jobplane_app;
GRANT SELECT,DELETE ON TABLE jobplane.held TO jobplane_doors;


--
-- Name: TABLE installation; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT ON TABLE jobplane.installation TO PUBLIC;
GRANT SELECT ON TABLE jobplane.installation TO jobplane_app;
GRANT SELECT ON TABLE jobplane.installation TO jobplane_worker;
GRANT SELECT ON TABLE jobplane.installation TO jobplane_scheduler;
GRANT SELECT ON TABLE jobplane.installation TO jobplane_admin;
GRANT SELECT ON TABLE jobplane.installation TO jobplane_maintenance;


--
-- Name: SEQUENCE jobs_seq_seq; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT USAGE ON SEQUENCE jobplane.jobs_seq_seq TO jobplane_doors;
GRANT USAGE ON SEQUENCE jobplane.jobs_seq_seq TO jobplane_engine;


--
-- Name: TABLE lanes; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.lanes TO jobplane_engine;


--
-- Name: TABLE leases; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.leases TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.leases TO jobplane_doors;


--
-- Name: COLUMN leases.seq; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(seq) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.tenant_id; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(tenant_id) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.scheduled_for; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(scheduled_for) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.started_at; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(started_at) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.expires_at; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(expires_at) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.cancel_requested_at; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(cancel_requested_at) ON TABLE jobplane.leases TO jobplane_app;
GRANT UPDATE(cancel_requested_at) ON TABLE jobplane.leases TO jobplane_doors;


--
-- Name: COLUMN leases.queue_id; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(queue_id) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.definition_id; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(definition_id) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.attempt_no; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(attempt_no) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.progress; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(progress) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.priority; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(priority) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.attempts_left; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(attempts_left) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.interruptions; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(interruptions) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.deduped; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(deduped) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.alone; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(alone) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.worker_id; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(worker_id) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.cancel_reason; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(cancel_reason) ON TABLE jobplane.leases TO jobplane_app;
GRANT UPDATE(cancel_reason) ON TABLE jobplane.leases TO jobplane_doors;


--
-- Name: COLUMN leases.progress_message; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(progress_message) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.begun; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT(begun) ON TABLE jobplane.leases TO jobplane_app;


--
-- Name: COLUMN leases.followed_until; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT UPDATE(followed_until) ON TABLE jobplane.leases TO jobplane_doors;


--
-- Name: TABLE limits; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.limits TO jobplane_engine;


--
-- Name: TABLE logs; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.logs TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.logs TO jobplane_app;
GRANT SELECT ON TABLE jobplane.logs TO jobplane_doors;


--
-- Name: TABLE logs_0; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.logs_0 TO jobplane_engine;


--
-- Name: TABLE logs_1; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.logs_1 TO jobplane_engine;


--
-- Name: TABLE logs_2; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.logs_2 TO jobplane_engine;


--
-- Name: TABLE migrations; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT ON TABLE jobplane.migrations TO PUBLIC;
GRANT SELECT ON TABLE jobplane.migrations TO jobplane_app;
GRANT SELECT ON TABLE jobplane.migrations TO jobplane_worker;
GRANT SELECT ON TABLE jobplane.migrations TO jobplane_scheduler;
GRANT SELECT ON TABLE jobplane.migrations TO jobplane_admin;
GRANT SELECT ON TABLE jobplane.migrations TO jobplane_maintenance;


--
-- Name: TABLE new_ids; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.new_ids TO jobplane_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobplane.new_ids TO jobplane_doors;


--
-- Name: TABLE pending; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.pending TO jobplane_engine;
GRANT SELECT,INSERT ON TABLE jobplane.pending TO jobplane_doors;


--
-- Name: COLUMN pending.turns; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT UPDATE(turns) ON TABLE jobplane.pending TO jobplane_doors;


--
-- Name: TABLE queues; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.queues TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.queues TO jobplane_app;
GRANT SELECT ON TABLE jobplane.queues TO jobplane_doors;


--
-- Name: TABLE receipts; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.receipts TO jobplane_engine;
GRANT SELECT,INSERT,DELETE ON TABLE jobplane.receipts TO jobplane_doors;


--
-- Name: COLUMN receipts.seq; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT UPDATE(seq) ON TABLE jobplane.receipts TO jobplane_doors;


--
-- Name: TABLE results; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.results TO jobplane_engine;
GRANT SELECT ON TABLE jobplane.results TO jobplane_app;
GRANT SELECT ON TABLE jobplane.results TO jobplane_doors;


--
-- Name: SEQUENCE turns; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT USAGE ON SEQUENCE jobplane.turns TO jobplane_engine;


--
-- Name: TABLE upkeep; Type: ACL; Schema: jobplane; Owner: jobplane_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.upkeep TO jobplane_engine;


--
-- Name: TABLE workers; Type: ACL; Schema: jobplane; Owner: jobplane_hot
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobplane.workers TO jobplane_engine;


--
-- Name: TABLE gates; Type: ACL; Schema: jobplane_locks; Owner: jobplane_owner
--

GRANT UPDATE ON TABLE jobplane_locks.gates TO jobplane_engine;


--
-- PostgreSQL database dump complete
--



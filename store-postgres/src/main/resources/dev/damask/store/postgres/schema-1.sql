-- Version 1: ownership, messages and cases. `@.` stands for the schema.

create table @.cluster (
  one boolean primary key default true check (one),
  id uuid not null,
  class int4 not null check (class > 0),
  schema_version int4 not null,
  format int4 not null,
  last_node int4 not null default 0,
  last_epoch int8 not null default 0,
  -- Raised by every change of `slot` or of the set of nodes.
  ownership int8 not null default 0,
  created timestamptz not null default now()
);
comment on table @.cluster is
  'one row: identity of the cluster, class of its advisory locks, version of the schema';

create table @.node (
  id int4 primary key check (id > 0),
  epoch int8 not null,
  fenced boolean not null default false,
  leaving boolean not null default false,
  address text not null,
  role text not null,
  joined timestamptz not null default now()
);

-- Touched by its own node only, so that no other statement can delay a heartbeat.
create table @.heartbeat (
  node int4 primary key,
  counter int8 not null
) with (fillfactor = 50);

create table @.slot (
  slot int2 primary key check (slot >= 0 and slot < 4096),
  owner int4 not null
) with (fillfactor = 50);
create index slot_by_owner on @.slot (owner);
insert into @.slot (slot, owner) select s, 0 from generate_series(0, 4095) s;

create table @.backend (
  pid int4 not null,
  started timestamptz not null,
  node int4 not null,
  primary key (pid, started)
);
create index backend_by_node on @.backend (node);

create table @.inbox (
  case_id text collate "C" not null,
  message_id text collate "C" not null,
  slot int2 not null,
  kind text not null,
  name text not null default '',
  -- A message has either bytes of the library or JSON of an SQL function.
  body bytea,
  payload jsonb,
  sent timestamptz not null default clock_timestamp(),
  primary key (case_id, message_id)
);
create index inbox_by_slot on @.inbox (slot);

create table @.replies (
  case_id text collate "C" not null,
  message_id text collate "C" not null,
  slot int2 not null,
  answer int4 not null,
  detail text not null default '',
  replied timestamptz not null default clock_timestamp(),
  primary key (case_id, message_id)
);
create index replies_by_time on @.replies (replied);

-- The case that each shard executes; written for a while after an engine died.
create table @.probation (
  node int4 not null,
  shard int4 not null,
  case_id text collate "C" not null,
  primary key (node, shard)
) with (fillfactor = 50);

create function @.damask_slot(case_id text) returns int2
  language sql immutable strict parallel safe
  as $$ select ((get_byte(h, 0) << 4) | (get_byte(h, 1) >> 4))::int2
        from (select sha256(convert_to(case_id, 'UTF8')) as h) as hashed $$;

create function @.damask_send(
    case_id text, message_id text, kind text, name text, payload jsonb) returns text
  language plpgsql as $$
  begin
    if case_id !~ '^[A-Za-z0-9_.:-]{1,128}$' then
      raise exception 'case id ''%'': must have 1 to 128 ASCII letters, digits and _ . : -', case_id
        using errcode = '22023';
    end if;
    if message_id = '' then
      raise exception 'case %: the message id must not be empty', case_id using errcode = '22023';
    end if;
    insert into @.inbox (case_id, message_id, slot, kind, name, payload)
      values ($1, $2, @.damask_slot($1), $3, $4, $5)
      on conflict do nothing;
    return $2;
  end $$;

create function @.damask_signal(case_id text, place text, payload jsonb default '{}',
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$ select @.damask_send($1, $4, 'signal', $2, $3) $$;

create function @.damask_start(workflow text, case_id text, context jsonb default '{}',
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$ select @.damask_send($2, $4, 'start', $1, $3) $$;

create function @.damask_complete(case_id text, task text, result jsonb default '{}',
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$ select @.damask_send($1, $4, 'complete', $2, $3) $$;

create function @.damask_fail(case_id text, task text, reason text,
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$
    select @.damask_send($1, $4, 'fail', $2, jsonb_build_object('reason', $3)) $$;

create function @.damask_cancel(case_id text, scope text default 'case', reason text default '',
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$
    select @.damask_send($1, $4, 'cancel', $2, jsonb_build_object('reason', $3)) $$;

create function @.damask_retry(case_id text,
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$ select @.damask_send($1, $2, 'retry', '', '{}') $$;

create function @.damask_wake(case_id text,
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$ select @.damask_send($1, $2, 'wake', '', '{}') $$;

create view @.nodes as
  select n.id, n.epoch, n.fenced, n.leaving, n.address, n.joined, h.counter as heartbeat,
      (select count(*) from @.slot s where s.owner = n.id) as slots,
      (select count(*) from @.inbox i join @.slot s on s.slot = i.slot where s.owner = n.id)
        as inbox
    from @.node n left join @.heartbeat h on h.node = n.id;

-- Cases. Bytes are those of the other stores. `commit_*` is the id of the commit that wrote a row.
create table @.cases (
  case_id text collate "C" primary key,
  slot int2 not null,
  workflow text not null,
  program bytea not null,
  status int2 not null,
  revision int8 not null,
  epoch int8 not null,
  started int8 not null,
  changed int8 not null,
  checksum int4 not null,
  record bytea not null,
  commit_node int4 not null,
  commit_epoch int8 not null,
  commit_number int8 not null
) with (fillfactor = 70);
create index cases_by_status on @.cases (status, started, case_id);

-- The attributes of a case and what it waits for. `key` sorts as the values do.
create table @.facts (
  name text collate "C" not null,
  key bytea not null,
  started int8 not null,
  case_id text collate "C" not null,
  primary key (name, key, started, case_id)
);
create index facts_by_case on @.facts (case_id);

-- The cases that have ended. Transactions become visible in another order than their rows are
-- numbered, so readers wait until every older transaction has ended.
create table @.ended (
  case_id text collate "C" primary key,
  xid xid8 not null default pg_current_xact_id(),
  number int8 generated always as identity
);
create index ended_in_order on @.ended (xid, number);

-- The state of a revision: a base is whole, a delta continues the revision before.
create table @.bases (
  case_id text collate "C" not null,
  revision int8 not null,
  record bytea not null,
  commit_node int4 not null,
  commit_epoch int8 not null,
  commit_number int8 not null,
  primary key (case_id, revision)
);

create table @.deltas (
  case_id text collate "C" not null,
  revision int8 not null,
  record bytea not null,
  commit_node int4 not null,
  commit_epoch int8 not null,
  commit_number int8 not null,
  primary key (case_id, revision)
);

-- Large values that records of a case refer to by hash.
create table @."values" (
  case_id text collate "C" not null,
  hash bytea not null,
  value bytea not null,
  -- The journal refers to it, so it stays as long as the case.
  lasting boolean not null default false,
  primary key (case_id, hash)
);

-- The inputs of each commit.
create table @.journal (
  case_id text collate "C" not null,
  revision int8 not null,
  inputs bytea not null,
  primary key (case_id, revision)
);

create table @.due (
  case_id text collate "C" primary key,
  slot int2 not null,
  due int8 not null
) with (fillfactor = 70);
create index due_by_time on @.due (due, case_id);

create table @.intents (
  case_id text collate "C" not null,
  effect int8 not null,
  slot int2 not null,
  node int4 not null,
  intent bytea not null,
  primary key (case_id, effect)
);

create table @.receipts (
  case_id text collate "C" not null,
  number int8 not null,
  receipt bytea not null,
  primary key (case_id, number)
);

create table @.keys (
  type text collate "C" not null,
  key text collate "C" not null,
  case_id text collate "C" not null,
  receipt int8 not null,
  primary key (type, key)
);
create index keys_by_case on @.keys (case_id);

create table @.consumed (
  case_id text collate "C" not null,
  message_id text collate "C" not null,
  answer int4 not null,
  primary key (case_id, message_id)
);

create table @.trace (
  case_id text collate "C" not null,
  revision int8 not null,
  part bytea not null,
  primary key (case_id, revision)
);

create table @.programs (
  hash bytea primary key,
  name text not null,
  source bytea not null
);

-- Rows beside the cases. Texts are stored as UTF-8, because they may contain U+0000.
create table @.rows (
  kind bytea not null,
  key bytea not null,
  version int8 not null,
  bytes bytea not null,
  index_key bytea not null,
  checksum int4 not null,
  primary key (kind, key, version)
);
create index rows_by_index on @.rows (kind, index_key, key, version) where index_key <> '';

create view @.row_list as
  select encode(kind, 'escape') as kind, encode(key, 'escape') as key, version,
      encode(index_key, 'escape') as index_key, length(bytes) as bytes
    from @.rows;

create view @.case_list as
  select case_id, workflow,
      (array['running', 'waiting', 'deadlocked', 'quarantined', 'completed', 'failed',
        'cancelled'])[status + 1] as status,
      revision, to_timestamp(started / 1000.0) as started, to_timestamp(changed / 1000.0) as changed,
      slot
    from @.cases;

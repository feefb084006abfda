-- Version 3: the last commit of each node, cases on probation, permits, the audit log, claims of
-- tasks, and paused cases. `@.` stands for the schema.

-- The number of the last commit of each node's writer. A commit in doubt has happened if this
-- number is not smaller than its own; the rows of the commit may have been replaced meanwhile.
create table @.last_commit (
  node int4 primary key,
  number int8 not null
) with (fillfactor = 50);

-- Cases that may have killed their node, until they have run on another one.
create table @.suspects (
  case_id text collate "C" primary key,
  slot int2 not null,
  -- Cases of one batch run together.
  batch int8 not null,
  -- The node that runs the batch now; 0 if it waits.
  node int4 not null default 0,
  -- How many nodes died while the case was alone in its batch.
  deaths int4 not null default 0
) with (fillfactor = 70);
create index suspects_by_slot on @.suspects (slot);
comment on table @.suspects is
  'cases that were active when their node died; they resume in batches';
alter table @.cluster add column last_batch int8 not null default 0;

-- The limits of effects, one row for each type and key. Locked by the node that borrows.
create table @.permit_limits (
  type text collate "C" not null,
  key text collate "C" not null,
  primary key (type, key)
);

-- What nodes have borrowed of a limit and what they need.
create table @.permits (
  type text collate "C" not null,
  key text collate "C" not null,
  node int4 not null,
  held int4 not null,
  needed int4 not null,
  -- Since when the longest of its calls waits, in milliseconds, less its priority.
  rank int8 not null,
  primary key (type, key, node)
) with (fillfactor = 50);
create index permits_by_node on @.permits (node);

-- The calls of limited rates that nodes were allowed, by the database's clock.
create table @.permit_uses (
  type text collate "C" not null,
  at_millis int8 not null,
  calls int4 not null
);
create index permit_uses_by_time on @.permit_uses (type, at_millis);

-- Who did what. Entries are never changed.
create table @.audit (
  xid xid8 not null default pg_current_xact_id(),
  number int8 generated always as identity,
  at int8 not null,
  actor text not null,
  action text not null,
  case_id text collate "C" not null,
  subject text not null,
  outcome text not null,
  reason text not null,
  primary key (xid, number)
);
create index audit_by_case on @.audit (case_id);

-- The tasks that workers hold, each until its lease ends. A claim does not change its case.
create table @.claims (
  case_id text collate "C" not null,
  effect int8 not null,
  claim text collate "C" not null,
  worker text not null,
  type text collate "C" not null,
  attempt int4 not null,
  once boolean not null,
  claimed int8 not null,
  until int8 not null,
  primary key (case_id, effect)
);
create index claims_by_end on @.claims (until);

create or replace view @.case_list as
  select case_id, workflow,
      (array['running', 'waiting', 'deadlocked', 'quarantined', 'completed', 'failed',
        'cancelled', 'corrupt', 'paused'])[status + 1] as status,
      revision, to_timestamp(started / 1000.0) as started, to_timestamp(changed / 1000.0) as changed,
      slot
    from @.cases;

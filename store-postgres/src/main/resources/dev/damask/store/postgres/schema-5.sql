-- Version 5: an index of cases by workflow, migration by SQL, the programs of each node, when nodes
-- were fenced, and views of replies and receipts. `@.` stands for the schema.

-- The cases of one workflow are listed without reading the others.
create index cases_by_workflow on @.cases (workflow collate "C", status, started, case_id);

-- Moves a case to the program that its owner has under the name of a workflow. The mapping has
-- objects `tasks`, `scopes`, `places` and `definitions`, each from an old name to a new one.
create function @.damask_migrate(case_id text, workflow text, mapping jsonb default '{}',
    message_id text default gen_random_uuid()::text) returns text
  language sql as $$ select @.damask_send($1, $4, 'migrate', $2, $3) $$;

-- The programs that each node has. The empty hash means that the node has reported them.
create table @.node_programs (
  node int4 not null,
  hash bytea not null,
  primary key (node, hash)
);

-- A program without a source exists in the code of an application only.
create view @.missing_programs as
  select s.owner as node, c.workflow, encode(c.program, 'hex') as program, count(*) as cases
    from @.cases c join @.slot s on s.slot = c.slot
    where c.status in (0, 1, 2, 3, 8)
      -- Orchestrations keep their programs in their sessions.
      and not starts_with(c.case_id, 'registry:') and not starts_with(c.case_id, 'session:')
      and c.program in (
        select p.hash from @.programs p join @.node_programs r on r.hash = ''
          where p.source = '' and not exists (
            select 1 from @.node_programs k where k.node = r.node and k.hash = p.hash))
      and exists (select 1 from @.node_programs r where r.node = s.owner and r.hash = '')
      and not exists (
        select 1 from @.node_programs k where k.node = s.owner and k.hash = c.program)
    group by s.owner, c.workflow, c.program;
comment on view @.missing_programs is
  'programs that the owner of cases lacks; the cases wait until a node has them';

-- When a node was fenced: it is listed for a day. The newest version that the node supports; null
-- before version 5.
alter table @.node add column fenced_at timestamptz;
alter table @.node add column version int4;

create view @.reply_list as
  select case_id, message_id,
      case answer when 0 then 'applied' when 1 then 'lost, or done before' when 2 then 'buffered'
        when 3 then 'rejected' when 4 then 'late' when 5 then 'no such region'
        when 6 then 'case ended' when 7 then 'stored' when 100 then 'not valid'
        when 101 then 'not possible' when 102 then 'another revision'
        else 'answer ' || answer end as outcome,
      detail, revision, replied
    from @.replies;

-- Reads a natural number in seven-bit groups at a position; returns it and the position after it.
create function @.damask_natural(bytes bytea, inout at int4, out value int8)
  language plpgsql immutable strict parallel safe as $$
  declare
    octet int4;
    shift int4 := 0;
  begin
    value := 0;
    loop
      octet := get_byte(bytes, at);
      at := at + 1;
      value := value | ((octet & 127)::int8 << shift);
      exit when octet < 128;
      shift := shift + 7;
    end loop;
  end $$;

-- Reads a string at a position. Bytes that are not valid UTF-8 are shown in the escape format.
create function @.damask_text(bytes bytea, inout at int4, out value text)
  language plpgsql immutable strict parallel safe as $$
  declare
    size int8;
    part bytea;
  begin
    select n.at, n.value into at, size from @.damask_natural(bytes, at) n;
    part := substring(bytes from at + 1 for size::int4);
    at := at + size::int4;
    begin
      value := convert_from(part, 'UTF8');
    exception when others then
      value := encode(part, 'escape');
    end;
  end $$;

-- What a stored receipt says, without the result of the effect.
create function @.damask_receipt(receipt bytea, out effect text, out task text, out type text,
    out key text, out attempt int8, out received timestamptz, out result text)
  language plpgsql immutable strict parallel safe as $$
  declare
    at int4 := 0;
    size int8;
    millis int8;
  begin
    select n.at, n.value into at, size from @.damask_natural(receipt, 0) n;
    select n.at into at from @.damask_natural(receipt, at + size::int4) n;
    effect := encode(substring(receipt from at + 1 for 8), 'hex');
    select t.at, t.value into at, task from @.damask_text(receipt, at + 8) t;
    select t.at, t.value into at, type from @.damask_text(receipt, at) t;
    select t.at, t.value into at, key from @.damask_text(receipt, at) t;
    select n.at, n.value into at, attempt from @.damask_natural(receipt, at) n;
    select n.at, n.value into at, millis from @.damask_natural(receipt, at) n;
    received := to_timestamp(((millis >> 1) # -(millis & 1)) / 1000.0);
    result := (array['ok', 'failed', 'cancelled', 'late', 'duplicate', 'indeterminate',
      'refused', 'approved'])[(get_byte(receipt, at) & 15) + 1];
  end $$;

create view @.receipt_list as
  select r.case_id, r.number, d.effect, d.task, d.type, d.key, d.attempt, d.received, d.result,
      length(r.receipt) as bytes
    from @.receipts r, lateral @.damask_receipt(r.receipt) d;

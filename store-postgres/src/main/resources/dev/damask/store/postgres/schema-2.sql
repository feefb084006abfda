-- Version 2: several nodes apply messages. `@.` stands for the schema.

alter table @.replies add column revision int8 not null default 0;

-- Why a message is not applied yet, and since when.
alter table @.inbox add column held text;
alter table @.inbox add column held_at timestamptz;

-- Users' keys whose effects run, so that one call with a key runs at a time in the whole cluster.
create table @.key_claims (
  type text collate "C" not null,
  key text collate "C" not null,
  case_id text collate "C" not null,
  effect int8 not null,
  node int4 not null,
  primary key (type, key)
);

create index intents_by_node on @.intents (node);
create index intents_by_slot on @.intents (slot);

create view @.held_messages as
  select i.case_id, i.message_id, i.kind, i.name, i.sent, i.held, i.held_at, s.owner as node
    from @.inbox i join @.slot s on s.slot = i.slot where i.held is not null;
comment on view @.held_messages is 'messages that their owner cannot apply yet, with the reason';

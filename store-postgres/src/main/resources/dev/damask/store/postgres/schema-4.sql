-- Version 4: the changes of all cases, written while a server streams them. `@.` stands for the
-- schema.

-- Transactions become visible in another order than their rows are numbered, so readers wait until
-- every older transaction has ended.
create table @.changes (
  xid xid8 not null default pg_current_xact_id(),
  number int8 generated always as identity,
  at int8 not null default (extract(epoch from clock_timestamp()) * 1000)::int8,
  case_id text collate "C" not null,
  workflow text not null,
  status int2 not null,
  revision int8 not null,
  primary key (xid, number)
);
create index changes_by_time on @.changes (at);

-- Until when commits write their changes, and the place since which none is missing.
create table @.watch (
  id int2 primary key default 1 check (id = 1),
  until int8 not null,
  since xid8 not null,
  since_number int8 not null default 0
) with (fillfactor = 50);
insert into @.watch (until, since) values (0, pg_current_xact_id());

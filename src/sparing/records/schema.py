"""All schemas there ever were, oldest first. Only ever append."""

from __future__ import annotations

MIGRATIONS = (
    """\
create table features (
  key text primary key, number integer not null, slug text not null, title text not null,
  flow text not null, repository text not null, base_branch text not null,
  base_commit text not null, created real not null, status text not null,
  overrides text not null, generation integer not null, leg integer not null,
  place text not null, head text not null, running integer not null, updated real not null,
  unique (repository, number)
);
create table gates (
  id text primary key, feature text not null references features(key), stage text not null,
  kind text not null, reason text not null, opened real not null,
  answer text, feedback text, answered_by text, answered real
);
create table mailbox (
  n integer primary key autoincrement, key text not null unique,
  feature text not null references features(key), verb text not null, gate text not null,
  body text not null, sender text not null, sent real not null, done real, result text
);
create table events (
  n integer primary key autoincrement, key text not null unique,
  feature text not null references features(key), at real not null, kind text not null,
  stage text not null, role text not null, text text not null, data text not null
);
create table sessions (
  feature text not null references features(key), stage text not null, role text not null,
  id text not null, backend text not null, model text not null, prompt_chars integer not null,
  context_tokens integer not null, iteration integer not null, commit_id text not null,
  last_activity real not null,
  primary key (feature, stage, role)
);
create table ledger (
  dispatch text not null, attempt integer not null,
  feature text not null references features(key), stage text not null, role text not null,
  iteration integer not null, task text not null, way text not null, reason text not null,
  backend text not null, model text not null, session text not null, prompt text not null,
  prompt_chars integer not null, naive text not null, started real not null,
  uncached integer, read integer, write_5m integer, write_1h integer, output integer,
  origin text, calls text, context_tokens integer, seconds real, files_read text, reply text,
  failure text, detail text,
  primary key (dispatch, attempt)
);
create index ledger_by_feature on ledger (feature, started);
create table verdicts (
  dispatch text primary key, feature text not null references features(key),
  stage text not null, role text not null, iteration integer not null, commit_id text not null,
  approved integer not null, passed integer not null, findings text not null,
  summary text not null, at real not null
)""",
    """\
alter table ledger add column template text not null default '';
alter table ledger add column leg integer not null default 0;
alter table ledger add column billing text not null default 'api';
alter table ledger add column day text not null default '';
alter table ledger add column outcome text not null default 'open';
alter table ledger add column nano_usd integer;
alter table ledger add column held_tokens integer not null default 0;
alter table ledger add column held_nano_usd integer not null default 0;
update ledger set day = date(started, 'unixepoch'),
  outcome = case when origin is null then 'unknown' else 'known' end;
create table totals (
  scope text not null, name text not null, turns integer not null, measured integer not null,
  simulated integer not null, estimated integer not null, unpriced integer not null,
  subscription integer not null, uncached integer not null, read integer not null,
  write_5m integer not null, write_1h integer not null, output integer not null,
  nano_usd integer not null, seconds real not null, charged_tokens integer not null,
  charged_nano_usd integer not null,
  primary key (scope, name)
) without rowid;
insert into totals
select scopes.scope,
  case scopes.scope when 'feature' then feature when 'feature stage' then feature || ' ' || stage
    when 'stage' then stage when 'role' then role when 'model' then model when 'way' then way
    else day end as name,
  count(*), sum(origin is 'measured'), sum(origin is 'simulated'), sum(origin is 'estimated'),
  count(origin), 0, total(uncached), total(read), total(write_5m), total(write_1h),
  total(output), 0, total(seconds),
  total(uncached) + total(read) + total(write_5m) + total(write_1h) + total(output), 0
from ledger, (
  select 'feature' as scope union select 'feature stage' union select 'stage' union
  select 'role' union select 'model' union select 'way' union select 'day'
) as scopes
group by scopes.scope, name;
create index ledger_open on ledger (dispatch) where outcome = 'open';
create index ledger_unpriced on ledger (model) where outcome = 'known' and nano_usd is null;
create table raises (
  n integer primary key autoincrement, feature text not null references features(key),
  scope text not null, name text not null, measure text not null, amount integer not null,
  sender text not null, at real not null
);
create index raises_by_name on raises (scope, name);
create index events_by_feature on events (feature, kind, n)""",
    """\
create table findings (
  feature text not null references features(key), stage text not null, id text not null,
  role text not null, first integer not null, last integer not null, state text not null,
  body text not null,
  primary key (feature, stage, id)
);
create table rulings (
  feature text not null references features(key), stage text not null, finding text not null,
  ruling text not null, words text not null, at real not null,
  primary key (feature, stage, finding)
)""",
    """\
alter table verdicts add column quotes text not null default '[]';
alter table sessions add column opening text not null default '';
alter table sessions add column last_call real not null default 0;
alter table sessions add column answer_tokens integer not null default 0;
alter table ledger add column trunk text not null default '';
alter table ledger add column sent text not null default '{}';
create index ledger_by_trunk on ledger (trunk, started);
create index ledger_by_role on ledger (role, started);
create index ledger_resumed on ledger (backend, started) where way = 'resume';
create index ledger_by_session on ledger (feature, session)""",
    """\
create table resume_checks (
  backend text not null, version text not null, at real not null, model text not null,
  reason text not null, share real, items text not null, uncached integer not null,
  read integer not null, write_5m integer not null, write_1h integer not null,
  output integer not null, origin text not null, seconds real not null, chars integer not null,
  booked text not null,
  primary key (backend, version)
)""",
    """\
alter table features add column description text not null default '';
alter table features add column source text not null default '';
alter table features add column project text not null default '';
alter table features add column depends_on text not null default '[]';
alter table features add column priority text not null default 'medium'""",
    """\
alter table features add column asked text not null default ''""",
    """\
create table tool_checks (
  backend text not null, version text not null, model text not null, at real not null,
  reason text not null, items text not null, uncached integer not null, read integer not null,
  write_5m integer not null, write_1h integer not null, output integer not null,
  origin text not null, seconds real not null,
  primary key (backend, version, model)
);
alter table ledger add column opened text not null default '[]'""",
    """\
create table quoted_facts (
  feature text not null references features(key), dispatch text not null, n integer not null,
  stage text not null, role text not null, body text not null, at real not null,
  primary key (feature, dispatch, n)
);
create table sheet_parts (
  feature text not null references features(key), stage text not null, shown integer not null,
  body text not null, quotes text not null, commit_id text not null, at real not null,
  primary key (feature, stage)
)""",
    """\
create table conversations (
  session text primary key, backend text not null, model text not null, turns integer not null,
  body text not null, at real not null
)""",
    """\
alter table features add column executor text not null default '';
alter table features add column disk text not null default '';
create table workers (
  id text primary key, host text not null, person text not null, process integer not null,
  version text not null, kernel text not null, disk text not null, checkout text not null,
  backends text not null, slots integer not null, started real not null,
  draining integer not null
)""",
    """
alter table features add column starter text not null default ''""",
    """\
create table approvals (
  feature text not null references features(key), stage text not null, sections text not null,
  commit_id text not null, at real not null,
  primary key (feature, stage)
)""",
)

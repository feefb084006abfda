// The panels beside the drawing of a case: a task, the state of a position, the trace.
import { at, getText } from './api.js';
import { blank, code, copied, el, icon, pairs, part, pill, time } from './dom.js';
import { changes, isHeld } from './past.js';
import { bytes, clock, count, json, number, sentence, short, span, status, until, when } from './words.js';

const SIGNS = { '+': 'added', '~': 'changed', '−': 'removed' };
const VALUE_MAX = 400;
const JOINS = { par: 'all branches', or: 'chosen branches', mi: 'instances', each: 'instances', discriminator: 'first branches' };
const HELD = { FOR_DECISION: 'waits for a decision', FOR_TIME: 'waits for its time', APPROVED: 'approved' };

export function contextTable(rows) {
  return el('table', { class: 'ctx' }, el('tbody', {}, rows.map(({ sign, kind, key, value, old }) => el('tr', { class: kind },
    el('td', { 'aria-label': SIGNS[sign] ?? null }, sign), el('td', { dir: 'auto' }, short(key, 80)),
    el('td', { dir: 'auto' }, old !== undefined ? [el('s', {}, short(old, VALUE_MAX)), ' '] : null, short(value ?? '', VALUE_MAX))))));
}

function entry(sign, tone, text, small, right) {
  return el('li', {}, icon(sign, `is-${tone}`), el('span', { dir: 'auto' }, text, small ? el('small', {}, small) : null), right ?? el('span'));
}
/** The address of a line of the document, in the version that a state belongs to. */
export function lineAddress({ workflow, program }, line) {
  return `#/workflows/${at(workflow)}?line=${line}${program ? `&program=${encodeURIComponent(program)}` : ''}`;
}
function lineLink(workflow, line) {
  if (!line) return el('span');
  return workflow.go ? el('button', { class: 'copy r', type: 'button', onclick: () => workflow.go(line) }, `line ${line}`) : el('a', { class: 'r', href: lineAddress(workflow, line) }, `line ${line}`);
}

const SCOPES = { region: 'Scope', set: 'Instances', call: 'Call', net: 'Graph', group: 'Join group' };
const PROGRESS = { DELIVERED: 'has its result; the rest of it still ends', CANCELLING: 'is being cancelled' };

/** The open scopes, each below the one around it. Blocks and their branches are shown as joins. */
function scopeList(state) {
  const all = new Map((state.scopes ?? []).map(scope => [scope.id, scope]));
  const inside = new Map();
  for (const token of state.tokens ?? []) {
    for (let scope = all.get(token.scope); scope; scope = all.get(scope.parent)) inside.set(scope.id, (inside.get(scope.id) ?? 0) + 1);
  }
  const depth = scope => { let n = 0; for (let each = all.get(scope.parent); each; each = all.get(each.parent)) if (SCOPES[each.kind]) n++; return Math.min(n, 6); };
  return [...all.values()].filter(scope => SCOPES[scope.kind]).slice(0, 60).map(scope => {
    const made = entry(scope.progress === 'CANCELLING' ? 'gone' : 'flow', scope.progress === 'CANCELLING' ? 'wait' : 'plain', `${SCOPES[scope.kind]} ${short(scope.name, 60)}`.trim(),
      [PROGRESS[scope.progress], count(inside.get(scope.id) ?? 0, 'token')].filter(Boolean).join(', '), null);
    made.classList.add(`deep-${depth(scope)}`);
    return made;
  });
}

// What is undone first comes first. What has begun is undone whatever happens.
function undoParts(undo, state, workflow) {
  const scopes = new Map((state.scopes ?? []).map(scope => [scope.id, scope]));
  const list = all => el('ol', { class: 'steps' }, all.slice(0, 60).map(each => el('li', {},
    el('span', { class: 'row far' }, el('span', { dir: 'auto' }, short(`${each.name ?? each}${each.label ? ` [${each.label}]` : ''}`, 60),
      scopes.get(each.scope)?.name ? el('small', { class: 'quiet' }, ` in ${short(scopes.get(each.scope).name, 40)}`) : null), lineLink(workflow, each.line)))));
  const begun = undo.filter(each => each.begun), later = undo.filter(each => !each.begun);
  return [begun.length ? part('Being undone', 'next first', list(begun)) : null, later.length ? part('Would be undone', 'next first', list(later)) : null].filter(Boolean);
}

function caseLink(id) {
  return el('a', { href: `#/cases/${at(id)}`, dir: 'auto' }, short(id, 50));
}
/** The parent and the children of a case, one click away. */
function familyPart({ parent, children = [], moreChildren } = {}) {
  if (!parent && !children.length) return [];
  const plain = task => String(task ?? '').replace(/#1$/, '');
  return [part('Related cases', [parent ? '1 parent' : '', children.length ? `${count(children.length, 'child', 'children')}${moreChildren ? ' or more' : ''}` : ''].filter(Boolean).join(', '), el('ul', { class: 'list', id: 'family' },
    parent ? entry('up', 'plain', ['Parent ', caseLink(parent.id)], `its task ${plain(parent.task)} started this case${parent.detached ? ' and does not wait for it' : ''}`) : null,
    children.slice(0, 100).map(each => {
      const [tone, sign, word] = each.status ? status(each.status) : ['plain', 'dash', 'removed'];
      return entry(sign, tone, ['Child ', each.status ? caseLink(each.id) : short(each.id, 50)], `${sentence(plain(each.task))}: ${word.toLowerCase()}${each.detached ? ', not waited for' : ''}`, el('span', { class: 'quiet', dir: 'auto' }, short(each.workflow ?? '', 24)));
    })))];
}

export function statePanel(pane, { state, before, position, flow, isFork, workflow, family }) {
  const names = new Map((flow.places ?? []).map(each => [each.id, each]));
  const rows = changes(before?.context ?? (position === 1 && !isFork ? null : before ? {} : null), state.context ?? {});
  const changed = rows.filter(row => row.sign).length;
  const since = isFork ? 'now' : `position ${position - 1}`;
  const own = (state.tokens ?? []).filter(token => token.context && Object.keys(token.context).length && json(token.context) !== json(state.context));
  const waits = token => (token.waitsFor ? `waits for ${String(token.waitsFor).replace(/#1$/, '')}` : '') || ({ EFFECT: `waits for task ${token.task ?? ''}`, AWAIT: 'waits for a signal or a time', QUEUED: 'waits at a join', HELD: 'waits at a gate' }[token.activity] ?? '');
  const timers = state.timers?.length ? state.timers : state.due ? [{ name: 'next timer', due: state.due }] : [];
  const effects = state.effects ?? [], undo = state.undo ?? [], scopes = scopeList(state);
  pane.replaceChildren(
    part('Context', position === 1 && !isFork ? 'as started' : changed ? `${changed} changed since ${since}` : `as at ${since}`, rows.length ? contextTable(rows) : el('p', { class: 'quiet' }, 'Empty')),
    part('Tokens', count((state.tokens ?? []).length, 'token'), el('ul', { class: 'list' }, (state.tokens ?? []).slice(0, 60).map(token => {
      const place = names.get(token.element);
      return entry('token', 'plain', `${token.token ?? token.id} at ${short(place?.name || place?.kind || token.element || '', 60)}${token.label ? ` [${token.label}]` : ''}`, short([waits(token)].flat().join(', '), 160), lineLink(workflow, token.line ?? place?.line));
    }))),
    ...(effects.length ? [part('Calls', count(effects.length, 'open call'), el('ul', { class: 'list' }, effects.slice(0, 60).map(effect => entry(effect.incident ? 'warn' : isHeld(effect) ? 'pause' : 'effect', effect.incident ? 'fail' : isHeld(effect) ? 'gone' : 'run', short(effect.task ?? effect.name, 60).replace(/#1$/, ''),
      [effect.attempts ? `attempt ${effect.attempts}${effect.max ? ` of ${effect.max}` : ''}` : '', effect.incident ? 'an incident' : '', HELD[effect.held] ?? '', effect.next && !effect.incident ? `next attempt ${until(effect.next)}` : ''].filter(Boolean).join(', '), effect.deadline ? time(effect.deadline, until(effect.deadline)) : effect.started ? time(effect.started, when(effect.started)) : null))))] : []),
    ...((state.joins ?? []).length ? [part('Joins', '', el('ul', { class: 'list' }, state.joins.slice(0, 40).map(join => entry('join', join.completed >= join.required ? 'done' : 'plain', `${join.completed} of ${join.required} have arrived`, short([join.name, JOINS[names.get(join.element)?.kind] ?? names.get(join.element)?.kind, join.policy === 'all' ? 'all are needed' : join.policy].filter(Boolean).join(', '), 80), lineLink(workflow, join.line ?? names.get(join.element)?.line)))))] : []),
    ...(scopes.length ? [part('Scopes', `${scopes.length} open`, el('ul', { class: 'list', id: 'scopes' }, scopes))] : []),
    ...undoParts(undo, state, workflow),
    part('Timers', timers.length ? '' : 'none', el('ul', { class: 'list' }, timers.slice(0, 40).map(timer => entry('timer', 'event', short(timer.name || timer.element || 'timer', 60), until(timer.due), time(timer.due, when(timer.due)))))),
    ...(Object.keys(state.places ?? {}).length && !Array.isArray(state.places) ? [part('Places', '', contextTable(changes(before && !Array.isArray(before.places) ? before.places ?? null : null, state.places).map(row => ({ ...row, value: row.value && count(Number(row.value), 'token'), old: row.old && count(Number(row.old), 'token') }))))] : []),
    ...(own.length ? [part('Contexts of tokens', '', ...own.slice(0, 12).map(token => el('details', {}, el('summary', {}, `Token ${token.token ?? token.id}`), contextTable(changes(null, token.context)))))] : []),
    ...familyPart(family),
    ...(state.output !== undefined && state.output !== null ? [part('Result', '', code(state.output))] : []));
}

export function taskPanel(pane, { place, picked, flow, receipts, state, events, now, isPast, workflow }) {
  if (!picked || !place) {
    pane.replaceChildren(blank('effect', 'No task is chosen', 'Choose a box in the drawing to see its attempts, its receipts and its payload.'));
    return;
  }
  const name = place.name ?? '';
  const until = isPast && events[now]?.at ? Date.parse(events[now].at) : Infinity;
  const isMine = each => (each.element ? each.element === picked : String(each.name ?? each.task ?? '').replace(/(\[[^\]]*\])*(#\d+)?$/, '') === name);
  const mine = receipts.filter(each => isMine(each) && !(Date.parse(each.ended ?? each.at) > until + 1));
  const open = (state.effects ?? []).filter(isMine);
  const lastOne = mine.at(-1);
  const [tone, word] = open.length ? (open[0].incident ? ['fail', 'Incident'] : isHeld(open[0]) || open[0].next ? ['wait', 'Waits'] : ['run', 'Runs']) : !lastOne ? ['plain', 'Not called'] : isGood(lastOne) ? ['done', 'Done'] : ['fail', 'Failed'];
  const head = el('section', { class: 'part' }, el('div', { class: 'row far' }, pill(tone, tone === 'plain' ? 'dash' : tone, word), place.line ? el('a', { class: 'small', href: lineAddress(workflow, place.line) }, `line ${place.line}`) : el('span', { class: 'small quiet' }, place.kind ?? '')));
  if (!open.length && !mine.length) {
    pane.replaceChildren(head, blank('clock', `${short(name || place.kind || 'This', 60)} has not run`, isPast ? `It had not been called at position ${now + 1}.` : 'It has not been called yet.'));
    return;
  }
  const call = open[0] ?? {}, key = call.key ?? lastOne?.key, payload = call.payload ?? lastOne?.payload;
  pane.replaceChildren(head,
    part('Attempts', call.attempts ? `${call.attempts}${call.max ? ` of ${call.max}` : ''}` : count(mine.length, 'receipt'), el('ul', { class: 'list' },
      open.map(each => entry('run', 'run', `Attempt ${each.attempts ?? 1}: ${each.incident ? 'is an incident' : isHeld(each) ? 'is held' : 'is open'}`, each.next && !each.incident ? `next attempt at ${when(each.next)}` : each.deadline ? `deadline ${when(each.deadline)}` : null, each.started ? time(each.started, clock(each.started)) : null)),
      [...mine].reverse().slice(0, 40).map(each => entry(isGood(each) ? 'done' : 'fail', isGood(each) ? 'done' : 'fail', `Attempt ${each.attempt ?? 1}: ${isGood(each) ? 'done' : `failed, ${short([each.reason ?? each.outcome, each.detail].filter(Boolean).join(': '), 120)}`}`,
        each.started && each.ended ? `took ${span(Date.parse(each.ended) - Date.parse(each.started))}` : null, each.ended || each.at ? time(each.ended ?? each.at, clock(each.ended ?? each.at)) : null)))),
    ...(lastOne ? [part('Receipt', `number ${lastOne.number}`, el('div', { class: 'chain' },
      receipts.filter(each => each.number < lastOne.number && each.number >= lastOne.number - 2).flatMap(each => [el('span', {}, `#${each.number}`), el('i')]), el('b', {}, `#${lastOne.number}`), lastOne.hash ? el('span', {}, String(lastOne.hash).slice(0, 12).replace(/(.{4})(?=.)/g, '$1 ')) : null),
    el('p', { class: 'small quiet' }, `${number(lastOne.number)} of ${number(receipts.at(-1)?.number ?? lastOne.number)} in the chain of this case.`))] : []),
    part('Call', '', pairs(key ? ['Key', copied(key)] : null, lastOne && isGood(lastOne) && lastOne.result !== undefined ? ['Answer', el('code', { dir: 'auto' }, short(json(lastOne.result), 400))] : lastOne && !isGood(lastOne) ? ['Answer', el('code', { dir: 'auto' }, short(lastOne.reason ?? lastOne.outcome ?? '', 400))] : null, call.deadline ? ['Deadline', time(call.deadline, when(call.deadline))] : null)),
    ...(payload !== undefined && payload !== null ? [part('Payload', bytes(json(payload).length), code(payload))] : []));
}
function isGood(receipt) {
  return ['ok', 'approved', 'duplicate', 'late'].includes(String(receipt.outcome ?? 'ok').toLowerCase());
}

let traceOf = '';
export async function tracePanel(pane, path, revision) {
  const mine = `${path} ${revision}`;
  if (traceOf === mine && pane.childNodes.length) return;
  traceOf = mine;
  try {
    const text = await getText(`${path}/trace`, {}, 'application/json, text/plain');
    if (traceOf !== mine) return;
    let lines;
    try {
      const read = JSON.parse(text);
      lines = (read.items ?? read.lines ?? read).map(each => (typeof each === 'string' ? each : each.text ?? JSON.stringify(each)));
    } catch { lines = text.split('\n').filter(Boolean); }
    pane.replaceChildren(part('Trace', count(lines.length, 'event'), lines.length ? el('ul', { class: 'log', tabindex: 0, 'aria-label': 'Trace' }, lines.slice(-2000).map(each => el('li', {}, short(each, 400)))) : el('p', { class: 'quiet' }, 'No trace is kept for this case.')));
  } catch (problem) { pane.replaceChildren(blank('warn', 'The trace cannot be shown', problem.message)); }
}

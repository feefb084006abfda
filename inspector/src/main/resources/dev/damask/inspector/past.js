// The positions of a case and its states, loaded in windows.
import { at, get } from './api.js';
import { event } from './words.js';

const PAGE = 1000;
const WINDOW = 60;
const JUMP = 10;
const STATES_MAX = 1200;

export class Past {
  /** loaded is called when more positions are here, arrived when a window of states is. */
  constructor(id, { loaded, arrived }) {
    Object.assign(this, { path: `cases/${at(id)}`, loaded, arrived, events: [], total: 0, states: new Map(), asked: new Set(), last: 0, wanted: null, busy: false });
  }

  /** Loads the first and the last page; the others follow by themselves. */
  async open() {
    this.asked.add(0);
    const first = await get(`${this.path}/positions`, { from: 1, limit: PAGE });
    this.take(first);
    if (this.total > PAGE) {
      await this.page(Math.floor((this.total - 1) / PAGE));
      this.rest();
    }
  }
  take({ items, total }) {
    this.total = total ?? items.length;
    for (const item of items) this.events[item.position - 1] = event(item);
  }
  async page(number) {
    if (this.asked.has(number)) return;
    this.asked.add(number);
    this.take(await get(`${this.path}/positions`, { from: number * PAGE + 1, limit: PAGE }));
  }
  /** Loads the pages of columns that are about to be shown, once each. */
  need(from, to) {
    for (let number = Math.floor(from / PAGE); number <= Math.floor(to / PAGE); number++) {
      if (!this.asked.has(number)) this.page(number).then(() => this.loaded()).catch(() => this.asked.delete(number));
    }
  }
  async rest() {
    try {
      for (let number = 1; number < this.total / PAGE; number++) await this.page(number);
      this.loaded();
    } catch { /* the columns that are loaded stay */ }
  }

  /** Reads what was added since; returns whether there is something new. */
  async refresh() {
    const before = this.total;
    const answer = await get(`${this.path}/positions`, { from: Math.max(1, before), limit: PAGE });
    this.take(answer);
    return this.total !== before;
  }

  /** The state of a position if it is here; else asks for the window around it and calls loaded. */
  state(position) {
    const found = this.states.get(position);
    if (!found) { this.wanted = position; this.fetch(); }
    return found ?? null;
  }
  nearest(position) {
    for (let away = 1; away < WINDOW; away++) {
      const found = this.states.get(position - away) ?? this.states.get(position + away);
      if (found) return found;
    }
    return null;
  }
  async fetch() {
    if (this.busy || this.wanted === null) return;
    this.busy = true;
    const position = this.wanted;
    this.wanted = null;
    try {
      // Who jumps far sees a small window soon; who stays has a large one.
      const reach = Math.abs(position - this.last) > WINDOW ? JUMP : WINDOW;
      this.last = position;
      const from = Math.max(1, position - reach), to = Math.min(this.total, position + reach);
      const { items } = await get(`${this.path}/states`, { from, to });
      if (this.states.size > STATES_MAX) this.states.clear();
      let state = {};
      for (const item of items) {
        state = item.state ? item.state : { ...state, ...item.changed };
        this.states.set(item.position, state);
      }
      this.problem = null;
    } catch (problem) {
      this.problem = problem;
      if (problem.status === 404) await this.single(position);
    }
    this.busy = false;
    this.arrived();
    if (this.wanted !== null && !this.states.has(this.wanted)) this.fetch();
  }
  async single(position) {
    try { this.states.set(position, await get(`${this.path}/at/${position}`)); this.problem = null; } catch (problem) { this.problem = problem; }
  }
}

const WORDS = { result: 'done', sent: 'done', signal: 'done', failure: 'fail', task_cancelled: 'gone' };
const NONE = [];
const indexes = new WeakMap();

// The paths of each name; an execution such as `A[2]#1` belongs to the task `A`.
function paths(places, subject, element) {
  if (element) return [element];
  if (!indexes.has(places)) {
    const byName = new Map();
    for (const place of places) if (place.name) byName.set(place.name, [...(byName.get(place.name) ?? []), place.id]);
    indexes.set(places, byName);
  }
  const byName = indexes.get(places);
  return byName.get(subject) ?? byName.get(String(subject).replace(/(\[[^\]]*\])*(#\d+)?$/, '')) ?? [];
}

/**
 * What the boxes of a drawing show: {path: run|wait|done|fail|gone}. Results and failures come from the
 * positions up to now, what runs and waits from the state.
 */
export function boxes(places, events, now, state) {
  const all = places ?? NONE, states = {};
  for (let i = 0; i <= now; i++) {
    const each = events[i];
    if (!each || !WORDS[each.cause]) continue;
    // A migration changes the places.
    if (each.of !== all) { each.of = all; each.paths = paths(all, each.subject, each.item.element); }
    for (const path of each.paths) states[path] = WORDS[each.cause];
  }
  for (const effect of state?.effects ?? []) {
    const word = effect.incident ? 'fail' : isHeld(effect) || isLater(effect.next) ? 'wait' : 'run';
    for (const path of paths(all, effect.name ?? effect.task, effect.element)) states[path] = word;
  }
  for (const token of state?.tokens ?? []) {
    if (token.activity === 'AWAIT' || token.activity === 'QUEUED' || token.activity === 'HELD') states[token.element] = 'wait';
    else if (token.activity === 'EFFECT' && !states[token.element]) states[token.element] = 'run';
  }
  return states;
}
function isLater(iso) {
  return Boolean(iso) && Date.parse(iso) > Date.now();
}

export function tokens(state) {
  return (state?.tokens ?? []).map(token => ({ id: token.token ?? token.id, path: token.element ?? token.place }));
}
/** Whether a call waits for a decision or a time before it is made. */
export function isHeld(effect) {
  return Boolean(effect.held) && !['NOT', 'APPROVED', false].includes(effect.held);
}

/**
 * The joins that a drawing shows. A state names the activation of a block, not its place: the blocks around a
 * token are, in order, the blocks around its element.
 */
export function joins(state, drawing) {
  const scopes = new Map((state?.scopes ?? []).map(scope => [scope.id, scope]));
  const isBlock = new Set((state?.joins ?? []).map(join => join.scope));
  const found = new Map();
  for (const token of state?.tokens ?? []) {
    const around = [];
    for (let scope = scopes.get(token.scope); scope; scope = scopes.get(scope.parent)) if (isBlock.has(scope.id)) around.unshift(scope.id);
    const blocks = around.length ? drawing?.blocks(token.element) ?? [] : [];
    around.forEach((id, i) => { if (blocks[i] && !found.has(id)) found.set(id, blocks[i]); });
  }
  return (state?.joins ?? []).map(join => ({ path: join.element ?? found.get(join.scope), completed: join.completed, required: join.required })).filter(join => join.path);
}

/** The context of a state, compared with one before: [{sign, kind, key, value, old}] */
export function changes(before, after) {
  const keys = [...new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})])].sort();
  return keys.map(key => {
    const a = before && key in before ? JSON.stringify(before[key]) : undefined;
    const b = after && key in after ? JSON.stringify(after[key]) : undefined;
    if (a === b || !before) return { sign: '', kind: '', key, value: b };
    if (a === undefined) return { sign: '+', kind: 'add', key, value: b };
    if (b === undefined) return { sign: '−', kind: 'del', key, value: a };
    return { sign: '~', kind: 'chg', key, value: b, old: a };
  });
}

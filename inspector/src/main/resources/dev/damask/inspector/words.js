// How the page writes statuses, times, amounts and causes.
import { browser } from './storage.js';

export const STATUS = {
  RUNNING: ['run', 'run', 'Running'],
  WAITING: ['wait', 'wait', 'Waiting'],
  DEADLOCKED: ['fail', 'dead', 'Deadlocked'],
  QUARANTINED: ['fail', 'quar', 'Quarantined'],
  COMPLETED: ['done', 'done', 'Completed'],
  FAILED: ['fail', 'fail', 'Failed'],
  CANCELLED: ['gone', 'gone', 'Cancelled'],
  CORRUPT: ['fail', 'quar', 'Corrupt'],
  PAUSED: ['gone', 'pause', 'Paused'],
  // Of processes in sessions.
  PENDING: ['gone', 'dash', 'Pending'],
  DONE: ['done', 'done', 'Done'],
};

export function status(name) {
  return STATUS[name] ?? ['plain', 'dash', sentence(String(name ?? 'unknown').toLowerCase())];
}

export const ENDED = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

export const WAIT_ICON = { effect: 'effect', task: 'effect', signal: 'signal', place: 'signal', timer: 'timer', time: 'timer', join: 'join', set: 'join', child: 'tree' };

export function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : '';
}

/** Why a case waits, one sentence each. Signals that exclude each other are one sentence. */
export function reasons(why) {
  const all = [why].flat().filter(Boolean).flatMap(each => String(each).split('; ')).map(each => each.trim().replace(/#1\b/g, ''));
  const signals = all.filter(each => each.startsWith('waits for a signal to ')).map(each => each.slice(22));
  const tasks = all.map(each => each.match(/^waits for task ([^,;:()]+)$/)?.[1]).filter(Boolean);
  const time = signals.length ? all.find(each => each.startsWith('waits until ')) : null;
  const rest = all.filter(each => !each.startsWith('waits for a signal to ') && each !== time && (tasks.length < 2 || !/^waits for task [^,;:()]+$/.test(each)));
  if (tasks.length > 1) rest.unshift(`waits for the tasks ${tasks.length > 6 ? `${tasks.slice(0, 5).join(', ')} and ${number(tasks.length - 5)} more` : `${tasks.slice(0, -1).join(', ')} and ${tasks.at(-1)}`}`);
  const first = signals.length ? [`waits for a signal to ${signals.join(' or ')}${time ? `, or until ${time.slice(12)}` : ''}`] : [];
  return [...first, ...rest].map(each => {
    const text = sentence(each);
    return /[.!?]$/.test(text) ? text : `${text}.`;
  });
}

// ---- time: one zone for the whole page, kept in this browser

const ZONES = ['local', 'UTC'];
let zone = ZONES.includes(browser.get('zone')) ? browser.get('zone') : 'UTC';

export function zoneName() {
  return zone === 'UTC' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
export function switchZone() {
  zone = zone === 'UTC' ? 'local' : 'UTC';
  browser.set('zone', zone);
  formats.clear();
}

const formats = new Map();
function format(name, options) {
  if (!formats.has(name)) formats.set(name, new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zoneName() }));
  return formats.get(name);
}
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };

export function clock(iso) {
  return format('clock', CLOCK).format(new Date(iso));
}
export function exact(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso);
  const day = format('day', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(at);
  return `${day}, ${clock(iso)}.${String(at.getUTCMilliseconds()).padStart(3, '0')} ${zoneName()}`;
}
/** The time of day, with the day if it is not today. */
export function when(iso) {
  const at = new Date(iso);
  const day = format('short', { day: 'numeric', month: 'short' });
  return day.format(at) === day.format(new Date()) ? clock(iso) : `${day.format(at)}, ${clock(iso).slice(0, 5)}`;
}

export function span(millis) {
  const ms = Math.abs(millis);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 24) return min % 60 ? `${h} h ${min % 60} min` : `${h} h`;
  const d = Math.floor(h / 24);
  return d < 10 && h % 24 ? `${d} d ${h % 24} h` : `${number(d)} d`;
}
export function age(iso) {
  const ms = Math.max(0, Date.now() - Date.parse(iso));
  return ms < 1000 ? '0 s' : span(ms);
}
export function until(iso) {
  const ms = Date.parse(iso) - Date.now();
  return ms < 0 ? `${span(ms)} ago` : `in ${span(ms)}`;
}

// ---- amounts

export function number(value) {
  return typeof value === 'number' ? value.toLocaleString('en-US') : String(value ?? '–');
}
export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}
export function bytes(value) {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let amount = value, unit = 0;
  while (amount >= 1000 && unit < units.length - 1) { amount /= 1000; unit++; }
  return `${unit ? amount.toFixed(1) : amount} ${units[unit]}`;
}
export function json(value) {
  return value === undefined ? '' : JSON.stringify(value);
}
export function short(text, length = 80) {
  const value = String(text);
  return value.length > length ? `${value.slice(0, length - 1)}…` : value;
}

// ---- positions

export const LANES = [
  { type: 'effect', name: 'Effects', icon: 'effect', tone: 'run' },
  { type: 'signal', name: 'Signals', icon: 'signal', tone: 'event' },
  { type: 'timer', name: 'Timers', icon: 'timer', tone: 'event', round: true },
  { type: 'failure', name: 'Failures', icon: 'warn', tone: 'fail' },
  { type: 'other', name: 'Actions', icon: 'choice', tone: 'plain' },
  { type: 'commit', name: 'Commits', icon: 'commit', tone: 'plain' },
];

// The first execution of a task, `charge#1`, is called `charge`.
function plain(task) {
  return String(task).replace(/#1$/, '');
}

const CAUSE = {
  started: () => 'Case started',
  result: subject => `${plain(subject)} returned`,
  failure: subject => `${plain(subject)} failed`,
  effect_requested: subject => `${plain(subject)} was requested`,
  incident: subject => `${plain(subject)} became an incident`,
  retry: subject => `${plain(subject)} is retried`,
  sent: subject => `${plain(subject)} was sent`,
  task_cancelled: subject => `${plain(subject)} was cancelled`,
  signal: subject => `Signal ${subject}`,
  cancelled: subject => (subject ? `${subject} was cancelled` : 'Case was cancelled'),
  completed_early: subject => `${subject} was completed early`,
  case_failed: () => 'Case was failed',
  instance_added: subject => `Instance added to ${subject}`,
  instances_closed: subject => `${subject} accepts no more instances`,
  time: subject => (subject ? `Timer ${subject}` : 'Timer fired'),
  data_changed: subject => (subject ? `Data of ${subject} were changed` : 'Data were changed'),
  paused: () => 'Case was paused',
  resumed: () => 'Case was resumed',
  migrated: () => 'Migrated to another program',
  commit: () => 'Commit',
};
const LANE = { start: 'other', cancel: 'other', migration: 'other', pause: 'other', resume: 'other', change: 'other' };

/** A position as the time line shows it. */
export function event(item) {
  const cause = String(item.cause ?? item.kind ?? 'commit').toLowerCase();
  const words = CAUSE[cause];
  return {
    type: LANE[item.kind] ?? (LANES.some(lane => lane.type === item.kind) ? item.kind : 'other'),
    text: short(words ? words(item.subject ?? '') : sentence(`${cause.replaceAll('_', ' ')} ${item.subject ?? ''}`), 90),
    more: item.detail ?? (item.computed ? 'state between two commits, computed' : ''),
    at: item.at, rev: item.computed ? 0 : item.revision, cause, subject: item.subject ?? '', item,
  };
}

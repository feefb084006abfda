// Talks to the server. The token is kept for this tab only and is sent in a header, never in an address.
// On a path of an application there is no token: the application's session says who asks.
import { storage } from './storage.js';

const base = new URL('v1/', document.baseURI);
const KEY = 'damask-token';
const tab = storage(() => sessionStorage);
export const bySession = document.documentElement.dataset.access === 'session';

export class Problem extends Error {
  constructor(status, body, path) {
    super(body.detail ?? body.title ?? `The server answered ${status}`);
    Object.assign(this, { status, body, path });
  }
}

/** The server did not answer at all. */
export class Silence extends Error {
  constructor(isChange) {
    super(isChange ? 'The server does not answer; whether it has done this is not known' : 'The server does not answer');
  }
}

export const session = {
  get token() { return bySession ? null : tab.get(KEY); },
  set token(value) {
    if (value) tab.set(KEY, value);
    else tab.remove(KEY);
  },
  me: null,
  csrf: null,
  routes: null,
  onEnd: () => {},
};

function address(path, query = {}) {
  // Firewalls of applications refuse %2F, %25 and others in a path; the server reads ~2F as %2F.
  const url = new URL(bySession ? path.replaceAll('~', '~7E').replaceAll('%', '~') : path, base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, value);
  }
  return url;
}

/** The path of one thing by its name, which may hold any character. */
export function at(...names) {
  return names.map(name => encodeURIComponent(name)).join('/');
}

async function call(method, path, options = {}, isAgain = false) {
  const { query, body, type, headers = {}, signal, accept = 'application/json', isAsked = false } = options;
  const all = { Accept: accept, ...headers };
  // XMLHttpRequest: an application that knows HTTP Basic then answers 401 without the browser's own dialog.
  if (bySession) Object.assign(all, { 'X-Damask-Escape': 'tilde', 'X-Requested-With': 'XMLHttpRequest' }, method === 'GET' ? {} : session.csrf);
  if (session.token) all.Authorization = `Bearer ${session.token}`;
  let payload;
  if (body !== undefined) {
    all['Content-Type'] = type ?? 'application/json';
    payload = type ? body : JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(address(path, query), { method, headers: all, body: payload, signal, cache: 'no-store', ...(bySession ? { credentials: 'same-origin', redirect: 'manual' } : { credentials: 'omit' }) });
  } catch (problem) {
    if (problem.name === 'AbortError') throw problem;
    throw new Silence(method !== 'GET' && !isAsked);
  }
  if (bySession) learnCsrf(answer);
  if (answer.ok) return answer;
  const isOurs = (answer.headers.get('Content-Type') ?? '').startsWith('application/problem+json');
  // The application itself refused: its token for changes is renewed when somebody signs in again in another tab.
  if (bySession && !answer.ok && !isOurs && method !== 'GET' && !isAgain) {
    await call('GET', 'me', { signal });
    return call(method, path, options, true);
  }
  const said = await answer.text();
  let problem = {};
  try { problem = JSON.parse(said); } catch { problem = { detail: said.slice(0, 300) }; }
  // The sign-in page of the application is a redirect.
  const status = answer.type === 'opaqueredirect' ? 401 : answer.status;
  if (status === 401 && bySession && !isOurs) problem = { detail: 'Sign in to the application first' };
  if (status === 401) session.onEnd(problem);
  throw new Problem(status, problem, `${method} ${path}`);
}
function learnCsrf(answer) {
  const name = answer.headers.get('Damask-Csrf-Header');
  if (name) session.csrf = { [name]: answer.headers.get('Damask-Csrf-Token') };
}

export async function get(path, query, signal) {
  return (await call('GET', path, { query, signal })).json();
}
export async function getText(path, query, accept, signal) {
  return (await call('GET', path, { query, accept, signal })).text();
}
/** Lists: the items of every shape the server answers with. */
export async function list(path, query, signal) {
  const answer = await get(path, query, signal);
  return Array.isArray(answer) ? { items: answer, next: null } : { next: null, ...answer, items: answer.items ?? [] };
}
export function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(each => each.toString(16).padStart(2, '0')).join('');
}
/** Changes something. The key makes a repeated request harmless. */
export async function send(method, path, body, { revision, type, signal, key = freshKey() } = {}) {
  const headers = { 'Idempotency-Key': key };
  if (revision !== undefined && revision !== null) headers['If-Match'] = `"${revision}"`;
  const answer = await call(method, path, { body, type, headers, signal });
  const text = await answer.text();
  return text ? JSON.parse(text) : {};
}
/** Asks for something that is computed and changes nothing. */
export async function ask(path, body, { type, accept, signal } = {}) {
  const answer = await call('POST', path, { body, type, accept, signal, isAsked: true });
  return accept === 'image/svg+xml' ? answer.text() : answer.json();
}

/** Whether this server has a route. Asked once per sign-in, beside the first page; until there is an answer every route counts as present. */
export function has(method, path) {
  return !session.routes || session.routes.has(`${method} ${path}`);
}
export async function learn() {
  try {
    const { paths } = await get('openapi.json');
    session.routes = new Set(Object.entries(paths).flatMap(([path, all]) => Object.keys(all).map(method => `${method.toUpperCase()} ${path}`)));
  } catch { session.routes = null; }
}

/** Whether the signed-in person may act. Roles: viewer, worker, operator, admin. */
export function may(role) {
  const ranks = ['viewer', 'worker', 'operator', 'admin'];
  return ranks.indexOf(String(session.me?.role ?? 'viewer').toLowerCase()) >= ranks.indexOf(role);
}

// ---- live events: at most one stream per tab, none while the tab is hidden

const live = { path: null, on: null, last: null, stop: null, state: 'off', listeners: new Set(), tries: 0, timer: 0 };

export function onLive(listener) {
  live.listeners.add(listener);
  listener(live.state);
}
function say(state) {
  live.state = state;
  live.listeners.forEach(listener => listener(state));
}

/** Follows a stream from its last known id; replaces the stream before. */
export function follow(path, on, last = null) {
  unfollow();
  Object.assign(live, { path, on, last, tries: 0 });
  if (!document.hidden) open();
}
export function unfollow() {
  clearTimeout(live.timer);
  live.stop?.abort();
  Object.assign(live, { path: null, on: null, stop: null });
  say('off');
}

async function open() {
  const stop = new AbortController();
  live.stop = stop;
  const path = live.path;
  try {
    const headers = live.last === null ? {} : { 'Last-Event-ID': String(live.last) };
    const answer = await call('GET', path, { headers, signal: stop.signal, accept: 'text/event-stream' });
    live.tries = 0;
    say('live');
    await read(answer.body.pipeThrough(new TextDecoderStream()).getReader(), stop);
  } catch (problem) {
    if (stop.signal.aborted || live.stop !== stop) return;
    if (problem instanceof Problem && problem.status === 401) return;
    // Older than what is kept: the page reads everything again and follows from now.
    if (problem instanceof Problem && problem.status === 410) { live.last = null; live.on?.({ type: 'reset', data: null }); }
    if (problem instanceof Problem && (problem.status === 403 || problem.status === 404)) { say('off'); return; }
  }
  if (stop.signal.aborted || live.stop !== stop) return;
  say('lost');
  live.timer = setTimeout(open, Math.min(15000, 500 * 2 ** live.tries++));
}

async function read(reader, stop) {
  let rest = '', event = { type: 'message', data: '' };
  for (;;) {
    const { value, done } = await reader.read();
    if (done || stop.signal.aborted) return;
    const lines = (rest + value).split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (event.data !== '' && !stop.signal.aborted) live.on?.({ ...event, data: parsed(event.data) });
        event = { type: 'message', data: '' };
      } else if (line.startsWith('id:')) live.last = line.slice(3).trim();
      else if (line.startsWith('event:')) event.type = line.slice(6).trim();
      else if (line.startsWith('data:')) event.data += (event.data ? '\n' : '') + line.slice(5).replace(/^ /, '');
    }
  }
}
function parsed(data) {
  try { return JSON.parse(data); } catch { return data; }
}

document.addEventListener('visibilitychange', () => {
  if (!live.path) return;
  clearTimeout(live.timer);
  live.stop?.abort();
  live.stop = null;
  if (document.hidden) say('off');
  else open();
});
addEventListener('pagehide', () => live.stop?.abort());

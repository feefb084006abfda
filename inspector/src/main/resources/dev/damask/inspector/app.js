// The frame of the page: addresses, keys, theme, time zone, sign-in.
import { bySession, get, has, onLive, session, unfollow } from './api.js';
import { blank, button, dialog, el, icon, iconButton, isTyping, svg } from './dom.js';
import { failure, route } from './place.js';
import { finder } from './finder.js';
import { browser } from './storage.js';
import { clock, switchZone, zoneName } from './words.js';
import { signIn } from './signin.js';
import cases from './cases.js';
import caseOf from './case.js';
import workflows from './workflows.js';
import workflow from './workflow.js';
import playground from './playground.js';
import sessions from './sessions.js';
import health from './health.js';
import incidents from './incidents.js';
import schedules from './schedules.js';
import migration from './migration.js';

const PAGES = [
  ['cases', 'Cases', 'cases', 'c'], ['workflows', 'Workflows', 'flow', 'w'], ['sessions', 'Sessions', 'tree', 's'],
  ['incidents', 'Incidents', 'warn', 'i'], ['schedules', 'Schedules', 'cal', 'd'], ['playground', 'Playground', 'pen', 'p'], ['health', 'Health', 'pulse', 'h'],
];
const ROUTES = [
  [/^cases\/(.+)$/, caseOf, 'cases'], [/^cases$/, cases, 'cases'],
  [/^workflows\/([^/]+)\/migration$/, migration, 'workflows'], [/^workflows\/([^/]+)$/, workflow, 'workflows'], [/^workflows$/, workflows, 'workflows'],
  [/^sessions\/(.+)$/, sessions, 'sessions'], [/^sessions$/, sessions, 'sessions'], [/^incidents$/, incidents, 'incidents'],
  [/^schedules$/, schedules, 'schedules'], [/^playground$/, playground, 'playground'], [/^health$/, health, 'health'],
];

const root = document.documentElement;
const main = document.getElementById('main');
const top = document.getElementById('top');
let page = null, number = 0;

// ---- theme

function isDark() {
  return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}
function theme(name) {
  root.dataset.theme = name;
  browser.set('theme', name);
  const shown = document.getElementById('theme');
  if (!shown) return;
  shown.setAttribute('aria-label', isDark() ? 'Use the light theme' : 'Use the dark theme');
  shown.title = shown.getAttribute('aria-label');
  shown.querySelector('use').setAttribute('href', isDark() ? '#i-sun' : '#i-moon');
  page?.key?.({ key: 'theme' });
}
const kept = browser.get('theme');
if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;

// ---- frame

function frame() {
  const me = session.me;
  const live = el('span', { class: 'live', role: 'status' });
  let lostAt = new Date();
  onLive(state => {
    if (state === 'lost' && live.dataset.state !== 'lost') lostAt = new Date();
    live.dataset.state = state;
    live.replaceChildren(el('i'), el('span', {}, { live: 'Live', lost: `No connection since ${clock(lostAt.toISOString())}`, off: 'Not live' }[state]));
    live.title = { live: 'Changes are shown as they are committed', lost: 'The server does not answer; the page tries again', off: 'This page is not following changes' }[state];
  });
  const zone = el('button', { class: 'zone hide-s', type: 'button', title: 'Switch the time zone (z)', onclick: otherZone }, icon('globe'), el('span', {}, zoneName()));
  top.replaceChildren(
    el('a', { class: 'brand', href: '#/cases', 'aria-label': 'Damask' },
      svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: 'M10 0l4 4-4 4-4-4ZM4 6l4 4-4 4-4-4ZM16 6l4 4-4 4-4-4ZM10 12l4 4-4 4-4-4Z' })), el('span', {}, 'Damask')),
    ...(me.server?.store ? [el('span', { class: 'slash hide-m', 'aria-hidden': 'true' }, '/'), el('span', { class: 'store hide-m', title: `Store ${me.server.store}` }, shortStore(me.server.store))] : []),
    el('nav', { class: 'nav', 'aria-label': 'Pages' }, PAGES.map(([name, label, sign]) => el('a', { href: `#/${name}`, 'data-page': name }, icon(sign), el('span', {}, label)))),
    el('span', { class: 'grow' }),
    el('button', { class: 'find', type: 'button', 'aria-label': 'Find a case or workflow /', onclick: finder }, icon('search'), el('span', { class: 'grow' }, 'Find a case or workflow'), el('kbd', {}, '/')),
    live, zone,
    iconButton('keys', 'Keyboard', help, { class: 'icbtn hide-s' }),
    iconButton(isDark() ? 'sun' : 'moon', isDark() ? 'Use the light theme' : 'Use the dark theme', () => theme(isDark() ? 'light' : 'dark'), { id: 'theme' }),
    el('button', { class: 'who', type: 'button', 'aria-label': `${String(me.name ?? '?').slice(0, 2).toUpperCase()}: signed in as ${me.name}, ${me.role}`, title: `${me.name}, ${me.role}`, onclick: account }, String(me.name ?? '?').slice(0, 2).toUpperCase()));
  top.hidden = false;
}

// How many tasks wait for a person, beside the page that lists them.
async function badge() {
  if (!session.me || document.hidden) return;
  const link = top.querySelector('.nav a[data-page=incidents]');
  if (!link || !has('GET', '/v1/incidents')) return;
  try {
    const { total } = await get('incidents', { limit: 1 });
    link.querySelector('.dot')?.remove();
    if (total) link.append(el('span', { class: 'dot' }, typeof total === 'number' ? (total > 999 ? '999+' : total) : '999+', el('span', { class: 'vh' }, ' open')));
  } catch { /* the number that was shown stays */ }
}
setInterval(badge, 15000);

function shortStore(store) {
  return String(store ?? '').replace(/\/+$/, '').split('/').pop().slice(0, 24);
}

function otherZone() {
  switchZone();
  frame();
  render(true);
}

function account() {
  dialog('Signed in', close => el('div', { class: 'dlg stack' },
    el('dl', { class: 'kv' }, ...[['Name', session.me.name], ['Role', session.me.role], ['Workflows', [session.me.workflows ?? 'all'].flat().join(', ')],
      ['Server', session.me.server?.version ?? ''], ['Store', session.me.server?.store ?? ''], ['Time zone', zoneName()]]
      .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value || '–')])),
    el('div', { class: 'row wrap' }, button('Switch the time zone', () => { close(); otherZone(); }, { icon: 'globe' }),
      bySession ? el('span', { class: 'small quiet' }, 'Sign out in the application') : button('Sign out', () => { close(); leave(); }, { icon: 'out' }))));
}

function leave() {
  session.token = null;
  session.me = null;
  unfollow();
  start();
}

const KEYS = [
  ['← →', 'One position back or on, in the time line'], ['PgUp PgDn', 'Five positions'], ['Home End', 'First position, now'], ['n', 'Back to now'],
  ['j k', 'Next and previous row'], ['x', 'Select the row'], ['Enter', 'Open the row'], ['f', 'Go to the filters'], ['a', 'Act on the case or the selection'],
  ['+ − 0', 'Zoom the drawing'], ['/', 'Find anything'], ['g then c w s i d p h', 'Cases, workflows, sessions, incidents, schedules, playground, health'],
  ['z', 'UTC or local time'], ['t', 'Light or dark'], ['Esc', 'Close, clear, leave the editor'], ['?', 'This list'],
];
function help() {
  dialog('Keyboard', () => el('dl', { class: 'keys' }, KEYS.map(([keys, what]) => [el('dt', {}, keys.split(' ').flatMap(key => (key === 'then' ? [' then '] : [el('kbd', {}, key), ' ']))), el('dd', {}, what)])));
}

// ---- addresses

async function render(keepFocus = false) {
  if (!session.me) return;
  const { path, query } = route();
  const mine = ++number;
  page?.close?.();
  page = null;
  unfollow();
  document.querySelectorAll('dialog').forEach(each => each.close());
  const found = ROUTES.map(([pattern, make, tab]) => [path.match(pattern), make, tab]).find(([match]) => match);
  document.querySelectorAll('.nav a').forEach(link => {
    if (link.dataset.page === found?.[2]) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  });
  if (!found) {
    main.replaceChildren(blank('search', 'There is no such page', 'Choose a page above, or press / to find a case.'));
    return;
  }
  const [match, make] = found;
  const view = el('div', { class: 'view' });
  main.replaceChildren(view);
  main.setAttribute('aria-busy', 'true');
  try {
    const names = match.slice(1).map(decodeURIComponent);
    const made = await make({ view, names, query, path, isCurrent: () => mine === number, again: () => render(true) });
    if (mine !== number) { made?.close?.(); return; }
    page = made ?? null;
    document.title = `${view.querySelector('h1')?.textContent.slice(0, 80) ?? 'Inspector'} · Damask`;
    if (!keepFocus) { main.focus({ preventScroll: true }); scrollTo(0, 0); }
  } catch (problem) {
    if (mine === number) view.replaceChildren(failure(problem, () => render(true)));
  } finally {
    if (mine === number) main.removeAttribute('aria-busy');
  }
}

// ---- keys that work on every page

let afterG = 0;
addEventListener('keydown', event => {
  if (!session.me || isTyping(event)) return;
  const go = Date.now() - afterG < 1200 && PAGES.find(([, , , key]) => key === event.key);
  afterG = 0;
  if (go) { event.preventDefault(); location.hash = `#/${go[0]}`; }
  else if (event.key === 'g') afterG = Date.now();
  else if (event.key === '?') help();
  else if (event.key === '/') { event.preventDefault(); finder(); }
  else if (event.key === 't') theme(isDark() ? 'light' : 'dark');
  else if (event.key === 'z') otherZone();
  else page?.key?.(event);
});
addEventListener('hashchange', () => { if (!signingIn()) render(); });
document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});

// ---- sign-in

function signingIn() {
  if (!location.hash.startsWith('#code=')) return false;
  start();
  return true;
}

async function start(said) {
  page?.close?.();
  page = null;
  top.hidden = true;
  const came = await signIn(main, said);
  if (!came) return;
  frame();
  render();
  badge();
}

session.onEnd = problem => {
  if (!session.me) return;
  session.token = null;
  session.me = null;
  start(problem.detail ?? 'Your token has ended.');
};

start();

// Cases: what is going on, what is stuck, which ones.
import { Problem, ask, at, follow, has, list, may, send } from './api.js';
import { blank, button, el, field, icon, iconButton, input, pill, scrolling, select, time, toast } from './dom.js';
import { address, failure } from './place.js';
import { startForm } from './forms.js';
import { browser } from './storage.js';
import { ENDED, WAIT_ICON, age, count, number, short, status, until, when } from './words.js';

const COUNTED = ['RUNNING', 'WAITING', 'PAUSED', 'QUARANTINED', 'DEADLOCKED', 'COMPLETED', 'FAILED', 'CANCELLED'];
const RARE = new Set(['PAUSED']);
const SINCE = [['', 'Any time'], ['3600', 'Last hour'], ['86400', 'Last day'], ['604800', 'Last 7 days'], ['2592000', 'Last 30 days']];
const SAVED = 'damask-filters';
const LIMIT = 50;
const CHOSEN_MAX = 1000;
const FORKS_MAX = 200;
const isTask = each => each.kind === 'effect' || each.kind === 'task';

export default async function cases({ view, query, isCurrent, again }) {
  const filter = Object.fromEntries(['status', 'workflow', 'program', 'since', 'where', 'text'].map(name => [name, query.get(name) ?? '']));
  const chosen = new Map();
  let pages = [null], page = 0, items = [], counts = null, next = null, changed = new Set(), asOf = new Date(), workflows = [], stop = new AbortController();

  const head = el('p', { class: 'second' });
  const counters = el('nav', { class: 'card counts', 'aria-label': 'Cases by status' });
  const saved = el('div', { class: 'saved', role: 'group', 'aria-label': 'Saved filters' });
  const fresh = el('button', { class: 'fresh', type: 'button', hidden: true, onclick: () => load() });
  const body = el('tbody');
  const all = el('input', { class: 'ck', type: 'checkbox', 'aria-label': 'Select all on this page', onchange: () => { items.forEach(item => choose(item, all.checked)); selection(); } });
  const area = scrolling(el('div', { class: 'wide' }, el('table', { class: 'tab cases' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, all), ['Status', 'Case', 'Workflow', 'Waits for'].map(name => el('th', { scope: 'col' }, name)),
      el('th', { class: 'num opt', scope: 'col' }, 'Started'), el('th', { class: 'num', scope: 'col' }, 'Changed'))), body)));
  const empty = el('div', { hidden: true });
  const range = el('span', { class: 'grow' });
  const newer = button('Newer', () => turn(-1), { kind: 'tiny', icon: 'left' });
  const older = el('button', { class: 'btn tiny', type: 'button', onclick: () => turn(1) }, 'Older', icon('right'));
  const dock = el('div', { class: 'dock', role: 'region', 'aria-label': 'Actions for selected cases', hidden: true });

  const controls = {
    text: input({ type: 'search', id: 'text', placeholder: 'Start of an id or attribute', value: filter.text }),
    workflow: select([['', 'Any workflow']], '', { id: 'workflow' }),
    program: select([['', 'Any version']], '', { id: 'version' }),
    since: select(SINCE, filter.since, { id: 'since' }),
    where: input({ id: 'where', placeholder: "customer = 'acme'", value: filter.where }),
  };
  const form = el('form', { class: 'filters', role: 'search', 'aria-label': 'Filters' },
    field('Text', controls.text), field('Workflow', controls.workflow), field('Version', controls.program), field('Started', controls.since), field('Attributes', controls.where));
  form.addEventListener('submit', event => event.preventDefault());
  let typing = 0;
  for (const [name, control] of Object.entries(controls)) {
    const isText = name === 'text' || name === 'where';
    control.addEventListener(isText ? 'input' : 'change', () => {
      clearTimeout(typing);
      typing = setTimeout(() => { filter[name] = control.value.trim(); if (name === 'workflow') { filter.program = ''; versions(); } refilter(); }, isText ? 250 : 0);
    });
  }

  view.append(
    el('div', { class: 'head' }, el('div', {}, el('h1', {}, 'Cases'), head),
      el('div', { class: 'acts' }, button('Save this filter', keep, { icon: 'save' }), may('operator') ? button('Start a case', () => startForm(workflows, filter.workflow), { kind: 'main', icon: 'plus' }) : null)),
    counters, el('section', { class: 'card', 'aria-label': 'List of cases' }, saved, form, fresh, area, empty,
      el('footer', {}, range, newer, older)), dock);

  // ---- filters

  function refilter() {
    pages = [null];
    page = 0;
    address('cases', Object.entries(filter));
    showSaved();
    load();
  }
  function stored() {
    try {
      const all = JSON.parse(browser.get(SAVED)) ?? [];
      return Array.isArray(all) ? all.filter(each => Array.isArray(each) && each.length === 2) : [];
    } catch { return []; }
  }
  function showSaved() {
    const now = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
    const chips = [['All', ''], ['Waiting', 'status=WAITING'], ['Deadlocked', 'status=DEADLOCKED'], ['Failed', 'status=FAILED'], ...stored()];
    saved.replaceChildren(el('span', { class: 'small quiet' }, 'Saved'),
      ...chips.map(([name, text], i) => el('span', { class: 'chip-of' },
        el('a', { class: 'chip', href: `#/cases${text ? `?${text}` : ''}`, 'aria-current': text === now ? 'true' : null }, short(name, 40)),
        i > 3 ? iconButton('x', `Remove the filter ${short(name, 40)}`, () => { browser.set(SAVED, JSON.stringify(stored().filter(each => each[1] !== text))); showSaved(); }) : null)));
  }
  function keep() {
    const text = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
    if (!text) { toast('Choose a filter first', 'fail'); return; }
    const name = [filter.status && status(filter.status)[2], filter.workflow, filter.text, filter.where].filter(Boolean).join(', ') || SINCE.find(([value]) => value === filter.since)?.[1];
    browser.set(SAVED, JSON.stringify([...stored().filter(each => each[1] !== text), [name, text]]));
    showSaved();
    toast('The filter is saved in this browser; its address can be shared');
  }
  function versions() {
    const of = workflows.find(each => each.workflow === filter.workflow);
    const known = of ? (of.versions ?? [{ program: of.program, version: of.version }]) : [];
    controls.program.replaceChildren(el('option', { value: '' }, 'Any version'), ...known.map(each => el('option', { value: each.program }, `${each.version || short(each.program, 10)}`)));
    controls.program.value = filter.program;
    controls.program.disabled = !of;
  }
  function wanted() {
    const since = filter.since ? `${new Date(Date.now() - filter.since * 1000).toISOString().slice(0, 19)}Z` : '';
    return { status: filter.status, workflow: filter.workflow, program: filter.program, text: filter.text, since, where: filter.where, limit: LIMIT };
  }

  // ---- list

  async function load() {
    stop.abort();
    stop = new AbortController();
    const mine = stop;
    area.setAttribute('aria-busy', 'true');
    try {
      // Rows are shown before the counts, which are those of all statuses and take longer.
      const listed = list('cases', { ...wanted(), cursor: pages[page], counts: 'false' }, mine.signal);
      const counted = list('cases', { ...wanted(), status: '', limit: 1 }, mine.signal);
      counted.then(found => {
        if (mine.signal.aborted || !isCurrent()) return;
        counts = found.counts ?? counts;
        rangeOf();
        numbers();
      }).catch(() => {});
      const answer = await listed;
      if (mine.signal.aborted || !isCurrent()) return;
      ({ items, next } = answer);
      changed = new Set();
      asOf = new Date();
      rows();
    } catch (problem) {
      if (mine.signal.aborted || !isCurrent()) return;
      items = [];
      next = null;
      rows(problem);
    } finally {
      if (!mine.signal.aborted) area.removeAttribute('aria-busy');
    }
  }
  function turn(step) {
    if (step > 0 && !next) return;
    if (step > 0) pages[page + 1] = next;
    page = Math.max(0, page + step);
    load();
  }

  function rows(problem) {
    body.replaceChildren(...items.map(row));
    area.hidden = !items.length;
    empty.hidden = Boolean(items.length);
    if (!items.length) empty.replaceChildren(problem ? badFilter(problem) : nothing());
    fresh.hidden = true;
    newer.disabled = page === 0;
    older.disabled = !next;
    rangeOf();
    numbers();
    selection();
  }
  function rangeOf() {
    range.textContent = items.length ? `${number(page * LIMIT + 1)} to ${number(page * LIMIT + items.length)}${filter.status && typeof counts?.[filter.status] === 'number' && !filter.text && !filter.where && !filter.workflow ? ` of ${number(counts[filter.status])}` : ''}` : 'No rows';
  }
  function badFilter(problem) {
    if (problem instanceof Problem && problem.status === 400) return blank('warn', 'This filter cannot be read', problem.message, el('div', { class: 'row' }, button('Clear all filters', () => { location.hash = '#/cases'; })));
    return failure(problem, load);
  }
  function nothing() {
    const isFiltered = Object.values(filter).some(Boolean);
    return isFiltered
      ? blank('search', 'No case matches these filters', null, el('div', { class: 'row' }, button('Clear all filters', () => { if (location.hash === '#/cases') again(); else location.hash = '#/cases'; })))
      : blank('file', 'No case has been started yet', 'Start one here, from Java, or on the command line:', el('pre', { class: 'code' }, 'damask run order.yaml --store orders'));
  }
  function numbers() {
    const open = ['RUNNING', 'WAITING', 'PAUSED', 'QUARANTINED', 'DEADLOCKED'].map(name => counts?.[name] ?? 0);
    const isExact = open.every(each => typeof each === 'number');
    head.textContent = !counts ? 'Counting' : isExact ? `${count(open.reduce((a, b) => a + b, 0), 'case')} open.` : 'More than 1,000 cases are open.';
    counters.replaceChildren(...COUNTED.filter(name => !RARE.has(name) || counts?.[name] || filter.status === name).map(name => {
      const [tone, sign, word] = status(name);
      const isOn = filter.status === name;
      const query = new URLSearchParams(Object.entries({ ...filter, status: isOn ? '' : name }).filter(([, value]) => value)).toString();
      return el('a', { href: `#/cases${query ? `?${query}` : ''}`, 'aria-current': isOn ? 'true' : null }, el('span', { class: `st is-${tone}` }, icon(sign), word), el('b', {}, counts ? amount(counts[name]) : '–'));
    }));
  }
  function amount(value) {
    return typeof value === 'number' ? number(value) : value ? String(value).replace('1000', '1,000') : '0';
  }
  function row(item) {
    const [tone, sign, word] = status(item.paused ? 'PAUSED' : item.status);
    const sub = Object.values(item.attributes ?? {}).map(value => short(typeof value === 'object' ? JSON.stringify(value) : value, 24)).slice(0, 3).join(' · ');
    const box = el('input', { class: 'ck', type: 'checkbox', 'aria-label': `Select ${short(item.id)}`, checked: chosen.has(item.id), onchange: () => { choose(item, box.checked); selection(); } });
    return el('tr', { 'data-id': item.id, 'aria-selected': String(chosen.has(item.id)) },
      el('td', {}, box), el('td', {}, pill(tone, sign, word, true)),
      el('td', {}, el('a', { class: 'idl', href: `#/cases/${at(item.id)}`, title: short(item.id, 300), dir: 'auto' }, short(item.id, 60)), sub ? el('span', { class: 'sub', dir: 'auto' }, sub) : null),
      el('td', {}, el('span', { dir: 'auto' }, short(item.workflow, 40)), ' ', el('span', { class: 'tag', title: item.program }, item.version ? `v${short(item.version, 10)}` : short(item.program ?? '', 8))),
      el('td', {}, waits(item)),
      el('td', { class: 'num opt' }, time(item.started, age(item.started))), el('td', { class: 'num' }, time(item.changed, item.changed ? age(item.changed) : '–')));
  }
  function waits(item) {
    if (item.incident) return el('span', { class: 'row' }, icon('warn', 'is-fail'), el('span', { dir: 'auto' }, short(`Incident: ${String(item.incident.task ?? '').replace(/#1$/, '')}, ${[item.incident.reason, item.incident.detail].filter(Boolean).join(': ')}`, 90)));
    const all = item.waitingFor ?? [];
    if (!all.length) return el('span', { class: 'quiet', dir: 'auto' }, ENDED.has(item.status) ? '–' : item.status === 'DEADLOCKED' ? 'No event can move it' : item.evidence ? short(item.evidence, 90) : item.due ? `Timer, ${until(item.due)}` : '');
    const first = all[0];
    const words = { effect: 'Task', task: 'Task', signal: 'Signal', place: 'Signal', timer: 'Timer', time: 'Timer', set: 'Instances' }[first.kind] ?? '';
    return el('span', { class: 'row' }, icon(WAIT_ICON[first.kind] ?? 'wait', isTask(first) ? 'is-run' : 'is-event'),
      el('span', { dir: 'auto' }, `${words} ${all.slice(0, 3).map(each => short(each.name, 40)).join(isTask(first) ? ' and ' : ' or ')}${all.length > 3 ? ` and ${all.length - 3} more` : ''}`.trim()));
  }

  // ---- selection and bulk actions

  function choose(item, isOn) {
    if (isOn) chosen.set(item.id, item);
    else chosen.delete(item.id);
  }
  function selection(isKept = false) {
    for (const tr of body.children) {
      const isOn = chosen.has(tr.dataset.id);
      tr.setAttribute('aria-selected', isOn);
      tr.querySelector('.ck').checked = isOn;
    }
    const here = items.filter(item => chosen.has(item.id)).length;
    all.checked = here > 0 && here === items.length;
    all.indeterminate = here > 0 && here < items.length;
    dock.hidden = chosen.size === 0;
    if (!isKept) dock.replaceChildren(bar());
  }
  // More cases than the page shows: they are read page by page, up to a limit that the bar names.
  async function everything(event) {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      for (let cursor = null, more = true; more && chosen.size < CHOSEN_MAX;) {
        const answer = await list('cases', { ...wanted(), limit: 200, cursor, counts: 'false' }, stop.signal);
        answer.items.slice(0, CHOSEN_MAX - chosen.size + answer.items.filter(each => chosen.has(each.id)).length).forEach(item => choose(item, true));
        pressed.textContent = `${number(chosen.size)} selected`;
        cursor = answer.next;
        more = Boolean(cursor);
      }
      selection();
    } catch (problem) { if (!stop.signal.aborted) toast(problem.message, 'fail'); }
  }
  function bar(extra) {
    const isWhole = items.length > 0 && items.every(item => chosen.has(item.id)) && (next || page > 0) && chosen.size < CHOSEN_MAX && chosen.size <= (page + 1) * LIMIT;
    return el('div', { class: 'bar' }, el('span', { class: 'grow' }, el('b', { class: 'strong' }, count(chosen.size, 'case')), el('span', { class: 'hide-s' }, ` selected${chosen.size >= CHOSEN_MAX ? ', the most at once' : ''}`)),
      isWhole && !extra ? button('Select all that match', everything, { kind: 'low', id: 'select-all' }) : null,
      extra ?? (may('operator') ? [button('Retry', () => preview('retry'), { icon: 'retry', id: 'bulk-retry' }), has('POST', '/v1/cases/{case}/pause') ? button('Pause', () => preview('pause'), { icon: 'pause', id: 'bulk-pause' }) : null, button('Cancel', () => preview('cancel'), { icon: 'gone', id: 'bulk-cancel' })] : el('span', { class: 'small quiet' }, 'Actions need the role operator')),
      iconButton('x', 'Clear the selection', () => { chosen.clear(); selection(); }));
  }

  // Before: a fork of every case says how many would do what. Then: one request each, with the revision that was shown.
  async function preview(action) {
    const words = { retry: ['Retry', 'retry'], pause: ['Pause', 'pause'], cancel: ['Cancel', 'cancel'] }[action];
    const fates = el('ul', { class: 'fate' }, el('li', {}, icon('spin'), el('b', {}, ''), el('span', {}, 'Computing what would follow')));
    const reason = input({ id: 'reason' });
    const go = button(`${words[0]} ${count(chosen.size, 'case')}`, () => {}, { kind: action === 'cancel' ? 'bad' : 'main', id: 'bulk-go', disabled: true });
    dock.replaceChildren(el('div', { class: 'fore' }, el('div', {}, el('h2', { class: 'h3' }, `If you ${words[1]} ${chosen.size === 1 ? 'this case' : `these ${chosen.size} cases`}`), fates), el('div', { class: 'stack' }, field('Reason, for the audit log', reason), go)), bar());
    const groups = new Map(), ready = [];
    const add = (sign, tone, text) => groups.set(text, { sign, tone, n: (groups.get(text)?.n ?? 0) + 1 });
    let forks = 0;
    for (const item of chosen.values()) {
      if (ENDED.has(item.status)) { add('done', 'gone', 'have ended already and are left out.'); continue; }
      if (item.status === 'QUARANTINED' || item.status === 'CORRUPT') { add('quar', 'fail', 'are quarantined: they accept no input and are left out.'); continue; }
      if (action === 'pause') { ready.push(item); add('pause', 'gone', 'keep accepting inputs and move only after they are resumed.'); continue; }
      const tasks = (item.waitingFor ?? []).filter(isTask).map(each => each.name);
      if (action === 'retry' && !tasks.length && !item.incident) { add('wait', 'wait', 'wait for no task and are left out.'); continue; }
      if (action === 'retry') { ready.push(item); add('retry', 'run', 'call their task at once.'); continue; }
      if (forks++ >= FORKS_MAX) { ready.push(item); add('gone', 'wait', `are cancelled too; what would follow was computed for the first ${FORKS_MAX}.`); continue; }
      try {
        const after = await ask(`cases/${at(item.id)}/fork`, { inputs: [{ kind: 'cancel' }] });
        ready.push(item);
        const undo = (after.effects ?? []).map(each => each.name ?? each.task);
        add(undo.length ? 'retry' : 'gone', undo.length ? 'wait' : 'gone', undo.length ? `undo completed tasks first: ${short([...new Set(undo)].join(', '), 60)}.` : 'end as cancelled. No task is called for them any more.');
      } catch (problem) { add('warn', 'fail', `are left out: ${short(problem.message, 90)}`); }
    }
    fates.replaceChildren(...[...groups].map(([text, { sign, tone, n }]) => el('li', {}, icon(sign, `is-${tone}`), el('b', {}, n), el('span', {}, text))));
    go.disabled = !ready.length;
    const out = chosen.size - ready.length;
    go.textContent = `${words[0]} ${count(ready.length, 'case')}${out ? `, leave ${out}` : ''}`;
    go.onclick = async () => {
      go.disabled = true;
      let done = 0, refused = 0;
      for (const item of ready) {
        const task = item.incident?.task ?? (item.waitingFor ?? []).find(isTask)?.name;
        try { await send('POST', `cases/${at(item.id)}/${action}`, bodyOf(action, reason.value, task), { revision: item.revision }); done++; } catch (problem) { refused++; fates.append(el('li', {}, icon('warn', 'is-fail'), el('b', {}, '1'), el('span', {}, short(`${item.id}: ${problem.message}`, 140)))); }
        go.textContent = `${done} of ${ready.length} durable`;
      }
      toast(`${count(done, 'case')}: ${words[1]} is durable${refused ? `; ${refused} refused` : ''}`, refused ? 'fail' : 'done');
      if (!refused) { chosen.clear(); selection(); }
      load();
    };
  }

  function bodyOf(action, reason, task) {
    if (action === 'retry') return task ? { task } : {};
    if (action === 'pause') return { reason: reason || 'paused by an operator' };
    return reason ? { reason } : {};
  }

  // ---- live: what changed waits behind one bar, rows never move under the reader

  function heard({ type, data }) {
    if (type === 'reset' || type === 'gone') { load(); return; }
    const id = data?.case ?? data?.id;
    if (!id) return;
    changed.add(id);
    fresh.hidden = false;
    fresh.replaceChildren(icon('retry'), `${count(changed.size, 'case has', 'cases have')} changed since ${when(asOf.toISOString())}. Show ${changed.size === 1 ? 'it' : 'them'}`);
  }

  function key(event) {
    const trs = [...body.children];
    const here = trs.indexOf(document.activeElement?.closest?.('tr'));
    if (event.key === 'j' || event.key === 'k') trs[Math.max(0, Math.min(trs.length - 1, here + (event.key === 'j' ? 1 : -1)))]?.querySelector('.idl').focus();
    else if (event.key === 'x' && here >= 0) trs[here].querySelector('.ck').click();
    else if (event.key === 'f') { event.preventDefault?.(); controls.text.focus(); }
    else if (event.key === 'a') dock.querySelector('button')?.focus();
    else if (event.key === 'r') load();
    else if (event.key === 'Escape') { chosen.clear(); selection(); }
  }

  list('workflows').then(answer => {
    workflows = answer.items;
    controls.workflow.replaceChildren(el('option', { value: '' }, 'Any workflow'), ...workflows.map(each => el('option', { value: each.workflow }, short(each.workflow, 60))));
    controls.workflow.value = filter.workflow;
    versions();
  }).catch(() => {});
  showSaved();
  await load();
  follow('events', heard);
  return { key, close() { stop.abort(); clearTimeout(typing); } };
}

// Incidents: tasks that need a person.
import { at, list, may, send } from './api.js';
import { blank, button, dialog, el, field, fill, icon, input, scrolling, table, time, toast } from './dom.js';
import { valueForm } from './values.js';
import { age, count, number, short } from './words.js';

const LIMIT = 100;

export default async function incidents({ view, query, isCurrent }) {
  const chosen = new Set();
  const filter = Object.fromEntries(['workflow', 'task', 'reason'].map(name => [name, query.get(name) ?? '']));
  let items = [], groups = [], next = null, total = 0, pages = 1;
  const head = el('p', { class: 'second' }), place = el('div'), common = el('div');
  const text = input({ type: 'search', id: 'incident-text', placeholder: 'Case, task or reason in the rows below', 'aria-label': 'Filter incidents' });
  const bulk = el('div', { class: 'row wrap' });
  const more = button('Show more', () => { pages++; load(); }, { id: 'more-incidents' });
  const foot = el('footer', { hidden: true }, el('span', { class: 'grow' }), more);
  view.append(el('div', { class: 'head' }, el('div', {}, el('h1', {}, 'Incidents'), head)), common,
    el('section', { class: 'card', 'aria-label': 'List of incidents' }, el('div', { class: 'filters one-filter' }, field('Text', text)), bulk, place, foot));

  function isFiltered() {
    return Object.values(filter).some(Boolean);
  }
  function href(of) {
    const made = new URLSearchParams(Object.entries(of).filter(([, value]) => value)).toString();
    return `#/incidents${made ? `?${made}` : ''}`;
  }
  async function load() {
    let all = [], answer = null, cursor = null;
    for (let i = 0; i < pages; i++) {
      answer = await list('incidents', { ...filter, limit: LIMIT, cursor });
      all = [...all, ...answer.items];
      cursor = answer.next;
      if (!cursor) break;
    }
    if (!isCurrent()) return;
    [items, next, total] = [all, cursor, answer.total ?? all.length];
    groups = answer.groups ?? [];
    together();
    show();
  }
  // What failed together is decided together.
  function together() {
    if (!isFiltered() && groups.length < 2) { fill(common); return; }
    fill(common, el('section', { class: 'card by-reason', 'aria-label': 'By reason' }, el('header', {}, el('h2', { class: 'grow' }, 'By reason'), isFiltered() ? el('a', { class: 'small', href: '#/incidents' }, 'All incidents') : el('span', { class: 'small quiet' }, 'largest first')),
      table('tight', [['Reason'], ['Task'], ['Workflow'], ['Incidents', 'num']], groups.map(each => el('tr', {}, el('td', {}, el('a', { href: href({ workflow: each.workflow, task: each.task, reason: each.reason }), dir: 'auto' }, short(each.reason || 'without a reason', 60))), el('td', { dir: 'auto' }, short(each.task, 40)), el('td', { dir: 'auto' }, short(each.workflow, 40)), el('td', { class: 'num' }, number(each.count)))), 'Incidents by reason')));
  }
  function shown() {
    const wanted = text.value.trim().toLowerCase();
    return items.filter(each => !wanted || `${each.case} ${each.task} ${each.reason}`.toLowerCase().includes(wanted));
  }
  function show() {
    const all = shown();
    head.textContent = `${typeof total === 'number' ? count(total, 'incident is', 'incidents are') : 'More than 10,000 incidents are'} open${isFiltered() ? ` with this ${filter.reason ? 'reason' : 'filter'}` : ''}.`;
    const ids = new Set(all.map(each => each.id));
    [...chosen].filter(id => !ids.has(id)).forEach(id => chosen.delete(id));
    const isWhole = !chosen.size && !text.value.trim() && next;
    const which = chosen.size ? 'the selected' : isWhole ? `all ${number(total)}` : 'all shown';
    fill(bulk, ...(may('operator') && all.length ? [el('span', { class: 'small quiet' }, chosen.size ? `${count(chosen.size, 'incident')} selected` : `${count(all.length, 'incident')} shown`),
      button(`Retry ${which}`, () => (isWhole ? whole('retry') : many('retry')), { kind: 'tiny', icon: 'retry', id: 'retry-all' }), button(`Fail ${which}`, () => (isWhole ? whole('fail') : many('fail')), { kind: 'tiny', icon: 'fail', id: 'fail-all' })] : []));
    bulk.className = bulk.childNodes.length ? 'row wrap bulk' : '';
    foot.hidden = !next;
    foot.firstChild.textContent = `${number(items.length)} of ${number(total)}, the oldest first`;
    fill(place, all.length ? scrolling(table('list-table picks', [['Select', '', true], ['Since'], ['Case'], ['Task'], ['Reason'], ['Actions', '', true]], all.map(row), 'Incidents'))
      : blank('done', items.length || isFiltered() ? 'No incident matches' : 'No incident is open', items.length || isFiltered() ? null : 'A task whose attempts are exhausted is shown here until a person decides.'));
  }
  function row(item) {
    const box = el('input', { class: 'ck', type: 'checkbox', 'aria-label': `Select the incident of ${short(item.case, 60)}`, checked: chosen.has(item.id), onchange: () => { if (box.checked) chosen.add(item.id); else chosen.delete(item.id); show(); } });
    return el('tr', { 'data-id': item.id, 'aria-selected': String(chosen.has(item.id)) }, el('td', {}, box),
      el('td', {}, time(item.since, age(item.since))),
      el('td', {}, el('a', { class: 'idl', href: `#/cases/${at(item.case)}`, dir: 'auto' }, short(item.case, 50)), el('span', { class: 'sub', dir: 'auto' }, short(item.workflow, 40))),
      el('td', {}, el('span', { dir: 'auto' }, short(item.task, 50).replace(/#1$/, '')), el('span', { class: 'sub' }, [item.attempts ? count(item.attempts, 'attempt') : '', item.line ? `line ${item.line}` : ''].filter(Boolean).join(', '))),
      el('td', {}, el('span', { class: 'row' }, icon('warn', 'is-fail'), el('span', { dir: 'auto' }, short([item.reason, item.detail].filter(Boolean).join(': '), 160)))),
      el('td', { class: 'num' }, may('operator') ? el('span', { class: 'row acts-in' }, button('Retry', () => one(item, 'retry', {}), { kind: 'tiny' }), button('Skip', () => skip(item), { kind: 'tiny' }), button('Fail', () => fail(item), { kind: 'tiny bad' })) : null));
  }
  async function one(item, action, body) {
    try {
      await send('POST', `incidents/${at(item.id)}/${action}`, body);
      toast(`${short(item.task, 40)} of ${short(item.case, 40)}: ${action} is durable`);
      await load();
    } catch (problem) { toast(problem.message, 'fail'); }
  }
  function skip(item) {
    const form = valueForm(item.schema, item.schema ? undefined : {}, 'Result');
    ask(`Skip ${short(item.task, 40)}`, 'The case continues with this result, as if the task had returned it.', form.node, () => one(item, 'skip', { result: form.read({ show: true }) }));
  }
  function fail(item) {
    const reason = input({ value: item.reason ?? '' });
    ask(`Fail ${short(item.task, 40)}`, 'The task fails; the workflow decides what follows.', field('Reason', reason), () => one(item, 'fail', { reason: reason.value }), true);
  }
  function ask(title, sentence, node, go, isBad = false) {
    dialog(title, close => {
      const note = el('p', { class: 'small', role: 'alert' });
      const form = el('form', { class: 'dlg stack' }, el('p', {}, sentence), node, note, el('div', { class: 'row' }, el('button', { class: `btn ${isBad ? 'bad' : 'main'}`, type: 'submit' }, title), button('Close', close, { kind: 'low' })));
      form.addEventListener('submit', async event => {
        event.preventDefault();
        try { await go(); close(); } catch (problem) { note.textContent = problem.message; }
      });
      return form;
    });
  }
  async function many(action) {
    const all = shown().filter(each => !chosen.size || chosen.has(each.id));
    ask(`${action === 'retry' ? 'Retry' : 'Fail'} ${count(all.length, 'incident')}`, action === 'retry' ? 'Each task is called again at once, with its key.' : 'Each task fails; its workflow decides what follows.', null, async () => {
      let done = 0;
      for (const item of all) {
        try { await send('POST', `incidents/${at(item.id)}/${action}`, action === 'fail' ? { reason: item.reason } : {}); done++; } catch (problem) { toast(`${short(item.case, 40)}: ${problem.message}`, 'fail'); }
      }
      toast(`${done} of ${all.length} durable`);
      chosen.clear();
      await load();
    }, action === 'fail');
  }
  // More than the page has loaded: the server does it, after a count of what matches.
  async function whole(action) {
    const wanted = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
    ask(`${action === 'retry' ? 'Retry' : 'Fail'} ${number(total)} incidents`, action === 'retry' ? 'Each task is called again at once, with its key. Incidents that are added meanwhile are included.' : 'Each task fails; its workflow decides what follows. Incidents that are added meanwhile are included.', null, async () => {
      const answer = await send('POST', `incidents/${action}`, wanted);
      toast(`${number(answer.items?.length ?? 0)} of ${number(answer.matched)} durable`);
      pages = 1;
      await load();
    }, action === 'fail');
  }
  text.addEventListener('input', show);
  await load();
  const again = setInterval(() => { if (!document.hidden && !chosen.size && !document.querySelector('dialog')) load().catch(() => {}); }, 5000);
  return {
    key(event) {
      const links = [...view.querySelectorAll('.idl')], here = links.findIndex(link => link.closest('tr') === document.activeElement?.closest?.('tr'));
      if (event.key === 'j' || event.key === 'k') links[Math.max(0, Math.min(links.length - 1, here + (event.key === 'j' ? 1 : -1)))]?.focus();
      else if (event.key === 'x' && here >= 0) links[here].closest('tr').querySelector('.ck').click();
      else if (event.key === 'f') { event.preventDefault(); text.focus(); }
    },
    close() { clearInterval(again); },
  };
}

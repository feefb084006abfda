// Sessions of orchestrations: process tree, groups, joins, logs.
import { at, follow, get, has, list, may, send } from './api.js';
import { blank, button, card, dialog, el, field, fill, icon, pill, scrolling, select, table, time, toast } from './dom.js';
import { tree } from './tree.js';
import { age, clock, count, number, short, status } from './words.js';

export default function sessions(context) {
  return context.names.length ? one(context) : all(context);
}

async function all({ view, isCurrent }) {
  const head = el('p', { class: 'second' }), place = el('div');
  view.append(el('div', { class: 'head' }, el('div', {}, el('h1', {}, 'Sessions'), head)), el('section', { class: 'card', 'aria-label': 'List of sessions' }, place));
  async function load() {
    const { items } = has('GET', '/v1/sessions') ? await list('sessions') : { items: [] };
    if (!isCurrent()) return;
    head.textContent = `${count(items.length, 'session')} of orchestrations.`;
    fill(place, items.length ? scrolling(table('list-table', [['Status'], ['Session'], ['Graph'], ['Processes'], ['Started', 'num']], items.map(item => {
      const [tone, sign, word] = status(item.paused ? 'PAUSED' : item.status);
      return el('tr', {}, el('td', {}, pill(tone, sign, word, true)), el('td', {}, el('a', { class: 'idl', href: `#/sessions/${at(item.id)}`, dir: 'auto' }, short(item.owner ? `${item.owner} ${item.number}` : item.id, 60))), el('td', { dir: 'auto' }, short(item.graph ?? '', 60)),
        el('td', {}, Object.entries(item.processes ?? {}).filter(([, n]) => n).map(([name, n]) => `${number(n)} ${status(name)[2].toLowerCase()}`).join(', ') || '–'), el('td', { class: 'num' }, time(item.started, item.started ? age(item.started) : '–')));
    }), 'Sessions')) : blank('tree', 'There is no session', 'An orchestration that runs on this engine is shown here with its processes.', el('pre', { class: 'code' }, 'damask session start GRAPH --store orders')));
  }
  await load();
  follow('events', () => { clearTimeout(due); due = setTimeout(() => load().catch(() => {}), 300); });
  let due = 0;
  return {
    key(event) {
      const links = [...view.querySelectorAll('.idl')], here = links.indexOf(document.activeElement);
      if (event.key === 'j' || event.key === 'k') links[Math.max(0, Math.min(links.length - 1, here + (event.key === 'j' ? 1 : -1)))]?.focus();
    },
    close() { clearTimeout(due); },
  };
}

async function one({ view, names: [id], isCurrent }) {
  const path = `sessions/${at(id)}`, body = el('div');
  let caseId = id;
  view.append(body);
  async function load() {
    const of = await get(path);
    if (!isCurrent()) return;
    caseId = of.case ?? id;
    const [tone, sign, word] = status(of.paused ? 'PAUSED' : of.status);
    const act = (name, label, sign2, kind = '') => button(label, async () => {
      try { await send('POST', `${path}/${name}`, {}); toast(`${label}: durable`); await load(); } catch (problem) { toast(problem.message, 'fail'); }
    }, { icon: sign2, kind, 'data-act': name });
    body.replaceChildren(
      el('div', { class: 'head' }, el('div', {}, el('div', { class: 'row title-row' }, el('a', { class: 'up', href: '#/sessions' }, 'Sessions'), el('span', { class: 'slash', 'aria-hidden': 'true' }, '/'), el('h1', { dir: 'auto' }, short(of.owner ? `${of.owner} ${of.number}` : id, 100))),
        el('div', { class: 'meta' }, pill(tone, sign, word), el('span', { dir: 'auto' }, short(of.graph ?? '', 60)), of.started ? el('span', {}, 'Started ', time(of.started, age(of.started)), ' ago') : null, el('a', { href: `#/cases/${at(of.case ?? id)}` }, 'Case and time line'))),
      el('div', { class: 'acts' }, ...(may('operator') ? [act('kill', 'Kill', 'gone', 'bad'), of.paused ? act('resume', 'Resume', 'play', 'main') : act('pause', 'Pause', 'pause'), button('Wake', () => wake(of), { icon: 'run', 'data-act': 'wake' })] : []))),
      el('div', { class: 'he' },
        el('div', { class: 'c7' }, card('Processes', '', el('div', { class: 'body' }, [of.tree ?? []].flat().length ? [of.tree].flat().map(each => tree({ ...each, step: '', note: each.reason || undefined }, false)).reduce((all, each) => { all.append(each); return all; }, el('ul', { class: 'tree' })) : el('p', { class: 'quiet' }, 'No process runs.')))),
        el('div', { class: 'c5 stack' },
          card('Joins', count((of.joins ?? []).length, 'join'), el('div', { class: 'body' }, of.joins?.length ? null : el('p', { class: 'quiet' }, 'No process waits at a join.'), el('ul', { class: 'list' }, (of.joins ?? []).slice(0, 60).map(each => el('li', {}, icon('join', each.completed >= each.required ? 'is-done' : 'is-plain'), el('span', { dir: 'auto' }, short(each.name, 60)), el('span', { class: 'r' }, `${each.completed} of ${each.required}`)))))),
          card('Groups', count((of.groups ?? []).length, 'group'), el('div', { class: 'body' }, of.groups?.length ? null : el('p', { class: 'quiet' }, 'No group is open.'), el('ul', { class: 'list' }, (of.groups ?? []).slice(0, 60).map(each => el('li', {}, icon('tree', 'is-plain'), el('span', { dir: 'auto' }, short(each.name, 60), el('small', {}, each.state ? String(each.state).toLowerCase() : '')), el('span', { class: 'r' }, count((each.members ?? []).length, 'member')))))))),
        el('div', { class: 'c12' }, card('Log', count((of.log ?? []).length, 'entry', 'entries'), el('div', { class: 'body' }, (of.log ?? []).length ? el('ul', { class: 'log tall', tabindex: 0, 'aria-label': 'Log' }, of.log.slice(-500).map(each => el('li', {}, el('span', { class: 'quiet' }, each.at ? `${clock(each.at)}  ` : ''), el('b', {}, each.step ? `${short(each.step, 30)}  ` : ''), short(each.text ?? each, 400)))) : el('p', { class: 'quiet' }, 'No entry.'))))));
  }
  // Wakes all processes at a step.
  function wake(of) {
    const steps = new Set();
    const walk = all => all.forEach(each => { steps.add(each.step ?? each.name); walk(each.children ?? []); });
    walk([of.tree ?? []].flat());
    dialog('Wake', close => {
      const step = select([...steps].map(each => [each, short(each, 60)]));
      const note = el('p', { class: 'small', role: 'alert' });
      const form = el('form', { class: 'dlg stack' }, field('Processes at the step', step), note, el('div', { class: 'row' }, el('button', { class: 'btn main', type: 'submit' }, 'Wake'), button('Close', close, { kind: 'low' })));
      form.addEventListener('submit', async event => {
        event.preventDefault();
        try { const { woken } = await send('POST', `${path}/wake`, { step: step.value }); toast(`${count(woken ?? 0, 'process was', 'processes were')} woken`); close(); await load(); } catch (problem) { note.textContent = problem.message; }
      });
      return form;
    });
  }

  await load();
  let due = 0;
  follow(`cases/${at(caseId)}/events`, () => { clearTimeout(due); due = setTimeout(() => load().catch(() => {}), 200); });
  return { close() { clearTimeout(due); } };
}

// Schedules: which workflow starts when.
import { at, list, may, send } from './api.js';
import { blank, button, dialog, el, field, fill, input, pill, scrolling, select, table, time, toast } from './dom.js';
import { inputOf } from './forms.js';
import { valueForm } from './values.js';
import { age, count, short, until } from './words.js';

export default async function schedules({ view, isCurrent }) {
  let items = [], workflows = [];
  const head = el('p', { class: 'second' }), place = el('div');
  view.append(el('div', { class: 'head' }, el('div', {}, el('h1', {}, 'Schedules'), head), el('div', { class: 'acts' }, may('operator') ? button('New schedule', () => edit(null), { kind: 'main', icon: 'plus', id: 'new-schedule' }) : null)),
    el('section', { class: 'card', 'aria-label': 'List of schedules' }, place));

  async function load() {
    ({ items } = await list('schedules'));
    if (!isCurrent()) return;
    head.textContent = `${count(items.length, 'schedule')}, ${items.filter(each => each.paused).length} paused.`;
    fill(place, items.length ? scrolling(table('list-table', [['Schedule'], ['Workflow'], ['When'], ['Next', 'num'], ['Last', 'num'], ['Status'], ['Actions', '', true]], items.map(row), 'Schedules'))
      : blank('cal', 'There is no schedule', 'A schedule starts a case of a workflow at fixed times.'));
  }
  function row(item) {
    return el('tr', { 'data-name': item.name, 'data-id': item.name }, el('td', {}, el('b', { dir: 'auto' }, short(item.name, 50))), el('td', {}, el('a', { href: `#/workflows/${at(item.workflow)}`, dir: 'auto' }, short(item.workflow, 40))),
      el('td', {}, el('code', {}, short(rhythm(item), 60)), el('span', { class: 'sub' }, item.overlap ? `overlap: ${item.overlap}` : '')),
      el('td', { class: 'num' }, item.next && !item.paused ? time(item.next, until(item.next)) : '–'), el('td', { class: 'num' }, item.last ? time(item.last, `${age(item.last)} ago`) : '–', item.lastCase ? el('a', { class: 'sub', href: `#/cases/${at(item.lastCase)}` }, short(item.lastCase, 24)) : null),
      el('td', {}, item.paused ? pill('gone', 'pause', 'Paused', true) : pill('run', 'run', 'Active', true)),
      el('td', { class: 'num' }, may('operator') ? el('span', { class: 'row acts-in' }, button(item.paused ? 'Resume' : 'Pause', () => one(item, item.paused ? 'resume' : 'pause'), { kind: 'tiny' }), button('Start now', () => one(item, 'trigger'), { kind: 'tiny' }), button('Edit', () => edit(item), { kind: 'tiny' }), may('admin') ? button('Remove', () => remove(item), { kind: 'tiny bad' }) : null) : null));
  }
  function rhythm(item) {
    return item.timing ?? '';
  }
  async function one(item, action) {
    try {
      const answer = await send('POST', `schedules/${at(item.name)}/${action}`, {});
      toast(answer.case ? `${short(answer.case, 40)} was started` : `${short(item.name, 40)}: ${action} is durable`);
      await load();
    } catch (problem) { toast(problem.message, 'fail'); }
  }
  function remove(item) {
    dialog(`Remove ${short(item.name, 40)}`, close => el('div', { class: 'dlg stack' }, el('p', {}, 'No further cases are started. Its cases stay.'), el('div', { class: 'row' },
      button('Remove', async () => {
        try { await send('DELETE', `schedules/${at(item.name)}`); toast(`${short(item.name, 40)} is removed`); close(); await load(); } catch (problem) { toast(problem.message, 'fail'); }
      }, { kind: 'bad' }), button('Close', close, { kind: 'low' }))));
  }
  function edit(item) {
    dialog(item ? `Schedule ${short(item.name, 40)}` : 'New schedule', close => {
      const name = input({ value: item?.name ?? '', required: true, readonly: Boolean(item) });
      const which = select(workflows.map(each => [each.workflow, short(each.workflow, 50)]), item?.workflow);
      // The server writes when a schedule is due as one text.
      const [, oldCron = '', oldZone = 'UTC'] = rhythm(item ?? {}).match(/^cron '(.+)' in (\S+)$/) ?? [], [, oldEvery = ''] = rhythm(item ?? {}).match(/^every (\S+)$/) ?? [];
      const cron = input({ placeholder: '0 6 * * *', value: oldCron }), zone = input({ value: oldZone }), every = input({ placeholder: 'PT1H', value: oldEvery });
      const overlap = select([['skip', 'skip the new one'], ['queue', 'start the new one after it'], ['allow', 'start the new one beside it'], ['replace', 'cancel it and start the new one']], item?.overlap);
      const place = el('div');
      let values = null;
      const put = el('button', { class: 'btn main', type: 'submit', disabled: true }, 'Put');
      const show = async given => {
        const wanted = which.value;
        put.disabled = true;
        const schema = await inputOf(wanted);
        if (wanted !== which.value) return;
        put.disabled = false;
        values = valueForm(schema, given && Object.keys(given).length ? given : schema ? undefined : {}, 'Input');
        place.replaceChildren(values.node);
      };
      which.addEventListener('change', () => show());
      show(item?.input);
      const note = el('p', { class: 'small', role: 'alert' });
      const form = el('form', { class: 'dlg stack' }, field('Name', name), field('Workflow', which), el('div', { class: 'two' }, field('Cron', cron, 'minute, hour, day, month, weekday'), field('Time zone of the cron', zone)), field('Or an interval', every, 'a duration such as PT1H'), field('If the case before still runs', overlap), place, note, el('div', { class: 'row' }, put, button('Close', close, { kind: 'low' })));
      form.addEventListener('submit', async event => {
        event.preventDefault();
        try {
          if (Boolean(cron.value.trim()) === Boolean(every.value.trim())) throw new Error('Enter a cron or an interval, one of them');
          await send('PUT', `schedules/${at(name.value.trim())}`, { workflow: which.value, ...(cron.value.trim() ? { cron: cron.value.trim(), zone: zone.value.trim() } : {}), ...(every.value.trim() ? { every: every.value.trim() } : {}), ...(item?.catchUp ? { catchUp: item.catchUp } : {}), overlap: overlap.value, input: values?.read({ show: true }) ?? {} });
          toast(`${short(name.value, 40)} is durable`);
          close();
          await load();
        } catch (problem) {
          values?.refused(problem.message);
          note.textContent = problem.message;
        }
      });
      return form;
    });
  }
  ({ items: workflows } = await list('workflows'));
  await load();
  const again = setInterval(() => { if (!document.hidden && !document.querySelector('dialog')) load().catch(() => {}); }, 10000);
  return { close() { clearInterval(again); } };
}

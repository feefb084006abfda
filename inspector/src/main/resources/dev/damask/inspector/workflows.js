// Workflows: the list.
import { at, list, may } from './api.js';
import { blank, button, el, table } from './dom.js';
import { startForm } from './forms.js';
import { number, short, status } from './words.js';

const SHOWN = ['RUNNING', 'WAITING', 'DEADLOCKED', 'QUARANTINED', 'COMPLETED', 'FAILED', 'CANCELLED'];

export default async function workflows({ view }) {
  const { items } = await list('workflows');
  view.append(
    el('div', { class: 'head' }, el('div', {}, el('h1', {}, 'Workflows'), el('p', { class: 'second' }, `${number(items.length)} registered.`)),
      el('div', { class: 'acts' }, el('a', { class: 'btn', href: '#/playground' }, 'Write a document'), may('operator') && items.length ? button('Start a case', () => startForm(items), { kind: 'main', icon: 'plus' }) : null)),
    el('section', { class: 'card', 'aria-label': 'List of workflows' }, items.length
      ? table('list-table flows', [['Workflow'], ['Version'], ['Program'], ...SHOWN.map(name => [status(name)[2], 'num'])], items.map(item => el('tr', {},
        el('td', {}, el('a', { class: 'idl', href: `#/workflows/${at(item.workflow)}`, dir: 'auto' }, short(item.workflow, 60)), el('span', { class: 'sub' }, item.document ? 'document' : 'Java')),
        el('td', {}, item.version ? el('span', { class: 'tag' }, `v${short(item.version, 12)}`) : '–'),
        el('td', {}, el('code', { class: 'quiet' }, short(item.program ?? '', 14))),
        SHOWN.map(name => {
          const n = item.cases?.[name] ?? 0;
          return el('td', { class: n ? 'num' : 'num zero' }, n ? el('a', { href: `#/cases?${new URLSearchParams({ workflow: item.workflow, status: name })}` }, number(n)) : el('span', { class: 'quiet' }, '0'));
        }))), 'Workflows')
      : blank('flow', 'No workflow is registered', 'Put a document in the playground, or start the server with a directory of documents:', el('pre', { class: 'code' }, 'damask serve examples/documents --store orders'))));
  return {
    key(event) {
      const links = [...view.querySelectorAll('.idl')], here = links.indexOf(document.activeElement);
      if (event.key === 'j' || event.key === 'k') links[Math.max(0, Math.min(links.length - 1, here + (event.key === 'j' ? 1 : -1)))]?.focus();
    },
  };
}

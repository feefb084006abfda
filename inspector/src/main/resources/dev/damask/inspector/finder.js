// The box that jumps to anything: cases by id or attribute, workflows, pages.
import { at, list } from './api.js';
import { dialog, el, icon, input } from './dom.js';
import { status } from './words.js';

const PAGES = [
  ['cases', 'Cases', 'cases'], ['workflows', 'Workflows', 'flow'], ['sessions', 'Sessions', 'tree'], ['incidents', 'Incidents', 'warn'],
  ['schedules', 'Schedules', 'cal'], ['playground', 'Playground', 'pen'], ['health', 'Health', 'pulse'],
];

export function finder() {
  if (document.querySelector('dialog.finder')) return;
  const box = input({ type: 'search', placeholder: 'Case id, attribute, workflow or page', 'aria-label': 'Find', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'found', 'aria-autocomplete': 'list' });
  const found = el('ul', { id: 'found', class: 'found', role: 'listbox', 'aria-label': 'Results' });
  const made = dialog('Find', () => el('div', { class: 'dlg' }, box, found), 'finder');
  let chosen = 0, stop = null, workflows = null;

  const entries = () => [...found.querySelectorAll('[role=option]')];
  function choose(to) {
    const all = entries();
    if (!all.length) return;
    chosen = (to + all.length) % all.length;
    all.forEach((each, i) => each.setAttribute('aria-selected', i === chosen));
    box.setAttribute('aria-activedescendant', all[chosen].id);
    all[chosen].scrollIntoView({ block: 'nearest' });
  }
  function open(href) {
    made.close();
    location.hash = href;
  }
  function option(href, sign, name, more, i) {
    return el('li', { role: 'option', id: `found-${i}`, 'aria-selected': 'false', 'data-href': href, onclick: () => open(href) }, icon(sign), el('span', { class: 'grow' }, name), el('span', { class: 'small quiet' }, more));
  }
  async function look() {
    const text = box.value.trim(), lower = text.toLowerCase();
    stop?.abort();
    stop = new AbortController();
    const mine = stop;
    const pages = PAGES.filter(([, label]) => label.toLowerCase().includes(lower)).map(([name, label, sign]) => [`#/${name}`, sign, label, 'page']);
    show(pages);
    if (!text) return;
    try {
      workflows ??= (await list('workflows')).items;
      const flows = workflows.filter(each => each.workflow.toLowerCase().includes(lower)).slice(0, 6).map(each => [`#/workflows/${at(each.workflow)}`, 'flow', each.workflow, 'workflow']);
      const { items } = await list('cases', { text, limit: 8 }, mine.signal);
      if (mine.signal.aborted) return;
      show([...items.map(each => [`#/cases/${at(each.id)}`, status(each.status)[1], each.id, `${each.workflow}, ${status(each.status)[2].toLowerCase()}`]), ...flows, ...pages]);
    } catch (problem) {
      if (!mine.signal.aborted) show([...pages, ['#/cases', 'warn', 'The server does not answer', problem.message]]);
    }
  }
  function show(all) {
    found.replaceChildren(...all.map(([href, sign, name, more], i) => option(href, sign, name, more, i)));
    if (!all.length) found.replaceChildren(el('li', { class: 'none quiet' }, 'Nothing found'));
    choose(0);
  }
  box.addEventListener('input', look);
  box.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown') { event.preventDefault(); choose(chosen + 1); }
    else if (event.key === 'ArrowUp') { event.preventDefault(); choose(chosen - 1); }
    else if (event.key === 'Enter') { event.preventDefault(); const each = entries()[chosen]; if (each) open(each.dataset.href); }
  });
  look();
  box.focus();
}

// Addresses of pages, and what a page shows if it cannot be shown.
import { Problem, Silence } from './api.js';
import { blank, button, el } from './dom.js';

export function route() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path || 'cases', query: new URLSearchParams(query) };
}

/** Writes the address of what is shown without a new entry in the browser's history. */
export function address(path, query) {
  const text = new URLSearchParams([...query].filter(([, value]) => value !== '')).toString();
  history.replaceState(null, '', `#/${path}${text ? `?${text}` : ''}`);
}

/** What the page shows instead of its content if the server refuses or does not answer. */
export function failure(problem, again) {
  if (problem?.name === 'AbortError') return el('div');
  const isSilent = problem instanceof Silence;
  const code = problem instanceof Problem ? `${problem.status} ${problem.body.type ?? ''}, ${problem.path}` : isSilent ? '' : String(problem?.message ?? problem);
  const [sign, title] = isSilent ? ['plug', 'The server does not answer'] : !(problem instanceof Problem) ? ['warn', 'This page cannot be shown']
    : problem.status === 404 ? ['search', 'This does not exist']
      : problem.status === 403 ? ['shield', 'Your token may not do this'] : ['warn', 'The server refuses'];
  return el('div', { class: 'card' }, blank(sign, title, problem instanceof Problem ? problem.message : isSilent ? 'Cases continue without this page.' : null,
    el('div', { class: 'row' }, button('Ask again', again, { icon: 'retry' })), code ? el('p', { class: 'small quiet' }, code) : null));
}

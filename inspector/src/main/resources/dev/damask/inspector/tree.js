// A tree of children: of a nursery, or of the processes of a session.
import { el, icon } from './dom.js';
import { age, short, span, status } from './words.js';

// `PT1H2M3.4S` as `1 h 2 min`.
function duration(iso) {
  const found = String(iso ?? '').match(/^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/);
  return found ? span(((Number(found[1] ?? 0) * 60 + Number(found[2] ?? 0)) * 60 + Number(found[3] ?? 0)) * 1000) : '';
}

const WORDS = { open: 'RUNNING', closed: 'COMPLETED', closing: 'WAITING', succeeded: 'COMPLETED', running: 'RUNNING', waiting: 'WAITING', done: 'COMPLETED', finished: 'COMPLETED', completed: 'COMPLETED', failed: 'FAILED', cancelled: 'CANCELLED', overdue: 'FAILED', pending: 'PENDING', held: 'WAITING' };

export function tree(node, isRoot = true) {
  const [tone, sign, word] = status(WORDS[String(node.state ?? 'running').toLowerCase()] ?? node.state);
  const leaf = el('div', { class: 'leaf' }, el('span', { class: `is-${tone}`, title: word }, icon(sign), el('span', { class: 'vh' }, word)),
    el('span', { dir: 'auto' }, isRoot ? el('b', {}, short(node.name, 80)) : short(node.name, 80), node.step && !String(node.name).startsWith(node.step) ? el('span', { class: 'quiet' }, ` at ${short(node.step, 40)}`) : null, node.count > 1 ? el('span', { class: 'quiet' }, ` ×${node.count}`) : null),
    el('span', { class: 'r' }, short(node.note ?? (node.since ? age(node.since) : duration(node.age)), 60)));
  const children = node.children ?? [];
  const made = el('li', {}, leaf, children.length ? el('ul', {}, children.slice(0, 200).map(each => tree(each, false)), children.length > 200 ? el('li', { class: 'leaf quiet' }, el('span'), el('span', {}, `${children.length - 200} more`)) : null) : null);
  return isRoot ? el('ul', { class: 'tree' }, made) : made;
}

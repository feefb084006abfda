// Lays tokens and states over the SVG that module `drawing` made. The layout is never touched:
// elements are found by data-path, marks go into one group on top.
import { svg } from './dom.js';

const GLYPH = {
  run: 'M-2.5-4L4 0L-2.5 4Z', wait: 'M-4 0h.01M0 0h.01M4 0h.01', done: 'M-4 0L-1 3L4-3',
  fail: 'M-3-3L3 3M3-3L-3 3', gone: 'M-3.5 3.5L3.5-3.5',
};
const WORD = { run: 'running', wait: 'waiting', done: 'done', fail: 'failed', gone: 'undone' };
const STATES = Object.keys(WORD).map(name => `s-${name}`);
const READABLE = 0.55;
const HEATS = ['heat-1', 'heat-2', 'heat-3', 'heat-4'];

// What a drawing may consist of. Everything else in the answer is left out, also its style sheet:
// the page has its own.
const TAGS = new Set(['svg', 'g', 'rect', 'circle', 'ellipse', 'path', 'line', 'text', 'tspan', 'title', 'desc']);
const ATTRIBUTES = new Set(['class', 'id', 'viewBox', 'width', 'height', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'd',
  'transform', 'text-anchor', 'data-path', 'data-part']);

function copy(from) {
  const made = svg(from.localName);
  for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE && TAGS.has(child.localName)) made.append(copy(child));
  }
  return made;
}

/** Reads the text of a drawing into a new element. */
export function parse(text) {
  // The policy of the page would report the style sheet when it is read, so it goes first.
  const bare = text.replace(/<style[^>]*>[^<]*<\/style>/g, '');
  const read = new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement;
  if (read.localName !== 'svg') throw new Error('the answer is not a drawing');
  const made = copy(read);
  made.setAttribute('class', 'damask');
  return made;
}

export class Drawing {
  /** Puts a drawing into a stage. pick is called with the path of a box that was chosen. */
  constructor(stage, text, { pick, label = 'Drawing' } = {}) {
    this.stage = stage;
    this.root = parse(text);
    this.root.removeAttribute('width');
    this.root.removeAttribute('height');
    stage.replaceChildren(this.root);
    this.paths = new Map();
    for (const group of this.root.querySelectorAll('[data-path]')) {
      if (!this.paths.has(group.dataset.path)) this.paths.set(group.dataset.path, group);
    }
    this.crop();
    this.over = this.root.appendChild(svg('g', { class: 'over' }));
    this.tokens = new Map();
    this.boxes = new Map();
    this.zoom = 1;
    this.size();
    // A phone may be turned, a window made smaller.
    new ResizeObserver(() => this.size()).observe(stage);
    this.root.setAttribute('role', 'group');
    this.root.setAttribute('aria-label', label);
    if (pick) this.hits(pick);
  }

  /** Shows this drawing in its stage again, in the place of another version. */
  attach() {
    this.stage.replaceChildren(this.root);
    this.size();
  }

  // The page has a heading of its own, so the drawing is shown without its title and its margin.
  crop() {
    for (const note of this.root.querySelectorAll(':scope > text, :scope > .paper')) note.remove();
    const box = this.root.getBBox();
    if (!box.width) return;
    this.view = { x: box.x - 14, y: box.y - 18, width: box.width + 28, height: box.height + 32 };
    this.root.setAttribute('viewBox', `${this.view.x} ${this.view.y} ${this.view.width} ${this.view.height}`);
  }

  // On a phone a drawing keeps its size and scrolls.
  size() {
    if (!this.view) return;
    const isSmall = matchMedia('(max-width: 720px)').matches;
    // A drawing that would have to be unreadably small keeps its size and scrolls.
    const most = this.stage.classList.contains('fits') ? Math.max(320, innerHeight - 572) : Infinity;
    const fitted = Math.min((this.stage.clientWidth - 32) / this.view.width, most / this.view.height);
    const isFit = this.zoom === 1 && !isSmall && !(this.stage.clientWidth && fitted < READABLE);
    this.isWide = !isFit;
    this.root.style.width = isFit ? `min(100%, ${this.view.width * 1.3}px)` : `${this.view.width * this.zoom * (isSmall ? 1.05 : 1)}px`;
    this.root.style.maxWidth = isFit ? '' : 'none';
    this.root.style.maxHeight = isFit ? '' : 'none';
  }
  scale(factor) {
    if (!this.root.isConnected) return;
    this.zoom = factor === 0 ? 1 : Math.max(0.4, Math.min(4, this.zoom * factor));
    this.size();
  }

  hits(pick) {
    for (const [path, group] of this.paths) {
      const box = this.shape(group);
      if (!box || group.classList.contains('undo')) continue;
      const isBox = box.classList.contains('box');
      if (!isBox && !group.classList.contains('defer') && !group.classList.contains('take')) continue;
      const hit = box.parentNode;
      hit.classList.add('hit');
      hit.setAttribute('data-hit', path);
      hit.setAttribute('tabindex', '0');
      hit.setAttribute('role', 'button');
      hit.setAttribute('aria-label', [...hit.querySelectorAll('text')].map(text => text.lastChild?.textContent ?? '').join(' ') || 'decision');
      hit.addEventListener('keydown', event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); event.stopPropagation(); pick(path); }
      });
    }
    this.root.addEventListener('click', event => {
      const hit = event.target.closest('[data-hit]');
      if (hit) pick(hit.dataset.hit);
    });
  }

  /** The element of a path, or of the nearest construct around it that is drawn. */
  at(path) {
    for (let each = path ?? ''; each; each = each.replace(/(\.[^.[]*|\[[^[]*\])$/, '')) {
      const found = this.paths.get(each);
      if (found) return found;
      if (!/[.[]/.test(each)) break;
    }
    return null;
  }

  /** The named boxes, for documents whose places are not known. */
  places() {
    return [...this.paths].filter(([, group]) => group.classList.contains('task')).map(([id, group]) => ({ id, name: group.querySelector('.name')?.lastChild?.textContent ?? '' }));
  }

  /** Whether an element is one step: a task or a wait, not a frame, a block or a line in a box. */
  isStep(path) {
    const group = this.paths.get(path), shape = group && this.shape(group);
    return Boolean(shape) && !group.classList.contains('undo') && !shape.classList.contains('frame') && !shape.classList.contains('bar');
  }

  /** The drawn blocks with a join around an element, the outermost first. */
  blocks(path) {
    const all = [];
    for (let each = path ?? ''; each; each = each.replace(/(\.[^.[]*|\[[^[]*\])$/, '')) {
      if (this.paths.get(each)?.querySelector(':scope > .bar')) all.unshift(each);
      if (!/[.[]/.test(each)) break;
    }
    return all;
  }

  // The shape that stands for an element: its box, the ring of a decision, the bar of a join.
  shape(group) {
    return group.querySelector(':scope > .box, :scope > .task:not([data-path]) > .box, :scope > .gateway > .event, :scope > .gateway > .diamond, :scope > .gateway > .gate, :scope > .wait > .event, :scope > .event, :scope > .bar, :scope > .ring, :scope > .sent, :scope > .frame');
  }
  // The layout never changes, so each box is measured once.
  box(shape) {
    let known = this.boxes.get(shape);
    if (!known) { known = shape.getBBox(); this.boxes.set(shape, known); }
    return known;
  }
  corner(group) {
    const shape = this.shape(group) ?? group;
    const box = this.box(shape);
    // A frame is large: its tokens stand at its entry.
    return shape.classList.contains('frame') ? [box.x + 12, box.y + 2] : [box.x + box.width - 4, box.y + (shape.classList.contains('small') ? -4 : 0)];
  }

  /** states: {path: run|wait|done|fail|gone}, tokens and ghosts: [{id, path}], joins: [{path, completed, required}] */
  show({ states = {}, tokens = [], ghosts = [], joins = [], picked } = {}) {
    for (const group of this.paths.values()) group.classList.remove(...STATES, 'joining');
    this.over.replaceChildren();
    const chosen = picked && this.at(picked);
    const shape = chosen && this.shape(chosen);
    if (shape) {
      const box = this.box(shape);
      this.over.append(svg('rect', { class: 'sel', x: box.x - 4, y: box.y - 4, width: box.width + 8, height: box.height + 8, rx: shape.localName === 'rect' ? 12 : 18 }));
    }
    const here = new Map();
    for (const token of [...tokens, ...ghosts]) { const group = this.at(token.path); here.set(group, (here.get(group) ?? 0) + 1); }
    for (const [path, state] of Object.entries(states)) {
      const group = this.paths.get(path);
      if (!group) continue;
      group.classList.add(`s-${state}`);
      const [x, y] = this.corner(group);
      this.over.append(svg('g', { class: `mk is-${state}`, transform: `translate(${x - (here.has(group) ? 12 + width(here.get(group) > 3 ? tally(here.get(group)) : '') / 2 : 0)} ${y})` },
        named(WORD[state]), svg('circle', { r: 9 }), svg('path', { d: GLYPH[state] })));
    }
    for (const join of joins) this.join(join);
    this.place(tokens, '');
    this.place(ghosts, 'ghost');
    this.follow((tokens[0] ?? ghosts[0])?.path);
  }

  join({ path, completed, required }) {
    const group = this.at(path);
    const bars = group?.querySelectorAll(':scope > .bar') ?? [];
    if (!bars.length) return;
    group.classList.add('joining');
    const bar = this.box(bars[bars.length - 1]);
    const words = `${completed} of ${required}`;
    const x = bar.x + bar.width / 2, y = bar.y - 11, width = words.length * 5.6 + 16;
    const label = svg('text', { x, y: y + 4 });
    label.textContent = words;
    this.over.append(svg('g', { class: `arrived is-${completed >= required ? 'done' : 'wait'}` },
      svg('rect', { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }), label));
  }

  // Up to three tokens of one element stand side by side; more become one with their number.
  place(tokens, kind) {
    const byElement = new Map();
    for (const token of tokens) {
      const group = this.at(token.path);
      if (group) byElement.set(group, [...(byElement.get(group) ?? []), token]);
    }
    const wanted = new Map();
    for (const [group, all] of byElement) {
      const [x, y] = this.corner(group);
      if (all.length > 3) wanted.set(`${kind}all${all[0].id}`, { x, y, text: tally(all.length), title: `${all.length.toLocaleString('en-US')} tokens` });
      else all.forEach((token, i) => wanted.set(`${kind}${token.id}`, { x: x + i * 18, y, text: String(token.id), title: `token ${token.id}` }));
    }
    for (const [id, known] of this.tokens) {
      if (known.kind === kind && !wanted.has(id)) { known.group.remove(); this.tokens.delete(id); }
    }
    for (const [id, { x, y, text, title }] of wanted) {
      let known = this.tokens.get(id);
      if (!known) {
        const label = svg('text', { y: 4 });
        known = { kind, label, group: svg('g', { class: `tok ${kind}` }, named(title), svg('rect', { height: 20, y: -10, rx: 10 }), label) };
        this.tokens.set(id, known);
      }
      if (known.label.textContent !== text) {
        known.label.textContent = text;
        known.group.querySelector('rect').setAttribute('width', width(text));
        known.group.querySelector('rect').setAttribute('x', -width(text) / 2);
      }
      this.root.append(known.group);
      known.group.style.transform = `translate(${x + 1}px, ${y}px)`;
    }
  }

  /** The heat map: [{id, count, heat from 1 to 4}] */
  heat(standing) {
    for (const group of this.paths.values()) group.classList.remove(...HEATS);
    this.over.querySelectorAll('.cnt').forEach(each => each.remove());
    for (const { id, count, heat, title } of standing) {
      const group = this.at(id);
      if (!group) continue;
      group.classList.add(`heat-${heat}`);
      const [x, y] = this.corner(group);
      const words = count.toLocaleString('en-US'), width = Math.max(20, 10 + words.length * 6.6);
      const label = svg('text', { y: 4 });
      label.textContent = words;
      this.over.append(svg('g', { class: 'cnt', transform: `translate(${x} ${y})` }, named(title), svg('rect', { x: -width / 2, y: -10, width, height: 20, rx: 10 }), label));
    }
  }

  // Where the drawing is wider than its stage, the first token stays in sight.
  follow(path) {
    const group = path && this.at(path);
    if (!group || !this.isWide) return;
    const { stage } = this, [left, top] = this.corner(group);
    if (stage.scrollWidth > stage.clientWidth + 1) {
      const x = (left - this.view.x) / this.view.width * this.root.clientWidth;
      if (x < stage.scrollLeft + 40 || x > stage.scrollLeft + stage.clientWidth - 40) stage.scrollLeft = x - stage.clientWidth / 2;
    }
    if (stage.scrollHeight > stage.clientHeight + 1) {
      const y = (top - this.view.y) / this.view.height * this.root.clientHeight;
      if (y < stage.scrollTop + 40 || y > stage.scrollTop + stage.clientHeight - 40) stage.scrollTop = y - stage.clientHeight / 2;
    }
  }
}

// Of a token: its text and its width.
function tally(n) {
  return `×${n.toLocaleString('en-US')}`;
}
function width(text) {
  return Math.max(20, 8 + text.length * 7.5);
}

function named(text) {
  const title = svg('title');
  title.textContent = text;
  return title;
}

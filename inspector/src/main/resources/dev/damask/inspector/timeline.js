// One time line for the past of a case, a counterexample and a run of the playground. Only the
// columns in sight exist, so ten thousand positions cost as much as twenty.
import { el, icon, iconButton, time } from './dom.js';
import { clock, span } from './words.js';

const NARROW = 56;

export class TimeLine {
  /**
   * lanes: [{type, name, icon, tone, round}]; event(i) returns {type, text, more, at, rev} of column i from 0, or
   * undefined while it is not loaded; seek(i) is called when the position changes; need(from, to) before columns are shown.
   */
  constructor({ lanes, length, event, seek, need = () => {}, unit = 'Position', label = 'Positions of the case', first = 1 }) {
    Object.assign(this, { lanes, length, event, seek, need, unit, first, shown: new Map(), now: undefined });
    this.said = el('div', { class: 'said' });
    this.pos = el('span', { class: 'pos' });
    this.track = el('div', { class: 'track', role: 'slider', tabindex: 0, 'aria-label': label, 'aria-valuemin': first });
    this.head = el('div', { class: 'head-at' });
    this.track.append(this.head);
    this.scroll = el('div', { class: 'scroll' }, this.track);
    this.strip = el('canvas', { class: 'strip', 'aria-hidden': 'true', height: 20 });
    this.go4 = { first: ['first', `First ${unit.toLowerCase()}`], prev: ['left', `One ${unit.toLowerCase()} back`], next: ['right', `One ${unit.toLowerCase()} on`], last: ['last', `Last ${unit.toLowerCase()}`] };
    this.buttons = Object.fromEntries(Object.entries(this.go4).map(([name, [sign, words]]) => [name, iconButton(sign, words, () => this.go(this.target(name)))]));
    this.card = el('section', { class: 'card tl', 'aria-label': 'Time line' },
      el('header', {}, el('div', { class: 'move' }, Object.values(this.buttons)), this.pos, this.said),
      this.strip,
      el('div', { class: 'grid' },
        el('ul', { class: 'names', 'aria-hidden': 'true' }, lanes.map(lane => el('li', { title: lane.name }, icon(lane.icon, `is-${lane.tone}`), el('span', {}, lane.name)))),
        this.scroll));
    this.track.addEventListener('keydown', each => this.key(each));
    this.track.addEventListener('pointerdown', each => this.drag(each, this.track, e => {
      const box = this.track.getBoundingClientRect();
      return Math.floor((e.clientX - box.left) / this.width);
    }));
    this.strip.addEventListener('pointerdown', each => this.drag(each, this.strip, e => {
      const box = this.strip.getBoundingClientRect();
      return Math.floor((e.clientX - box.left) / box.width * this.length);
    }));
    // Sizes are kept, so that moving reads no layout.
    this.left = 0;
    this.room = 0;
    this.scroll.addEventListener('scroll', () => { this.left = this.scroll.scrollLeft; this.columns(); }, { passive: true });
    this.watch = new ResizeObserver(() => this.lay());
    this.watch.observe(this.scroll);
  }

  target(name) {
    return { first: 0, prev: this.now - 1, next: this.now + 1, last: this.length - 1 }[name];
  }

  /** Columns were added on the right, or loaded. The position stays. */
  grow(length) {
    const isLast = this.now === this.length - 1;
    this.length = length;
    this.lay(true);
    if (this.now !== undefined) this.tell();
    return isLast;
  }

  lay(all = false) {
    this.room = this.scroll.clientWidth;
    if (!this.room) return;
    const width = Math.max(NARROW, Math.floor(this.room / Math.max(1, this.length)));
    const capped = Math.min(width, 200);
    if (capped !== this.width || all) {
      this.width = capped;
      for (const col of this.shown.values()) col.remove();
      this.shown.clear();
    }
    this.track.style.width = `${this.width * this.length}px`;
    this.overview();
    this.put();
    this.columns();
  }

  columns() {
    if (!this.width || !this.room) return;
    const from = Math.max(0, Math.floor(this.left / this.width) - 3);
    const to = Math.min(this.length - 1, Math.ceil((this.left + this.room) / this.width) + 3);
    this.need(from, to);
    for (const [i, col] of this.shown) {
      if (i < from || i > to) { col.remove(); this.shown.delete(i); }
    }
    for (let i = from; i <= to; i++) {
      if (!this.shown.has(i)) {
        const col = this.column(i);
        if (!col) continue;
        this.shown.set(i, col);
        this.track.append(col);
      }
    }
    this.mark();
  }

  column(i) {
    const event = this.event(i);
    if (!event) return null;
    const before = i ? this.event(i - 1) : null;
    const gap = event.at && before?.at ? Date.parse(event.at) - Date.parse(before.at) : 0;
    const col = el('div', { class: 'col', title: `${this.unit} ${i + this.first}: ${event.text}` },
      el('span', { class: 'when' }, event.at ? time(event.at, clock(event.at)) : `${this.unit.toLowerCase()} ${i + this.first}`,
        el('small', {}, gap >= 1000 ? `+${span(gap)}` : '\u00a0')));
    for (const lane of this.lanes) {
      if (lane.type === 'commit') col.append(event.rev ? el('span', { class: 'rev' }, `r${event.rev}`) : el('span'));
      else if (lane.type === event.type) col.append(el('span', { class: `ev is-${lane.tone}${lane.round ? ' round' : ''}` }, icon(lane.icon)));
      else col.append(el('span'));
    }
    col.style.left = `${i * this.width}px`;
    col.style.width = `${this.width}px`;
    return col;
  }

  mark() {
    for (const [i, col] of this.shown) {
      col.classList.toggle('later', i > this.now);
      col.classList.toggle('now', i === this.now);
    }
  }

  key(event) {
    const to = { ArrowLeft: this.now - 1, ArrowRight: this.now + 1, Home: 0, End: this.length - 1, PageUp: this.now - 5, PageDown: this.now + 5 }[event.key];
    if (to === undefined) return false;
    event.preventDefault();
    event.stopPropagation();
    this.go(to);
    return true;
  }

  drag(event, area, where) {
    if (event.button) return;
    this.card.classList.add('drag');
    this.go(where(event));
    area.setPointerCapture(event.pointerId);
    let x = null;
    const move = e => {
      if (x === null) requestAnimationFrame(() => { this.go(where({ clientX: x })); x = null; });
      x = e.clientX;
    };
    area.addEventListener('pointermove', move);
    area.addEventListener('lostpointercapture', () => {
      area.removeEventListener('pointermove', move);
      this.card.classList.remove('drag');
    }, { once: true });
  }

  go(to) {
    const now = Math.max(0, Math.min(this.length - 1, to));
    if (!this.length || now === this.now || Number.isNaN(now)) return;
    this.now = now;
    this.put();
    this.tell();
    this.columns();
    this.seek(now);
  }

  tell() {
    const max = this.length - 1 + this.first, now = this.now + this.first;
    const event = this.event(this.now) ?? { type: '', text: 'Loading', more: '' };
    const lane = this.lanes.find(each => each.type === event.type) ?? this.lanes.at(-1);
    this.pos.textContent = `${this.unit} ${now.toLocaleString('en-US')} of ${max.toLocaleString('en-US')}`;
    this.said.replaceChildren(icon(lane.icon, `is-${lane.tone}`), el('b', {}, event.text), el('span', {}, event.more ?? ''));
    this.track.setAttribute('aria-valuemax', max);
    this.track.setAttribute('aria-valuenow', now);
    this.track.setAttribute('aria-valuetext', `${this.unit} ${now} of ${max}. ${lane.name}: ${event.text}. ${event.more ?? ''}`);
    const set = (name, off) => { this.buttons[name].disabled = off; };
    set('first', this.now === 0); set('prev', this.now === 0); set('next', this.now === this.length - 1); set('last', this.now === this.length - 1);
  }

  put() {
    if (this.now === undefined || !this.width) return;
    const middle = (this.now + 0.5) * this.width;
    this.head.style.transform = `translateX(${middle - 1}px)`;
    this.head.dataset.n = (this.now + this.first).toLocaleString('en-US');
    if (middle < this.left + 60 || middle > this.left + this.room - 60) {
      this.left = Math.max(0, Math.min(this.width * this.length - this.room, middle - this.room / 2));
      this.scroll.scrollLeft = this.left;
    }
    this.window();
  }

  // The overview: all positions in one strip, shown when they do not fit.
  overview() {
    const fits = this.width * this.length <= this.room + 1;
    this.strip.hidden = fits;
    if (fits) return;
    const width = this.strip.clientWidth, ratio = devicePixelRatio || 1;
    this.strip.width = width * ratio;
    this.strip.height = 20 * ratio;
    this.picture = el('canvas', { width: width * ratio, height: 20 * ratio });
    const pen = this.picture.getContext('2d');
    pen.scale(ratio, ratio);
    this.ink = getComputedStyle(this.card).color;
    const colours = new Map(this.lanes.map(lane => [lane.type, getComputedStyle(this.card.querySelector(`.names .is-${lane.tone}`) ?? this.card).color]));
    const rows = this.lanes.length - 1, step = Math.max(1, Math.floor(this.length / width / 2));
    for (let i = 0; i < this.length; i += step) {
      const event = this.event(i);
      if (!event) continue;
      const row = this.lanes.findIndex(lane => lane.type === event.type);
      pen.fillStyle = colours.get(event.type) ?? this.ink;
      pen.fillRect(i / this.length * width, 2 + (row < 0 ? rows : row) * (16 / this.lanes.length), Math.max(1.5, width / this.length * 0.6), 2.5);
    }
    this.window();
  }
  window() {
    if (this.strip.hidden || !this.picture) return;
    const pen = this.strip.getContext('2d'), ratio = devicePixelRatio || 1, width = this.strip.width;
    pen.clearRect(0, 0, width, this.strip.height);
    pen.drawImage(this.picture, 0, 0);
    pen.strokeStyle = this.ink;
    pen.fillStyle = this.ink;
    pen.lineWidth = ratio;
    const from = this.left / (this.width * this.length) * width;
    const seen = Math.max(4 * ratio, this.room / (this.width * this.length) * width);
    pen.strokeRect(from + 0.5, 0.5, seen, this.strip.height - 1);
    pen.fillRect((this.now + 0.5) / this.length * width - ratio, 0, 2 * ratio, this.strip.height);
  }

  close() {
    this.watch.disconnect();
  }
}

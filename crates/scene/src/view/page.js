'use strict';
// Everything that is shown goes through textContent: a hostile name stays text.
(() => {
  const film = JSON.parse(document.getElementById('recording').textContent);
  const find = (id) => document.getElementById(id);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const last = film.frames.length - 1;
  const scrubber = find('scrubber'), play = find('play'), body = find('objects'), bars = find('rollouts');
  let at = 0, timer = 0;
  scrubber.max = last;

  // The last change that is not after a frame.
  const shot = (track, frame) => {
    let low = 0, high = track.shots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (track.shots[middle].f <= frame) low = middle + 1; else high = middle;
    }
    return low ? track.shots[low - 1] : null;
  };

  const rows = film.tracks.map((track) => {
    const row = make('tr'), name = make('td', 'name'), symbol = make('span'), reason = make('span', 'reason');
    row.style.setProperty('--depth', Math.min(track.depth, 8));
    symbol.setAttribute('aria-hidden', 'true');
    const label = (track.namespace && film.namespaces ? track.namespace + ': ' : '') + track.label;
    const level = make('span', 'unseen', track.depth ? 'level ' + (track.depth + 1) + ', ' : '');
    const note = make('span', 'unseen', '');
    name.append(symbol, ' ', level, make('span', '', label), note, reason);
    const status = make('td', 'status'), ready = make('td', 'count'), node = make('td', 'node');
    row.append(name, status, ready, node);
    row.hidden = true;
    body.append(row);
    return { row, symbol, reason, note, status, ready, node, drawn: null };
  });

  const workloads = film.tracks.map((track, place) => place).filter((place) => film.tracks[place].shots.some((s) => s.r));
  const panels = workloads.map((place) => {
    const panel = make('div'), text = make('p'), bar = make('div', 'bar'), fresh = make('span', 'new'), old = make('span', 'old');
    bar.setAttribute('aria-hidden', 'true');
    bar.append(old, fresh);
    panel.append(text, bar);
    bars.append(panel);
    return { place, panel, text, fresh, old };
  });

  const drawRow = (part, track, now, frame) => {
    const here = now && now.s !== undefined;
    part.row.hidden = !here;
    const changed = here && now.f === frame && frame > 0;
    part.row.classList.toggle('changed', changed);
    part.note.textContent = changed ? ', changed' : '';
    if (!here || part.drawn === now) return;
    part.drawn = now;
    part.symbol.textContent = film.symbols[now.s];
    part.symbol.className = part.status.className = now.s;
    part.status.classList.add('status');
    part.status.textContent = now.w;
    part.ready.textContent = now.c || '';
    part.node.textContent = now.n || '';
    part.reason.textContent = now.y || '';
  };

  const drawPanel = (part, now) => {
    const rollout = now && now.r;
    part.panel.hidden = !rollout;
    if (!rollout) return;
    const [old, fresh, ready, desired] = rollout, all = Math.max(old + fresh, desired, 1);
    part.old.style.width = (100 * old / all) + '%';
    part.fresh.style.width = (100 * fresh / all) + '%';
    part.text.textContent = film.tracks[part.place].label + ': ' + old + ' old, ' + fresh + ' new, ' + ready + ' of ' + desired + ' ready';
  };

  const draw = (frame) => {
    at = Math.max(0, Math.min(last, frame));
    film.tracks.forEach((track, place) => drawRow(rows[place], track, shot(track, at), at));
    panels.forEach((part) => drawPanel(part, shot(film.tracks[part.place], at)));
    const now = film.frames[at];
    const by = now.by ? now.by + (now.rule ? ' (' + now.rule + ')' : '') : 'before the first change';
    find('moment').textContent = 'Frame ' + (at + 1) + ' of ' + (last + 1) + ', ' + now.time + ', revision ' + now.revision;
    find('cause').textContent = by;
    scrubber.value = at;
    scrubber.setAttribute('aria-valuetext', 'frame ' + (at + 1) + ' of ' + (last + 1) + ', ' + by);
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = 'Play';
    find('now').setAttribute('aria-live', 'polite');
  };
  const start = () => {
    if (at === last) draw(0);
    play.textContent = 'Pause';
    // A screen reader cannot keep up with a film: it is told again when the film stops.
    find('now').setAttribute('aria-live', 'off');
    timer = setInterval(() => { if (at === last) stop(); else draw(at + 1); }, Number(find('speed').value));
  };
  const toggle = () => { if (timer) stop(); else start(); };
  const go = (frame) => { stop(); draw(frame); };

  play.addEventListener('click', toggle);
  find('first').addEventListener('click', () => go(0));
  find('back').addEventListener('click', () => go(at - 1));
  find('on').addEventListener('click', () => go(at + 1));
  find('end').addEventListener('click', () => go(last));
  find('speed').addEventListener('change', () => { if (timer) { stop(); start(); } });
  scrubber.addEventListener('input', () => go(Number(scrubber.value)));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(event.target.tagName)) return;
    const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last) };
    if (event.key === ' ' && event.target.tagName !== 'BUTTON') keys[' '] = toggle;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  find('film').hidden = false;
  draw(last);
})();

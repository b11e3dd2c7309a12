'use strict';
// Everything that is shown goes through textContent: a hostile name stays text.
(() => {
  const find = (id) => document.getElementById(id);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  // Most of a frame is as before: only what differs is written, so that the browser has little to lay out.
  const set = (element, text) => { if (element.said !== text) { element.said = text; element.textContent = text; } };
  const attribute = (element, name, value) => {
    const known = element.known || (element.known = {}), text = value === null ? null : String(value);
    if (known[name] === text) return;
    known[name] = text;
    if (text === null) element.removeAttribute(name); else element.setAttribute(name, text);
  };
  const film = JSON.parse(find('recording').textContent), live = Boolean(film.live);
  const scrubber = find('scrubber'), play = find('play'), filter = find('filter');
  const MOST = 200;
  // A cluster with its history: its latest state and its state that is shown, the rows in sight, and what the controllers do next.
  const makeSide = (number, tree, body, title) => ({
    number, tree, body, title,
    view: { rows: [], nodes: null, events: [], time: 0, revision: 0, namespaces: false }, present: null, queue: [], link: 'Connecting',
    frames: [], at: 0, turn: 0, list: [], tops: [], total: 0, cursor: 0, selected: null, causes: [], pool: [], running: '', source: null,
  });
  // The side that keys act on is the cluster or the fork next to it.
  const main = makeSide(0, find('panel-1'), find('objects'), find('title-1'));
  main.frames = film.frames || [];
  main.at = Math.max(0, main.frames.length - 1);
  let active = main, fork = null, isForking = false;
  let playing = false, timer = 0, node = '', prompt = null;
  const folded = new Set();

  const sides = () => fork ? [main, fork] : [main];
  const last = (side) => Math.max(0, side.frames.length - 1);
  const isPresent = (side) => live && side.at >= last(side);
  const isPod = (row) => row.track.label.startsWith('pod/');
  const count = (number, what) => number + ' ' + what + (number === 1 ? '' : 's');

  // kubectl's way to write a duration.
  const human = (seconds) => {
    const s = Math.max(0, Math.floor(seconds)), m = Math.floor(s / 60), h = Math.floor(s / 3600), d = Math.floor(h / 24);
    const pair = (a, A, b, B) => a + A + (b ? b + B : '');
    if (s < 120) return s + 's';
    if (m < 10) return pair(m, 'm', s % 60, 's');
    if (m < 180) return m + 'm';
    if (h < 8) return pair(h, 'h', m % 60, 'm');
    if (h < 48) return h + 'h';
    if (d < 8) return pair(d, 'd', h % 24, 'h');
    if (d < 730) return d + 'd';
    return d < 2920 ? pair(Math.floor(d / 365), 'y', d % 365, 'd') : Math.floor(d / 365) + 'y';
  };
  const age = (side, from) => from === undefined ? '' : human(side.view.time - from);

  // The last change that is not after a frame.
  const shot = (track, frame) => {
    let low = 0, high = track.shots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (track.shots[middle].f <= frame) low = middle + 1; else high = middle;
    }
    return low ? track.shots[low - 1] : null;
  };
  const recorded = (side) => {
    const { at, frames } = side, rows = [];
    film.tracks.forEach((track, key) => {
      const now = shot(track, at);
      if (now && now.s !== undefined) rows.push({ key, name: key, track, shot: now, changed: now.f === at && at > 0 });
    });
    return { rows, nodes: null, events: [], time: Date.parse(frames[at].time) / 1000, revision: frames[at].revision, namespaces: film.namespaces };
  };
  const received = (data, before) => {
    const known = new Map(before.rows.map((row) => [row.key, row.shot]));
    const isSame = (a, b) => a && a.s === b.s && a.w === b.w && a.c === b.c && a.n === b.n && a.y === b.y;
    data.rows = data.rows.map((track) => ({
      key: track.u, name: track.namespace + '\n' + track.label, track, shot: track, changed: known.size > 0 && !isSame(known.get(track.u), track),
    }));
    return data;
  };

  // The rows that pass the filter and are not folded away, and the place of each: rows with a reason are taller.
  const arrange = (side) => {
    const wanted = filter.value.toLowerCase(), { rows } = side.view, { row, reason } = size;
    let passes = null, hidden = Infinity;
    if (wanted) {
      passes = new Uint8Array(rows.length);
      const above = [];
      rows.forEach(({ track, shot: now }, place) => {
        above.length = Math.min(above.length, track.depth);
        above.push(place);
        const text = track.label + '\n' + track.namespace + '\n' + (now.n || '') + '\n' + now.w;
        if (text.toLowerCase().includes(wanted)) above.forEach((p) => { passes[p] = 1; });
      });
    }
    const list = [], tops = [];
    let total = 0;
    rows.forEach(({ name, track, shot: now }, place) => {
      if (track.depth > hidden) return;
      hidden = Infinity;
      if (passes && !passes[place]) return;
      list.push(place);
      tops.push(total);
      total += row + (now.y ? reason : 0);
      // A filter looks into what is folded, because it hides enough itself.
      if (!passes && folded.has(name)) hidden = track.depth;
    });
    Object.assign(side, { list, tops, total });
    const found = list.findIndex((place) => rows[place].key === side.selected);
    // An object that is gone leaves the cursor at its row, where its neighbor is now.
    choose(side, found < 0 ? side.cursor : found);
  };
  const choose = (side, index) => {
    side.cursor = Math.max(0, Math.min(side.list.length - 1, index));
    const row = current(side);
    side.selected = row ? row.key : null;
  };
  const current = (side) => side.list.length ? side.view.rows[side.list[side.cursor]] : null;
  // The other side selects the object of the same name, so that both can be compared at a glance.
  const follow = () => {
    const row = current(active);
    sides().filter((side) => row && side !== active).forEach((side) => {
      const found = side.list.findIndex((place) => side.view.rows[place].name === row.name);
      if (found >= 0) choose(side, found);
    });
  };
  // Measured when the window changes and not for each frame: asking for a size makes the browser lay out everything first.
  let size = { row: 0, reason: 0, room: 0 };
  const measure = () => {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize), style = getComputedStyle(main.tree);
    const of = (name) => parseFloat(style.getPropertyValue(name));
    size = { row: of('--row') * rem, reason: of('--reason') * rem, room: innerHeight * of('--share') - main.body.offsetTop - 2 };
  };

  // How the objects of the fork differ from those of the same name in the cluster; by name, because each side may create it again.
  const signed = (number) => (number < 0 ? '' : '+') + number;
  const compare = () => {
    if (!fork) return;
    const counts = (row) => (row.shot.c || '0/0').split('/').map(Number);
    const names = (side) => new Map(side.view.rows.map((row) => [row.name, row]));
    const before = names(main), after = names(fork);
    fork.view.rows.forEach((row) => {
      const other = before.get(row.name);
      if (!other) { row.more = 'new'; return; }
      const [ready, all] = counts(row), [wasReady, wasAll] = counts(other);
      if (row.shot.c !== other.shot.c) row.more = signed(ready - wasReady) + '/' + signed(all - wasAll);
      else row.more = row.shot.w === other.shot.w ? '' : '\u2260';
    });
    main.view.rows.forEach((row) => { row.more = after.has(row.name) ? '' : 'gone'; });
  };

  const part = (side) => {
    const row = make('div', 'row'), cell = (name) => { const made = make('div', name); made.setAttribute('role', 'gridcell'); return made; };
    const name = cell('name'), fold = make('span', 'fold'), symbol = make('span'), label = make('span'), note = make('span', 'unseen');
    const parts = { row, fold, symbol, label, note, index: -1, status: cell('status'), ready: cell('count'), more: cell('more'), age: cell('age'), node: cell('node'), reason: cell('reason') };
    row.setAttribute('role', 'row');
    row.id = 'row-' + side.number + '-' + side.pool.length;
    fold.setAttribute('aria-hidden', 'true');
    symbol.setAttribute('aria-hidden', 'true');
    name.append(fold, symbol, ' ', label, note);
    row.append(name, parts.status, parts.ready, parts.more, parts.age, parts.node, parts.reason);
    row.addEventListener('click', (event) => {
      if (side !== active) turn(side);
      move(parts.index);
      if (event.target === fold) toggleFold();
    });
    side.body.append(row);
    return parts;
  };
  const place = (side, own, index) => {
    const { view, list, tops } = side, row = view.rows[list[index]], { name, track, shot: now, changed } = row, next = view.rows[list[index] + 1];
    const isParent = next && next.track.depth > track.depth;
    own.index = index;
    attribute(own.row, 'class', 'row' + (now.y ? ' noted' : '') + (changed ? ' changed' : ''));
    const top = tops[index], depth = Math.min(track.depth, 8);
    if (own.top !== top) { own.top = top; own.row.style.transform = 'translateY(' + top + 'px)'; }
    if (own.depth !== depth) { own.depth = depth; own.row.style.setProperty('--depth', depth); }
    attribute(own.row, 'hidden', null);
    attribute(own.row, 'aria-rowindex', index + 2);
    attribute(own.row, 'aria-level', track.depth + 1);
    attribute(own.row, 'aria-selected', index === side.cursor);
    attribute(own.row, 'aria-expanded', isParent ? !folded.has(name) : null);
    set(own.fold, isParent ? (folded.has(name) ? '+' : '\u2212') : '');
    set(own.symbol, film.symbols[now.s]);
    attribute(own.symbol, 'class', now.s);
    set(own.label, (track.namespace && view.namespaces ? track.namespace + ': ' : '') + track.label);
    set(own.note, changed ? ', changed' : '');
    attribute(own.status, 'class', 'status ' + now.s);
    set(own.status, now.w);
    set(own.ready, now.c || '');
    set(own.more, row.more || '');
    attribute(own.more, 'aria-label', row.more === '\u2260' ? 'another status' : null);
    set(own.age, age(side, track.t));
    set(own.node, now.n || '');
    set(own.reason, now.y || '');
  };
  // Only the rows in sight are elements: a tree of ten thousand Pods costs as much as one of fifty.
  const drawTree = (side) => {
    const { tree, tops, pool } = side, from = tree.scrollTop - 200, until = tree.scrollTop + size.room + 200;
    let low = 0, high = tops.length;
    while (low < high) { const middle = (low + high) >> 1; if (tops[middle] < from) low = middle + 1; else high = middle; }
    const first = Math.max(0, low - 1);
    let end = first;
    while (end < tops.length && tops[end] < until) end += 1;
    while (pool.length < end - first) pool.push(part(side));
    pool.forEach((own) => { own.index = -1; });
    // A row keeps its element while the tree scrolls.
    for (let index = first; index < end; index += 1) place(side, pool[index % pool.length], index);
    pool.forEach((own) => { if (own.index < 0) attribute(own.row, 'hidden', ''); });
    const row = pool.find((own) => own.index === side.cursor);
    attribute(tree, 'aria-activedescendant', row ? row.row.id : null);
  };
  const reveal = (side) => {
    const { tree, tops, cursor, total } = side;
    if (!tops.length) return;
    const top = tops[cursor], bottom = cursor + 1 < tops.length ? tops[cursor + 1] : total;
    if (top < tree.scrollTop) tree.scrollTop = top;
    else if (bottom > tree.scrollTop + size.room) tree.scrollTop = bottom - size.room;
  };

  // Keeps as many elements as there are items, so that focus and scrolling survive an update.
  const fill = (panel, items, none, create, update) => {
    const shown = items.slice(0, MOST), rest = items.length - shown.length;
    const notes = rest > 0 ? 'and ' + rest + ' more' : shown.length ? '' : none;
    if (!panel.rest) { panel.rest = make('p', 'dim'); panel.items = []; panel.append(panel.rest); }
    while (panel.items.length > shown.length) panel.items.pop().box.remove();
    while (panel.items.length < shown.length) { const own = create(); own.box = own.box || make('div', 'item'); panel.items.push(own); panel.insertBefore(own.box, panel.rest); }
    shown.forEach((item, index) => update(panel.items[index], item));
    set(panel.rest, notes);
  };
  const drawRollouts = () => {
    const create = () => {
      const own = { box: make('div', 'item'), name: make('button'), text: make('span'), old: make('span', 'old'), fresh: make('span', 'new') };
      const bar = make('div', 'bar');
      own.name.type = 'button';
      bar.setAttribute('aria-hidden', 'true');
      bar.append(own.old, own.fresh);
      own.box.append(own.name, own.text, bar);
      own.name.addEventListener('click', () => { filter.value = ''; folded.clear(); active.selected = own.key; redraw(); });
      return own;
    };
    fill(find('panel-2'), active.view.rows.filter((row) => row.shot.r), 'Nothing rolls out', create, (own, { key, track, shot: now }) => {
      const [old, fresh, ready, desired] = now.r, all = Math.max(old + fresh, desired, 1);
      own.key = key;
      set(own.name, track.label);
      set(own.text, old + ' old, ' + fresh + ' new, ' + ready + ' of ' + desired + ' ready');
      own.old.style.width = (100 * old / all) + '%';
      own.fresh.style.width = (100 * fresh / all) + '%';
    });
  };
  const STATES = ['failing', 'terminating', 'progressing', 'ready', 'ended'];
  const counted = () => {
    const nodes = new Map((active.view.nodes || []).map((own) => [own.label, { own, counts: {} }]));
    active.view.rows.forEach((row) => {
      if (!row.shot.n || !isPod(row)) return;
      // A recording has no nodes of its own; a Pod on a node that is gone is counted nowhere.
      if (!nodes.has(row.shot.n)) { if (active.view.nodes) return; nodes.set(row.shot.n, { own: { label: row.shot.n }, counts: {} }); }
      const { counts } = nodes.get(row.shot.n);
      counts[row.shot.s] = (counts[row.shot.s] || 0) + 1;
    });
    return [...nodes.values()].sort((a, b) => (a.own.label < b.own.label ? -1 : 1));
  };
  const drawNodes = () => {
    active.view.counted = active.view.counted || counted();
    const create = () => {
      const own = { box: make('div', 'item'), name: make('button'), text: make('span'), pods: make('div') };
      own.name.type = 'button';
      own.pods.setAttribute('aria-hidden', 'true');
      own.states = STATES.map((state) => own.pods.appendChild(make('span', state)));
      own.box.append(own.name, own.text, own.pods);
      own.name.addEventListener('click', () => { node = node === own.label ? '' : own.label; drawNodes(); });
      return own;
    };
    fill(find('panel-3'), active.view.counted, 'No nodes', create, (own, { own: { label, s, w }, counts }) => {
      const all = STATES.reduce((sum, state) => sum + (counts[state] || 0), 0);
      own.label = label;
      set(own.name, (s ? film.symbols[s] + ' ' : '') + label);
      if (live) attribute(own.name, 'aria-pressed', node === label); else own.name.disabled = true;
      const parts = STATES.filter((state) => counts[state]).map((state) => counts[state] + ' ' + state);
      set(own.text, (w ? w + ', ' : '') + count(all, 'Pod') + (all ? ': ' + parts.join(', ') : ''));
      // Alarming ones first: a long row of Pods is cut at its end.
      let left = 120;
      STATES.forEach((state, index) => {
        const some = Math.min(left, counts[state] || 0);
        left -= some;
        set(own.states[index], film.symbols[state].repeat(some));
      });
    });
  };
  const line = () => { const own = { box: make('div', 'item'), time: make('span', 'dim'), head: make('b'), text: make('span') }; own.box.append(own.time, ' ', own.head, ' ', own.text); return own; };
  const drawEvents = () => fill(find('panel-4'), active.view.events, 'No events', line, (own, event) => {
    set(own.time, age(active, event.t));
    attribute(own.head, 'class', event.warning ? 'warning' : '');
    set(own.head, (event.warning ? '! ' : '') + event.reason);
    set(own.text, event.object + ': ' + event.message);
  });
  const drawQueue = () => fill(find('panel-5'), active.queue, 'The controllers have nothing to do', line, (own, step) => {
    set(own.time, step.t === undefined ? 'now' : 'in ' + human(step.t - active.view.time));
    set(own.head, step.controller);
    set(own.text, step.key + ': ' + step.what);
  });
  const drawWhy = () => {
    const panel = find('panel-6'), row = current(active);
    if (!panel.own) {
      panel.own = { name: make('b'), state: make('p'), lines: make('pre') };
      panel.append(panel.own.name, panel.own.state, panel.own.lines);
    }
    const { name, state, lines } = panel.own;
    set(name, row ? row.track.label : 'No object is selected');
    set(state, row ? [film.symbols[row.shot.s] + ' ' + row.shot.w, row.shot.c, row.shot.n && 'on ' + row.shot.n, row.shot.y].filter(Boolean).join(', ') : '');
    if (live) { set(lines, active.causes.join('\n')); return; }
    // A recording has no causes; it tells what became of the object, and who changed it.
    const { at, frames } = active, past = row ? row.track.shots.filter((own) => own.f <= at) : [];
    set(lines, past.map((own) => {
      const { time, by, rule } = frames[own.f];
      return time.slice(11, 19) + '  ' + (own.s === undefined ? 'removed' : own.w + (own.y ? ': ' + own.y : '')) + (by ? '  by ' + by + (rule ? ' (' + rule + ')' : '') : '');
    }).join('\n'));
  };
  const pods = (side) => {
    const { view } = side;
    if (view.pods === undefined) {
      const all = view.rows.filter((row) => isPod(row) && row.shot.s !== 'ended');
      view.pods = [all.filter((row) => row.shot.s === 'ready').length, all.length];
    }
    return view.pods;
  };
  const podsText = (side) => { const [ready, all] = pods(side); return ready + ' of ' + count(all, 'Pod') + ' ready'; };
  const cause = () => {
    const { frames, at, link } = active, now = frames[at];
    if (isPresent(active)) return link;
    return now && now.by ? (now.mark ? 'mark ' + now.mark + ', ' : '') + now.by + (now.rule ? ' (' + now.rule + ')' : '') : 'before the first change';
  };
  const time = (side) => new Date(side.view.time * 1000).toISOString().slice(0, 19) + 'Z';
  const moment = () => {
    const { view, frames, at } = active, rest = time(active) + ', revision ' + view.revision + ', ' + podsText(active);
    const name = active === fork ? 'Fork: ' : '';
    if (isPresent(active)) return name + (view.virtual ? 'Present (virtual clock), ' : 'Present, ') + rest;
    return name + (live ? 'Commit ' : 'Frame ') + (at + 1) + ' of ' + frames.length + ', ' + rest;
  };
  const drawMoment = () => {
    const { frames, at } = active;
    set(find('moment'), moment());
    set(find('cause'), cause());
    scrubber.max = last(active);
    scrubber.value = at;
    attribute(scrubber, 'aria-valuetext', isPresent(active) ? 'present' : (live ? 'commit ' : 'frame ') + (at + 1) + ' of ' + frames.length + ', ' + cause());
  };
  const drawTitle = (side) => {
    attribute(side.tree, 'aria-current', fork ? side === active : null);
    if (!fork) { set(side.title, 'Objects'); return; }
    const [[ready, all], [others, total]] = [pods(side), pods(main)], more = [ready - others, all - total];
    const text = (side === active ? '\u25b8 ' : '') + (side === fork ? 'Fork: ' : 'Cluster: ') + podsText(side);
    set(side.title, text + (more[0] || more[1] ? ' (' + more.map(signed).join('/') + ')' : '') + ', ' + time(side).slice(11, 19));
  };
  const drawTrees = () => sides().forEach(drawTree);
  const draw = () => {
    const all = sides();
    all.forEach(arrange);
    compare();
    follow();
    all.forEach((side) => {
      const { tree, body, list, total } = side;
      attribute(tree, 'aria-rowcount', list.length + 1);
      if (side.height !== total) { side.height = total; body.style.height = total + 'px'; }
      drawTree(side);
      drawTitle(side);
    });
    drawRollouts();
    drawNodes();
    if (live) { drawEvents(); drawQueue(); }
    drawWhy();
    drawMoment();
  };
  // Draws everything with the selected row in sight.
  const redraw = () => { draw(); sides().forEach(reveal); drawTrees(); asked(); };

  // A screen reader cannot keep up with a film or a busy cluster: it is told what a person asked for, and news every few seconds.
  let told = '', later = 0;
  const say = (text) => { told = text; find('say').textContent = text; };
  const news = () => {
    if (later || podsText(active) === told) return;
    later = setTimeout(() => { later = 0; if (isPresent(active) && podsText(active) !== told) say(podsText(active)); }, 3000);
  };
  const tell = (text, isError) => {
    const message = find('message');
    message.hidden = !text;
    message.className = isError ? 'error' : '';
    message.textContent = text && isError ? 'Error: ' + text : text;
  };
  const address = (path, side, fields) => {
    const query = new URLSearchParams(location.search);
    Object.entries(fields).forEach(([name, value]) => query.set(name, value));
    if (side.number) query.set('fork', side.number);
    return path + '?' + query;
  };
  const reply = async (path, side, fields, options) => {
    try {
      const response = await fetch(address(path, side, fields), options), text = await response.text();
      let data = null;
      try { data = JSON.parse(text); } catch { data = { message: text }; }
      if (!response.ok) throw new Error(data.message);
      return data;
    } catch (error) {
      // A fork that was discarded meanwhile has no answer.
      if (sides().includes(side)) tell(error.message, true);
      return null;
    }
  };
  const posted = (data) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(data) });
  // The causes of the selected object. A busy cluster changes faster than anybody reads them.
  let waiting = 0;
  const asked = () => {
    if (!live) return;
    if (waiting) return;
    waiting = setTimeout(async () => {
      waiting = 0;
      const side = active, key = side.selected;
      if (key === null) { side.causes = []; drawWhy(); return; }
      const data = await reply('/ui/why', side, isPresent(side) ? { uid: key } : { uid: key, at: side.view.revision });
      if (data && side.selected === key) { side.causes = data.lines; drawWhy(); }
    }, 250);
  };
  const show = async (frame) => {
    const side = active, own = side.turn += 1;
    side.at = Math.max(0, Math.min(last(side), frame));
    if (!live) side.view = recorded(side);
    else if (isPresent(side)) side.view = side.present || side.view;
    else {
      const data = await reply('/ui/state', side, { at: side.frames[side.at].revision });
      // Another frame was asked for meanwhile.
      if (own !== side.turn || !data) return;
      side.view = received(data, side.view);
    }
    draw();
    asked();
  };

  const stop = () => {
    clearTimeout(timer);
    if (playing) say(moment() + ', ' + cause());
    playing = false;
    play.textContent = 'Play';
  };
  const tick = async () => {
    if (active.at >= last(active)) return stop();
    const since = performance.now();
    await show(active.at + 1);
    if (playing) timer = setTimeout(tick, Math.max(0, Number(find('speed').value) - (performance.now() - since)));
  };
  const start = async () => {
    if (active.frames.length < 2) return;
    playing = true;
    play.textContent = 'Pause';
    if (active.at >= last(active)) await show(0);
    if (playing) timer = setTimeout(tick, Number(find('speed').value));
  };
  const toggle = () => { if (playing) stop(); else start(); };
  const go = async (frame) => { stop(); await show(frame); say(moment() + ', ' + cause()); };
  const mark = (step) => {
    const { frames, at } = active;
    for (let place = at + step; place >= 0 && place <= last(active); place += step) if (frames[place].mark) return go(place);
    return go(step < 0 ? 0 : last(active));
  };
  const move = (to) => {
    choose(active, to);
    follow();
    sides().forEach(reveal);
    drawTrees();
    drawWhy();
    asked();
  };
  const toggleFold = () => {
    const row = current(active);
    if (!row) return;
    if (!folded.delete(row.name)) folded.add(row.name);
    draw();
  };
  const escape = () => {
    if (!find('message').hidden) return tell('', false);
    if (active.at < last(active) || playing) return go(last(active));
    filter.value = '';
    return redraw();
  };

  // The fork next to the cluster: in memory, on a virtual clock, and gone once it is discarded.
  const arrangeSides = () => {
    find('side-fork').hidden = !fork;
    document.body.classList.toggle('forked', Boolean(fork));
    find('fork').textContent = !fork ? 'Fork' : active === fork ? 'To the cluster' : 'To the fork';
    find('discard').hidden = !fork;
    measure();
    redraw();
  };
  const focus = () => active.tree.focus({ preventScroll: true });
  const turn = (side) => {
    stop();
    if (prompt) end();
    active = side;
    arrangeSides();
    focus();
    say((side === fork ? 'Fork: ' : 'Cluster: ') + podsText(side));
  };
  const forkOrTurn = async () => {
    if (fork) return turn(active === fork ? main : fork);
    if (isForking) return undefined;
    isForking = true;
    tell('copying the cluster into memory', false);
    const data = await reply('/ui/fork', main, {}, posted(isPresent(main) ? {} : { at: main.view.revision }));
    isForking = false;
    if (!data) return undefined;
    tell('', false);
    fork = makeSide(data.fork, find('panel-fork'), find('fork-objects'), find('title-fork'));
    // As the cluster until the fork was read: both are the same then.
    fork.view = { ...main.view, rows: main.view.rows.map((row) => ({ ...row })) };
    Object.assign(fork, { selected: main.selected, cursor: main.cursor });
    connect(fork);
    return turn(fork);
  };
  const close = (text, isError) => {
    fork.source.close();
    fork.body.replaceChildren();
    fork = null;
    turn(main);
    tell(text, isError);
  };
  const discard = () => {
    if (!fork) return tell('there is no fork; f makes one', true);
    // The command would continue on a cluster that is not shown.
    if (fork.running) return tell('`' + fork.running + '` is still running', true);
    reply('/ui/discard', main, {}, posted({ fork: fork.number }));
    return close('the fork is discarded', false);
  };

  // A key fills in a command, which runs once it is confirmed.
  const end = () => { prompt = null; find('prompt').hidden = true; focus(); };
  const begin = async (key) => {
    const side = active;
    if (side.running) return tell('`' + side.running + '` is still running', true);
    if (!isPresent(side)) return tell('this is the past; Esc returns to the present', true);
    const subject = { key, uid: side.selected || '', node }, data = await reply('/ui/prompt', side, subject);
    if (!data || side !== active) return undefined;
    prompt = { side, subject, line: data.line };
    tell('', false);
    set(find('where'), !fork ? '' : side === fork ? 'Fork: ' : 'Cluster: ');
    find('line').textContent = data.line + (data.last === undefined ? '' : ' ' + data.last);
    find('word').value = data.input || '';
    find('word').hidden = data.last === undefined;
    find('prompt').hidden = false;
    (data.last === undefined ? find('prompt').querySelector('button') : find('word')).focus();
    return undefined;
  };
  const run = async () => {
    const { side, subject, line: words } = prompt, input = find('word').value;
    end();
    side.running = words;
    tell(words + ': running', false);
    const data = await reply('/ui/run', side, {}, posted({ ...subject, input }));
    side.running = '';
    if (data) tell(data.text, !data.done);
  };

  const KEYS = [
    ['\u2191 \u2193', 'select a row; PageUp, PageDown, Home and End go further'],
    ['1 to 6', 'go to a panel'], ['Enter, /', 'fold; filter by name, type, status or node'],
    ['\u2190 \u2192', 'the previous or next frame; with Shift, a tenth of all'], ['[ ]', 'the previous or next mark, or the ends'],
    ['Space, Esc', 'play or pause; back to the end and out of the filter'], ['?', 'this help'],
    ['s r U', 'scale the selected workload, restart its rollout, undo its rollout', true],
    ['u m', 'undo the last command, mark this point in the history', true],
    ['c d', 'crash the selected Pod; take the selected node down, or up again', true], ['a x', 'advance the clock; settle', true],
    ['f F', 'fork the cluster, switch sides; discard the fork', true],
  ];
  const help = () => { const dialog = find('help'); if (dialog.open) dialog.close(); else dialog.showModal(); };
  KEYS.filter((own) => live || !own[2]).forEach(([keys, text]) => {
    const item = make('li');
    item.append(make('kbd', '', keys), ' ' + text);
    find('key-list').append(item);
  });
  const tenth = () => Math.max(1, Math.floor(active.frames.length / 10));
  const keys = {
    ArrowUp: () => move(active.cursor - 1), k: () => move(active.cursor - 1), ArrowDown: () => move(active.cursor + 1), j: () => move(active.cursor + 1),
    PageUp: () => move(active.cursor - 10), PageDown: () => move(active.cursor + 10), Home: () => move(0), End: () => move(active.list.length - 1),
    ArrowLeft: (event) => go(active.at - (event.shiftKey ? tenth() : 1)), ArrowRight: (event) => go(active.at + (event.shiftKey ? tenth() : 1)),
    '[': () => mark(-1), ']': () => mark(1), ' ': toggle, Escape: escape, Enter: toggleFold, '/': () => { filter.focus(); filter.select(); }, '?': help,
  };
  for (const digit of '23456') keys[digit] = () => { const panel = find('panel-' + digit); if (panel.getClientRects().length) panel.focus(); };
  keys[1] = focus;
  if (live) {
    for (const letter of 'srUucdaxm') keys[letter] = () => begin(letter);
    Object.assign(keys, { f: forkOrTurn, F: discard });
  }
  const scrolls = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', 'Enter'];
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || find('help').open && key !== '?') return;
    if (target === filter) {
      if (key === 'Escape') filter.value = '';
      if (key === 'Escape' || key === 'Enter') { active.tree.focus(); redraw(); } else if (key === 'ArrowUp' || key === 'ArrowDown') keys[key]();
      else return;
      event.preventDefault();
      return;
    }
    if (find('prompt').contains(target)) { if (key === 'Escape') end(); return; }
    if (target.matches('select, input') || target.matches('button') && (key === ' ' || key === 'Enter')) return;
    // The other panels scroll by themselves.
    const panel = target.closest('.list');
    if (panel && scrolls.includes(key)) return;
    if (key.length === 1 && !find('letters').checked && key !== '?' || !keys[key]) return;
    event.preventDefault();
    keys[key](event);
  });

  play.addEventListener('click', toggle);
  const places = [['first', () => 0], ['back', () => active.at - 1], ['on', () => active.at + 1], ['end', () => last(active)]];
  for (const [id, to] of places) find(id).addEventListener('click', () => go(to()));
  scrubber.addEventListener('input', () => go(Number(scrubber.value)));
  filter.addEventListener('input', redraw);
  find('keys').addEventListener('click', help);
  find('close').addEventListener('click', help);
  find('cancel').addEventListener('click', end);
  find('fork').addEventListener('click', forkOrTurn);
  find('discard').addEventListener('click', discard);
  find('prompt').addEventListener('submit', (event) => { event.preventDefault(); run(); });
  for (const id of ['panel-1', 'panel-fork']) {
    const sideOf = () => sides().find((side) => side.tree.id === id);
    find(id).addEventListener('scroll', () => { if (sideOf()) drawTree(sideOf()); });
    // Tab and a touch lead from one side to the other, too.
    find(id).addEventListener('focus', () => { const side = sideOf(); if (side && side !== active) turn(side); });
  }
  addEventListener('resize', () => { measure(); draw(); sides().forEach(reveal); });
  // A hidden page releases its fork and its connections, of which a browser has few; it starts again when it is shown.
  addEventListener('pagehide', () => {
    sides().filter((side) => side.source).forEach((side) => side.source.close());
    if (fork) fetch('/ui/discard', { ...posted({ fork: fork.number }), keepalive: true });
  });
  addEventListener('pageshow', (event) => { if (live && event.persisted) location.reload(); });

  const connect = (side) => {
    const source = side.source = new EventSource(address('/ui/events', side, {}));
    const on = (name, take) => source.addEventListener(name, (event) => { if (sides().includes(side)) take(JSON.parse(event.data)); });
    const linked = (text) => { side.link = text; drawMoment(); };
    on('state', (data) => {
      side.present = received(data, side.present || side.view);
      side.link = 'connected';
      if (!isPresent(side)) return drawMoment();
      side.view = side.present;
      draw();
      if (side !== active) return undefined;
      asked();
      return news();
    });
    on('stops', ({ first, frames: more }) => {
      const { frames } = side, was = isPresent(side);
      if (first) frames.length = 0;
      more.forEach((own) => {
        const before = frames[frames.length - 1];
        // A mark is a commit that changes nothing, so it has the revision of the one before.
        if (before && before.revision === own.revision && own.mark) before.mark = own.mark; else frames.push(own);
      });
      side.at = was ? last(side) : Math.min(side.at, last(side));
      drawMoment();
    });
    on('queue', (data) => { side.queue = data; drawQueue(); });
    on('time', ({ time: now }) => {
      if (!side.present || !isPresent(side)) return;
      side.view.time = now;
      drawTree(side); drawTitle(side); drawEvents(); drawQueue(); drawMoment();
    });
    on('failed', ({ message }) => linked('the cluster cannot be read: ' + message));
    source.addEventListener('error', () => {
      if (!sides().includes(side)) return;
      const isOver = source.readyState === EventSource.CLOSED;
      if (isOver && side === fork) close('the server has no such fork any more; f makes another one', true);
      else linked(isOver ? 'disconnected: open the link that the server printed, each start makes a new one' : 'disconnected, trying again');
    });
  };
  document.body.classList.toggle('recorded', !live);
  find('film').hidden = false;
  measure();
  if (live) { draw(); connect(main); } else show(last(main));
})();

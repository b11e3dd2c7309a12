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
  const film = JSON.parse(find('recording').textContent), live = Boolean(film.live), frames = film.frames || [];
  const scrubber = find('scrubber'), play = find('play'), tree = find('panel-1'), body = find('objects'), filter = find('filter');
  const MOST = 200;
  // The state that is shown; of a live cluster, also its latest state and the controllers' next steps.
  let view = { rows: [], nodes: null, events: [], time: 0, revision: 0, namespaces: false }, present = null, queue = [], link = 'Connecting';
  let at = Math.max(0, frames.length - 1), playing = false, timer = 0, turn = 0;
  let list = [], tops = [], total = 0, cursor = 0, selected = null, node = '', causes = [], prompt = null, running = '';
  const folded = new Set(), pool = [];

  const last = () => Math.max(0, frames.length - 1);
  const isPresent = () => live && at >= last();
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
  const age = (from) => from === undefined ? '' : human(view.time - from);

  // The last change that is not after a frame.
  const shot = (track, frame) => {
    let low = 0, high = track.shots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (track.shots[middle].f <= frame) low = middle + 1; else high = middle;
    }
    return low ? track.shots[low - 1] : null;
  };
  const recorded = (frame) => {
    const rows = [];
    film.tracks.forEach((track, key) => {
      const now = shot(track, frame);
      if (now && now.s !== undefined) rows.push({ key, track, shot: now, changed: now.f === frame && frame > 0 });
    });
    return { rows, nodes: null, events: [], time: Date.parse(frames[frame].time) / 1000, revision: frames[frame].revision, namespaces: film.namespaces };
  };
  const received = (data, before) => {
    const known = new Map(before.rows.map((row) => [row.key, row.shot]));
    const isSame = (a, b) => a && a.s === b.s && a.w === b.w && a.c === b.c && a.n === b.n && a.y === b.y;
    data.rows = data.rows.map((own) => ({ key: own.u, track: own, shot: own, changed: known.size > 0 && !isSame(known.get(own.u), own) }));
    return data;
  };

  // The rows that pass the filter and are not folded away, and the place of each: rows with a reason are taller.
  const arrange = () => {
    const wanted = filter.value.toLowerCase(), rows = view.rows, { row, reason } = size;
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
    list = [];
    tops = [];
    total = 0;
    rows.forEach(({ key, track, shot: now }, place) => {
      if (track.depth > hidden) return;
      hidden = Infinity;
      if (passes && !passes[place]) return;
      list.push(place);
      tops.push(total);
      total += row + (now.y ? reason : 0);
      // A filter looks into what is folded, because it hides enough itself.
      if (!passes && folded.has(key)) hidden = track.depth;
    });
    const found = list.findIndex((place) => rows[place].key === selected);
    // An object that is gone leaves the cursor at its row, where its neighbour is now.
    cursor = found < 0 ? Math.max(0, Math.min(cursor, list.length - 1)) : found;
    selected = list.length ? rows[list[cursor]].key : null;
  };
  // Measured when the window changes and not for each frame: asking for a size makes the browser lay out everything first.
  let size = { row: 0, reason: 0, room: 0 };
  const measure = () => {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize), own = getComputedStyle(tree);
    const of = (name) => parseFloat(own.getPropertyValue(name)) * rem;
    size = { row: of('--row'), reason: of('--reason'), room: innerHeight * 0.7 - body.offsetTop - 2 };
  };
  const current = () => list.length ? view.rows[list[cursor]] : null;

  const part = () => {
    const row = make('div', 'row'), cell = (name) => { const own = make('div', name); own.setAttribute('role', 'gridcell'); return own; };
    const name = cell('name'), fold = make('span', 'fold'), symbol = make('span'), label = make('span'), note = make('span', 'unseen');
    const parts = { row, fold, symbol, label, note, index: -1, status: cell('status'), ready: cell('count'), age: cell('age'), node: cell('node'), reason: cell('reason') };
    row.setAttribute('role', 'row');
    row.id = 'row-' + pool.length;
    fold.setAttribute('aria-hidden', 'true');
    symbol.setAttribute('aria-hidden', 'true');
    name.append(fold, symbol, ' ', label, note);
    row.append(name, parts.status, parts.ready, parts.age, parts.node, parts.reason);
    row.addEventListener('click', (event) => {
      if (event.target === fold || parts.index === cursor) choose(parts.index, event.target === fold);
      else choose(parts.index, false);
    });
    body.append(row);
    return parts;
  };
  const place = (own, index) => {
    const { key, track, shot: now, changed } = view.rows[list[index]], next = view.rows[list[index] + 1];
    const isParent = next && next.track.depth > track.depth;
    own.index = index;
    attribute(own.row, 'class', 'row' + (now.y ? ' noted' : '') + (changed ? ' changed' : ''));
    const top = tops[index], depth = Math.min(track.depth, 8);
    if (own.top !== top) { own.top = top; own.row.style.transform = 'translateY(' + top + 'px)'; }
    if (own.depth !== depth) { own.depth = depth; own.row.style.setProperty('--depth', depth); }
    attribute(own.row, 'hidden', null);
    attribute(own.row, 'aria-rowindex', index + 2);
    attribute(own.row, 'aria-level', track.depth + 1);
    attribute(own.row, 'aria-selected', index === cursor);
    attribute(own.row, 'aria-expanded', isParent ? !folded.has(key) : null);
    set(own.fold, isParent ? (folded.has(key) ? '+' : '\u2212') : '');
    set(own.symbol, film.symbols[now.s]);
    attribute(own.symbol, 'class', now.s);
    set(own.label, (track.namespace && view.namespaces ? track.namespace + ': ' : '') + track.label);
    set(own.note, changed ? ', changed' : '');
    attribute(own.status, 'class', 'status ' + now.s);
    set(own.status, now.w);
    set(own.ready, now.c || '');
    set(own.age, age(track.t));
    set(own.node, now.n || '');
    set(own.reason, now.y || '');
  };
  // Only the rows in sight are elements: a tree of ten thousand Pods costs as much as one of fifty.
  const drawTree = () => {
    const from = tree.scrollTop - 200, until = tree.scrollTop + size.room + 200;
    let low = 0, high = tops.length;
    while (low < high) { const middle = (low + high) >> 1; if (tops[middle] < from) low = middle + 1; else high = middle; }
    const first = Math.max(0, low - 1);
    let end = first;
    while (end < tops.length && tops[end] < until) end += 1;
    while (pool.length < end - first) pool.push(part());
    pool.forEach((own) => { own.index = -1; });
    // A row keeps its element while the tree scrolls.
    for (let index = first; index < end; index += 1) place(pool[index % pool.length], index);
    pool.forEach((own) => { if (own.index < 0) attribute(own.row, 'hidden', ''); });
    const active = pool.find((own) => own.index === cursor);
    attribute(tree, 'aria-activedescendant', active ? active.row.id : null);
  };
  const reveal = () => {
    if (!list.length) return;
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
      own.name.addEventListener('click', () => { filter.value = ''; folded.clear(); selected = own.key; draw(); reveal(); drawTree(); asked(); });
      return own;
    };
    fill(find('panel-2'), view.rows.filter((row) => row.shot.r), 'Nothing rolls out', create, (own, { key, track, shot: now }) => {
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
    const nodes = new Map((view.nodes || []).map((own) => [own.label, { own, counts: {} }]));
    view.rows.forEach((row) => {
      if (!row.shot.n || !isPod(row)) return;
      // A recording has no nodes of its own; a Pod on a node that is gone is counted nowhere.
      if (!nodes.has(row.shot.n)) { if (view.nodes) return; nodes.set(row.shot.n, { own: { label: row.shot.n }, counts: {} }); }
      const { counts } = nodes.get(row.shot.n);
      counts[row.shot.s] = (counts[row.shot.s] || 0) + 1;
    });
    return [...nodes.values()].sort((a, b) => (a.own.label < b.own.label ? -1 : 1));
  };
  const drawNodes = () => {
    view.counted = view.counted || counted();
    const create = () => {
      const own = { box: make('div', 'item'), name: make('button'), text: make('span'), pods: make('div') };
      own.name.type = 'button';
      own.pods.setAttribute('aria-hidden', 'true');
      own.states = STATES.map((state) => own.pods.appendChild(make('span', state)));
      own.box.append(own.name, own.text, own.pods);
      own.name.addEventListener('click', () => { node = node === own.label ? '' : own.label; drawNodes(); });
      return own;
    };
    fill(find('panel-3'), view.counted, 'No nodes', create, (own, { own: { label, s, w }, counts }) => {
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
  const drawEvents = () => fill(find('panel-4'), view.events, 'No events', line, (own, event) => {
    set(own.time, age(event.t));
    attribute(own.head, 'class', event.warning ? 'warning' : '');
    set(own.head, (event.warning ? '! ' : '') + event.reason);
    set(own.text, event.object + ': ' + event.message);
  });
  const drawQueue = () => fill(find('panel-5'), queue, 'The controllers have nothing to do', line, (own, step) => {
    set(own.time, step.t === undefined ? 'now' : 'in ' + human(step.t - view.time));
    set(own.head, step.controller);
    set(own.text, step.key + ': ' + step.what);
  });
  const drawWhy = () => {
    const panel = find('panel-6'), row = current();
    if (!panel.own) {
      panel.own = { name: make('b'), state: make('p'), lines: make('pre') };
      panel.append(panel.own.name, panel.own.state, panel.own.lines);
    }
    const { name, state, lines } = panel.own;
    set(name, row ? row.track.label : 'No object is selected');
    set(state, row ? [film.symbols[row.shot.s] + ' ' + row.shot.w, row.shot.c, row.shot.n && 'on ' + row.shot.n, row.shot.y].filter(Boolean).join(', ') : '');
    if (live) { set(lines, causes.join('\n')); return; }
    // A recording has no causes; it tells what became of the object, and who changed it.
    const past = row ? row.track.shots.filter((own) => own.f <= at) : [];
    set(lines, past.map((own) => {
      const { time, by, rule } = frames[own.f];
      return time.slice(11, 19) + '  ' + (own.s === undefined ? 'removed' : own.w + (own.y ? ': ' + own.y : '')) + (by ? '  by ' + by + (rule ? ' (' + rule + ')' : '') : '');
    }).join('\n'));
  };
  const pods = () => {
    if (view.pods === undefined) {
      const all = view.rows.filter((row) => isPod(row) && row.shot.s !== 'ended');
      view.pods = all.filter((row) => row.shot.s === 'ready').length + ' of ' + count(all.length, 'Pod') + ' ready';
    }
    return view.pods;
  };
  const cause = () => {
    const now = frames[at];
    if (isPresent()) return link;
    return now && now.by ? (now.mark ? 'mark ' + now.mark + ', ' : '') + now.by + (now.rule ? ' (' + now.rule + ')' : '') : 'before the first change';
  };
  const moment = () => {
    const time = new Date(view.time * 1000).toISOString().slice(0, 19) + 'Z', rest = time + ', revision ' + view.revision + ', ' + pods();
    if (isPresent()) return (view.virtual ? 'Present (virtual clock), ' : 'Present, ') + rest;
    return (live ? 'Commit ' : 'Frame ') + (at + 1) + ' of ' + frames.length + ', ' + rest;
  };
  const drawMoment = () => {
    set(find('moment'), moment());
    set(find('cause'), cause());
    scrubber.max = last();
    scrubber.value = at;
    attribute(scrubber, 'aria-valuetext', isPresent() ? 'present' : (live ? 'commit ' : 'frame ') + (at + 1) + ' of ' + frames.length + ', ' + cause());
  };
  const draw = () => {
    arrange();
    attribute(tree, 'aria-rowcount', list.length + 1);
    if (body.total !== total) { body.total = total; body.style.height = total + 'px'; }
    drawTree();
    drawRollouts();
    drawNodes();
    if (live) { drawEvents(); drawQueue(); }
    drawWhy();
    drawMoment();
  };

  // A screen reader cannot keep up with a film or a busy cluster: it is told what a person asked for, and news every few seconds.
  let told = '', later = 0;
  const say = (text) => { told = text; find('say').textContent = text; };
  const news = () => {
    if (later || pods() === told) return;
    later = setTimeout(() => { later = 0; if (isPresent() && pods() !== told) say(pods()); }, 3000);
  };
  const tell = (text, isError) => {
    const message = find('message');
    message.hidden = !text;
    message.className = isError ? 'error' : '';
    message.textContent = text && isError ? 'Error: ' + text : text;
  };
  const reply = async (path, fields, options) => {
    const query = new URLSearchParams(location.search);
    Object.entries(fields).forEach(([name, value]) => query.set(name, value));
    try {
      const response = await fetch(path + '?' + query, options), text = await response.text();
      let data = null;
      try { data = JSON.parse(text); } catch { data = { message: text }; }
      if (!response.ok) throw new Error(data.message);
      return data;
    } catch (error) {
      tell(error.message, true);
      return null;
    }
  };
  // The causes of the selected object. A busy cluster changes faster than anybody reads them.
  let waiting = 0;
  const asked = () => {
    if (!live) return;
    if (waiting) return;
    waiting = setTimeout(async () => {
      waiting = 0;
      const key = selected;
      if (key === null) { causes = []; drawWhy(); return; }
      const data = await reply('/ui/why', isPresent() ? { uid: key } : { uid: key, at: view.revision });
      if (data && selected === key) { causes = data.lines; drawWhy(); }
    }, 250);
  };
  const show = async (frame) => {
    const own = turn += 1;
    at = Math.max(0, Math.min(last(), frame));
    if (!live) view = recorded(at);
    else if (isPresent()) view = present || view;
    else {
      const data = await reply('/ui/state', { at: frames[at].revision });
      // Another frame was asked for meanwhile.
      if (own !== turn || !data) return;
      view = received(data, view);
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
    if (at >= last()) return stop();
    const since = performance.now();
    await show(at + 1);
    if (playing) timer = setTimeout(tick, Math.max(0, Number(find('speed').value) - (performance.now() - since)));
  };
  const start = async () => {
    if (frames.length < 2) return;
    playing = true;
    play.textContent = 'Pause';
    if (at >= last()) await show(0);
    if (playing) timer = setTimeout(tick, Number(find('speed').value));
  };
  const toggle = () => { if (playing) stop(); else start(); };
  const go = async (frame) => { stop(); await show(frame); say(moment() + ', ' + cause()); };
  const mark = (step) => {
    for (let place = at + step; place >= 0 && place <= last(); place += step) if (frames[place].mark) return go(place);
    return go(step < 0 ? 0 : last());
  };
  const move = (to) => {
    cursor = Math.max(0, Math.min(list.length - 1, to));
    selected = list.length ? view.rows[list[cursor]].key : null;
    reveal();
    drawTree();
    drawWhy();
    asked();
  };
  const fold = () => {
    const row = current();
    if (!row) return;
    if (!folded.delete(row.key)) folded.add(row.key);
    draw();
  };
  const choose = (index, folds) => { move(index); if (folds) fold(); };
  const refilter = () => { draw(); reveal(); drawTree(); asked(); };
  const escape = () => {
    if (!find('message').hidden) return tell('', false);
    if (at < last() || playing) return go(last());
    filter.value = '';
    return refilter();
  };

  // A key fills in a command, which runs once it is confirmed.
  const end = () => { prompt = null; find('prompt').hidden = true; tree.focus({ preventScroll: true }); };
  const begin = async (key) => {
    if (running) return tell('`' + running + '` is still running', true);
    if (!isPresent()) return tell('this is the past; Esc returns to the present', true);
    const subject = { key, uid: selected || '', node }, data = await reply('/ui/prompt', subject);
    if (!data) return undefined;
    prompt = { subject, line: data.line };
    tell('', false);
    find('line').textContent = data.line + (data.last === undefined ? '' : ' ' + data.last);
    find('word').value = data.input || '';
    find('word').hidden = data.last === undefined;
    find('prompt').hidden = false;
    (data.last === undefined ? find('prompt').querySelector('button') : find('word')).focus();
    return undefined;
  };
  const run = async () => {
    const { subject, line: words } = prompt, input = find('word').value;
    end();
    running = words;
    tell(words + ': running', false);
    const headers = { 'content-type': 'application/json' };
    const data = await reply('/ui/run', {}, { method: 'POST', headers, body: JSON.stringify({ ...subject, input }) });
    running = '';
    if (data) tell(data.text, !data.done);
  };

  const KEYS = [
    ['\u2191 \u2193', 'select a row; PageUp, PageDown, Home and End go further'],
    ['1 to 6', 'go to a panel'], ['Enter, /', 'fold; filter by name, type, status or node'],
    ['\u2190 \u2192', 'a frame back or on; with Shift a tenth of all'], ['[ ]', 'the mark before, the next mark, or the ends'],
    ['Space, Esc', 'play or pause; back to the end and out of the filter'], ['?', 'this help'],
    ['s r U', 'scale the selected workload, restart its rollout, undo its rollout', true],
    ['u m', 'undo the last command, mark this point in the history', true],
    ['c d', 'crash the selected Pod; take the selected node down, or up again', true], ['a x', 'advance the clock; settle', true],
  ];
  const help = () => { const dialog = find('help'); if (dialog.open) dialog.close(); else dialog.showModal(); };
  KEYS.filter((own) => live || !own[2]).forEach(([keys, text]) => {
    const item = make('li');
    item.append(make('kbd', '', keys), ' ' + text);
    find('key-list').append(item);
  });
  const tenth = () => Math.max(1, Math.floor(frames.length / 10));
  const keys = {
    ArrowUp: () => move(cursor - 1), k: () => move(cursor - 1), ArrowDown: () => move(cursor + 1), j: () => move(cursor + 1),
    PageUp: () => move(cursor - 10), PageDown: () => move(cursor + 10), Home: () => move(0), End: () => move(list.length - 1),
    ArrowLeft: (event) => go(at - (event.shiftKey ? tenth() : 1)), ArrowRight: (event) => go(at + (event.shiftKey ? tenth() : 1)),
    '[': () => mark(-1), ']': () => mark(1), ' ': toggle, Escape: escape, Enter: fold, '/': () => { filter.focus(); filter.select(); }, '?': help,
  };
  for (const digit of '123456') keys[digit] = () => { const panel = find('panel-' + digit); if (panel.getClientRects().length) panel.focus(); };
  if (live) for (const letter of 'srUucdaxm') keys[letter] = () => begin(letter);
  const scrolls = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', 'Enter'];
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || find('help').open && key !== '?') return;
    if (target === filter) {
      if (key === 'Escape') filter.value = '';
      if (key === 'Escape' || key === 'Enter') { tree.focus(); refilter(); } else if (key === 'ArrowUp' || key === 'ArrowDown') keys[key]();
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
  for (const [id, to] of [['first', () => 0], ['back', () => at - 1], ['on', () => at + 1], ['end', last]]) find(id).addEventListener('click', () => go(to()));
  scrubber.addEventListener('input', () => go(Number(scrubber.value)));
  filter.addEventListener('input', refilter);
  find('keys').addEventListener('click', help);
  find('close').addEventListener('click', help);
  find('cancel').addEventListener('click', end);
  find('prompt').addEventListener('submit', (event) => { event.preventDefault(); run(); });
  tree.addEventListener('scroll', drawTree);
  addEventListener('resize', () => { measure(); draw(); reveal(); });

  const follow = () => {
    const source = new EventSource('/ui/events' + location.search);
    const on = (name, take) => source.addEventListener(name, (event) => take(JSON.parse(event.data)));
    const linked = (text) => { link = text; drawMoment(); };
    on('state', (data) => {
      const before = present || view;
      present = received(data, before);
      link = 'connected';
      if (!isPresent()) return drawMoment();
      view = present;
      draw();
      asked();
      return news();
    });
    on('stops', ({ first, frames: more }) => {
      const was = isPresent();
      if (first) frames.length = 0;
      more.forEach((own) => {
        const before = frames[frames.length - 1];
        // A mark is a commit that changes nothing, so it has the revision of the one before.
        if (before && before.revision === own.revision && own.mark) before.mark = own.mark; else frames.push(own);
      });
      at = was ? last() : Math.min(at, last());
      drawMoment();
    });
    on('queue', (data) => { queue = data; drawQueue(); });
    on('time', ({ time }) => {
      if (!present || !isPresent()) return;
      view.time = time;
      drawTree(); drawEvents(); drawQueue(); drawMoment();
    });
    on('failed', ({ message }) => linked('the cluster cannot be read: ' + message));
    source.addEventListener('error', () => linked(source.readyState === 2 ? 'disconnected: open the link that the server printed, each start makes a new one' : 'disconnected, trying again'));
  };
  document.body.classList.toggle('recorded', !live);
  find('film').hidden = false;
  measure();
  if (live) { draw(); follow(); } else show(last());
})();

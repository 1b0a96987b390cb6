// The page of a trace: the rows are in the document already; this moves through them and filters them.
(() => {
  const byId = (id) => document.getElementById(id);
  const [list, text, payment, details, scrubber] = ['rows', 'text', 'payment', 'details', 'scrubber'].map(
    byId,
  );
  const laneBoxes = [...document.querySelectorAll('input[name=lane]')];
  let shown = [];
  let current;
  /** Where the moment is among the shown rows; those after it are marked as later. */
  let lastIndex = 0;
  /** Every screen there was, in order. */
  let screens = [];

  const rows = () => [...list.querySelectorAll('.row')];
  const seqOf = (row) => Number(row.id.slice(1));

  /** A request's entries belong to the payment that one of them names. */
  function linkRequests() {
    screens = [...list.querySelectorAll('.screen')];
    const payments = new Map();
    for (const { dataset } of rows())
      if (dataset.request && dataset.payment) payments.set(dataset.request, dataset.payment);
    for (const { dataset } of rows())
      if (dataset.request && !dataset.payment) dataset.payment = payments.get(dataset.request) ?? '';
    const known = new Set([...payment.options].map((option) => option.value));
    for (const link of document.querySelectorAll('#outcomes a[data-of]'))
      if (!known.has(link.dataset.of)) payment.add(new Option(link.dataset.of));
  }

  function fits(row, needle, wantedLanes) {
    const { lanes, payment: of, terminal } = row.dataset;
    if (!lanes.split(' ').some((lane) => wantedLanes.has(lane))) return false;
    if (!details.checked && row.classList.contains('small')) return false;
    // What a terminal did outside any payment belongs to none.
    if (payment.value && of !== payment.value) return false;
    row.searched ??= `${row.textContent} ${terminal}`.toLowerCase();
    return row.searched.includes(needle);
  }

  function filter() {
    const needle = text.value.trim().toLowerCase();
    const wantedLanes = new Set(laneBoxes.filter((box) => box.checked).map((box) => box.value));
    const all = rows();
    shown = [];
    for (const row of all) {
      row.hidden = !fits(row, needle, wantedLanes);
      row.classList.remove('later');
      if (!row.hidden) shown.push(row);
    }
    lastIndex = shown.length - 1;
    byId('nothing').hidden = shown.length > 0;
    byId('count').value = `${shown.length} of ${all.length}`;
    scrubber.max = String(Math.max(0, shown.length - 1));
    if (shown.length > 0) moveTo(shown.includes(current) ? current : shown.at(-1), { focus: false });
  }

  /** Makes a row the moment that is looked at: what comes later is faint, the screens are those of then. */
  function moveTo(row, { focus = true } = {}) {
    current = row;
    const index = shown.indexOf(row);
    scrubber.value = String(index);
    scrubber.setAttribute('aria-valuetext', row.querySelector('summary').textContent);
    // Only what lies between the two moments changes: a journal may have ten thousand entries.
    for (let at = Math.min(index, lastIndex); at <= Math.max(index, lastIndex); at++)
      shown[at]?.classList.toggle('later', at > index);
    lastIndex = index;
    for (const former of list.querySelectorAll('.row.now')) {
      former.classList.remove('now');
      former.removeAttribute('aria-current');
    }
    row.classList.add('now');
    row.setAttribute('aria-current', 'true');
    byId('moment').textContent = row.querySelector('time').textContent;
    showScreens(row);
    if (focus) row.querySelector('summary').focus({ preventScroll: true });
    if (focus) row.scrollIntoView({ block: 'center' });
  }

  function showScreens(row) {
    const latest = new Map();
    const moment = seqOf(row);
    for (const screen of screens) {
      if (seqOf(screen.parentElement) > moment) break;
      latest.set(screen.dataset.terminal, screen);
    }
    byId('screens').replaceChildren(...[...latest.values()].map((screen) => screen.cloneNode(true)));
  }

  const step = (by) => {
    const target = shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(current) + by))];
    if (target) moveTo(target);
  };

  const keys = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    j: () => step(1),
    k: () => step(-1),
    PageDown: () => step(20),
    PageUp: () => step(-20),
    Home: () => step(-Infinity),
    End: () => step(Infinity),
    '/': () => text.focus(),
    f: () => showFailure(),
    Escape: () => clear(),
  };

  /** The moment just before the step that failed. */
  function showFailure() {
    const failing = byId('failing-step');
    if (!failing) return;
    const before = shown.findLast(
      (row) => failing.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_PRECEDING,
    );
    if (before) moveTo(before);
    failing.scrollIntoView({ block: 'center' });
  }

  function clear() {
    byId('tools').reset();
    filter();
  }

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches('input, select, pre');
    if (typing && event.key !== 'Escape') return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  list.addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    if (row && event.target.closest('summary')) moveTo(row, { focus: false });
  });
  list.addEventListener('focusin', (event) => {
    const row = event.target.closest('.row');
    if (row && row !== current) moveTo(row, { focus: false });
  });
  byId('to-failure')?.addEventListener('click', (event) => {
    event.preventDefault();
    showFailure();
  });
  byId('outcomes').addEventListener('click', (event) => {
    const of = event.target.dataset?.of;
    if (!of) return;
    event.preventDefault();
    payment.value = of;
    filter();
    if (shown[0]) moveTo(shown[0]);
  });
  byId('findings')?.addEventListener('click', (event) => {
    const row = shown.find(({ id }) => event.target.getAttribute('href') === `#${id}`);
    if (!row) return;
    event.preventDefault();
    moveTo(row);
  });
  scrubber.addEventListener('input', () => {
    const row = shown[Number(scrubber.value)];
    if (!row) return;
    moveTo(row, { focus: false });
    row.scrollIntoView({ block: 'center' });
  });
  byId('tools').addEventListener('submit', (event) => event.preventDefault());
  for (const input of [text, payment, details, ...laneBoxes]) input.addEventListener('input', filter);

  /** A running gateway's page gets further rows; it follows them while the last one is looked at. */
  function follow(url) {
    let waiting = [];
    const show = () => {
      const followed = current === undefined || current === shown.at(-1);
      list.insertAdjacentHTML('beforeend', waiting.map(({ row }) => row).join(''));
      const outcomes = waiting.findLast((entry) => entry.outcomes)?.outcomes;
      if (outcomes) byId('outcomes').innerHTML = outcomes;
      waiting = [];
      linkRequests();
      filter();
      const last = shown.at(-1);
      if (!followed || !last) return;
      moveTo(last, { focus: false });
      last.scrollIntoView({ block: 'nearest' });
    };
    new EventSource(url).addEventListener('entry', ({ data }) => {
      if (waiting.length === 0) requestAnimationFrame(show);
      waiting.push(JSON.parse(data));
    });
  }

  linkRequests();
  filter();
  if (document.body.dataset.live) follow(document.body.dataset.live);
})();

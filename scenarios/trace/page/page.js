// The page of a trace: the rows are in the document already; this moves through them and filters them.
(() => {
  const byId = (id) => document.getElementById(id);
  const [list, text, payment, details, scrubber] = ['rows', 'text', 'payment', 'details', 'scrubber'].map(
    byId,
  );
  const laneBoxes = [...document.querySelectorAll('input[name=lane]')];
  let shown = [];
  let current;

  const rows = () => [...list.querySelectorAll('.row')];

  /** A request's entries belong to the payment that one of them names. */
  function linkRequests() {
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
      if (!row.hidden) shown.push(row);
    }
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
    for (const [at, other] of shown.entries()) {
      other.classList.toggle('later', at > index);
      other.classList.toggle('now', other === row);
      if (other === row) other.setAttribute('aria-current', 'true');
      else other.removeAttribute('aria-current');
    }
    byId('moment').textContent = row.querySelector('time').textContent;
    showScreens(row);
    if (focus) row.querySelector('summary').focus({ preventScroll: true });
    if (focus) row.scrollIntoView({ block: 'center' });
  }

  function showScreens(row) {
    const latest = new Map();
    for (const screen of list.querySelectorAll('.screen')) {
      if (row.compareDocumentPosition(screen) & Node.DOCUMENT_POSITION_FOLLOWING && !row.contains(screen))
        break;
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
    new EventSource(url).addEventListener('entry', ({ data }) => {
      const { row, outcomes } = JSON.parse(data);
      const followed = current === undefined || current === shown.at(-1);
      list.insertAdjacentHTML('beforeend', row);
      if (outcomes) byId('outcomes').innerHTML = outcomes;
      linkRequests();
      filter();
      const last = shown.at(-1);
      if (!followed || !last) return;
      moveTo(last, { focus: false });
      last.scrollIntoView({ block: 'nearest' });
    });
  }

  linkRequests();
  filter();
  if (document.body.dataset.live) follow(document.body.dataset.live);
})();

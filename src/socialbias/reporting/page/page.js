// What a reader can do beyond reading: numbers in a dialog, long tables on demand, sorting.
'use strict';

// The numbers: within the first page; a paper's page loads them when they are first asked for.
let data = JSON.parse(document.getElementById('data')?.textContent ?? 'null');
const waiting = [];
function loaded(found) {
  data = found;
  for (const then of waiting.splice(0)) then();
}
function withData(then) {
  if (data) return then();
  if (waiting.push(then) > 1 || !document.body.dataset.numbers) return;
  document.body.append(Object.assign(document.createElement('script'), {src: document.body.dataset.numbers}));
}

// All that is known of a number, by its address; undefined if there is none.
function known(address) {
  const [name, ...rest] = address.split('.');
  const artefact = data.artefacts[name];
  const number = artefact?.numbers[rest.join('.')];
  if (!number) return undefined;
  const [column, paper, ours, interval, ...shared] = number;
  const [row, sample, inputs, verdict, why, file, items] = shared.map(i => data.texts[i]);
  const [label, unit, nothing, direction] = artefact.columns[column].map(i => data.texts[i]);
  return {row, label, unit, nothing, direction, paper, ours, interval, sample, inputs, verdict, why, file, items,
    title: artefact.title, make: artefact.make, page: artefact.page};
}
const summary = n => `${n.row}, ${n.label}: paper ${n.paper || 'none'}, ours ${n.ours || 'none'}, ${n.verdict}`;

// A number in a dialog.
const dialog = document.querySelector('dialog');
function show(address) {
  const n = known(address);
  if (!n) return;
  dialog.querySelector('h2').textContent = `${n.title}: ${n.row}, ${n.label}`;
  const facts = {
    'The paper': n.paper || 'no such number',
    'Ours': n.ours ? n.ours + (n.interval && ` (95 % interval [${n.interval}])`) : 'none',
    'Verdict': n.verdict + (n.why && `: ${n.why}`),
    'Inputs': n.inputs || 'none',
    'Sample': n.sample || 'none',
    'Unit': n.unit,
    'Without an effect': n.nothing,
    'Direction': n.direction,
    'Make it again': n.make,
  };
  dialog.querySelector('dl').replaceChildren(...Object.entries(facts).flatMap(([term, text]) => [
    Object.assign(document.createElement('dt'), {textContent: term}),
    Object.assign(document.createElement('dd'), {textContent: text}),
  ]));
  const links = [[n.page, 'Its table']].concat(n.file ? [[n.file, `Items behind it (${n.items})`]] : []);
  dialog.querySelector('p').replaceChildren(...links.map(([href, textContent]) =>
    Object.assign(document.createElement('a'), {href, textContent})));
  if (!dialog.open) dialog.showModal();
}
dialog.querySelector('p').addEventListener('click', () => dialog.close());
function follow() {
  const address = decodeURIComponent(location.hash.slice(1));
  const place = document.getElementById(address);
  if (place) for (const around of [...place.querySelectorAll('details'), place.closest('details')]) around && (around.open = true);
  else if (address.includes('.')) withData(() => show(address));
}
addEventListener('hashchange', follow);
addEventListener('load', follow);
document.addEventListener('click', event => {
  const link = event.target.closest('a');
  if (link && link.getAttribute('href') === location.hash) follow();
});
dialog.addEventListener('close', () => history.replaceState(null, '', location.pathname + location.search));

// A group of marks is one stop of the Tab key; arrows go from mark to mark, and each says its number.
for (const group of document.querySelectorAll('svg.marks')) {
  const marks = [...group.querySelectorAll('a')];
  for (const mark of marks) {
    mark.tabIndex = mark === marks[0] ? 0 : -1;
    if (mark.ariaLabel) continue;
    const address = decodeURIComponent(mark.getAttribute('href').slice(1));
    mark.ariaLabel = address.replace(/[._]/g, ' ');
    const name = () => withData(() => { mark.ariaLabel = summary(known(address)); });
    if (data) name();
    for (const event of ['focus', 'mouseover']) mark.addEventListener(event, () => withData(() => {
      name();
      if (mark.querySelector('title')) return;
      const title = document.createElementNS(group.namespaceURI, 'title');
      title.textContent = mark.ariaLabel;
      mark.prepend(title);
    }));
  }
  group.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const next = marks[marks.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

// Sort a table by a column: numbers as numbers, empty cells last.
const number = text => parseFloat(text.replace('−', '-').replace(/,/g, ''));
function compare(a, b) {
  if (!a || !b) return (a === '') - (b === '');
  const [x, y] = [number(a), number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
}
function sortBy(table, index, down) {
  const text = row => (row.cells[index]?.textContent ?? '').trim();
  const sign = down ? -1 : 1;
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort((r, s) => {
    const [a, b] = [text(r), text(s)];
    return a && b ? sign * compare(a, b) : compare(a, b);
  }));
}
function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((cell, index) => {
    const button = document.createElement('button');
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener('click', () => {
      const down = cell.getAttribute('aria-sort') === 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      sortBy(table, index, down);
    });
  });
}
document.querySelectorAll('table.sortable').forEach(makeSortable);

// Every number of an artefact, in a table that can be searched and sorted.
const HEADS = {row: 'row', label: 'column', paper: 'paper', ours: 'ours', interval: '95 % interval',
  sample: 'sample', inputs: 'inputs', verdict: 'verdict', why: 'why'};
function fill(details) {
  const name = details.dataset.artefact;
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  for (const text of Object.values(HEADS)) {
    head.append(Object.assign(document.createElement('th'), {textContent: text, scope: 'col'}));
  }
  const body = table.createTBody();
  for (const key of Object.keys(data.artefacts[name].numbers)) {
    const [n, row] = [known(`${name}.${key}`), body.insertRow()];
    for (const fact of Object.keys(HEADS)) row.insertCell().textContent = n[fact];
    const link = Object.assign(document.createElement('a'), {href: `#${name}.${key}`, textContent: n.row});
    row.cells[0].replaceChildren(link);
  }
  makeSortable(table);
  const [label, box] = [document.createElement('label'), document.createElement('div')];
  const input = Object.assign(document.createElement('input'), {type: 'search'});
  label.append('Only rows with ', input);
  input.addEventListener('input', () => {
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(input.value.toLowerCase());
  });
  Object.assign(box, {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: `Every number: ${data.artefacts[name].title}`}).append(table);
  details.append(label, box);
}
for (const details of document.querySelectorAll('details.cells')) {
  details.addEventListener('toggle', () => withData(() => fill(details)), {once: true});
}

// A page that was sent alone has nothing beside it: its links there become text.
const picture = document.body.dataset.beside;
if (picture) {
  const sibling = new Image();
  sibling.onerror = () => {
    for (const link of document.querySelectorAll('a:not([href^="#"], [href^="https:"])')) link.removeAttribute('href');
  };
  sibling.src = picture;
}

// What a reader can do beyond reading: the pages are whole without it.
'use strict';
document.documentElement.classList.add('scripted');

// Find a table or figure by a part of its title.
const find = document.getElementById('find');
find?.addEventListener('input', () => {
  const asked = find.value.toLowerCase();
  for (const group of document.querySelectorAll('nav.side details')) {
    let shown = 0;
    for (const item of group.querySelectorAll('li')) {
      item.hidden = !item.textContent.toLowerCase().includes(asked);
      shown += !item.hidden;
    }
    group.hidden = shown === 0;
    if (asked && shown) group.open = true;
  }
});

// Sort a table by a column: numbers as numbers, empty cells last.
const number = text => parseFloat(text.replace('−', '-').replace(/,/g, ''));
function compare(a, b) {
  if (!a || !b) return (a === '') - (b === '');
  const [x, y] = [number(a), number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
}
function sortBy(table, index, down) {
  const body = table.tBodies[0];
  const text = row => (row.cells[index]?.textContent ?? '').trim();
  const sign = down ? -1 : 1;
  const rows = [...body.rows].sort((r, s) => {
    const [a, b] = [text(r), text(s)];
    return a && b ? sign * compare(a, b) : compare(a, b);
  });
  body.append(...rows);
}
for (const table of document.querySelectorAll('table.sortable')) {
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

// Show only the rows of a long table that have some text.
for (const cells of document.querySelectorAll('details.cells')) {
  const rows = [...cells.querySelectorAll('tbody tr')];
  if (rows.length < 12) continue;
  const label = document.createElement('label');
  const input = Object.assign(document.createElement('input'), {type: 'search'});
  label.append('Only rows with ', input);
  cells.querySelector('.scroll').before(label);
  input.addEventListener('input', () => {
    const asked = input.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(asked);
  });
}

// Copy a command.
for (const pre of document.querySelectorAll('pre')) {
  const button = Object.assign(document.createElement('button'), {textContent: 'Copy', className: 'copy'});
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = 'Copied';
  });
  pre.before(button);
}

// Six answers about a number: what it is, what it would be without an effect, its direction, how sure
// it is, what it is from, and how it is made again.
const dialog = document.getElementById('answers');
function answers(row) {
  const section = row.closest('section');
  const [columns, cells] = [section.querySelector('details.columns table'), row.closest('table')];
  const heads = [...cells.tHead.rows[0].cells].map(cell => cell.textContent.trim());
  const text = name => row.cells[heads.indexOf(name)]?.textContent.trim() ?? '';
  const label = text('column');
  let facts = [...columns.tBodies[0].rows].find(r => r.cells[0].textContent.trim() === label);
  const unit = facts.cells[1].textContent;
  while (facts.cells[2].textContent === '″') facts = facts.previousElementSibling;
  const sure = ['95 % interval', 'reliability', 'ceiling', 'detectable']
    .filter(name => text(name)).map(name => `${name} ${text(name)}`);
  return {
    'What it is': `${section.querySelector('h2').firstChild.textContent.trim()}: ${text('row')}, ${label}; ${unit}. `
      + `Ours ${text('ours') || 'none'}, the paper's ${text('paper') || 'none'}.`,
    'Without an effect': facts.cells[2].textContent,
    'Direction': facts.cells[3].textContent,
    'Uncertainty': `${sure.join('; ') || 'no interval'}. ${text('verdict')}: ${text('why') || '-'}`
      + (text('caution') && `. Caution: ${text('caution')}`),
    'Sample and inputs': `${text('sample size') || '-'}; ${text('inputs')}`,
    'Command': section.querySelector('pre').textContent,
  };
}
function open(row) {
  const list = dialog.querySelector('dl');
  list.replaceChildren();
  dialog.querySelector('h2').textContent = row.id;
  for (const [question, answer] of Object.entries(answers(row))) {
    const [term, text] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = question;
    text.textContent = answer;
    list.append(term, text);
  }
  const behind = row.querySelector('td a');
  if (behind) {
    const link = Object.assign(behind.cloneNode(), {textContent: 'Some of its items'});
    list.querySelector('dd:nth-of-type(5)').append('. ', link);
  }
  dialog.showModal();
}
function follow() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const around = place?.closest('details');
  if (around) around.open = true;
  if (!place?.matches('details.cells tr')) return;
  place.scrollIntoView({block: 'center'});
  open(place);
}
addEventListener('hashchange', follow);
addEventListener('load', follow);
for (const name of document.querySelectorAll('details.cells tr[id] th')) {
  const link = document.createElement('a');
  link.href = `#${name.parentElement.id}`;
  link.append(...name.childNodes);
  name.append(link);
  link.addEventListener('click', () => { if (location.hash === link.hash) open(link.closest('tr')); });
}

// On paper the key of the verdicts and their counts are open.
addEventListener('beforeprint', () => { for (const d of document.querySelectorAll('details.on-paper')) d.open = true; });

// A page that was sent alone has nothing beside it: its links there become text.
const [beside, sibling] = [document.querySelectorAll('a.beside'), new Image()];
const picture = document.body.dataset.beside;
sibling.onerror = () => { for (const link of beside) link.replaceWith(...link.childNodes); };
if (picture) sibling.src = picture;

'use strict';

// What moves in the report: the slider of lengths, the what-if panel, copying, colors, finding a class.
// Rules are evaluated here exactly as the package evaluates them. Names are data: they enter the page as text
// nodes alone, never as HTML.

(() => {
  const facts = JSON.parse(document.getElementById('facts').textContent);
  const chips = JSON.parse(document.getElementById('chips').textContent); // of each concept
  const { rules, concepts, inputs, policy, lengths } = facts;
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  root.classList.add('script');

  // Texts

  const UNSEEN = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\0-\x08\x0b-\x1f\x7f-\x9f]/g;
  const LEFTWARD = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]+';
  const LEFTWARD_RUN = new RegExp(`(${LEFTWARD}(?: +${LEFTWARD})*)`, 'u');

  /** Text with signs shown that are not seen, or that turn the direction of writing. */
  const visible = (text) =>
    String(text).replace(UNSEEN, (sign) => `⟨${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

  /** An element with attributes and children; text becomes text nodes. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(key, '');
      else if (value !== false && value !== null) element.setAttribute(key, value);
    }
    element.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
    return element;
  }

  /** A name, which keeps its direction of writing to itself. */
  const named = (text, attributes = {}) => make('bdi', attributes, text);

  /** Nodes of a text; words written from right to left stand in elements of their own. */
  const isolated = (text) =>
    visible(text).split(LEFTWARD_RUN).map((part, at) => (at % 2 ? named(part) : document.createTextNode(part)));

  const many = (n, word) => `${n.toLocaleString('en-US')} ${word}${n === 1 ? '' : 's'}`;

  /** A rate as people read it; only all is 100.0%, and only none is 0.0%. */
  function percent(rate) {
    if (rate === null) return '–';
    const text = (100 * rate).toFixed(1);
    if (text === '0.0' && rate > 1e-12) return '<0.1%';
    return text === '100.0' && rate < 1 - 1e-12 ? '>99.9%' : `${text}%`;
  }

  /** A bar for a rate, with a whisker for its interval, and a line for that of all rows. */
  function barOf({ value, low, high }, all = null) {
    const share = (number) => `${(100 * number).toFixed(1)}%`;
    const bar = make('span', { class: 'bar', 'aria-hidden': 'true' }, make('i'));
    bar.firstChild.style.width = share(value);
    if (low !== null) {
      const whisker = make('b');
      whisker.style.left = share(low);
      whisker.style.width = share(high - low);
      bar.append(whisker);
    }
    if (all !== null) {
      const line = make('u');
      line.style.left = share(all);
      bar.append(line);
    }
    return bar;
  }

  const intervalOf = ({ low, high }) => (low === null ? ''
    : `${percent(low).slice(0, -1)}–${percent(high)}`);

  const inWords = (value) => (value === null ? 'missing' : value === OTHER ? 'another value'
    : value === true ? 'yes' : value === false ? 'no' : String(value));

  /** Nodes with a word between each two. */
  const joined = (lists, word) => lists.flatMap((nodes, at) => (at ? [word, ...nodes] : nodes));

  // Rules: those of the report or, while another length is tried, those of that length; what they say of a row

  const OTHER = Object.freeze({}); // a value unlike all that rules name
  const kindOfLabel = facts.task === 'cluster' ? 'cluster' : 'class';
  const home = lengths.findIndex((length) => length.chosen);
  let now = home; // a place among the lengths, or -1 where there are none
  const treeOf = ({ rule, tree }) => tree ?? rules[rule].tree;
  const ownSteps = policy.steps.map((step) => ({ ...step, tree: treeOf(step) }));
  const own = { // parts that are shown, each about a rule; steps that decide; and what is decided without them
    parts: policy.printed ? ownSteps : rules.map(({ label, tree }, rule) => ({ rule, label, tree })),
    steps: ownSteps,
    fallback: policy.default ? policy.default.rule : -1,
  };
  const tried = ({ steps, default: last }) => ({ parts: steps, steps, fallback: last ? last.rule : -1 });
  const current = () => (now === home ? own : tried(lengths[now]));

  /** Whether a concept is true of a value; null is a missing one. */
  function holds(concept, value) {
    const test = concept.test;
    if (value === null) return test.kind === 'missing' || concept.or_missing;
    switch (test.kind) {
      case 'above': return value > test.cut;
      case 'at_most': return value <= test.cut;
      case 'between': return value > test.low && value <= test.high;
      case 'one_of': return test.values.includes(value);
      case 'flag': return Number(value) > 0.5;
      default: return false; // it is there
    }
  }

  function evaluate(tree, truths) {
    switch (tree.op) {
      case 'var': return truths[tree.concept] === 1;
      case 'not': return !evaluate(tree.arg, truths);
      case 'and': return tree.args.every((part) => evaluate(part, truths));
      case 'or': return tree.args.some((part) => evaluate(part, truths));
      default: return tree.op === 'true';
    }
  }

  const truthsOf = (row) => Uint8Array.from(concepts, (concept) => (holds(concept, row[concept.column]) ? 1 : 0));
  /** What rules say together: those that are true, and the step that decides, the first that is true. */
  function predict({ parts, steps, fallback }, truths) {
    const step = policy.multi_label ? -1 : steps.findIndex(({ tree }) => evaluate(tree, truths));
    const fired = Array(rules.length).fill(false);
    if (policy.multi_label) for (const { rule, tree } of parts) fired[rule] ||= evaluate(tree, truths);
    return { fired, step, answer: step < 0 ? fallback : steps[step].rule, covered: step >= 0 };
  }

  /** The formulas that an answer depends on. */
  const lookedAt = ({ parts, steps }) => (policy.multi_label ? parts : steps).map(({ tree }) => tree);

  const answerOf = ({ fired, answer }) => (policy.multi_label ? fired.map(Number).join('') : String(answer));

  const termsOf = (tree) => (tree.op === 'or' ? tree.args : [tree]);
  const literalsOf = (term) => (term.op === 'and' ? term.args : [term]);

  function conceptsIn(tree, found = new Set()) {
    if (tree.op === 'var') found.add(tree.concept);
    for (const part of tree.args || (tree.arg ? [tree.arg] : [])) conceptsIn(part, found);
    return found;
  }

  // Pictures of terms

  function wordsOf(tree) {
    switch (tree.op) {
      case 'true': return 'in any case';
      case 'false': return 'never';
      case 'var': return concepts[tree.concept].words;
      case 'not': return tree.arg.op === 'var' ? concepts[tree.arg.concept].words_not : `not ${wordsOf(tree.arg)}`;
      default: return `(${tree.args.map(wordsOf).join(` ${tree.op} `)})`;
    }
  }

  /**
   * The conditions of a term, nothing said twice: where one takes a value for granted, none of the same column
   * speaks of missing ones. Each has its parts in words, and says of a row whether it holds.
   */
  function conditionsOf(term) {
    const parts = literalsOf(term).map((literal) => {
      const positive = literal.op === 'var';
      const known = positive || (literal.op === 'not' && literal.arg.op === 'var');
      return known ? { literal, positive, at: positive ? literal.concept : literal.arg.concept } : { literal };
    });
    const named = parts.filter(({ at }) => at !== undefined);
    const columns = (some) => new Set(named.filter(some).map(({ at }) => concepts[at].column));
    const given = columns(({ at, positive }) => chips[at].gap === !positive);
    const compared = columns(({ at }) => !chips[at].about_gap);
    return parts.flatMap(({ literal, positive, at }) => {
      if (at === undefined) return { words: [wordsOf(literal), ''], returns: null, holds: (truths) => evaluate(literal, truths) };
      const sign = chips[at];
      const { column } = concepts[at];
      if (sign.about_gap && !positive && compared.has(column)) return [];
      const open = sign.gap === positive && !sign.about_gap; // true of missing values, too
      const ending = open && !given.has(column) ? ' or missing' : '';
      return {
        words: [sign.column, `${positive ? sign.yes : sign.no}${ending}`],
        returns: concepts[at].returns,
        holds: (truths, row) => evaluate(literal, truths) && !(open && given.has(column) && row[column] === null),
      };
    });
  }

  /** A condition as a chip; of a row it says whether it holds. */
  function chipOf({ words: [column, asked], returns, holds: trueOf }, truths, row) {
    const chip = make('span', { class: 'chip' });
    if (truths) {
      const truth = trueOf(truths, row);
      chip.classList.add(truth ? 'holds' : 'fails');
      chip.append(make('span', { class: 'sign', role: 'img', 'aria-label': truth ? 'holds:' : 'fails:' }, truth ? '✓' : '✗'));
    }
    chip.append(named(column), ...(asked ? [' ', named(asked, { class: 'asked' })] : []));
    if (!truths && facts.stability && returns !== null) {
      const n = facts.stability.n_resamples;
      const times = Math.round(returns * n);
      chip.append(' ', make('span', { class: `returns${returns < 0.5 ? ' seldom' : ''}`,
        title: `It returned in ${times} of ${many(n, 'resample')}` }, `${times}/${n}`));
    }
    return chip;
  }

  const chipsOf = (term, truths, row) => make('p', { class: 'chips', dir: 'ltr' },
    ...joined(conditionsOf(term).map((condition) => [chipOf(condition, truths, row)]), 'and')
      .map((part) => (part === 'and' ? make('span', { class: 'and' }, 'and') : part)));

  // Shorter or longer rules

  const MOST_OPEN = 8; // steps

  for (const button of all('[data-steps]')) {
    button.addEventListener('click', () => all('.decision .step details').forEach((step) => { step.open = button.dataset.steps === 'open'; }));
  }

  const LANGUAGES = [['sql', 'SQL'], ['python', 'Python'], ['latex', 'LaTeX']];

  /** A rule for other programs, where the page does not have it yet. */
  const exportsOf = (rule) => [make('h4', {}, 'Take it along'),
    ...LANGUAGES.filter(([key]) => rule.exports[key] !== null).map(([key, name]) => make('div', { class: 'export' },
      make('details', { class: 'inner', 'data-language': key }, make('summary', {}, name),
        make('pre', { tabindex: 0, dir: 'ltr' }, make('code', {}, rule.exports[key]))),
      make('button', { type: 'button', class: 'copy', 'data-copy': key, 'aria-label': visible(`Copy ${name} of the rule of ${rule.label}`) }, `Copy ${name}`)))];

  all('.rule').forEach((card) => {
    const exported = one('.exports', card);
    if (exported && !exported.firstElementChild) exported.append(...exportsOf(rules[Number(card.dataset.rule)])); // of very many rules
  });

  const goHome = (() => {
    const box = one('.decision');
    const slider = document.getElementById('length');
    if (!slider) return () => {};
    const list = one('.steps.statement', box);
    const written = [...list.children];
    const logic = one('.in-logic ol', box);
    const inLogic = logic ? [...logic.children] : [];
    const back = one('.back', box);
    const trial = one('.trial', box);

    /** Show one of the lengths; what is said of each class, above and below, stays that of the report. */
    function show(place) {
      const chosen = place === home;
      const shown = lengths[place];
      now = place;
      slider.value = place;
      slider.setAttribute('aria-valuetext', many(shown.literals, 'literal'));
      list.replaceChildren(...(chosen ? written : linesOf(shown)));
      list.hidden = !list.children.length;
      if (logic) logic.replaceChildren(...(chosen ? inLogic : [...shown.steps, shown.default].map(logicLine)));
      for (const circle of all('.chart circle', box)) circle.classList.toggle('now', Number(circle.dataset.length) === place);
      for (const part of all('.chosen-only', box)) part.hidden = !chosen;
      back.hidden = chosen;
      box.classList.toggle('on-trial', !chosen);
      if (trial.hidden !== chosen) {
        trial.hidden = chosen;
        trial.replaceChildren(...(chosen ? [] : [make('strong', {}, 'Trying another length:'),
          ' the rules here and under “What if” are of that length; all other figures are of the report’s own.']));
      }
      one('.slid', box).textContent = said(shown, chosen);
    }

    const logicLine = ({ logic: text }) => make('li', { class: 'logic' }, ...isolated(text));

    /** Rows that a step decides, and how many of them rightly. */
    const decided = ({ n, precision }) => (n === null ? []
      : [make('span', { class: 'decided' }, make('span', { class: 'n' }, many(n, 'row')),
        ...(precision.value === null ? [] : [barOf(precision), make('span', { class: 'figure' },
          make('span', { class: 'value' }, percent(precision.value)), facts.overall.against === 'the truth' ? ' right ' : ' agree ', make('span', { class: 'range' }, intervalOf(precision)))]))]);

    const says = (words, label) => make('span', { class: 'says' }, `${words} ${facts.task === 'cluster' ? 'cluster ' : ''}`, named(label));

    const stepOf = (step, at, { length }) => make('li', { class: 'step' }, make('details', { open: length <= MOST_OPEN },
      make('summary', {}, make('span', { class: 'place' }, `${at + 1}.`), ' ', says('predicts', step.label), ' ',
        make('span', { class: 'when' }, 'when'), ' ', make('span', { class: 'short note' }, many(step.literals, 'condition')), ...decided(step)),
      make('ul', { class: 'ways' }, ...termsOf(treeOf(step)).map((way, place) => make('li', {},
        ...(place ? [make('span', { class: 'or' }, 'or')] : []), chipsOf(way))))));

    /** The list as it stands in the page; where rules are no list, each in logic. */
    function linesOf({ steps, default: last }) {
      if (!policy.printed) return steps.map(logicLine);
      return [...steps.map(stepOf), make('li', { class: 'step default' },
        make('span', { class: 'place' }, ...(steps.length ? [`${steps.length + 1}.`] : [])), ' ',
        says(steps.length ? 'otherwise predicts' : 'always predicts', last.label), ...decided(last))];
    }

    function said(shown, chosen) {
      const parts = [many(shown.literals, 'literal')];
      if (shown.accuracy.value !== null) parts.push(`accuracy ${percent(shown.accuracy.value)}`);
      if (shown.fidelity !== null) parts.push(`fidelity ${percent(shown.fidelity)}`);
      return parts.join(' · ') + (chosen ? ' · the report’s rules' : ' · a trial');
    }

    const move = (place) => { show(place); whatIf.refresh(); };
    slider.addEventListener('input', () => move(Number(slider.value)));
    back.addEventListener('click', () => { move(home); slider.focus(); });
    for (const circle of all('.chart circle', box)) circle.addEventListener('click', () => move(Number(circle.dataset.length)));
    show(home);
    return () => show(home);
  })();

  // The row to try: one field for each column

  /** A number as a slider and a field, with a mark at each cut point. */
  function numberField(input, id, changed) {
    const cuts = input.kind === 'score' ? [0.5] : input.cuts;
    let low = input.kind === 'score' ? 0 : Math.min(input.low ?? Infinity, ...cuts);
    let high = input.kind === 'score' ? 1 : Math.max(input.high ?? -Infinity, ...cuts);
    if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
    if (low === high) [low, high] = [low - 1, high + 1];
    const fine = -Math.floor(Math.log10((high - low) / 200));
    const digits = input.whole ? Math.min(fine, 0) : fine;
    const round = (value) => (digits >= 0 ? Number(value.toFixed(Math.min(digits, 15)))
      : Math.round(value * 10 ** digits) / 10 ** digits);
    const range = make('input', { type: 'range', min: low, max: high, step: 'any', 'aria-label': visible(input.name) });
    const field = make('input', { type: 'number', id, step: 'any', inputmode: 'decimal' });
    const track = make('div', { class: 'track' }, range);
    for (const cut of cuts) {
      const mark = make('span', { class: 'cut', title: `${cut}`, 'aria-hidden': 'true' });
      const share = (cut - low) / (high - low);
      mark.style.left = `calc(${8 - 16 * share}px + ${100 * share}%)`;
      track.append(mark);
    }
    range.addEventListener('input', () => {
      field.value = round(Number(range.value));
      field.removeAttribute('aria-invalid');
      changed(Number(field.value));
    });
    field.addEventListener('input', () => {
      const value = field.value === '' ? NaN : Number(field.value);
      if (Number.isFinite(value)) { field.removeAttribute('aria-invalid'); range.value = value; changed(value); }
      else field.setAttribute('aria-invalid', 'true');
    });
    return {
      input, low, high, round,
      first: typeof input.start === 'number' ? input.start : round((low + high) / 2),
      body: make('div', { class: 'pair' }, track, field),
      controls: [range, field],
      set(value) { field.value = value; range.value = value; field.removeAttribute('aria-invalid'); },
    };
  }

  function flagField(input, id, changed) {
    const box = make('input', { type: 'checkbox', role: 'switch', id });
    const word = make('span', { 'aria-hidden': 'true' });
    const set = (value) => { box.checked = value; word.textContent = value ? 'yes' : 'no'; };
    box.addEventListener('change', () => { set(box.checked); changed(box.checked); });
    return { input, first: Number(input.start) > 0.5, body: make('div', { class: 'switch' }, box, word), controls: [box], set };
  }

  function categoryField(input, id, changed) {
    const values = [...input.levels, OTHER, ...(input.optional ? [null] : [])];
    const select = make('select', { id }, ...values.map((value, at) =>
      make('option', { value: at }, value === OTHER ? (input.levels.length ? '(other)' : '(any value)') : value === null ? '(missing)' : value)));
    select.addEventListener('change', () => changed(values[Number(select.value)]));
    const first = values.includes(input.start) && input.start !== null ? input.start : OTHER;
    return { input, first, body: select, controls: [select], set(value) { select.value = values.indexOf(value); } };
  }

  const FIELDS = { number: numberField, score: numberField, flag: flagField, category: categoryField };

  const whatIf = (() => {
    const row = [];
    const form = one('.inputs');
    const verdict = one('.verdict');
    const list = one('.verdicts');
    const answer = one('.counterfactual');
    const fields = inputs.map(addField);
    const goal = addGoal();
    let run = 0;

    form.addEventListener('submit', (event) => event.preventDefault());
    const find = inputs.length > 12 ? addFilter() : null;
    const idle = make('p', { class: 'note' });
    form.append(idle);

    function addField(input, at) {
      const id = `input-${at}`;
      const changed = (value) => { row[at] = value; refresh(); };
      const field = FIELDS[input.kind](input, id, changed);
      const head = make('div', { class: 'head' }, make('label', { for: id }, named(input.name)));
      field.element = make('div', { class: 'field' }, head, field.body);
      let missing = null;
      if (input.optional && input.kind !== 'category') {
        missing = make('input', { type: 'checkbox', 'aria-label': `${visible(input.name)} is missing` });
        head.append(make('label', { class: 'absent' }, missing, 'missing'));
        missing.addEventListener('change', () => set(missing.checked ? null : field.last));
      }
      field.fixed = make('input', { type: 'checkbox', 'aria-label': `${visible(input.name)} must stay as it is` });
      field.fixed.addEventListener('change', refresh);
      head.append(make('label', { class: 'keep', title: 'What would change it leaves this as it is' }, field.fixed, 'fixed'));
      field.last = field.first;
      const set = (value) => {
        row[at] = value;
        if (missing) {
          missing.checked = value === null;
          for (const control of field.controls) control.disabled = value === null;
        }
        if (value !== null || !missing) { field.last = value; field.set(value); }
        refresh();
      };
      field.change = set;
      row[at] = field.first;
      field.set(field.first);
      for (const control of field.controls) control.addEventListener('input', () => { field.last = row[at]; });
      form.append(field.element);
      return field;
    }

    function addFilter() {
      const search = make('input', { type: 'search', id: 'find-input', placeholder: 'Part of its name', autocomplete: 'off' });
      form.classList.add('long');
      form.prepend(make('div', { class: 'field' }, make('label', { for: 'find-input' }, 'Find a column'), search));
      search.addEventListener('input', refresh);
      return search;
    }

    /** Show the columns that the rules use as they are now. */
    function showFields(model) {
      const used = new Set([...model.parts.map(({ tree }) => tree), ...lookedAt(model)].flatMap((tree) => [...conceptsIn(tree)]).map((index) => concepts[index].column));
      const wanted = find ? find.value.trim().toLowerCase() : '';
      fields.forEach((field, at) => {
        field.element.hidden = !used.has(at) || !field.input.name.toLowerCase().includes(wanted);
      });
      const others = inputs.length - used.size;
      idle.hidden = used.size > 0 && !others;
      idle.textContent = !used.size && others ? 'These rules look at no column. Move the slider “Length of the rules” to try rules that do.' : [...(used.size ? [] : ['No rule looks at any column.']),
        ...(others ? [`${many(others, used.size ? 'other column' : 'column')} can be set once shorter or longer rules use ${others === 1 ? 'it' : 'them'}.`] : [])].join(' ');
    }

    function addGoal() {
      const select = make('select', { id: 'goal' }, make('option', { value: -1 }, policy.multi_label ? 'any other answer' : `any other ${kindOfLabel}`),
        ...rules.map((rule, at) => make('option', { value: at }, rule.label)));
      select.addEventListener('change', refresh);
      one('.goal').append(make('label', { for: 'goal' }, policy.multi_label ? 'Change' : 'Lead to'), select);
      return select;
    }

    function refresh() {
      const truths = truthsOf(row);
      const model = current();
      const said = predict(model, truths);
      showFields(model);
      showVerdict(said, model);
      showRules(model, truths, said);
      run += 1;
      answer.setAttribute('aria-busy', 'true');
      const mine = run;
      setTimeout(() => { if (mine === run) seek(said, model, truths, mine); }, 60);
    }

    const labelsOf = (fired) => rules.filter((_, at) => fired[at]).map((rule) => rule.label);

    function predicted(said) {
      if (!policy.multi_label) return [named(rules[said.answer].label)];
      const labels = labelsOf(said.fired);
      return labels.length ? joined(labels.map((label) => [named(label)]), ', ') : ['none'];
    }

    function showVerdict(said, { steps }) {
      const labels = labelsOf(said.fired);
      const mark = policy.multi_label || said.covered ? '' : 'default';
      const part = policy.printed ? 'step' : 'rule';
      const which = policy.printed ? `Step ${said.step + 1}` : `The ${part}`;
      let why = [`${which} decides, as it is true${said.step > 0 ? ` and no earlier ${part} is` : ''}.`];
      if (policy.multi_label) why = [`${labels.length} of ${many(rules.length, 'rule')} hold.`];
      else if (mark) why = [steps.length ? `No ${part} is true, so this is the answer by default.` : 'There are no conditions: this is always the answer.'];
      verdict.dataset.prediction = policy.multi_label ? JSON.stringify(labels) : rules[said.answer].label;
      verdict.dataset.mark = mark;
      verdict.replaceChildren(
        make('p', { class: 'what' }, policy.multi_label ? 'The rules say' : 'The rules predict'),
        make('p', { class: 'prediction' }, ...predicted(said)),
        make('p', { class: 'why' }, ...(mark ? [make('span', { class: 'mark' }, mark)] : []), ...why), ...moved());
    }

    /** A word on rules that are not those of the report. */
    function moved() {
      if (now === home) return [];
      const button = make('button', { type: 'button' }, 'Back to the report’s rules');
      button.addEventListener('click', () => { goHome(); refresh(); });
      return [make('p', { class: 'tried' }, make('strong', {}, 'This follows your trial:'),
        ` rules of ${many(lengths[now].literals, 'literal')}. `, button)];
    }

    /** Whether a part holds; of a step that holds, whether it decides. */
    function holdsInWords({ at, fired, n, of }, step) {
      if (!fired) return of ? `does not hold (${n} of ${of})` : 'never holds';
      if (!policy.printed) return 'holds';
      return at === step ? 'decides' : 'holds, but a step above decides';
    }

    function showRules({ parts }, truths, { step }) {
      const shown = parts.map(({ rule, label, tree }, at) => ({ at, rule, label, fired: evaluate(tree, truths), ...nearestTerm(tree, truths) }));
      const some = shown.length <= 8 ? shown
        : shown.sort((a, b) => b.fired - a.fired || b.share - a.share).slice(0, Math.max(5, shown.filter(({ fired }) => fired).length));
      list.replaceChildren(...some.map((part) => make('li', { class: part.fired ? 'true' : 'false' },
        make('div', { class: 'label' }, make('span', {}, ...(policy.printed ? [`${part.at + 1}. `] : []), named(part.label), ...(now === home ? [] : [' ', make('span', { class: 'mark' }, 'trial')])),
          make('span', { class: 'says' }, holdsInWords(part, step))),
        ...(part.term ? [chipsOf(part.term, truths, row)] : []))));
      if (some.length < shown.length) {
        list.append(make('li', {}, make('p', { class: 'note' }, `The other ${shown.length - some.length} ${policy.printed ? 'steps' : 'rules'} do not hold.`)));
      }
    }

    /** The term that is true, or has the largest share of literals that are. */
    function nearestTerm(tree, truths) {
      if (tree.op === 'false') return { term: null, n: 0, of: 0, share: -1 };
      let best = null;
      for (const term of termsOf(tree)) {
        const conditions = conditionsOf(term);
        const n = conditions.filter((condition) => condition.holds(truths, row)).length;
        const share = n / conditions.length;
        if (!best || share > best.share) best = { term, n, of: conditions.length, share };
      }
      return best;
    }

    // The nearest row with another answer: all changes of one column, then of two, then of three

    const MOST_CHANGES = 3;
    const MOST_ROWS = Math.max(20000, Math.min(300000, 4e6 / rules.length));

    /** Values of a column that make a difference, one for each combination of truth; the nearest of each. */
    function choicesOf(at, used, truths) {
      const mine = [...used].filter((index) => concepts[index].column === at);
      const current = mine.map((index) => truths[index]).join('');
      const best = new Map();
      for (const [value, cost] of tellingValues(at, mine)) {
        const bits = mine.map((index) => (holds(concepts[index], value) ? 1 : 0));
        const key = bits.join('');
        if (key !== current && !(best.get(key)?.cost <= cost)) best.set(key, { at, value, cost, bits, mine });
      }
      return [...best.values()];
    }

    const numbersIn = (mine) => [...new Set(mine.flatMap((index) => {
      const test = concepts[index].test;
      return [test.cut, test.low, test.high, ...(test.values || [])].filter((value) => typeof value === 'number');
    }))].sort((a, b) => a - b);

    function tellingValues(at, mine) {
      const { kind, levels, optional } = inputs[at];
      const field = fields[at];
      const absent = optional ? [[null, 3]] : [];
      if (kind === 'flag') return [[true, 1], [false, 1], ...absent];
      if (kind === 'category') return [...levels.map((level) => [level, 1]), [OTHER, 1.5], ...absent];
      const from = row[at] ?? field.first;
      const there = row[at] === null ? 1 : 0; // what a value costs where there was none
      const values = kind === 'score' ? [0, 1] : [from, ...numbersIn(mine).flatMap((cut, place, cuts) => {
        const above = justAbove(cut, cuts[place + 1], field);
        return [cut, above, cut - (above - cut)];
      })];
      return [...values.map((value) => [value, there + Math.abs(value - from) / (field.high - field.low)]), ...absent];
    }

    /** A round number that is greater than a cut point, and no greater than the next. */
    function justAbove(cut, next = Infinity, field = null) {
      const step = (field.high - field.low) / 100;
      const whole = field.input.whole ? [Math.floor(cut) + 1] : [];
      for (const value of [...whole, field.round(cut + step), field.round(cut + step / 2), cut + step / 100]) {
        if (value > cut && value < next) return value;
      }
      return next === Infinity ? cut + Math.max(1, Math.abs(cut)) : cut / 2 + next / 2;
    }

    function* search(model, truths, wanted) {
      const used = new Set(lookedAt(model).flatMap((tree) => [...conceptsIn(tree)]));
      const columns = inputs.map((_, at) => (fields[at].fixed.checked ? [] : choicesOf(at, used, truths))).filter((choices) => choices.length);
      let tried = 0;
      for (let size = 1; size <= Math.min(MOST_CHANGES, columns.length); size += 1) {
        if (tried + ways(columns, size) > MOST_ROWS) return { best: null, complete: size - 1, all: false };
        let best = null;
        const taken = [];
        const trial = truths.slice();
        const walk = function* walk(from) {
          if (taken.length === size) {
            const cost = taken.reduce((sum, choice) => sum + choice.cost, 0);
            tried += 1;
            if (tried % 500 === 0) yield;
            if (best && cost >= best.cost) return;
            const said = predict(model, trial);
            if (wanted(said)) best = { cost, changes: [...taken], said };
            return;
          }
          for (let place = from; place <= columns.length - (size - taken.length); place += 1) {
            for (const choice of columns[place]) {
              taken.push(choice);
              choice.mine.forEach((index, bit) => { trial[index] = choice.bits[bit]; });
              yield* walk(place + 1);
              choice.mine.forEach((index) => { trial[index] = truths[index]; });
              taken.pop();
            }
          }
        };
        yield* walk(0);
        if (best) return { best, complete: size, all: true };
      }
      return { best: null, complete: Math.min(MOST_CHANGES, columns.length), all: columns.length <= MOST_CHANGES };
    }

    /** In how many ways so many columns can be changed. */
    function ways(columns, size) {
      const sums = [1, ...Array(size).fill(0)]; // elementary symmetric sums of the numbers of choices
      for (const choices of columns) {
        for (let k = size; k > 0; k -= 1) sums[k] += sums[k - 1] * choices.length;
      }
      return sums[size];
    }

    function seek(said, model, truths, mine) {
      const target = Number(goal.value);
      const before = answerOf(said);
      const wanted = target < 0 ? (other) => answerOf(other) !== before
        : policy.multi_label ? (other) => other.fired[target] !== said.fired[target]
          : (other) => other.answer === target;
      if (target >= 0 && wanted(said)) { tell(0, ['That is the answer already.']); return; }
      const steps = search(model, truths, wanted);
      const go = () => { // in slices, so that the page stays quick
        if (mine !== run) return;
        const until = performance.now() + 12;
        let step = steps.next();
        while (!step.done && performance.now() < until) step = steps.next();
        if (!step.done) setTimeout(go, 0);
        else if (step.value.best) showWay(step.value.best, model, truths);
        else tell('none', [noWay(step.value)]);
      };
      go();
    }

    function tell(size, children) {
      answer.dataset.changes = size;
      answer.replaceChildren(make('p', {}, ...children));
      answer.setAttribute('aria-busy', 'false');
    }

    function noWay({ complete, all: everything }) {
      const leads = Number(goal.value) < 0 ? 'changes the answer' : 'leads there';
      const fixed = fields.filter((field) => field.fixed.checked && !field.element.hidden).map((field) => visible(field.input.name));
      if (everything && fixed.length) return `Nothing ${leads} while ${fixed.join(', ')} ${fixed.length === 1 ? 'is' : 'are'} fixed: every combination of the other values was tried.`;
      if (everything) return `Nothing ${leads}: every combination of values was tried.`;
      const numbers = ['no', 'one column', 'one or two columns', 'one, two or three columns'];
      const none = complete ? `No change of ${numbers[complete]} ${leads}: none found with up to ${many(complete, 'change')}.` : '';
      return complete === MOST_CHANGES ? none : `${none} There are too many ways to change ${complete ? 'more' : 'columns'} to try them here.`.trim();
    }

    function showWay(best, model, truths) {
      const wishes = wishesOf(best, model, truths);
      const parts = best.changes.map((change, at) => [
        make('strong', {}, named(inputs[change.at].name)), ' were ', ...wishes[at],
        make('span', { class: 'note' }, ' (now\u00a0', named(inWords(row[change.at])), ')')]);
      const would = policy.multi_label ? 'The answer would be ' : 'The prediction would be ';
      const byDefault = best.said.covered || policy.multi_label ? [] : [', by default,'];
      tell(best.changes.length, [would, make('strong', {}, ...predicted(best.said)), ...byDefault, ' if ', ...joined(parts, ' and '), '.']);
      const button = make('button', { type: 'button' }, 'Set these values');
      button.addEventListener('click', () => best.changes.forEach(({ at, value }) => fields[at].change(value)));
      answer.append(button);
    }

    /** What is asked of each column, and no more: intervals are as wide as the answer stays the same in all of them. */
    function wishesOf(best, model, truths) {
      const cells = best.changes.map(cellsOf);
      const same = (spans) => combinations(spans.map(([low, high], at) => cells[at].slice(low, high + 1))).every((chosen) => {
        const trial = truths.slice();
        chosen.forEach(({ bits }, at) => best.changes[at].mine.forEach((index, bit) => { trial[index] = bits[bit]; }));
        return answerOf(predict(model, trial)) === answerOf(best.said);
      });
      const spans = best.changes.map(({ value }, at) => {
        const place = Math.max(cells[at].findIndex((cell) => cell.top === undefined || value <= cell.top), 0);
        return [place, place];
      });
      spans.forEach((span, at) => {
        const widened = (low, high) => spans.map((other, place) => (place === at ? [low, high] : other));
        while (span[0] > 0 && same(widened(span[0] - 1, span[1]))) span[0] -= 1;
        while (span[1] < cells[at].length - 1 && same(widened(span[0], span[1] + 1))) span[1] += 1;
      });
      return best.changes.map((change, at) => wish(change, cells[at], spans[at]));
    }

    /** The stretches between cut points, with the truth of concepts in each; of what is no number the value alone. */
    function cellsOf({ at, value, mine, bits }) {
      const stretch = inputs[at].kind === 'number' && value !== null && mine.every((index) => concepts[index].test.kind !== 'one_of');
      if (!stretch) return [{ bits }];
      const truth = (inside) => mine.map((index) => (holds(concepts[index], inside) ? 1 : 0));
      return [...numbersIn(mine).map((top) => ({ top, bits: truth(top) })), { bits: truth(Infinity) }];
    }

    /** Every way to take one of each list. */
    const combinations = (lists) => lists.reduce((found, list) => found.flatMap((some) => list.map((one) => [...some, one])), [[]]);

    /** What would have to be, in words. */
    function wish({ at, value, mine }, cells, [low, high]) {
      const { kind } = inputs[at];
      if (value === null) return ['missing'];
      if (kind === 'score' || kind === 'flag') return [Number(value) > 0.5 ? 'true' : 'false'];
      const asked = [...(low > 0 ? [`above ${cells[low - 1].top}`] : []), ...(high < cells.length - 1 ? [`at most ${cells[high].top}`] : [])];
      if (asked.length) return [asked.join(' and ')];
      const levels = [...new Set(mine.flatMap((index) => concepts[index].test.values ?? []))];
      if (levels.includes(value) || (kind === 'number' && levels.length)) return [named(value)];
      if (!levels.length) return ['known']; // all that is asked of it
      return [levels.length > 1 ? 'none of ' : 'not ', ...joined(levels.map((level) => [named(level)]), ', ')];
    }

    return { refresh };
  })();
  whatIf.refresh();

  // Groups of rows

  (() => {
    const table = one('table.groups');
    if (!table) return;
    const [column, label] = ['group-column', 'group-label'].map((id) => document.getElementById(id));
    const Z = 1.959963984540054;

    /** A share with its Wilson score interval of 95 %; so many of the rows say the same. */
    function rateOf(part, whole, alike) {
      if (!whole) return { value: null, low: null, high: null };
      const value = part / whole;
      const n = whole / alike;
      const middle = (value + Z * Z / (2 * n)) / (1 + Z * Z / n);
      const half = Z * Math.sqrt(value * (1 - value) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n);
      return { value, low: Math.max(middle - half, 0), high: Math.min(middle + half, 1) };
    }

    function cell(rate, all) {
      if (rate.value === null) return make('td', {}, make('span', { class: 'note' }, 'no such row'));
      return make('td', {}, make('div', { class: 'measured' }, barOf(rate, all.value), make('span', { class: 'figure' },
        make('span', { class: 'value' }, percent(rate.value)), ' ', make('span', { class: 'range' }, intervalOf(rate)))));
    }

    function show() {
      const { groups, n_left_out: left, column: name, alike } = facts.grouped[Number(column.value)];
      const at = Number(label.value);
      const { label: text } = rules[at];
      const of = { n: ({ n }) => n, right: ({ n_right: n }) => n, is: ({ of: n }) => n[at], said: ({ predicted: n }) => n[at], both: ({ hits: n }) => n[at] };
      const total = Object.fromEntries(Object.entries(of).map(([key, read]) => [key, groups.reduce((sum, group) => sum + read(group), 0)]));
      const rates = (counts, many) => [[counts.right, counts.n], [counts.said, counts.n], [counts.both, counts.is]].map(([part, whole]) => rateOf(part, whole, many));
      const overall = rates(total, alike);
      const heads = [[facts.overall.against === 'the truth' ? 'Accuracy' : `Agreement with ${facts.overall.against}`],
        ['Share predicted ', named(text)], ['Recall of ', named(text)]];
      table.replaceChildren(
        make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, named(name)), make('th', { scope: 'col', class: 'n' }, 'Rows'),
          make('th', { scope: 'col', class: 'n' }, 'of them ', named(text)), ...heads.map((words) => make('th', { scope: 'col' }, ...words)))),
        make('tbody', {}, ...[...groups, null].map((group) => {
          const counts = group ? Object.fromEntries(Object.entries(of).map(([key, read]) => [key, read(group)])) : total;
          return make('tr', { class: group ? null : 'total' }, make('th', { scope: 'row' }, ...(group ? [named(group.name)] : ['all of these'])),
            make('td', { class: 'n' }, counts.n.toLocaleString('en-US')), make('td', { class: 'n' }, counts.is.toLocaleString('en-US')),
            ...rates(counts, group ? group.alike : alike).map((rate, place) => cell(rate, overall[place])));
        })));
      one('#groups .left').textContent = left ? `${many(left, 'row')} in groups of fewer than 10 rows are not shown.` : '';
    }

    const [{ groups: first }] = facts.grouped;
    const sizes = rules.map((_, at) => first.reduce((sum, { of: n }) => sum + n[at], 0));
    if (rules.length === 2 && sizes[1] < sizes[0]) label.value = 1; // of two classes the rarer one
    column.addEventListener('change', show);
    label.addEventListener('change', show);
    show();
  })();

  // Copying

  const said = document.getElementById('said');

  /** Put text on the clipboard, also on pages opened from a disk; whether it worked. */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make('textarea', { readonly: true, class: 'sr', 'aria-hidden': 'true' });
      area.value = text;
      document.body.append(area);
      area.select();
      let done = false;
      try { done = document.execCommand('copy'); } catch { /* not allowed: said below */ }
      area.remove();
      return done;
    }
  }

  for (const button of all('[data-copy]')) {
    const words = button.textContent;
    const label = button.getAttribute('aria-label');
    let timer = 0;
    button.addEventListener('click', async () => {
      const card = button.closest('.rule');
      const at = Number(card.dataset.rule);
      const done = await copy(rules[at].exports[button.dataset.copy] ?? '');
      button.focus();
      if (!done) one(`[data-language="${button.dataset.copy}"]`, card).open = true;
      button.textContent = done ? 'Copied' : 'Select and copy';
      button.classList.toggle('done', done);
      button.removeAttribute('aria-label');
      said.textContent = done ? `${words}: copied` : 'The browser does not let this page copy. Select the text and copy it.';
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.textContent = words;
        button.classList.remove('done');
        button.setAttribute('aria-label', label);
        said.textContent = '';
      }, 2000);
    });
  }

  // Finding a class

  const picker = document.getElementById('picker');
  if (picker) {
    const cards = all('.rule');
    picker.addEventListener('input', () => {
      const wanted = picker.value.trim().toLowerCase();
      const found = cards.filter((card) => {
        const rule = rules[Number(card.dataset.rule)];
        card.hidden = ![rule.label, rule.sentence].some((text) => text.toLowerCase().includes(wanted));
        return !card.hidden;
      });
      one('.picker .found').textContent = found.length === 1 ? `1 ${kindOfLabel}` : `${found.length} ${kindOfLabel === 'class' ? 'classes' : 'clusters'}`;
    });
    for (const button of all('[data-open]')) {
      button.addEventListener('click', () => cards.filter((card) => !card.hidden)
        .forEach((card) => { card.open = button.dataset.open === 'all'; }));
    }
  }

  // Colors and paper

  const theme = one('.theme');
  const systemDark = matchMedia('(prefers-color-scheme: dark)');
  const dark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : systemDark.matches);
  const showTheme = () => theme.setAttribute('aria-pressed', String(dark()));
  try {
    const kept = localStorage.getItem('logiclens-theme');
    if (kept === 'dark' || kept === 'light') root.dataset.theme = kept;
  } catch { /* a page without storage forgets */ }
  theme.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    try { localStorage.setItem('logiclens-theme', root.dataset.theme); } catch { /* as above */ }
    showTheme();
  });
  systemDark.addEventListener('change', showTheme);
  showTheme();

  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])').filter((part) => !part.closest('.many .rule')); // very many would fill a book
    closed.forEach((part) => { part.open = true; });
  });
  addEventListener('afterprint', () => closed.forEach((part) => { part.open = false; }));
})();

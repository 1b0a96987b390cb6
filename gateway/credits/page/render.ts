import type { Language } from '../../../shared/emulator/screen.ts';
import type { BankFieldName, BankFields } from '../bank-details.ts';
import { bankAccountKinds } from '../schemas.ts';
import { scriptAsset, stylesheetAsset } from './assets.ts';
import { type Html, html } from './html.ts';
import type { PageTexts } from './texts/page-texts.ts';
import { pageTexts } from './texts.ts';

/** The part of a credit that the pages show. The page of a used or expired link shows no part of the credit. */
export interface ShownCredit {
  merchant: string;
  /** The amount in the form that is usual in the customer's language, for example 25,50 € in German. */
  amount: string;
  statement: string;
}

/** A page of the link with its contents. `step` names the step that the customer has reached. */
export type PaymentLinkPage =
  | {
      step: 'question';
      offer: ShownCredit;
      csrf: string;
      question: string;
      triesLeft?: number;
      stale?: boolean;
    }
  | { step: 'locked'; offer: ShownCredit; minutes: number }
  | {
      step: 'bank';
      offer: ShownCredit;
      csrf: string;
      fields: BankFields;
      faults: readonly BankFieldName[];
      stale?: boolean;
    }
  | {
      step: 'review';
      offer: ShownCredit;
      csrf: string;
      kind: keyof PageTexts['kinds'];
      account: string;
      stale?: boolean;
    }
  | { step: 'done'; offer: ShownCredit; account: string }
  | { step: 'refused'; offer: ShownCredit }
  | { step: 'gone' };

/** Gives the page as a complete HTML document. */
export function renderPage(page: PaymentLinkPage, language: Language): string {
  const texts = pageTexts[language];
  const title = page.step === 'gone' ? texts.goneHeading : `${page.offer.merchant}: ${page.offer.amount}`;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="stylesheet" href="${stylesheetAsset.path}" integrity="${stylesheetAsset.integrity}" crossorigin="anonymous">
<script type="module" src="${scriptAsset.path}" integrity="${scriptAsset.integrity}" crossorigin="anonymous"></script>
</head>
<body>
<main>
${page.step === 'gone' ? goneView(texts) : html`${offerView(page.offer, texts)}<section class="step">${stepView(page, texts)}</section>`}
</main>
</body>
</html>
`.text;
}

function goneView(texts: PageTexts): Html {
  return html`<h1>${texts.goneHeading}</h1><p>${texts.gone}</p>`;
}

function offerView({ merchant, amount, statement }: ShownCredit, texts: PageTexts): Html {
  return html`<h1>${texts.from(merchant)}</h1>
<p class="amount">${amount}</p>
<p class="faint">${texts.reference}: ${statement}</p>`;
}

function stepView(page: Exclude<PaymentLinkPage, { step: 'gone' }>, texts: PageTexts): Html {
  switch (page.step) {
    case 'question':
      return questionView(page, texts);
    case 'bank':
      return bankView(page, texts);
    case 'review':
      return reviewView(page, texts);
    case 'locked':
      return html`<div role="alert"><h2>${texts.lockedHeading}</h2><p>${texts.locked(page.minutes)}</p></div>`;
    case 'done':
      return html`<div role="status"><h2>${texts.doneHeading}</h2><p>${texts.done(page.account)}</p></div>`;
    case 'refused':
      return html`<div role="alert"><h2>${texts.refusedHeading}</h2><p>${texts.refused}</p></div>`;
  }
}

/** Makes a form. The form names its step, and contains a token. The token proves that this page sent the form. */
function form(step: string, csrf: string, content: Html, name = step): Html {
  return html`<form method="post" class="${name}" novalidate>
<input type="hidden" name="step" value="${step}"><input type="hidden" name="csrf" value="${csrf}">
${content}
</form>`;
}

function alert(message: string | undefined | false): Html {
  return message ? html`<p class="alert" role="alert">${message}</p>` : html``;
}

function questionView(page: Extract<PaymentLinkPage, { step: 'question' }>, texts: PageTexts): Html {
  const wrong = page.triesLeft !== undefined;
  const describedBy = wrong ? html` aria-invalid="true" aria-describedby="answer-wrong"` : html``;
  return html`<h2>${texts.questionHeading}</h2>
${alert(page.stale && texts.staleForm)}
${form(
  'answer',
  page.csrf,
  html`<p>${page.question}</p>
<div class="field"><label for="answer">${texts.answer}</label>
<input type="text" id="answer" name="answer" maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false" required autofocus${describedBy}>
${wrong && html`<p class="wrong" id="answer-wrong" role="alert">${texts.wrongAnswer(page.triesLeft ?? 0)}</p>`}</div>
<button>${texts.continue}</button>`,
)}`;
}

const fieldClasses = {
  iban: 'iban',
  routing: 'us',
  transit: 'ca',
  institution: 'ca',
  account: 'national',
} as const;
const longest = { iban: 42, routing: 12, transit: 8, institution: 5, account: 24 } as const;

function bankView(page: Extract<PaymentLinkPage, { step: 'bank' }>, texts: PageTexts): Html {
  const { fields, faults } = page;
  const kinds = bankAccountKinds.map(
    (kind) =>
      html`<label for="kind-${kind}"><input type="radio" id="kind-${kind}" name="kind" value="${kind}"${
        fields.kind === kind && html` checked`
      }>${texts.kinds[kind]}</label>`,
  );
  const inputs = (Object.keys(fieldClasses) as (keyof typeof fieldClasses)[]).map((name) =>
    fieldView(name, fields[name] ?? '', faults, texts),
  );
  const trouble = page.stale ? texts.staleForm : faults.length > 0 && texts.correct;
  return html`<h2>${texts.bankHeading}</h2>
${alert(trouble)}
${form(
  'bank',
  page.csrf,
  html`<fieldset class="kinds"><legend>${texts.kind}</legend>${kinds}</fieldset>
${faults.includes('kind') && html`<p class="wrong">${texts.wrong.kind}</p>`}
${inputs}
<button>${texts.continue}</button>`,
)}`;
}

function fieldView(
  name: keyof typeof fieldClasses,
  value: string,
  faults: readonly BankFieldName[],
  texts: PageTexts,
): Html {
  const wrong = faults.includes(name);
  const hint = name === 'account' ? undefined : texts.hints[name];
  const describedBy = [hint && `${name}-hint`, `${name}-wrong`].filter(Boolean).join(' ');
  return html`<div class="field ${fieldClasses[name]}"><label for="${name}">${texts.fields[name]}</label>
<input type="text" id="${name}" name="${name}" value="${value}" maxlength="${longest[name]}" autocomplete="off" spellcheck="false"${
    name === 'iban' ? html` autocapitalize="characters"` : html` inputmode="numeric"`
  } aria-describedby="${describedBy}"${wrong && html` aria-invalid="true"`}${
    wrong && faults[0] === name && html` autofocus`
  }>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<p class="wrong" id="${name}-wrong" aria-live="polite" data-message="${texts.wrong[name]}">${wrong && texts.wrong[name]}</p></div>`;
}

function reviewView(page: Extract<PaymentLinkPage, { step: 'review' }>, texts: PageTexts): Html {
  return html`<h2>${texts.reviewHeading}</h2>
${alert(page.stale && texts.staleForm)}
<dl><dt>${texts.kind}</dt><dd>${texts.kinds[page.kind]}</dd><dt>${texts.to}</dt><dd>${page.account}</dd></dl>
${form('accept', page.csrf, html`<button>${texts.accept(page.offer.amount)}</button>`)}
${form('change', page.csrf, html`<button class="second">${texts.change}</button>`)}`;
}

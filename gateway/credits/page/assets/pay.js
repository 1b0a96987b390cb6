/**
 * Checks the fields while the customer types. The server checks them again afterwards, so the page works without this
 * script. The messages are in the page, in the page's language.
 */

/**
 * Checks an IBAN by ISO 13616: the first four characters are moved to the end, and letters are replaced by numbers. The
 * whole number modulo 97 must be 1.
 */
function isIban(text) {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/**
 * Checks an ABA routing number. It has nine digits. They are multiplied by 3, 7 and 1 in turn, and the sum of the
 * products must be a multiple of ten.
 */
function isRoutingNumber(text) {
  if (!/^\d{9}$/.test(text)) return false;
  return [...text].reduce((sum, digit, index) => sum + Number(digit) * [3, 7, 1][index % 3], 0) % 10 === 0;
}

const form = document.querySelector('form.bank');
const kind = () => form.querySelector('input[name=kind]:checked')?.value;
const checks = {
  iban: isIban,
  routing: isRoutingNumber,
  transit: (text) => /^\d{5}$/.test(text),
  institution: (text) => /^\d{3}$/.test(text),
  account: (text) => (kind() === 'ca' ? /^\d{7,12}$/ : /^\d{4,17}$/).test(text),
};

function check(input) {
  const text = input.value.replace(/[\s-]/g, '').toUpperCase();
  const wrong = text !== '' && !checks[input.name](text);
  const message = document.getElementById(`${input.id}-wrong`);
  input.setAttribute('aria-invalid', String(wrong));
  message.textContent = wrong ? message.dataset.message : '';
  return !wrong;
}

for (const input of form?.querySelectorAll('input[type=text]') ?? []) {
  let left = input.getAttribute('aria-invalid') === 'true';
  input.addEventListener('blur', () => {
    left = true;
    check(input);
  });
  input.addEventListener('input', () => {
    // A number that the customer is still typing is not marked as wrong. After the customer has left the field once,
    // the number is checked each time it changes.
    if (left) check(input);
  });
}
for (const radio of form?.querySelectorAll('input[name=kind]') ?? [])
  radio.addEventListener('change', () => {
    for (const input of form.querySelectorAll('[aria-invalid=true]')) check(input);
  });

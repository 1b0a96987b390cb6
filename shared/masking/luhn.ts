/**
 * Whether a card number's check digit is right (ISO/IEC 7812-1, Luhn). Returns false if the text contains anything but
 * digits.
 */
export function luhnHolds(number: string): boolean {
  if (!/^\d+$/.test(number)) return false;
  let sum = 0;
  for (let fromRight = 0; fromRight < number.length; fromRight++) {
    const digit = Number(number[number.length - 1 - fromRight]);
    const doubled = fromRight % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

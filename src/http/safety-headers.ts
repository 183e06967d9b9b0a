/** On every answer, errors included: a browser neither guesses a type nor sends other sites the address of its page. */
export const SAFETY_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

/** On every answer, refusals included: a browser neither guesses a type nor tells other sites which address it was on. */
export const SAFETY_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

/** Headers of every answer, errors included. */
export const SAFETY_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

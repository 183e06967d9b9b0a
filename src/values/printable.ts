/** What steers a terminal instead of being shown there: controls, ends of lines, and what turns the direction of the text around it. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A text on one line of a terminal, whatever its author put into it: what would steer the terminal is shown as JSON writes it. Pure. */
export const printable = (text: string): string =>
  text.replace(
    STEERING,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The same of a text that may have several lines. Pure. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

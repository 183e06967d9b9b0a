/** What steers a terminal instead of being shown there: controls, ends of lines, and what turns the direction of the text around it. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Controls, ends of lines, marks that turn the direction of text, and characters without width, but for those that emoji and some scripts need. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** Control characters other than tabs and ends of lines. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u

/** Whether a name holds a character that a reader cannot see, with which it could pass for another name. Pure. */
export const hasUnseen = (name: string): boolean => UNSEEN.test(name)

/** Whether a text of several lines holds a control character, such as ESC. Pure. */
export const hasControl = (text: string): boolean => CONTROL.test(text)

/** A text on one line of a terminal, whatever its author put into it: what would steer the terminal is shown as JSON writes it. Pure. */
export const printable = (text: string): string =>
  text.replace(
    STEERING,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The same of a text that may have several lines. Pure. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
const CONTROL = /(?![\t\n\r])\p{Cc}/u

/** Tells whether a name holds an invisible character, with which it could imitate another name. */
export const hasUnseen = (name: string): boolean => UNSEEN.test(name)

export const hasControl = (text: string): boolean => CONTROL.test(text)

/** Escapes a text for one line of a terminal, so that it cannot control the terminal. */
export const printable = (text: string): string =>
  text.replace(
    STEERING,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

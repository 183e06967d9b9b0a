/** Invisible characters and blanks that may precede a formula, as in the service's export. */
const UNSEEN =
  '\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{Mn}\\p{Me}\u2800\u{13441}\u{13442}\u{1d159}'
/** `= + - @` of any width, size and height. */
const SIGNS = '=+@\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\\-'
/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = new RegExp(`^[${UNSEEN}]*[${SIGNS}\\t\\r\\n]`, 'u')
const NEEDS_QUOTES = /[",\r\n]/

/** Rows as CSV with a header: texts that look like a formula get an apostrophe in front. */
export function toCsv<Name extends string>(
  names: readonly Name[],
  rows: readonly Readonly<Record<Name, unknown>>[],
): string {
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join(','))
  return `\uFEFF${[names.join(','), ...lines].join('\r\n')}\r\n`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Hands a text to the browser as a file. */
export function saveText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const DECIMAL = 10
const HEXADECIMAL = 16

/** Returns null if the text is no XML document. */
export function rootOf(text: string): string | null {
  const start = /^[\s\uFEFF]*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:[\w.-]+:)?([\w.-]+)[\s/>]/.exec(text)
  return start?.[1] ?? null
}

/** The texts of all elements of this name, in any namespace. */
export const textsOf = (document: string, name: string): string[] =>
  Array.from(
    document.matchAll(new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^>]*)?>([^<]*)</(?:[\\w.-]+:)?${name}\\s*>`, 'g')),
    ([, text = '']) => decodeEntities(text.trim()),
  )

export const textOf = (document: string, name: string): string | undefined => textsOf(document, name)[0] || undefined

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hexadecimal, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code =
      hexadecimal === undefined ? Number.parseInt(decimal, DECIMAL) : Number.parseInt(hexadecimal, HEXADECIMAL)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

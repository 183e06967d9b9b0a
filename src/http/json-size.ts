const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/** Counts lists, objects and members in one pass before parsing, because parsing many of them blocks the event loop. */
export function holdsMoreThan(max: number, json: Uint8Array): boolean {
  let count = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfText(json, at)
    else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++count > max) return true
  }
  return false
}

function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

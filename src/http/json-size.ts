const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/**
 * Whether JSON holds more lists, objects and members than a limit: counted in its bytes in one pass, as a megabyte of empty lists takes a
 * quarter of a second to parse and to look through. What is no JSON has some answer.
 */
export function holdsMoreThan(max: number, json: Uint8Array): boolean {
  let count = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfText(json, at)
    else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++count > max) return true
  }
  return false
}

/** Where the text that begins at `start` has its second quotation mark. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

/** A text and the slug of the voice that speaks it. */
export interface DialogueTurn {
  readonly voice: string
  readonly text: string
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

interface DialogueScript {
  readonly ssml: string
  /** For each code point of the SSML, and for its end, the place in the turns' texts, one behind the other, in code points. */
  readonly places: readonly number[]
}

/** Writes turns as SSML, each a paragraph of its voice. Pure. */
export function dialogueScript(turns: readonly DialogueTurn[]): DialogueScript {
  const written: string[] = []
  const places: number[] = []
  let place = 0
  const write = (ssml: string, spoken: number): void => {
    written.push(ssml)
    for (const _ of ssml) places.push(place)
    place += spoken
  }
  write('<speak>', 0)
  for (const { voice, text } of turns) {
    write(`<voice name="${escaped(voice)}"><p>`, 0)
    for (const character of text) write(escaped(character), 1)
    write('</p></voice>', 0)
  }
  write('</speak>', 0)
  return { ssml: written.join(''), places: [...places, place] }
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)

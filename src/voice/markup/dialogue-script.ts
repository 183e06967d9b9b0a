/** A text and the slug of the voice that speaks it. */
export interface DialogueTurn {
  readonly voice: string
  readonly text: string
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Writes turns as SSML, each a paragraph of its voice. Pure. */
export function dialogueScript(turns: readonly DialogueTurn[]): string {
  const spoken = turns.map(({ voice, text }) => `<voice name="${escaped(voice)}"><p>${escaped(text)}</p></voice>`)
  return `<speak>${spoken.join('')}</speak>`
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)

import type { Cue } from './cues.ts'
import { clock } from './srt.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export function toWebvtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ from, to, lines }, index) => {
    const text = lines.map((line) => line.replace(/[&<>]/g, (character) => ENTITIES[character]!))
    return [`${index + 1}`, `${clock(from, '.')} --> ${clock(to, '.')}`, ...text].join('\n')
  })
  return `${['WEBVTT', ...blocks].join('\n\n')}\n`
}

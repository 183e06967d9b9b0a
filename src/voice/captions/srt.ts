import type { Cue } from './cues.ts'

const WORD_JOINER = '\u2060'
const READ_AS_MARKUP = /<(?=[a-z/!?])|\\(?=[nh])/giu
/** Overrides of SubStation Alpha ({\an8}) and MicroDVD ({y:i}): libass hides them, also across two lines. */
const IN_BRACES = /\{[^}]*\}/u
const WIDE: Readonly<Record<string, string>> = { '{': '｛', '}': '｝' }

/** Writes SubRip, which has no escapes: a word joiner splits tags, line breaks and arrows, and wide braces replace overrides. Pure. */
export function toSrt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ from, to, lines }, index) =>
    [`${index + 1}`, `${clock(from, ',')} --> ${clock(to, ',')}`, plain(lines.join('\n'))].join('\n'),
  )
  return blocks.map((block) => `${block}\n`).join('\n')
}

function plain(text: string): string {
  const apart = text.replaceAll('-->', `--${WORD_JOINER}>`).replace(READ_AS_MARKUP, (opening) => opening + WORD_JOINER)
  return IN_BRACES.test(text) ? apart.replace(/[{}]/g, (brace) => WIDE[brace]!) : apart
}

export function clock(ms: number, point: string): string {
  const digits = (value: number, length: number) => String(Math.floor(value)).padStart(length, '0')
  const whole = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => digits(value, 2))
  return `${whole.join(':')}${point}${digits(ms % 1000, 3)}`
}

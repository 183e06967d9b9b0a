import type { Cue } from './cues.ts'

/** Invisible, and no part of a tag or an arrow. */
const WORD_JOINER = '\u2060'
/** Beginnings of tags and of line breaks (\N). */
const READ_AS_MARKUP = /<(?=[a-z/!?])|\\(?=[nh])/giu
/** Overrides ({\an8} of SubStation Alpha, {y:i} of MicroDVD); libass hides whatever stands there, also over two lines. */
const IN_BRACES = /\{[^}]*\}/u
const WIDE: Readonly<Record<string, string>> = { '{': '｛', '}': '｝' }

/**
 * SubRip, which has no escapes: where players would read a tag, a line break or an arrow a word joiner keeps its characters apart, so that
 * they are seen as they are. Braces that players would hide with what is between them are written in their wide form. Pure.
 */
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

/** Hours, minutes, seconds and milliseconds. */
export function clock(ms: number, point: string): string {
  const digits = (value: number, length: number) => String(Math.floor(value)).padStart(length, '0')
  const whole = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => digits(value, 2))
  return `${whole.join(':')}${point}${digits(ms % 1000, 3)}`
}

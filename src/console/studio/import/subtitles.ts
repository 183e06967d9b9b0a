import { type Block, ImportError } from './blocks.ts'

const TIMES = /^\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->/
const NUMBER = /^\s*\d+\s*$/
const TAGS = /<[^>]*>|\{\\[^}]*\}/g
/** Sounds and music that a viewer reads: [door slams], (sighs), ♪. */
const SOUNDS = /^[-–—\s]*(?:\[[^\]]*\]|\([^)]*\)|[♪♫][^♪♫]*[♪♫]?|\s)+$/u
const ENDS = /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"'’”»]*$/u
/** "- Hello." begins what another person says. */
const OTHER_PERSON = /^[-–—]\s*/

/** The words of subtitles, joined into sentences. @throws ImportError it has no times */
export function subtitleBlocks(text: string): Block[] {
  const cues = cuesOf(text.replace(/\r\n?/g, '\n').split('\n'))
  if (cues === null) throw new ImportError('This file has no subtitles in it.')
  const spoken: string[] = []
  let isOpen = false
  for (const line of cues) {
    if (SOUNDS.test(line)) continue
    const words = line.replace(OTHER_PERSON, '')
    if (isOpen && words === line) spoken[spoken.length - 1] += ` ${words}`
    else spoken.push(words)
    isOpen = !ENDS.test(words)
  }
  return spoken.map((words) => ({ text: words }))
}

/** The lines of all cues without tags; null: there is no cue. */
function cuesOf(lines: readonly string[]): string[] | null {
  const found: string[] = []
  let [isCue, isAny] = [false, false]
  for (const [index, line] of lines.entries()) {
    if (TIMES.test(line)) {
      // Without a blank line before it, the number of this cue was taken for words of the last one.
      if (isCue && NUMBER.test(lines[index - 1] ?? '')) found.pop()
      isCue = true
      isAny = true
    } else if (line.trim() === '') isCue = false
    else if (isCue) found.push(line.replace(TAGS, '').trim())
  }
  return isAny ? found.filter((line) => line !== '') : null
}

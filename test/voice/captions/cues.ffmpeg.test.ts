import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Cue, cuesOf } from '../../../src/voice/captions/cues.ts'
import { toSrt, toWebvtt } from '../../../src/voice/captions/voice-job-captions.ts'
import { estimateTiming } from '../../../src/voice/timing/time-speech.ts'

const MS_PER_CHARACTER = 65
/** It keeps its characters apart where a player would read a tag. */
const WORD_JOINER = /\u2060/g
const TEXTS: readonly (readonly [what: string, text: string])[] = [
  [
    'prose',
    'Dr. Smith read 1,234 pages — all of them — in a night. “Really?” she asked, and nobody answered, because the rain had begun to fall.\r\n\r\nYes.',
  ],
  [
    'an arrow and markup',
    'From 00:01 --> 00:02 a & b <script>alert("x")</script> and <i>word</i> &amp; <v Bob> --> end.',
  ],
  ['blank lines and separators', '1\r\n\r\n00:00\r2\u2028three\u0085four\t\tfive\n\n\nSTYLE\n\nNOTE six'],
  ['right to left', 'قال الرجل: «مرحبا بكم في المدينة القديمة، حيث يبدأ كل شيء من جديد كل صباح». ثم ذهب.'],
  ['kanji', '東京は今日も晴れです。明日は雨が降るかもしれませんので、傘を持って行ってください。'],
  ['pictures', '😀 👩‍👩‍👧‍👦 𝒜𝒷𝒸 hello 😀. 🎉'],
  ['an hour', 'word '.repeat(12_000)],
]
const isMissing = spawnSync('ffmpeg', ['-version']).error !== undefined

const cuesIn = (text: string): Promise<Cue[]> => {
  const durationMs = [...text].length * MS_PER_CHARACTER
  return cuesOf(text, { ...estimateTiming({ text, language: undefined }, durationMs), heard: null }, durationMs)
}

/** Reads a file by ffmpeg and writes it as SubRip, with the parts that ffmpeg takes for markup. */
function readByFfmpeg(input: string, format: 'srt' | 'webvtt'): Cue[] {
  const args = ['-v', 'warning', '-f', format, '-i', 'pipe:0', '-f', 'srt', 'pipe:1']
  const { stderr, status, stdout } = spawnSync('ffmpeg', args, { input, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const blocks = stdout.replaceAll('\r', '').trimEnd().split('\n\n')
  return blocks.map((block) => {
    const [, times, ...lines] = block.replace(WORD_JOINER, '').replaceAll('｛', '{').replaceAll('｝', '}').split('\n')
    const [from, to] = times!.split(' --> ').map(milliseconds)
    return { from: from!, to: to!, lines }
  })
}

/** How much light libass puts onto a black picture for captions, in all. */
function inkOf(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'sonant-captions-'))
  try {
    writeFileSync(join(folder, 'a.srt'), toSrt([{ from: 0, to: 5000, lines: [text] }]))
    const picture = ['-f', 'lavfi', '-i', 'color=black:s=1280x240:d=1', '-vf', 'subtitles=a.srt', '-vframes', '1']
    const args = ['-v', 'error', ...picture, '-f', 'rawvideo', '-pix_fmt', 'gray', '-']
    return spawnSync('ffmpeg', args, { cwd: folder }).stdout.reduce((sum, pixel) => sum + Math.max(0, pixel - 24), 0)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const milliseconds = (time: string): number => {
  const [hours, minutes, seconds] = time.replace(',', '').split(':').map(Number)
  return (hours! * 60 + minutes!) * 60_000 + seconds!
}

describe.skipIf(isMissing)('ffmpeg', () => {
  test.each(TEXTS)('reads captions of %s without a warning, cue for cue', async (_what, text) => {
    const cues = await cuesIn(text)
    expect(readByFfmpeg(toSrt(cues), 'srt')).toEqual(cues)
    expect(readByFfmpeg(toWebvtt(cues), 'webvtt')).toEqual(cues)
  })

  test('shows overrides and line breaks of other formats as they stand in a text', async () => {
    const cues = await cuesIn('Overrides {\\an8} and {\\b1}, in C:\\New\\house\\names or {C:\\News}.')
    expect(cues.flatMap(({ lines }) => lines).join(' ')).toContain('C:\\New')
    expect(readByFfmpeg(toSrt(cues), 'srt')).toEqual(cues)
  })
})

// It draws letters where there is a font.
describe.skipIf(isMissing || inkOf('hello') === 0)('libass', () => {
  test.each(['A {hello} B', 'A {\\an8}hello B', 'A {y:i}hello B'])('draws all of %s', (text) => {
    expect(inkOf(text)).toBeGreaterThan(inkOf('A hello B'))
  })
})

import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { openRecordings } from '../../src/audio/recordings.ts'
import { writeWav } from '../../src/audio/wav.ts'
import { similarity, sweep } from '../setup/speech/sound.ts'

const recordings = openRecordings()
const ORIGINAL = sweep(2, 48_000)
const isMissing = spawnSync('ffmpeg', ['-version']).error !== undefined

/** The recording as a file of another kind: written into a pipe, so without any length. */
function written(...args: string[]): Buffer {
  const source = ['-v', 'error', '-f', 'wav', '-i', 'pipe:0', '-f', 'lavfi', '-i', 'color=red:s=64x64:d=2']
  const input = writeWav(ORIGINAL.samples, ORIGINAL.sampleRate)
  const { status, stdout, stderr } = spawnSync('ffmpeg', [...source, ...args, 'pipe:1'], { input, maxBuffer: 2 ** 26 })
  expect([status, String(stderr)]).toEqual([0, ''])
  return stdout
}

describe.skipIf(isMissing)('a recording that ffmpeg has written', () => {
  test.each([
    ['WebM with Opus, as Chrome records it', ['-map', '0', '-c:a', 'libopus', '-f', 'webm', '-live', '1']],
    ['WebM with a picture', ['-map', '1', '-map', '0', '-c:v', 'libvpx', '-c:a', 'libopus', '-f', 'webm']],
    ['Ogg with Opus', ['-map', '0', '-c:a', 'libopus', '-f', 'ogg']],
    ['Ogg with FLAC', ['-map', '0', '-c:a', 'flac', '-f', 'ogg']],
    [
      'MP3 with a title',
      ['-map', '0', '-c:a', 'libmp3lame', '-id3v2_version', '3', '-metadata', 'title=T', '-f', 'mp3'],
    ],
    ['WAV of six channels', ['-map', '0', '-ac', '6', '-f', 'wav']],
    ['WAV of a sound archive', ['-map', '0', '-write_bext', '1', '-metadata', 'description=D', '-f', 'wav']],
  ])('is the same sound: %s', async (_kind, args) => {
    const judged = await recordings.read('one', written(...args))
    if (!('wav' in judged)) throw new Error(judged.violation)
    expect(judged.wav.sampleRate).toBe(24_000)
    expect(judged.wav.samples.length / 24_000).toBeCloseTo(2, 0)
    expect(similarity(sweep(2, 24_000), judged.wav).score).toBeGreaterThan(0.95)
  })

  test.each([
    ['MPEG-4 or AAC', ['-map', '0', '-c:a', 'aac', '-f', 'adts']],
    ['MPEG layer II', ['-map', '0', '-c:a', 'mp2', '-f', 'mp2']],
    ['Ogg with Vorbis', ['-map', '0', '-c:a', 'libvorbis', '-f', 'ogg']],
    ['AIFF', ['-map', '0', '-f', 'aiff']],
  ])('is refused by its name: %s', async (name, args) => {
    expect(await recordings.read('one', written(...args))).toEqual({
      violation: `is ${name}, which is not read here: send WAV, FLAC, MP3, Ogg Opus or WebM`,
    })
  })
})

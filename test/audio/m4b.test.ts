import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { AudioThreads } from '../../src/audio/audio-threads.ts'
import type { Chapter, Marks } from '../../src/audio/encoding.ts'
import { trackBox } from '../../src/audio/mp4-boxes.ts'
import { encoded } from '../../src/audio/transcode.ts'
import type { Wav } from '../../src/audio/wav.ts'
import { similarity, sweep } from '../setup/speech/sound.ts'

const MB = 2 ** 20
const RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000]
const TIMEOUT_MS = 120_000

const threads = new AudioThreads(1)
afterAll(() => threads.close())

interface Box {
  readonly type: string
  readonly at: number
  readonly content: Buffer
}

const boxesIn = (bytes: Buffer, from = 0): Box[] => {
  const boxes: Box[] = []
  for (let at = from; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const content = bytes.subarray(at + 8, at + bytes.readUInt32BE(at))
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), at, content })
  }
  return boxes
}

/** Contents of the boxes at a path of types, such as `moov/trak`. */
const found = (bytes: Buffer, path: string): Buffer[] =>
  path.split('/').reduce((within, type) => within.flatMap((one) => contentsOf(one, type)), [bytes])

const contentsOf = (bytes: Buffer, type: string): Buffer[] =>
  boxesIn(bytes)
    .filter((box) => box.type === type)
    .map(({ content }) => content)

const bookOf = async (wav: Wav, marks?: Marks): Promise<Buffer> => Buffer.from(await threads.encode(wav, 'm4b', marks))

interface Probed {
  readonly chapters: readonly { start_time: string; end_time: string; tags: { title: string } }[]
  readonly format: { readonly duration: string; readonly tags: Readonly<Record<string, string>> }
}

/** Null where ffprobe is not installed. */
function probed(file: Uint8Array): Probed | null {
  const folder = mkdtempSync(join(tmpdir(), 'sonant-m4b-'))
  try {
    const path = join(folder, 'book.m4b')
    writeFileSync(path, file)
    const args = ['-v', 'error', '-of', 'json', '-show_chapters', '-show_format', path]
    const { stdout, error } = spawnSync('ffprobe', args, { encoding: 'utf8' })
    return error === undefined ? (JSON.parse(stdout) as Probed) : null
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const marksIn = (file: Uint8Array) =>
  probed(file)?.chapters.map((one) => [one.tags.title, Number(one.start_time), Number(one.end_time)])

test.each(RATES)('a book is exactly as long as its samples at %i Hz, and in their place', async (rate) => {
  for (const seconds of [0.512, 1, 3.217]) {
    const wav = sweep(seconds, rate)
    const file = await bookOf(wav)
    const heard = await threads.decode(file, 'm4b')
    expect([heard.sampleRate, heard.samples.length]).toEqual([rate, wav.samples.length])
    expect(similarity(wav, heard)).toMatchObject({ lateSeconds: 0, score: expect.closeTo(1, 2) })
    const seen = probed(file)
    if (seen !== null) expect(Number(seen.format.duration)).toBeCloseTo(wav.samples.length / rate, 5)
  }
})

test('a book states its average bit rate', async () => {
  const file = await bookOf(sweep(10, 24_000))
  const stated = file.readUInt32BE(file.indexOf('esds') + 24)
  expect(Math.abs(stated / ((file.length * 8) / 10) - 1)).toBeLessThan(0.1)
})

test('other rates come at the next higher one of AAC', async () => {
  const heard = await threads.decode(await bookOf(sweep(1, 20_000)), 'm4b')
  expect([heard.sampleRate, Math.round(heard.samples.length / 100)]).toEqual([22_050, 221])
})

describe('chapters', () => {
  const wav = sweep(10, 8000)

  test('are a text track and a list of Nero, and outside programs read them and the title', async () => {
    const chapters = [
      { title: 'Über Öl & Übel', fromMs: 0 },
      { title: '第二章 🎧', fromMs: 2500 },
      { title: '', fromMs: 7123 },
    ]
    const file = await bookOf(wav, { chapters, title: 'Ein Büchlein' })
    expect(found(file, 'moov/trak')).toHaveLength(2)
    expect(found(file, 'moov/trak/tref/chap').map((box) => box.readUInt32BE())).toEqual([2])
    expect(found(file, 'moov/udta/chpl')[0]?.includes('第二章 🎧')).toBe(true)
    // The second bit is the only one that is set: such a track is not played.
    expect(found(file, 'moov/trak/tkhd').map((box) => box.readUInt32BE() & 3)).toEqual([3, 2])
    const seen = probed(file)
    if (seen === null) return
    expect(seen.format.tags.title).toBe('Ein Büchlein')
    expect(marksIn(file)).toEqual([
      ['Über Öl & Übel', 0, 2.5],
      ['第二章 🎧', 2.5, 7.123],
      ['', 7.123, 10],
    ])
  })

  test('begin at the beginning and never end after the end', async () => {
    const chapters = [
      { title: 'One', fromMs: 1500 },
      { title: 'Two', fromMs: 4000 },
      { title: 'Three', fromMs: 12_000 },
    ]
    const file = await bookOf(wav, { chapters })
    const list = found(file, 'moov/udta/chpl')[0]!
    expect([list.readBigUInt64BE(9), list.readBigUInt64BE(21)]).toEqual([0n, 40_000_000n])
    const heard = [
      ['One', 0, 4],
      ['Two', 4, 10],
      ['Three', 10, 10],
    ]
    expect(marksIn(file) ?? heard).toEqual(heard)
  })

  test.each([undefined, []])('that are none leave no trace: %j', async (chapters) => {
    const file = await bookOf(wav, { chapters })
    expect(boxesIn(found(file, 'moov')[0]!).map(({ type }) => type)).toEqual(['mvhd', 'trak'])
    expect(found(file, 'moov/trak/tref')).toEqual([])
    expect(marksIn(file) ?? []).toEqual([])
  })

  test('of more than 255 are all in the track, and the first 255 in the list', async () => {
    const chapters = Array.from({ length: 300 }, (_, at): Chapter => ({ title: `Chapter ${at + 1}`, fromMs: at * 30 }))
    const file = await bookOf(wav, { chapters })
    expect(found(file, 'moov/udta/chpl')[0]?.[8]).toBe(255)
    const seen = marksIn(file)
    if (seen !== undefined) expect(seen).toHaveLength(300)
    if (seen !== undefined) expect(seen[299]).toEqual(['Chapter 300', 8.97, 10])
  })

  test('with long titles are cut in the list alone, between two characters', async () => {
    const title = `a${'é'.repeat(200)}`
    const file = await bookOf(wav, { chapters: [{ title, fromMs: 0 }] })
    const list = found(file, 'moov/udta/chpl')[0]!
    expect(list.subarray(18).toString()).toBe(`a${'é'.repeat(127)}`)
    expect(list[17]).toBe(255)
    expect(marksIn(file) ?? [[title, 0, 10]]).toEqual([[title, 0, 10]])
  })
})

test('a file is written from its first byte to its last: the type, boxes of some seconds, the index', async () => {
  const { samples, sampleRate } = sweep(30, 24_000)
  const encoder = threads.startEncoder({ format: 'm4b', sampleRate, chapters: [{ title: 'One', fromMs: 0 }] })
  const parts: Uint8Array[] = []
  for (let at = 0; at < samples.length; at += 8192) parts.push(await encoder.push(samples.subarray(at, at + 8192)))
  const file = Buffer.concat([...parts, await encoder.end()])
  const boxes = boxesIn(file)
  expect(boxes[0]?.type).toBe('ftyp')
  expect(boxes.at(-1)?.type).toBe('moov')
  expect(boxes.slice(1, -1).map(({ type }) => type)).toEqual(Array.from({ length: 13 }, () => 'mdat'))
  expect(
    file.equals(await bookOf({ samples, sampleRate, channels: 1 }, { chapters: [{ title: 'One', fromMs: 0 }] })),
  ).toBe(true)
  const offsets = found(file, 'moov/trak/mdia/minf/stbl/stco').map((box) => [
    box.readUInt32BE(8),
    box.readUInt32BE(box.length - 4),
  ])
  expect(offsets).toEqual([
    [boxes[1]!.at + 8, boxes[12]!.at + 8],
    [boxes[13]!.at + 8, boxes[13]!.at + 8],
  ])
})

test('places beyond 4 GiB have 64 bits', () => {
  const track = (place: number): Buffer =>
    Buffer.from(
      trackBox(
        {
          ...{ id: 1, isEnabled: true, timescale: 8000, duration: 1024, edits: [], handler: 'soun' },
          ...{ header: new Uint8Array(0), description: new Uint8Array(0) },
          samples: { durations: [[1, 1024]], sizes: [Buffer.from([0, 0, 0, 9])], perChunk: 1, chunkOffsets: [place] },
        },
        1024,
      ),
    )
  const table = (place: number) => boxesIn(found(track(place), 'trak/mdia/minf/stbl')[0]!).at(-1)!
  expect(table(2 ** 32 - 1)).toMatchObject({
    type: 'stco',
    content: Buffer.from('00000000'.concat('00000001', 'ffffffff'), 'hex'),
  })
  expect(table(2 ** 32 + 5)).toMatchObject({
    type: 'co64',
    content: Buffer.from('00000000'.concat('00000001', '0000000100000005'), 'hex'),
  })
})

test(
  'half an hour is streamed in small pieces and in flat memory',
  async () => {
    const sampleRate = 8000
    const samples = new Int16Array(10 * sampleRate)
    samples.set(sweep(1, sampleRate).samples)
    const total = 180 * samples.length
    let early = 0
    async function* blocks(): AsyncGenerator<Int16Array, void> {
      for (let n = 0; n < 180; n++) {
        if (n === 30) early = process.memoryUsage().rss
        yield samples
      }
    }
    const marks = { chapters: [{ title: 'One', fromMs: 0 }] }
    const parts: Uint8Array[] = []
    const options = { format: 'm4b', sampleRate, totalSamples: total, ...marks } as const
    for await (const part of encoded(threads, blocks(), options)) parts.push(part)
    const index = parts.pop()!
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(128 * 1024)
    expect(index.length).toBeLessThan(256 * 1024)
    const file = Buffer.concat([...parts, index])
    expect(process.memoryUsage().rss - early).toBeLessThan(2 * file.length + 32 * MB)
    expect((await threads.decode(file, 'm4b')).samples.length).toBe(total)
    expect(marksIn(file) ?? [['One', 0, 1800]]).toEqual([['One', 0, 1800]])
  },
  TIMEOUT_MS,
)

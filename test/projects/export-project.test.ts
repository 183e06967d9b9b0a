import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeWav } from '../../src/audio/wav.ts'
import { createProject } from '../../src/projects/change-project.ts'
import { fingerprintOf } from '../../src/projects/takes.ts'
import { newId } from '../../src/values/id.ts'
import { filesIn } from '../setup/checks/zip.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { ask, codeOf, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'

const EXPORT = `query ($id: ID!, $format: AudioFormat!, $by: ProjectExportUnit!) {
  projectExport(id: $id, format: $format, by: $by) { url expiresAt durationMs missingKeys outdatedKeys } }`
const CAPTIONS = `query ($id: ID!, $format: CaptionFormat!) {
  projectCaptions(id: $id, format: $format) { url durationMs missingKeys outdatedKeys } }`

interface Exported {
  readonly url: string
  readonly durationMs: number
  readonly missingKeys: readonly string[]
  readonly outdatedKeys: readonly string[]
}

let service: TestRuntime
let [key, account] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime()
  ;({ key, account } = await service.createCaller())
})
afterAll(() => service?.close())

const run = (sql: string, values: unknown[]) => service.runtime.db.pool.query(sql, values)
const holder = () => service.runtime.as({ kind: 'account', accountId: account, credits: 1n })

/** A tone of a frequency and a length, as a file of this rate. */
function tone(hertz: number, seconds: number, rate: number): Int16Array {
  const wave = (at: number) => Math.round(12_000 * Math.sin((2 * Math.PI * hertz * at) / rate))
  return Int16Array.from({ length: Math.round(seconds * rate) }, (_, at) => wave(at))
}

interface Sound {
  readonly hertz: number
  readonly ms: number
  readonly rate: number
  readonly format?: 'wav' | 'mp3'
}

/** A completed take of a paragraph whose audio is a tone. */
async function insertTake(id: string, paragraph: string, sound: Sound, fingerprint = 'old'): Promise<string> {
  const { hertz, ms, rate, format = 'wav' } = sound
  const samples = tone(hertz, ms / 1000, rate)
  const wav = { sampleRate: rate, channels: 1, samples } as const
  const file = format === 'wav' ? writeWav(samples, rate) : await service.runtime.audio.encode(wav, 'mp3')
  const jobId = await insertJob(service.runtime.db, account, { inputs: { text: `Text of ${paragraph}. It is old.` } })
  const storageKey = `${jobId}/1/audio.${format}`
  const contentType = format === 'wav' ? 'audio/wav' : 'audio/mpeg'
  await service.runtime.storage.put(storageKey, file, { contentType })
  await run(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
     values ($1, $2, 'audio', $3, $4, $5, sha256('audio'), $6)`,
    [newId('art'), jobId, storageKey, contentType, file.length, ms],
  )
  await service.runtime.db.prisma.projectTake.create({ data: { projectId: id, paragraph, jobId, fingerprint } })
  return jobId
}

const SOUNDS: Readonly<Record<string, Sound>> = {
  p1: { hertz: 500, ms: 700, rate: 22_050 },
  p2: { hertz: 900, ms: 433, rate: 8000 },
  p4: { hertz: 1300, ms: 611, rate: 24_000 },
  p5: { hertz: 700, ms: 500, rate: 16_000, format: 'mp3' },
}

/** Two chapters of five paragraphs, of which the third has no audio, and the last one alone has not changed since. */
async function book(): Promise<string> {
  const line = (at: string, more = {}) => ({ key: at, text: `Text of ${at}. It is new.`, ...more })
  const { id } = await createProject(holder(), {
    name: 'Käthe: "Ein Buch"',
    chapters: [
      {
        key: 'one',
        title: 'Erstes: Öl',
        paragraphs: [line('p1'), line('p2', { settings: { pauseMs: 250 } }), line('p3')],
      },
      { key: 'none', title: 'Leer', paragraphs: [line('p6')] },
      { key: 'two', title: 'Zweites', paragraphs: [line('p4'), line('p5')] },
    ],
  })
  const chapter = { key: 'two', title: 'Zweites', paragraphs: [] }
  const current = fingerprintOf({ settings: {}, speakers: [] }, chapter, line('p5'))
  for (const [paragraph, sound] of Object.entries(SOUNDS))
    await insertTake(id, paragraph, sound, paragraph === 'p5' ? current : 'old')
  return id
}

/** The times of the book: 400 ms after p1, 250 after p2, 400 after p4. */
const PLACES = [
  { hertz: 500, from: 0, to: 700 },
  { hertz: 900, from: 1100, to: 1533 },
  { hertz: 1300, from: 1783, to: 2394 },
  { hertz: 700, from: 2794, to: 3294 },
]
const TOTAL_MS = 3294
const SECOND_CHAPTER_MS = 1783

const exported = async (id: string, format: string, by = 'PROJECT') =>
  (await read<{ projectExport: Exported }>(service.url, key, EXPORT, { id, format, by })).projectExport
const captions = async (id: string, format: string) =>
  (await read<{ projectCaptions: Exported }>(service.url, key, CAPTIONS, { id, format })).projectCaptions
const bytesOf = async (url: string): Promise<Buffer> => {
  const reply = await fetch(url)
  expect(reply.status).toBe(200)
  return Buffer.from(await reply.arrayBuffer())
}

/** How loud a frequency is among these samples, from 0 to 1 (Goertzel). */
function strength(samples: Int16Array, hertz: number, rate: number): number {
  let [real, imaginary] = [0, 0]
  for (const [at, sample] of samples.entries()) {
    const angle = (2 * Math.PI * hertz * at) / rate
    real += sample * Math.cos(angle)
    imaginary += sample * Math.sin(angle)
  }
  return (2 * Math.hypot(real, imaginary)) / Math.max(1, samples.length) / 12_000
}

const EDGE_MS = 60
/** Each tone is where it should be, and silence is between them. */
function expectInPlace({ sampleRate, samples }: { sampleRate: number; samples: Int16Array }, places = PLACES): void {
  const part = (from: number, to: number) =>
    samples.subarray(Math.round((from * sampleRate) / 1000), Math.round((to * sampleRate) / 1000))
  for (const [at, { hertz, from, to }] of places.entries()) {
    expect(strength(part(from + EDGE_MS, to - EDGE_MS), hertz, sampleRate)).toBeGreaterThan(0.9)
    const next = places[at + 1]
    if (next === undefined) continue
    const loudest = part(to + EDGE_MS, next.from - EDGE_MS).reduce((most, one) => Math.max(most, Math.abs(one)), 0)
    expect(loudest).toBeLessThan(300)
  }
}

describe('projectExport', () => {
  test('is one WAV file at one rate: takes of four rates in their order, with the pauses between them', async () => {
    const id = await book()
    const { url, durationMs, missingKeys, outdatedKeys } = await exported(id, 'WAV')
    expect([durationMs, missingKeys, outdatedKeys]).toEqual([TOTAL_MS, ['p3', 'p6'], ['p1', 'p2', 'p4']])
    const head = await fetch(url, { method: 'HEAD' })
    const file = await bytesOf(url)
    expect(head.headers.get('content-length')).toBe(String(file.length))
    // It is made anew for each reader, so it cannot be resumed, and says so.
    const part = await fetch(url, { headers: { range: 'bytes=100-' } })
    expect([part.status, part.headers.get('accept-ranges')]).toEqual([200, 'none'])
    expect((await part.arrayBuffer()).byteLength).toBe(file.length)
    expect(head.headers.get('content-disposition')).toBe(
      `attachment; filename="K_the Ein Buch.wav"; filename*=UTF-8''K%C3%A4the%20Ein%20Buch.wav`,
    )
    const wav = parseWav(file)
    expect([wav.sampleRate, wav.samples.length]).toEqual([24_000, TOTAL_MS * 24])
    expectInPlace(wav)
  })

  test.each([
    ['MP3', 'mp3', 'audio/mpeg'],
    ['OPUS', 'opus', 'audio/ogg'],
    ['FLAC', 'flac', 'audio/flac'],
    ['M4B', 'm4b', 'audio/mp4'],
  ] as const)('is one file of %s as well', async (format, name, type) => {
    const { url } = await exported(await book(), format)
    const reply = await fetch(url)
    expect(reply.headers.get('content-type')).toBe(type)
    const wav = await service.runtime.audio.decode(Buffer.from(await reply.arrayBuffer()), name)
    expect(Math.round((wav.samples.length / wav.sampleRate) * 1000)).toBe(TOTAL_MS)
    expectInPlace(wav)
  })

  test('is an audiobook whose chapters outside programs read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sonant-project-'))
    try {
      const path = join(folder, 'book.m4b')
      writeFileSync(path, await bytesOf((await exported(await book(), 'M4B')).url))
      const args = ['-v', 'error', '-of', 'json', '-show_chapters', '-show_format', path]
      const { stdout, error } = spawnSync('ffprobe', args, { encoding: 'utf8' })
      if (error !== undefined) return
      const seen = JSON.parse(stdout)
      expect(seen.format.tags.title).toBe('Käthe: "Ein Buch"')
      expect(
        seen.chapters.map((one: { tags: { title: string }; start_time: string; end_time: string }) => [
          one.tags.title,
          Number(one.start_time),
          Number(one.end_time),
        ]),
      ).toEqual([
        ['Erstes: Öl', 0, SECOND_CHAPTER_MS / 1000],
        ['Zweites', SECOND_CHAPTER_MS / 1000, TOTAL_MS / 1000],
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('is a ZIP file with a file for each chapter, and names what is missing and what has changed', async () => {
    const { url } = await exported(await book(), 'FLAC', 'CHAPTER')
    const files = filesIn(await bytesOf(url))
    expect([...files.keys()]).toEqual(['1 Erstes Öl.flac', '2 Zweites.flac', 'Missing audio.txt'])
    const later = (one: (typeof PLACES)[number]) => ({
      ...one,
      from: one.from - SECOND_CHAPTER_MS,
      to: one.to - SECOND_CHAPTER_MS,
    })
    expectInPlace(await service.runtime.audio.decode(files.get('1 Erstes Öl.flac')!, 'flac'), PLACES.slice(0, 2))
    expectInPlace(await service.runtime.audio.decode(files.get('2 Zweites.flac')!, 'flac'), PLACES.slice(2).map(later))
    expect(files.get('Missing audio.txt')!.toString()).toBe(
      `\ufeff${[
        'Erstes: Öl: Text of p3. It is new (p3): not spoken.',
        'Leer: Text of p6. It is new (p6): not spoken.',
        'Erstes: Öl: Text of p1. It is new (p1): changed since it was spoken.',
        'Erstes: Öl: Text of p2. It is new (p2): changed since it was spoken.',
        'Zweites: Text of p4. It is new (p4): changed since it was spoken.',
      ].join('\r\n')}\r\n`,
    )
  })

  test('has silence where a file was deleted while somebody reads, and goes on after it', async () => {
    const id = await book()
    const { url } = await exported(id, 'WAV')
    const { rows } = await run(
      `select a.storage_key as key from project_take t join artifact a on a.job_id = t.job_id where t.project_id = $1 and t.paragraph = 'p2'`,
      [id],
    )
    await service.runtime.storage.delete(rows[0].key)
    const wav = parseWav(await bytesOf(url))
    expect(wav.samples.length).toBe(TOTAL_MS * 24)
    expectInPlace(wav, PLACES.toSpliced(1, 1))
    await run(`update artifact set deleted_at = now() where storage_key = $1`, [rows[0].key])
    const later = await exported(id, 'WAV')
    expect(later.missingKeys).toEqual(['p2', 'p3', 'p6'])
    expect(parseWav(await bytesOf(later.url)).samples.length).toBe(later.durationMs * 24)
  })

  test('reads one file after the other, no faster than its reader', async () => {
    const [seconds, count] = [20, 30]
    const keys = Array.from({ length: count }, (_, at) => `long-${at}`)
    const paragraphs = keys.map((at) => ({ key: at, text: 'Long.', settings: { pauseMs: 0 } }))
    const { id } = await createProject(holder(), { name: 'Long', chapters: [{ key: 'c', paragraphs }] })
    const jobs: string[] = []
    for (const at of keys) jobs.push(await insertTake(id, at, { hertz: 500, ms: seconds * 1000, rate: 24_000 }))
    const reader = (await fetch((await exported(id, 'WAV')).url)).body!.getReader()
    const pieces = [(await reader.read()).value!]
    for (const job of jobs) await service.runtime.storage.delete(`${job}/1/audio.wav`)
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
    const { samples } = parseWav(Buffer.concat(pieces))
    const loud = keys.map((_, at) => samples.subarray(at * seconds * 24_000, (at + 1) * seconds * 24_000).some(Boolean))
    expect(samples.length).toBe(count * seconds * 24_000)
    expect([loud[0], loud.slice(count / 2).some(Boolean)]).toEqual([true, false])
  })

  test('holds the account to its share of encoders, and gives the place back when the reader leaves', async () => {
    const id = await book()
    const [{ url: wav }, { url: mp3 }] = [await exported(id, 'WAV'), await exported(id, 'MP3')]
    const { encoded, decoded } = service.runtime.audio.shares
    for (const url of [wav, mp3]) {
      const places = await Promise.all(Array.from({ length: encoded.perKey }, () => encoded.acquire(account)))
      const leaving = new AbortController()
      const reply = fetch(url, { signal: leaving.signal }).catch((error: Error) => error.name)
      await expect.poll(() => encoded.waiting).toBe(1)
      leaving.abort()
      expect(await reply).toBe('AbortError')
      await expect.poll(() => encoded.waiting).toBe(0)
      for (const release of places) release()
      const reader = (await fetch(url)).body!.getReader()
      await reader.read()
      await reader.cancel()
    }
    // All places are free again.
    for (const share of [encoded, decoded])
      await expect
        .poll(() => {
          const places = Array.from({ length: share.perKey }, () => share.tryAcquire(account))
          for (const release of places) release?.()
          return places.every((release) => release !== null)
        })
        .toBe(true)
  })

  test('of nothing is refused, and another account finds none; its URL is signed', async () => {
    const { id } = await createProject(holder(), { name: 'Empty' })
    const input = { id, format: 'WAV', by: 'PROJECT' }
    expect(codeOf(await ask(service.url, key, EXPORT, input))).toBe('INVALID_REQUEST')
    expect(codeOf(await ask(service.url, key, CAPTIONS, { id, format: 'SRT' }))).toBe('INVALID_REQUEST')
    const other = (await service.createCaller()).key
    const full = await book()
    expect(codeOf(await ask(service.url, other, EXPORT, { ...input, id: full }))).toBe('NOT_FOUND')
    expect(codeOf(await ask(service.url, other, CAPTIONS, { id: full, format: 'VTT' }))).toBe('NOT_FOUND')
    const { url } = await exported(full, 'WAV')
    expect((await fetch(url.replace(full, id))).status).toBe(403)
    await run('delete from project where id = $1', [full])
    expect((await fetch(url)).status).toBe(404)
  })
})

describe('projectCaptions', () => {
  const shownTimes = (text: string) =>
    [...text.matchAll(/(\d\d):(\d\d):(\d\d)[.,](\d{3}) --> (\d\d):(\d\d):(\d\d)[.,](\d{3})/g)].map((found) => {
      const [h = 0, m = 0, s = 0, ms = 0, ...end] = found.slice(1).map(Number)
      const [eh = 0, em = 0, es = 0, ems = 0] = end
      return [((h * 60 + m) * 60 + s) * 1000 + ms, ((eh * 60 + em) * 60 + es) * 1000 + ems] as const
    })

  test.each(['SRT', 'VTT'])('are those of the takes in %s, at their times in the one file', async (format) => {
    const { url, missingKeys, outdatedKeys } = await captions(await book(), format)
    expect([missingKeys, outdatedKeys]).toEqual([
      ['p3', 'p6'],
      ['p1', 'p2', 'p4'],
    ])
    const text = (await bytesOf(url)).toString()
    expect(text.startsWith('WEBVTT\n\n1\n')).toBe(format === 'VTT')
    const times = shownTimes(text)
    const at = PLACES.map(({ from, to }) => times.filter(([start, end]) => start >= from && end <= to).length)
    expect(at.every((count) => count >= 1)).toBe(true)
    expect(at.reduce((sum, count) => sum + count, 0)).toBe(times.length)
    expect([...text.matchAll(/^(\d+)$/gm)].map(([number]) => Number(number))).toEqual(
      times.map((_, index) => index + 1),
    )
    expect(text).not.toContain('\n\n\n')
    for (const paragraph of Object.keys(SOUNDS)) expect(text).toContain(`Text of ${paragraph}.`)
    expect(text).not.toContain('Text of p3.')
  })

  test('are words and sentences by paragraph in JSON', async () => {
    const { paragraphs } = JSON.parse((await bytesOf((await captions(await book(), 'JSON')).url)).toString())
    expect(
      paragraphs.map(
        (one: {
          key: string
          chapter: string
          start: number
          end: number
          words: { text: string; start: number }[]
        }) => [one.key, one.chapter, one.start, one.end, one.words[0]?.text, (one.words[0]?.start ?? 0) >= one.start],
      ),
    ).toEqual([
      ['p1', 'one', 0, 0.7, 'Text', true],
      ['p2', 'one', 1.1, 1.533, 'Text', true],
      ['p4', 'two', 1.783, 2.394, 'Text', true],
      ['p5', 'two', 2.794, 3.294, 'Text', true],
    ])
  })

  test('need no text of the job for a take that is current, because the project has it', async () => {
    const paragraph = { key: 'p', text: 'The project knows it.' }
    const chapter = { key: 'c', title: '', paragraphs: [paragraph] }
    const { id } = await createProject(holder(), { name: 'Secret', chapters: [chapter] })
    const sound = { hertz: 500, ms: 900, rate: 24_000 }
    const current = await insertTake(id, 'p', sound, fingerprintOf({ settings: {}, speakers: [] }, chapter, paragraph))
    await run(`update job set inputs = '{"voice": "calm", "characters": 21}' where id = $1`, [current])
    expect((await bytesOf((await captions(id, 'SRT')).url)).toString()).toContain('The project knows it.')
    await run(`update project_take set fingerprint = 'old' where job_id = $1`, [current])
    expect((await bytesOf((await captions(id, 'VTT')).url)).toString()).toBe('WEBVTT\n')
  })
})

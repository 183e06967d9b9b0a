import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { openLog } from '../../../src/values/log.ts'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob, type VoiceJob } from '../../setup/jobs/fixtures.ts'
import { makeSettable, setDatabaseClock } from '../../setup/postgres/settable-clock.ts'
import { cleanUp, makeTempDir, processesOf, type Service, startService } from '../../setup/processes/process.ts'
import { startInTerminal } from '../../setup/processes/terminal.ts'
import { readWav } from '../../setup/speech/wav.ts'
import { until } from '../../setup/wait.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const KEYS = /snt_[0-9A-Za-z]{42}/g
const SECRET_TEXT = 'Marmalade zeppelins drift over the quiet harbour.'
const LATER_MS = 16 * 60_000

/** Sets the database's clock, by which a signed URL expires, a quarter of an hour on: while no service runs on the directory. */
const setClockLater = async (dataDir: string): Promise<void> => {
  const embedded = await openEmbedded(dataDir, openLog('silent'), { fsync: false })
  const client = new Client({ connectionString: embedded.url })
  try {
    await client.connect()
    await makeSettable(client)
    await setDatabaseClock(client, LATER_MS)
  } finally {
    await client.end()
    await embedded.close()
  }
}

/** The URL once per query parameter, each time with that parameter's first character changed. */
const tampered = (url: string): string[] =>
  [...new URL(url).searchParams].map(([name, value]) => {
    const changed = new URL(url)
    changed.searchParams.set(name, (value.startsWith('2') ? '3' : '2') + value.slice(1))
    return changed.href
  })

/** A program in place of the one that opens browsers: it notes what it is given. */
async function recordedBrowser() {
  const folder = await makeTempDir()
  const note = join(folder, 'opened')
  for (const name of ['xdg-open', 'open'])
    await writeFile(join(folder, name), `#!/bin/sh\nprintf %s "$1" > ${note}.part && mv ${note}.part ${note}\n`, {
      mode: 0o755,
    })
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, DISPLAY: ':0' }
  return { env, opened: () => readFile(note, 'utf8').catch(() => undefined) }
}

describe('the first start', { timeout: 120_000 }, () => {
  afterAll(cleanUp)

  test('on a terminal shows no JSON between its lines, and the log in short ones, and opens the console signed in; Ctrl-C ends it', async () => {
    const dataDir = join(await makeTempDir(), 'data')
    const [port] = await freePorts(1)
    const { env, opened } = await recordedBrowser()
    const terminal = startInTerminal(['start'], { DATA_DIR: dataDir, PORT: String(port), ...env })
    try {
      await terminal.shows(/^curl .*\n/m)
      expect(`Console: ${await until(opened, 30_000, 'the browser')}`).toBe(
        /^Console: .*$/m.exec(terminal.shown())?.[0],
      )
      terminal.pressCtrlC()
      expect(await terminal.ended()).toBe(0)
      const lines = terminal.shown().split('\n')
      expect(lines.filter((line) => line.startsWith('{'))).toEqual([])
      expect(lines).toContainEqual(expect.stringMatching(/^\d\d:\d\d:\d\d {2}migrated the database {2}migrations=\d+$/))
      expect(lines).toContain(`Sonant listens on http://127.0.0.1:${port}`)
      expect(lines).toContainEqual(
        expect.stringMatching(/^3\. All voices are robotic ones.* npx sonant models pull kokoro /),
      )
      expect(lines).toContainEqual(expect.stringMatching(/stopping {2}signal=SIGINT$/))
    } finally {
      terminal.kill()
    }
  })
})

describe('a command in a folder without an installation', { timeout: 120_000 }, () => {
  afterAll(cleanUp)

  test('says that it made one, and where; the next one says nothing', async () => {
    const cwd = await makeTempDir()
    const { DATABASE_URL, DATA_DIR, ...env } = process.env
    const list = () =>
      promisify(execFile)(process.execPath, [join(ROOT, 'bin/sonant.js'), 'accounts', 'list', '--json'], { cwd, env })
    const first = await list()
    expect(JSON.parse(first.stdout)).toEqual({ items: [] })
    expect(first.stderr).toBe(
      `There was no installation in ${join(cwd, 'data')}: this command made one. For another one, set DATA_DIR or DATABASE_URL.\n`,
    )
    expect((await list()).stderr).toBe('')
  })
})

describe('the first run', () => {
  let service: Service
  let jobId = ''
  let audioUrl = ''
  let refusal = ''

  const read = async (id: string) =>
    (await call(`${service.url}/api/v1/voice/jobs/${id}`, { key: service.key })).json<VoiceJob>()

  const expectSpeech = (bytes: Buffer, durationMs?: number) => {
    const wav = readWav(bytes)
    expect(wav).toMatchObject({ format: 1, channels: 1, bits: 16, whole: true })
    expect(wav.rate).toBeGreaterThanOrEqual(8_000)
    expect(wav.peak).toBeGreaterThan(1_000)
    if (durationMs !== undefined) expect(Math.abs(wav.durationMs - durationMs)).toBeLessThanOrEqual(1)
    return wav.durationMs
  }

  beforeAll(async () => {
    service = await startService({ isFirst: true })
  })
  afterAll(cleanUp)

  test('the log of a start whose output is piped is JSON lines on stderr alone', () => {
    const lines = service.stderr().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('migrated the database')
    expect(service.stdout()).not.toContain('migrated')
  })

  test('the start prints one API key and one curl command that holds it', () => {
    expect(new Set(service.stdout().match(KEYS)).size).toBe(1)
    expect(service.stdout().match(/^\s*(\$ )?curl /gm)).toHaveLength(1)
    expect(service.curl).toContain(service.key)
    expect(service.curl).toContain(`:${service.port}/api/v1/voice/tts`)
  })

  test('the start prints one link into the console, which signs the owner of the demo account in, once', async () => {
    const links = service.stdout().match(/^Console: .*$/gm)
    expect(links).toEqual([
      expect.stringMatching(`^Console: http://127.0.0.1:${service.port}/console/enter#[\\w-]{43}$`),
    ])
    const token = links![0]!.split('#')[1]!
    const ask = (query: string, cookie = '') =>
      call(`${service.url}/graphql`, { method: 'POST', headers: { cookie, origin: service.url }, body: { query } })
    const redeem = () => ask(`mutation { redeemSignInLink(token: "${token}") { __typename } }`)
    const cookie = (await redeem()).headers['set-cookie']!.split(';')[0]!
    const me = await ask('{ me { user { email role operator hasPassword } accountName } }', cookie)
    const user = { email: 'owner@demo.invalid', role: 'OWNER', operator: true, hasPassword: false }
    expect(me.json()).toEqual({ data: { me: { user, accountName: 'demo' } } })
    expect((await redeem()).headers['set-cookie']).toBeUndefined()
    expect(service.stderr()).not.toContain(token)
  })

  test('the printed curl command works when pasted as it stands', async () => {
    const home = await makeTempDir()
    await writeFile(join(home, '.curlrc'), 'silent\nwrite-out = "\\nstatus=%{http_code}"\n')
    const env = { PATH: process.env.PATH, HOME: home, CURL_HOME: home }
    const { stdout } = await promisify(execFile)('sh', ['-c', service.curl], { env, cwd: home })
    expect(stdout).toContain('status=202')
    const accepted = JSON.parse(/\{.*\}/s.exec(stdout)![0])
    expect(accepted).toEqual({ job_id: expect.stringMatching(/^job_[0-9a-z]{26}$/), status: 'queued' })
    jobId = accepted.job_id
  })

  test('its job ends completed, with the audio and the two envelope fields', async () => {
    const job = await finishedJob(service.url, service.key, jobId)
    expect(Object.keys(job).sort()).toEqual(['completed_at', 'created_at', 'job_id', 'outputs', 'status'])
    expect(job).toMatchObject({ job_id: jobId, status: 'completed', outputs: { audio: expect.any(String) } })
    expect(Date.parse(job.completed_at!)).toBeGreaterThanOrEqual(Date.parse(job.created_at))
    audioUrl = job.outputs!.audio
    expect(new URL(audioUrl).port).toBe(String(service.port))
  })

  test('the audio is speech: whole 16-bit mono WAV, not silent, of a plausible length', async () => {
    const audio = await call(audioUrl)
    expect(audio.status).toBe(200)
    expect(audio.headers['content-type']).toBe('audio/wav')
    expect(audio.headers['content-length']).toBe(String(audio.bytes.length))
    expect(expectSpeech(audio.bytes)).toBeGreaterThan(300)
  })

  test('the media URL answers HEAD and single ranges', async () => {
    const whole = (await call(audioUrl)).bytes
    const head = await call(audioUrl, { method: 'HEAD' })
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers).toMatchObject({ 'content-length': String(whole.length), 'accept-ranges': 'bytes' })
    const range = (value: string) => call(audioUrl, { headers: { range: value } })
    const [first, last, beyond] = await Promise.all(['bytes=0-99', 'bytes=-10', `bytes=${whole.length}-`].map(range))
    expect([first!.status, last!.status, beyond!.status]).toEqual([206, 206, 416])
    expect(first!.headers['content-range']).toBe(`bytes 0-99/${whole.length}`)
    expect(first!.bytes.equals(whole.subarray(0, 100)) && last!.bytes.equals(whole.subarray(-10))).toBe(true)
    expect(beyond!.headers['content-range']).toBe(`bytes */${whole.length}`)
  })

  test('a tampered media URL is 403 with one body, whatever was changed', async () => {
    const answers = await Promise.all(tampered(audioUrl).map((url) => call(url)))
    expect(answers.length).toBeGreaterThan(0)
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([403]))
    const bodies = new Set(answers.map((answer) => answer.text))
    expect(bodies.size).toBe(1)
    refusal = [...bodies][0]!
    expect(JSON.parse(refusal)).toEqual({ error: expect.any(String), error_code: 'FORBIDDEN' })
  })

  test('a spoken sentence lasts as long as a user would take for it', async () => {
    const voice = (await call(`${service.url}/api/v1/public/voice/tts`)).json<{ voices: { slug: string }[] }>()
      .voices[0]!.slug
    const body = { inputs: { text: SECRET_TEXT, voice } }
    const sent = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: service.key, body })
    const job = await finishedJob(service.url, service.key, sent.json<VoiceJob>().job_id)
    const durationMs = expectSpeech((await call(job.outputs!.audio)).bytes)
    expect(durationMs).toBeGreaterThan(1_500)
    expect(durationMs).toBeLessThan(8_000)
  })

  test('sonant say speaks to a file next to a running server', async () => {
    const file = join(await makeTempDir(), 'beside.wav')
    const said = await service.sonant<{ duration_ms: number }>('say', 'A server is running.', '-o', file)
    expect(said).toEqual({ job_id: expect.stringMatching(/^job_/), file, duration_ms: expect.any(Number) })
    expectSpeech(await readFile(file), said.duration_ms)
  })

  test('the log holds no text, no signed URL, and no key beyond the printed ones', async () => {
    const log = service.stdout() + service.stderr()
    const signatures = [...new URL(audioUrl).searchParams.values()].filter((value) => value.length >= 20)
    expect(log).not.toContain(SECRET_TEXT.slice(0, 20))
    expect(signatures.filter((signature) => log.includes(signature))).toEqual([])
    expect(log.match(KEYS)!.length).toBeLessThanOrEqual(2)
  })

  test('SIGTERM ends with code 0 and leaves no process behind', async () => {
    expect(await service.stop('SIGTERM')).toBe(0)
    await until(() => processesOf(service.dataDir).length === 0, 30_000, 'PostgreSQL to end')
  })

  test('sonant say speaks to a file without a server, and leaves no process behind', async () => {
    const file = join(await makeTempDir(), 'alone.wav')
    const said = await service.sonant<{ duration_ms: number }>('say', 'No server is running.', '-o', file)
    expect(said).toMatchObject({ job_id: expect.stringMatching(/^job_/), file })
    expectSpeech(await readFile(file), said.duration_ms)
    await until(() => processesOf(service.dataDir).length === 0, 30_000, 'PostgreSQL to end after the command')
  })

  test('a second start on the same directory prints no key and keeps key, jobs and audio', async () => {
    const { dataDir, port, key } = service
    await setClockLater(dataDir)
    const again = await startService({ dataDir, port })
    service = { ...again, key }
    const job = await read(jobId)
    expect(job.status).toBe('completed')
    expectSpeech((await call(job.outputs!.audio)).bytes)
    expect(again.stdout() + again.stderr()).not.toMatch(KEYS)
    expect(again.stdout()).not.toContain('Console:')
  })

  test('a media URL is refused a quarter of an hour later, with the bytes of a tampered one', async () => {
    const expired = await call(audioUrl)
    expect([expired.status, expired.text]).toEqual([403, refusal])
  })

  test('an interrupt from the keyboard leaves no process behind either', async () => {
    await service.stop('SIGINT')
    await until(() => processesOf(service.dataDir).length === 0, 30_000, 'PostgreSQL to end')
  })
})

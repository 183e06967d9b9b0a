import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeWav } from '../../src/audio/wav.ts'
import { runBackup, runRestore } from '../../src/backup/run-backup.ts'
import { readSettings } from '../../src/context/config.ts'
import { deleteAbandonedVoices } from '../../src/library/change-voices.ts'
import { openLog } from '../../src/values/log.ts'
import { audit } from '../setup/audit/audit.ts'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { createTestDatabase } from '../setup/postgres/database.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { sonantOn } from '../setup/processes/process.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { ask } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'
import { sweep } from '../setup/speech/sound.ts'

const TONE = Buffer.from(writeWav(sweep(2, 16_000).samples, 16_000))
const SCOPES = ['generate:voice', 'job:read', 'voice:library']

let service: TestRuntime
let server: SpeechServer
let [key, account, otherKey] = ['', '', '']
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  server = await startSpeechServer()
  const engine = { kind: 'openai-speech', base_url: server.url, model: 'm', retry_seconds: 0, pool: 'gpu' }
  await applyEndpoint(service.runtime, 'clone', engine, { library_voices: true })
  await applyEndpoint(service.runtime, 'fixed', engine)
  account = await service.createAccount()
  key = (await service.createKey(account, SCOPES)).apiKey
  otherKey = (await service.createKey(await service.createAccount(), SCOPES)).apiKey
})
afterAll(async () => {
  await service.close()
  await server.close()
})

let names = 0
const upload = (changes: Record<string, string | Buffer | null> = {}, { by = key, path = '/api/v1/voices' } = {}) => {
  const form = new FormData()
  const fields = { name: `voice ${++names}`, audio_sample: TONE, consent: 'My own voice.', ...changes }
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Buffer) form.append(name, new Blob([Uint8Array.from(value)]), 'sample.bin')
    else if (value !== null) form.append(name, String(value))
  }
  return fetch(service.url + path, { method: 'POST', headers: { authorization: `Bearer ${by}` }, body: form })
}
const added = async (changes: Record<string, string> = {}, by = key) => {
  const answer = await upload(changes, { by })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { voice_id: string }).voice_id
}
const say = (voice: string, slug = 'clone', by = key) =>
  call(`${service.url}/api/v1/voice/${slug}`, { method: 'POST', key: by, body: { inputs: { text: 'Hello.', voice } } })
const filesOf = async (id: string) => service.runtime.storage.stat(`voices/${id}.wav`)
const unknownLike = (id: string) => id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))

describe('an uploaded voice', () => {
  test('is listed, spoken like as 16-bit mono WAV with its text, renamed and deleted with its file', async () => {
    const answer = await upload({ name: 'host', ref_text: 'What I say.', language: 'English' })
    expect(answer.status).toBe(201)
    const voice = (await answer.json()) as Record<string, unknown>
    const id = String(voice.voice_id)
    expect(voice).toEqual({
      voice_id: expect.stringMatching(/^voice_[0-9a-z]{26}$/),
      name: 'host',
      duration_ms: expect.any(Number),
      ref_text: 'What I say.',
      language: 'English',
      created_at: expect.any(String),
    })
    expect((await call(`${service.url}/api/v1/voices`, { key })).json()).toEqual({ voices: [voice] })
    expect((await call(`${service.url}/api/v1/voice/clone/voices`, { key })).json()).toMatchObject({
      voices: [{ slug: 'calm' }, { slug: id, name: 'host', kind: 'reference' }],
    })
    const job = await finishedJob(service.url, key, (await say(id)).json<{ job_id: string }>().job_id)
    expect(job.status).toBe('completed')
    const { ref_audio: sent, ref_text: text } = server.calls.at(-1)!.body
    expect(text).toBe('What I say.')
    expect(parseWav(Buffer.from(String(sent).replace('data:audio/wav;base64,', ''), 'base64')).sampleRate).toBe(24_000)
    const renamed = await ask(
      service.url,
      key,
      'mutation ($id: ID!) { renameVoice(id: $id, name: "guest") { ... on AccountVoice { name } } }',
      { id },
    )
    expect(JSON.stringify(renamed)).toContain('guest')
    expect(await filesOf(id)).not.toBeNull()
    expect((await call(`${service.url}/api/v1/voices/${id}`, { method: 'DELETE', key })).json()).toEqual({
      voice_id: id,
      deleted: true,
    })
    expect(await filesOf(id)).toBeNull()
    expect((await say(id)).status).toBe(400)
    expect((await call(`${service.url}/api/v1/voices/${id}`, { method: 'DELETE', key })).status).toBe(404)
  })

  test('is deleted whatever type the request names for the body that it has not, through both doors', async () => {
    const types = [
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'multipart/form-data',
      'nonsense',
    ]
    const attempts: [path: string, headers: Record<string, string>, body?: Readable][] = []
    for (const path of ['/api/v1/voices/voice_none', '/v1/audio/voices/voice_none']) {
      for (const type of types) attempts.push([path, { 'content-type': type }])
      attempts.push([path, { 'content-type': 'application/json' }, Readable.from([])])
    }
    for (const [path, headers, body = null] of attempts) {
      const sent = { ...headers, authorization: `Bearer ${key}` }
      const answer = await request(service.url + path, { method: 'DELETE', headers: sent, body })
      expect([path, headers, answer.statusCode]).toEqual([path, headers, 404])
      await answer.body.dump()
    }
    const id = await added()
    const deleted = await call(`${service.url}/api/v1/voices/${id}`, {
      method: 'DELETE',
      key,
      headers: { 'content-type': 'application/json' },
    })
    expect([deleted.status, deleted.json()]).toEqual([200, { voice_id: id, deleted: true }])
    const read = await call(`${service.url}/api/v1/voices`, { key, headers: { 'content-type': 'application/json' } })
    expect(read.status).toBe(200)
  })

  test('is an unknown voice to other accounts and to endpoints that take none, byte for byte', async () => {
    const id = await added()
    const unknown = unknownLike(id)
    for (const [slug, by] of [
      ['clone', otherKey],
      ['fixed', key],
    ] as const) {
      const [mine, none] = [await say(id, slug, by), await say(unknown, slug, by)]
      expect([mine.status, mine.text]).toEqual([400, none.text])
      expect(mine.json()).toMatchObject({ details: [{ path: '/inputs/voice', message: 'unknown voice' }] })
    }
    const door = (voice: string, by: string) =>
      call(`${service.url}/v1/audio/speech`, { method: 'POST', key: by, body: { model: 'clone', input: 'Hi.', voice } })
    const [foreign, none] = [await door(id, otherKey), await door(unknown, otherKey)]
    expect([foreign.status, foreign.text]).toEqual([400, none.text])
    for (const path of [`/api/v1/voices/${id}`, `/v1/audio/voices/${id}`]) {
      const gone = await call(service.url + path, { method: 'DELETE', key: otherKey })
      expect([gone.status, gone.text]).toEqual([
        404,
        (await call((service.url + path).replace(id, unknown), { method: 'DELETE', key: otherKey })).text,
      ])
    }
    expect((await call(`${service.url}/v1/audio/voices`, { key: otherKey })).text).not.toContain(id)
    expect((await call(`${service.url}/api/v1/voice/clone/voices`, { key: otherKey })).text).not.toContain(id)
    expect((await call(`${service.url}/api/v1/public/voice/clone`)).text).not.toContain(id)
    const node = await ask(service.url, otherKey, 'query ($id: ID!) { node(id: $id) { id } }', { id })
    expect(JSON.stringify(node)).toContain('"node":null')
    expect(await filesOf(id)).not.toBeNull()
  })

  test("works at OpenAI's door: uploaded, listed, spoken like and deleted there", async () => {
    const answer = await upload({ extra: 'passed over' }, { path: '/v1/audio/voices' })
    expect(answer.status).toBe(200)
    const { id, ...voice } = (await answer.json()) as Record<string, unknown>
    expect(voice).toEqual({
      object: 'audio.voice',
      type: 'audio_sample',
      name: `voice ${names}`,
      created_at: expect.any(Number),
    })
    const listed = (await call(`${service.url}/v1/audio/voices`, { key })).json<{
      data: { id: string; model: string }[]
    }>()
    expect(listed.data).toContainEqual(expect.objectContaining({ id, model: 'clone', kind: 'reference' }))
    const spoken = await call(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      key,
      body: { model: 'clone', input: 'Hi.', voice: { id }, response_format: 'wav' },
    })
    expect([spoken.status, spoken.headers['content-type']]).toEqual([200, 'audio/wav'])
    const bad = await upload({ consent: '' }, { path: '/v1/audio/voices' })
    expect([bad.status, await bad.json()]).toMatchObject([
      400,
      { error: { param: 'consent', code: 'invalid_value', type: 'invalid_request_error' } },
    ])
    expect((await call(`${service.url}/v1/audio/voices/${id}`, { method: 'DELETE', key })).json()).toEqual({
      id,
      object: 'audio.voice.deleted',
      deleted: true,
    })
  })

  test('is added, listed, renamed and deleted by `sonant voices`', async () => {
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const owner = await service.createAccount()
    const of = ['--account', owner]
    const [file, silent] = [join(service.dataDir, 'tone.wav'), join(service.dataDir, 'silent.wav')]
    await writeFile(file, TONE)
    await writeFile(silent, writeWav(new Int16Array(32_000), 16_000))
    const named = (name: string) => ['--name', name, '--consent', 'By contract.', ...of]
    const [voice, refused] = await Promise.all([
      sonantOn<{ voice_id: string }>(env, 'voices', 'add', file, ...named('guest'), '--ref-text', 'What I say.'),
      runHere(['voices', 'add', silent, ...named('nobody'), '--json'], env),
    ])
    expect(voice).toMatchObject({ name: 'guest', duration_ms: 2000, ref_text: 'What I say.', language: null })
    expect([refused.code, JSON.parse(refused.stdout).error_code]).toEqual([1, 'INVALID_REQUEST'])
    expect(await filesOf(voice.voice_id)).not.toBeNull()
    const renamed = await sonantHere(env, 'voices', 'rename', voice.voice_id, 'host', ...of)
    expect(await sonantHere(env, 'voices', 'list', ...of)).toEqual({ items: [{ ...voice, name: 'host' }] })
    expect(renamed).toEqual({ ...voice, name: 'host' })
    const deleted = await runHere(['voices', 'delete', voice.voice_id, ...of], env)
    expect([deleted.code, deleted.stdout.trim()]).toEqual([0, `${voice.voice_id}  deleted`])
    expect(await filesOf(voice.voice_id)).toBeNull()
  })

  test('is in a backup with its recording, and one whose upload was broken off is deleted with its file', async () => {
    const [id, broken] = [await added(), await added()]
    const { db, storage, settings, now } = service.runtime
    await db.pool.query(
      `update account_voice set ready_at = null, created_at = now() - interval '2 hours' where id = $1`,
      [broken],
    )
    expect((await say(broken)).status).toBe(400)
    await deleteAbandonedVoices({ db, storage, now })
    expect([
      await filesOf(broken),
      (await db.pool.query('select from account_voice where id = $1', [broken])).rowCount,
    ]).toEqual([null, 0])
    const dir = await mkdtemp(join(tmpdir(), 'sonant-voices-'))
    const database = await createTestDatabase()
    try {
      await runBackup(settings, openLog('silent'), join(dir, 'backup'))
      const restored = readSettings({ DATABASE_URL: database.url, DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'silent' })
      await runRestore(restored, openLog('silent'), join(dir, 'backup'))
      const { openDisk } = await import('../../src/storage/disk.ts')
      const store = openDisk({ dir: join(dir, 'data', 'artifacts'), publicUrl: () => '', signingKey: new Uint8Array() })
      expect(await store.stat(`voices/${id}.wav`)).toMatchObject({ bytes: (await filesOf(id))?.bytes })
    } finally {
      await database.drop()
      await rm(dir, { recursive: true, force: true })
    }
  })
})

describe('bad uploads', () => {
  test.each([
    ['silence', { audio_sample: Buffer.from(writeWav(new Int16Array(32_000), 16_000)) }, 'audio_sample', 'is silent'],
    ['junk', { audio_sample: Buffer.from('junk '.repeat(1000)) }, 'audio_sample', /no audio that can be read/],
    [
      'half a second',
      { audio_sample: Buffer.from(writeWav(sweep(0.5, 16_000).samples, 16_000)) },
      'audio_sample',
      /1 to 30 seconds/,
    ],
    ['no file', { audio_sample: null }, 'audio_sample', 'is required'],
    ['a text for the file', { audio_sample: 'text' }, 'audio_sample', 'must be a file'],
    ['no consent', { consent: '  ' }, 'consent', /must say/],
    ['an unknown language', { language: 'Klingon' }, 'language', /must be one of/],
    ['an unknown field', { speed: '1' }, 'speed', 'unknown key'],
    ['NUL', { name: 'a\0b' }, 'name', /./],
    ['a name of turned text', { name: 'a\u202eb' }, 'name', /invisible/],
    ['a text with ESC', { ref_text: 'a\u001b[2J' }, 'ref_text', /control/],
  ] as const)('%s is a clear 400 and leaves nothing', async (_title, changes, path, message) => {
    const before = (await call(`${service.url}/api/v1/voices`, { key })).text
    const answer = await upload(changes as Record<string, string | Buffer | null>)
    const body = (await answer.json()) as { error_code: string; details: { path: string; message: string }[] }
    expect([answer.status, body.error_code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details[0]?.path.replace(/^\//, '')).toBe(path)
    expect(body.details[0]?.message).toMatch(message)
    expect((await call(`${service.url}/api/v1/voices`, { key })).text).toBe(before)
  })

  test('a taken name, a full library, a large file, no form, no scope and no key each have their status', async () => {
    await added({ name: 'taken' })
    expect([
      (await upload({ name: 'taken' })).status,
      (await upload({ name: 'taken' }, { by: otherKey })).status,
    ]).toEqual([400, 201])
    const large = await upload({ audio_sample: Buffer.alloc(10 * 2 ** 20 + 1) })
    expect([large.status, await large.json()]).toMatchObject([413, { error: 'Send a file of at most 10 MiB.' }])
    const json = await call(`${service.url}/api/v1/voices`, { method: 'POST', key, body: {} })
    expect(json.status).toBe(415)
    const broken = await call(`${service.url}/api/v1/voices`, {
      method: 'POST',
      key,
      body: '--b\r\nbroken',
      type: 'multipart/form-data; boundary=b',
    })
    expect(broken.status).toBe(400)
    const plain = (await service.createKey(account)).apiKey
    expect([(await upload({}, { by: plain })).status, (await upload({}, { by: 'snt_none' })).status]).toEqual([
      403, 401,
    ])
    const full = await service.createAccount()
    const fullKey = (await service.createKey(full, SCOPES)).apiKey
    await service.runtime.db.pool.query(
      `insert into account_voice (id, account_id, name, storage_key, bytes, sha256, duration_ms, consent, created_at, ready_at)
       select 'voice_' || n, $1, n, 'voices/' || n || '.wav', 1, '', 1, '', now(), now() from generate_series(1, 100) n`,
      [full],
    )
    const refused = await upload({}, { by: fullKey })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: 'Delete a voice first: an account has at most 100.' },
    ])
    await service.runtime.db.pool.query('delete from account_voice where account_id = $1', [full])
  })

  test('library_voices is refused at apply where the engine cannot clone', async () => {
    await expect(applyEndpoint(service.runtime, 'robot', {}, { library_voices: true })).rejects.toMatchObject({
      details: [{ message: expect.stringContaining('library_voices must be false') }],
    })
  })

  test('everything is consistent after all of this', async () => {
    expect(await audit(service.runtime, [])).toEqual([])
  })
})

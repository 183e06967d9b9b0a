import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countServerKeys } from '../../src/catalog/engine-keys.ts'
import { readSettings } from '../../src/context/config.ts'
import { sealServerKey } from '../../src/engines/server-key.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { sonantHere } from '../setup/processes/command-here.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const [OLD, NEW] = ['o'.repeat(40), 'n'.repeat(40)]
const KEY = 'sk-of-the-server-1234567890'

let service: TestRuntime
let server: SpeechServer
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { SECRET_KEY: OLD } })
  server = await startSpeechServer()
  key = (await service.createKey(await service.createAccount())).apiKey
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const sealedFor = (url: string, { vault }: Runtime = service.runtime) => sealServerKey(vault, url, KEY)
const apply = (slug: string, engine: object) => applyEndpoint(service.runtime, slug, { max_in_flight: 2, ...engine })
const storedEngine = async (slug: string) => {
  const text = 'select engine from voice_endpoint where slug = $1'
  const { rows } = await service.runtime.db.pool.query<{ engine: Record<string, unknown> }>(text, [slug])
  return rows[0]!.engine
}

describe('the sealed key of a speech server', () => {
  test('is sent to its server and is in no stored value', async () => {
    await apply('keyed', { base_url: `${server.url}/v1`, api_key_sealed: sealedFor(server.url) })
    const job = await submitText(service.url, key, 'keyed', 'This server wants a key.')
    await allFinished(service.runtime, [job])
    expect(await readJob(service.url, key, job)).toMatchObject({ status: 'completed' })
    expect(server.calls.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(JSON.stringify(await storedEngine('keyed'))).not.toContain(KEY)
  })

  test('is refused for another address, so nobody has it sent elsewhere', async () => {
    const elsewhere = { base_url: 'http://127.0.0.1:9', api_key_sealed: sealedFor(server.url) }
    await expect(apply('elsewhere', elsewhere)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('Enter the key of the server of "elsewhere" again'),
    })
    const one = { base_url: 'http://127.0.0.1:9', max_in_flight: 1, api_key_sealed: sealedFor(server.url) }
    const among = { kind: 'openai-speech', model: 'any', servers: [one] }
    await expect(applyEndpoint(service.runtime, 'elsewhere', among)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  test('stands beside no variable, and is one that the service made', async () => {
    const twice = { base_url: server.url, api_key_env: 'SOME_KEY', api_key_sealed: sealedFor(server.url) }
    const saying = (text: string) => ({ details: [{ message: expect.stringContaining(text) }] })
    await expect(apply('twice', twice)).rejects.toMatchObject(saying('must not stand beside api_key_env'))
    const plain = { base_url: server.url, api_key_sealed: 'sk-1' }
    await expect(apply('plain', plain)).rejects.toMatchObject(saying('must be what the service made of a key'))
  })

  test('opens under OLD_SECRET_KEY until it is encrypted again, and then without it', async () => {
    const servers = [{ base_url: 'http://127.0.0.1:9', api_key_sealed: sealedFor('http://127.0.0.1:9') }]
    await applyEndpoint(service.runtime, 'several', {
      kind: 'openai-speech',
      model: 'any',
      servers,
      base_url: undefined,
    })
    await apply('open', { base_url: 'http://127.0.0.1:9' })
    const { databaseUrl } = service.runtime.settings
    const both = { SECRET_KEY: NEW, OLD_SECRET_KEY: OLD }
    const env = { DATABASE_URL: databaseUrl ?? '', DATA_DIR: service.dataDir, LOG_LEVEL: 'error', ...both }
    const renewed = await openRuntime(readSettings(env), openLog('silent'), { supervise: false })
    expect(await countServerKeys(renewed)).toEqual({ rekeyed: 2, current: 0, unreadable: 0 })
    const done = await sonantHere<{ rekeyed: number; unreadable: number }>(env, 'secrets', 'rekey')
    expect([done.rekeyed >= 2, done.unreadable]).toEqual([true, 0])
    expect(await countServerKeys(renewed)).toEqual({ rekeyed: 0, current: 2, unreadable: 0 })
    await renewed.close()
    expect(await countServerKeys(service.runtime)).toEqual({ rekeyed: 0, current: 0, unreadable: 2 })
  })

  test('that does not open says what to mend', async () => {
    const job = await submitText(service.url, key, 'keyed', 'Nothing opens this key here.')
    await allFinished(service.runtime, [job])
    const { rows } = await service.runtime.db.pool.query('select error_code, cause from job where id = $1', [job])
    expect(rows).toEqual([{ error_code: 'INTERNAL_ERROR', cause: expect.stringContaining('another SECRET_KEY') }])
  })
})

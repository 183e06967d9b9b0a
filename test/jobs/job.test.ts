import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/values/id.ts'
import { call } from '../setup/http.ts'
import { insertJob, type JobFields } from '../setup/jobs/jobs.ts'
import { UNMODERATED } from '../setup/jobs/wire-fields.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

type Body = Record<string, unknown> & { result?: Record<string, unknown> & { outputs?: Record<string, string> } }

const read = async (key: string, id: string) => {
  const reply = await call(`${service.url}/api/v1/jobs/${id}`, { key })
  return { status: reply.status, body: reply.json<Body>(), text: reply.text }
}

const query = async (key: string, document: string, variables: object = {}) => {
  const body = { query: document, variables }
  return (await call(`${service.url}/graphql`, { method: 'POST', key, body })).json<{
    data: Record<string, Body>
    errors?: { extensions: { code: string } }[]
  }>()
}

const withArtifact = async (account: string, fields: JobFields, output: string) => {
  const id = await insertJob(service.runtime.db, account, fields)
  await service.runtime.db.pool.query(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256) values ($1, $2, $3, $4, 'audio/wav', 4, $5)`,
    [newId('art'), id, output, `${id}/${output}`, randomBytes(32)],
  )
  return id
}

describe('job', () => {
  test('a job of each type has the result of that type', async () => {
    const { account, key, keyId } = await service.createCaller()
    const { db } = service.runtime
    const moderated = { isProhibited: true, chatId: 'chat 1', reason: 'stays out of results' }
    const media = { isProhibited: false, mediaUrl: 'https://example.com/a.png', mediaKind: 'image' }
    const voice = await withArtifact(account, { apiKeyId: keyId }, 'audio')
    const generate = await withArtifact(account, { type: 'generate' }, 'image')
    const times = { created_at: expect.any(String), completed_at: expect.any(String) }
    const { body: spoken } = await read(key, voice)
    expect(Object.keys(spoken)).toEqual([...UNMODERATED, 'result'])
    expect(spoken).toMatchObject({
      job_id: voice,
      type: 'voice',
      endpoint_key: 'voice.tts',
      status: 'completed',
      api_key_id: keyId,
      api_key_name: 'test',
      ...times,
    })
    expect(spoken.result).toEqual({
      ...times,
      outputs: { audio: expect.stringContaining(`${service.url}/media/`) },
      endpoint_slug: 'tts',
    })
    expect((await read(key, generate)).body.result).toEqual({
      ...times,
      outputs: { image: expect.stringContaining('/media/') },
      workflow_slug: 'portrait',
    })
    for (const type of ['companion_chat', 'companion_retarget'] as const) {
      const { body } = await read(key, await insertJob(db, account, { type, ...moderated }))
      expect(body.result).toEqual({ is_prohibited: true, chat_id: 'chat 1' })
      expect(body).toMatchObject({ is_prohibited: true, api_key_id: null, api_key_name: null })
    }
    const tag = await insertJob(db, account, { type: 'companion_media_tag', ...media })
    expect((await read(key, tag)).body.result).toEqual({
      is_prohibited: false,
      media_url: 'https://example.com/a.png',
      media_kind: 'image',
    })
  })

  test('an unfinished job has no result, and a verdict of null only where there will be one', async () => {
    const { account, key } = await service.createCaller()
    for (const status of ['queued', 'processing'] as const) {
      const chat = await read(key, await insertJob(service.runtime.db, account, { type: 'companion_chat', status }))
      expect(chat.body).toMatchObject({ status, is_prohibited: null, completed_at: null })
      const voice = await read(key, await insertJob(service.runtime.db, account, { status }))
      for (const field of ['result', 'error', 'error_code']) expect(voice.body).not.toHaveProperty(field)
      expect(voice.body).not.toHaveProperty('is_prohibited')
    }
  })

  test('a failed job says what to do and keeps its cause, inputs and webhook inside', async () => {
    const { account, key } = await service.createCaller()
    const cause = 'connect ECONNREFUSED 10.0.0.7:8000'
    const failure = { status: 'failed', errorCode: 'PROVIDER_BUSY', cause } as const
    const { body, text } = await read(key, await insertJob(service.runtime.db, account, failure))
    expect(body).toMatchObject({
      status: 'failed',
      error_code: 'PROVIDER_BUSY',
      error: expect.stringMatching(/^Capacity/),
    })
    expect(body).not.toHaveProperty('result')
    expect(text).not.toMatch(/ECONNREFUSED|stay|hooks\.example/)
  })

  test('output URLs are signed anew at every read and deliver', async () => {
    const { account, key } = await service.createCaller()
    const id = await withArtifact(account, {}, 'audio')
    await service.runtime.storage.put(`${id}/audio`, Buffer.from('RIFF'), { contentType: 'audio/wav' })
    const first = (await read(key, id)).body.result?.outputs?.audio ?? ''
    expect((await call(first)).text).toBe('RIFF')
  })

  test('the jobs of other accounts, missing ones and nonsense are the same 404', async () => {
    const { account } = await service.createCaller()
    const { key } = await service.createCaller()
    const answers = []
    for (const id of [
      await insertJob(service.runtime.db, account),
      newId('job'),
      newId('key'),
      'x',
      'job_',
      '%00',
      'JOB_X',
    ]) {
      const { status, text } = await read(key, id)
      answers.push([status, text])
    }
    expect(new Set(answers.map(String)).size).toBe(1)
    expect(answers[0]?.[0]).toBe(404)
  })

  test('a key without job:read is refused before anything else is looked at', async () => {
    const account = await service.createAccount()
    const { apiKey: key } = await service.createKey(account, ['generate:voice'])
    for (const path of ['/x', `/${await insertJob(service.runtime.db, account)}`, '?limit=0', '/export', '']) {
      const { status, text } = await call(`${service.url}/api/v1/jobs${path}`, { key })
      expect([path, status, JSON.parse(text).error_code]).toEqual([path, 403, 'FORBIDDEN'])
    }
    expect((await call(`${service.url}/api/v1/jobs/x`)).status).toBe(401)
  })

  test('the name of a deleted key is gone from its jobs, its id is not', async () => {
    const { account, key } = await service.createCaller()
    const other = await service.createKey(account)
    const id = await insertJob(service.runtime.db, account, { apiKeyId: other.apiKeyId })
    expect((await read(key, id)).body).toMatchObject({ api_key_name: 'test' })
    await service.runtime.db.pool.query('delete from api_key where id = $1', [other.apiKeyId])
    expect((await read(key, id)).body).toMatchObject({ api_key_id: other.apiKeyId, api_key_name: null })
  })

  test('GraphQL answers the same of a job', async () => {
    const { account, key, keyId } = await service.createCaller()
    const id = await withArtifact(account, { apiKeyId: keyId }, 'audio')
    const fields = 'id type status apiKeyId apiKeyName createdAt result { outputs endpointSlug chatId } error errorCode'
    const { data } = await query(key, `query ($id: ID!) { job(jobId: $id) { ${fields} } }`, { id })
    const { body } = await read(key, id)
    expect(data.job).toMatchObject({
      id,
      type: 'VOICE',
      status: 'COMPLETED',
      apiKeyName: 'test',
      createdAt: body.created_at,
    })
    expect(data.job?.result).toMatchObject({
      endpointSlug: 'tts',
      chatId: null,
      outputs: { audio: expect.any(String) },
    })
    const other = await service.createCaller()
    const hidden = await query(other.key, `query ($id: ID!) { job(jobId: $id) { id } }`, { id })
    expect(hidden.errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  })
})

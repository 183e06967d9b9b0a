import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteEndpoint } from '../../../src/catalog/change-catalog.ts'
import { type Door, endpointFile, post, startDoor } from '../../setup/service/start-rest.ts'

const BODY = { inputs: { text: 'Once and never again.', voice: 'aria' } }
const VOLATILE = /^(date|x-request-id|ratelimit|retry-after|keep-alive): .*\r\n/gim

let door: Door
beforeAll(async () => {
  door = await startDoor()
})
afterAll(() => door.close())

const submit = async (slug: string, key: string, order: string, body: object | string = BODY) => {
  const response = await fetch(`${door.url}/api/v1/voice/${slug}`, post(key, body, { 'idempotency-key': order }))
  const { job_id, error_code } = (await response.json()) as { job_id?: string; error_code?: string }
  return {
    status: response.status,
    jobId: job_id,
    code: error_code,
    again: response.headers.get('idempotency-replayed'),
  }
}
const raw = async (slug: string, key: string, order: string) => {
  const json = JSON.stringify(BODY)
  const head = `POST /api/v1/voice/${slug} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n`
  const rest = `idempotency-key: ${order}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`
  return (await door.raw(head + rest)).replace(VOLATILE, '')
}
const drop = (slug: string) => deleteEndpoint(door.runtime.as({ kind: 'system' }), { slug })

describe('a repeated Idempotency-Key', () => {
  test("finds its job although the endpoint's schema refuses the request by now", async () => {
    const key = await door.createKey()
    await door.apply(endpointFile('changing'))
    const first = await submit('changing', key, 'a')
    const inputs = {
      type: 'object',
      additionalProperties: false,
      required: ['text', 'voice', 'mood'],
      properties: { text: { type: 'string' }, voice: { type: 'string' }, mood: { type: 'string' } },
    }
    await door.apply(endpointFile('changing', { inputs }))
    expect(await submit('changing', key, 'b')).toMatchObject({ status: 400 })
    expect(await submit('changing', key, 'a')).toEqual({ ...first, again: 'true' })
  })

  test('finds its job although the endpoint was deleted, through both doors', async () => {
    const key = await door.createKey()
    await door.apply(endpointFile('passing'))
    const first = await submit('passing', key, 'a')
    await drop('passing')
    expect(await submit('passing', key, 'a')).toEqual({ ...first, again: 'true' })
    const query = `mutation ($inputs: JSON!) {
      submitVoiceJob(slug: "passing", inputs: $inputs, idempotencyKey: "a") { ... on VoiceJobSubmission { jobId replayed } }
    }`
    const answer = await fetch(`${door.url}/graphql`, post(key, { query, variables: BODY }))
    expect(await answer.json()).toEqual({ data: { submitVoiceJob: { jobId: first.jobId, replayed: true } } })
    expect(await submit('passing', key, 'a', { inputs: { ...BODY.inputs, text: 'Other.' } })).toMatchObject({
      status: 422,
      code: 'IDEMPOTENCY_MISMATCH',
    })
    expect(await submit('passing', key, 'b')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await submit('other', key, 'a')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  test('answers a key that never had access the same for a restricted endpoint and a missing one', async () => {
    await door.apply(endpointFile('hidden', { required_scope: 'team:gold' }))
    const account = await door.createAccount(1_000n)
    const [insider, outsider] = await Promise.all(
      [['generate:voice', 'team:gold'], ['generate:voice']].map((scopes) => door.createKeyOf(account, scopes)),
    )
    const first = await submit('hidden', insider!, 'a')
    expect(first.status).toBe(202)
    expect(await raw('hidden', outsider!, 'a')).toBe(await raw('absent', outsider!, 'a'))
    expect(await raw('hidden', outsider!, 'a')).toMatch(/^HTTP\/1\.1 404 /)
    await door.apply(endpointFile('hidden', { required_scope: 'team:silver' }))
    expect(await submit('hidden', insider!, 'a')).toEqual({ ...first, again: 'true' })
    expect(await raw('hidden', insider!, 'b')).toBe(await raw('absent', insider!, 'b'))
  })
})

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertJob } from '../setup/jobs/jobs.ts'
import { ask } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const SCALARS = `id type endpointKey status isProhibited apiKeyId apiKeyName createdAt startedAt completedAt waitMs runMs durationMs
  attempts cost error errorCode ... on VoiceJob { chunksDone chunksTotal outputs }`

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

/** The statements about jobs that answering this document takes. */
async function statementsOf(key: string, document: string, variables: object): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const { data } = await ask<Record<string, object>>(service.url, key, document, variables)
    expect(Object.values(data ?? {})).not.toContain(null)
    const texts = query.mock.calls.map(([statement]: unknown[]) =>
      typeof statement === 'string' ? statement : (statement as { text: string }).text,
    )
    return texts.filter((text) => /\b(from|join|update|into) (job|artifact)\b/.test(text))
  } finally {
    query.mockRestore()
  }
}

describe('one SELECT', () => {
  test.each([
    ['job', `query ($id: ID!) { job(jobId: $id) { ${SCALARS} } }`],
    ['a voice job', `query ($id: ID!) { voiceJob(jobId: $id) { id status outputs } }`],
    ['a node', `query ($id: ID!) { node(id: $id) { ... on Job { ${SCALARS} } } }`],
  ])('is all that %s costs, with every scalar field and its outputs', async (_what, document) => {
    const { account, key } = await service.createCaller()
    const id = await insertJob(service.runtime.db, account)
    const statements = await statementsOf(key, document, { id })
    expect(statements).toEqual([expect.stringMatching(/^\s*select /)])
  })

  test('is all that a page of jobs costs, with its total', async () => {
    const { account, key } = await service.createCaller()
    for (let n = 0; n < 3; n++) await insertJob(service.runtime.db, account)
    const document = `query ($limit: Int) { jobPage(limit: $limit) { total jobs { id type status createdAt cost } } }`
    expect(await statementsOf(key, document, { limit: 3 })).toHaveLength(1)
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call } from '../../setup/http.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { creditsOf, makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir, startService } from '../../setup/processes/process.ts'
import { type ProviderServer, prediction, startProviderServer } from '../../setup/servers/provider-server.ts'
import { until } from '../../setup/wait.ts'

const RECOVERY_MS = 60_000
const JOBS = 4
const PRICE = 7

describe('a worker that is killed while it generates', { timeout: RECOVERY_MS + 60_000 }, () => {
  let database: TestDatabase
  let provider: ProviderServer
  let client: Client

  beforeAll(async () => {
    database = await createTestDatabase('opened')
    provider = await startProviderServer()
    client = new Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await cleanUp()
    await client.end()
    await provider.close()
    await database.drop()
  })

  test('leaves jobs that another one completes, each charged once', async () => {
    const directory = await makeTempDir()
    const env = { DATABASE_URL: database.url, RATE_LIMIT_PER_MINUTE: '0' }
    const first = await startService({ env, dataDir: directory, awaitKey: false })
    const inputs = { type: 'object', additionalProperties: false, properties: { seed: { type: 'integer' } } }
    const engine = { kind: 'cog', base_url: provider.url, max_in_flight: 2 }
    const workflow = { slug: 'portrait', name: 'Portrait', inputs, engine, credits_per_job: PRICE }
    const file = join(directory, 'workflows.json')
    await writeFile(file, JSON.stringify({ workflows: [workflow] }))
    expect(await sonantHere(first.env, 'endpoints', 'apply', file)).toEqual({ applied: ['portrait'] })
    await makeAccount(first.env, 'painter', 100)
    const { apiKey: key } = await makeKey(first.env, 'painter', ['generate:workflow'])

    provider.script('/predictions', { hang: true })
    const ids = await Promise.all(
      Array.from({ length: JOBS }, async (_, seed) => {
        const url = `${first.url}/api/v1/generate/portrait`
        const reply = await call(url, { method: 'POST', key, body: { inputs: { seed } } })
        expect(reply.status).toBe(202)
        return reply.json<{ job_id: string }>().job_id
      }),
    )
    await until(() => provider.of('/predictions').length >= 2, RECOVERY_MS, 'two predictions under way')
    await first.kill9()
    provider.script('/predictions', prediction('data:text/plain,made'))

    const second = await startService({ env, dataDir: directory, awaitKey: false })
    const unfinished = async () =>
      (await client.query(`select from job where status not in ('completed', 'failed')`)).rowCount
    await until(async () => (await unfinished()) === 0, RECOVERY_MS, 'every job to end')
    const { rows } = await client.query(
      `select j.status, j.attempt > 1 as again, j.provider_job_id,
         (select count(*)::int from artifact a where a.job_id = j.id) as files,
         (select array_agg(e.kind::text) from credit_entry e where e.job_id = j.id) as entries
       from job j where j.id = any($1)`,
      [ids],
    )
    expect(rows).toHaveLength(JOBS)
    for (const row of rows) {
      expect(row).toMatchObject({ status: 'completed', provider_job_id: 'prediction-1', files: 1, entries: ['charge'] })
    }
    expect(rows.filter(({ again }) => again).length).toBeGreaterThanOrEqual(2)
    const settings = readSettings({ DATABASE_URL: database.url, DATA_DIR: directory })
    const auditor = await openRuntime(settings, openLog('silent'), { supervise: false })
    expect(await audit(auditor, ids, { logs: [first.stderr(), second.stderr()], secrets: [key] })).toEqual([])
    await auditor.close()
    expect(await creditsOf(second.env, 'painter')).toBe(100 - JOBS * PRICE)
    expect(await second.stop()).toBe(0)
  })
})

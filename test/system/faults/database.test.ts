import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { type ChaosService, startChaosService } from '../../setup/scenarios/chaos-service.ts'
import { chatAnswer, type ProviderServer, startProviderServer } from '../../setup/servers/provider-server.ts'
import { until } from '../../setup/wait.ts'

const LOAD_MS = Number(process.env.FAULT_SECONDS ?? 9) * 1000
const RESTART_EVERY_MS = 3_000
const COMPANION_MS = 30_000
const RECOVERY_MS = 60_000
/** The embedded PostgreSQL takes 200. */
const MORE_THAN_ALLOWED = 230

describe('a database that fails', { timeout: LOAD_MS * 3 + 150_000 }, () => {
  let fixture: ChaosService
  let provider: ProviderServer
  beforeAll(async () => {
    provider = await startProviderServer()
    fixture = await startChaosService({ COMPANION_BASE_URL: provider.url })
  })
  afterAll(async () => {
    await fixture?.close()
    await provider?.close()
  })

  test('PostgreSQL crashes and restarts every few seconds under load: every accepted job ends, and the process lives on', async () => {
    const accepted: string[] = []
    let crashes = 0
    // A busy machine may take longer for each crash and each job.
    const load = async () => {
      do accepted.push(...(await fixture.loadFor(LOAD_MS)))
      while (crashes <= 2 || accepted.length <= 20)
    }
    let isLoading = true
    const chaos = async () => {
      while (isLoading) {
        const next = performance.now() + RESTART_EVERY_MS
        await until(() => performance.now() > next, RESTART_EVERY_MS * 2, 'the next crash')
        await fixture.database.restart()
        crashes++
      }
    }
    const loaded = load().finally(() => {
      isLoading = false
    })
    await Promise.all([loaded, chaos()])
    process.stderr.write(`${accepted.length} jobs accepted between ${crashes} crashes\n`)
    await fixture.allIsWell(accepted)
  })

  test('all connections of the database are taken: refusals are 503, and everything goes on once some are free', async () => {
    const hogs: Client[] = []
    for (let count = 0; count < MORE_THAN_ALLOWED; count++) {
      const hog = new Client({ connectionString: fixture.database.url })
      hog.on('error', () => undefined)
      const isIn = await hog.connect().then(
        () => true,
        () => false,
      )
      if (!isIn) break
      hogs.push(hog)
    }
    expect(hogs.length).toBeLessThan(MORE_THAN_ALLOWED)
    const tight = await fixture.loadFor(3_000)
    await Promise.all(hogs.map((hog) => hog.end()))
    const free: string[] = []
    const isFree = async () => free.push(...(await fixture.loadFor(1_000))) > 0
    await until(isFree, RECOVERY_MS, 'jobs to be accepted')
    await fixture.allIsWell([...tight, ...free])
  })

  test('PostgreSQL is killed while a companion answers: the chat is answered, and its turns are there once', async () => {
    const gate = Promise.withResolvers<void>()
    provider.script('/v1/chat/completions', { ...chatAnswer('fine'), until: gate.promise })
    const { url, key } = fixture.service
    await fixture.auditor.db.pool.query(`update api_key set scopes = scopes || '{companion:chat}'`)
    const body = { message: 'Hello.' }
    const answered = call(`${url}/api/v1/companion/chat`, { method: 'POST', key, body })
    await until(() => provider.of('/v1/chat/completions').length === 1, COMPANION_MS, 'the companion to be asked')
    const back = fixture.database.restart('SIGKILL')
    gate.resolve()
    const [reply] = await Promise.all([answered, back])
    const { chat_id, job_id, status } = reply.json<Record<'chat_id' | 'job_id' | 'status', string>>()
    expect([reply.status, status]).toEqual([200, 'completed'])
    const rowsOf = async (sql: string, id: string) => (await fixture.auditor.db.pool.query(sql, [id])).rows
    expect(await rowsOf('select role from companion_turn where chat_id = $1 order by position', chat_id)).toHaveLength(
      2,
    )
    expect(await rowsOf('select status from job where id = $1', job_id)).toEqual([{ status: 'completed' }])
    expect(provider.of('/v1/chat/completions')).toHaveLength(1)
  })

  test('after all that, the service has the connections and the memory that it had', () => fixture.isAtRestAgain())
})
